package source_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/internal/source"
)

var letter = []byte("a letter")

// fetch parses a reference and fetches it for tenant t.
func fetch(s *source.Stores, url string) ([]byte, error) {
	r, err := s.Parse("t", url)
	if err != nil {
		return nil, err
	}
	var got bytes.Buffer
	n, err := s.Fetch(context.Background(), r, &got, 100, document.Sum(letter))
	if err == nil && n != int64(got.Len()) {
		panic("the count is not what was written")
	}
	return got.Bytes(), err
}

// shelf is a directory with one prefix in it, good names and bad ones.
func shelf(t *testing.T) (dir string, s *source.Stores) {
	t.Helper()
	dir = t.TempDir()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string { return filepath.Join(dir, "scans", name) }
	ok(os.MkdirAll(in("a"), 0o700))
	ok(os.WriteFile(in("a/letter #1"), letter, 0o600))
	ok(os.WriteFile(in("large"), bytes.Repeat(letter, 100), 0o600))
	ok(os.WriteFile(in("other"), []byte("another"), 0o600))
	ok(os.WriteFile(filepath.Join(dir, "secret"), letter, 0o600))
	ok(os.Mkdir(filepath.Join(dir, "scans2"), 0o700))
	ok(os.WriteFile(filepath.Join(dir, "scans2", "secret"), letter, 0o600))
	ok(os.Symlink("a/letter #1", in("within")))
	ok(os.Symlink("../secret", in("out")))
	ok(os.Symlink(in("a/letter #1"), in("absolute")))
	ok(os.Symlink("../scans2", in("directory-out")))
	ok(os.Symlink("a/../../secret", in("round")))
	ok(os.Symlink("loop", in("loop")))
	ok(os.Symlink("nowhere", in("dangling")))
	ok(os.Symlink("/dev/zero", in("device")))
	ok(syscall.Mkfifo(in("fifo"), 0o600))
	return dir, open(t, "file://"+dir+"/scans/")
}

func TestFetchFromADirectory(t *testing.T) {
	dir, s := shelf(t)
	for name, want := range map[string]reason.Code{
		"a/letter%20%231":      "",
		"within":               "",
		"out":                  reason.SourceDenied,
		"absolute":             reason.SourceDenied, // os.Root takes every absolute link for one that leads out
		"directory-out/secret": reason.SourceDenied,
		"round":                reason.SourceDenied,
		"loop":                 reason.SourceDenied,
		"device":               reason.SourceDenied,
		"fifo":                 reason.SourceDenied, // and nobody waits for its other end
		"a":                    reason.SourceDenied,
		"dangling":             reason.SourceMissing,
		"absent":               reason.SourceMissing,
		"absent/letter":        reason.SourceMissing,
		"large/letter":         reason.SourceMissing, // a file is no directory
		"large":                reason.SourceBytes,
		"other":                reason.SourceDigest,
		"/letter":              reason.SourceReference,
	} {
		url := "file://" + dir + "/scans/" + name
		got, err := fetch(s, url)
		if reason.Of(err) != want {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
		if want == "" && !bytes.Equal(got, letter) {
			t.Errorf("%s: got %q", name, got)
		}
		if err != nil && strings.Contains(err.Error(), dir) {
			t.Errorf("%s: the error names it: %v", name, err)
		}
	}
}

func TestFetchDoesNotReadWhatIsNotAllowed(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	dir, s := shelf(t)
	if err := os.Chmod(filepath.Join(dir, "scans", "other"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := fetch(s, "file://"+dir+"/scans/other"); reason.Of(err) != reason.SourceDenied {
		t.Error(err)
	}
}

// A directory that becomes a link after the prefix was opened, and after the reference
// was taken, leads nowhere.
func TestLinkMadeLaterIsNotFollowed(t *testing.T) {
	dir, s := shelf(t)
	r, err := s.Parse("t", "file://"+dir+"/scans/a/secret")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "scans", "a")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "scans2"), filepath.Join(dir, "scans", "a")); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Fetch(t.Context(), r, &bytes.Buffer{}, 100, document.Sum(letter)); reason.Of(err) != reason.SourceDenied || n != 0 {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// A reference outlives the configuration under which it was taken.
func TestFetchAsksThePrefixesAgain(t *testing.T) {
	dir, s := shelf(t)
	r, err := s.Parse("t", "file://"+dir+"/scans/within")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		prefixes []string
		ref      source.Ref
		want     reason.Code
	}{
		"still there":       {[]string{"t=file://" + dir + "/scans/"}, r, ""},
		"wider":             {[]string{"file://" + dir}, r, ""},
		"no prefix":         {nil, r, reason.SourceOutside},
		"another prefix":    {[]string{"file://" + dir + "/scans2"}, r, reason.SourceOutside},
		"another's prefix":  {[]string{"u=file://" + dir + "/scans"}, r, reason.SourceOutside},
		"changed: path":     {[]string{"file://" + dir + "/scans"}, source.Ref{Scheme: "file", Path: dir + "/scans/../secret", Tenant: "t"}, reason.SourceReference},
		"changed: relative": {[]string{"file://" + dir + "/scans"}, source.Ref{Scheme: "file", Path: dir[1:] + "/scans/within", Tenant: "t"}, reason.SourceReference},
		"changed: scheme":   {[]string{"file://" + dir + "/scans"}, source.Ref{Scheme: "ftp", Path: r.Path, Tenant: "t"}, reason.SourceReference},
		"command line":      {nil, source.Ref{Scheme: "file", Path: filepath.Join(dir, "secret")}, ""},
	} {
		_, err := open(t, c.prefixes...).Fetch(t.Context(), c.ref, &bytes.Buffer{}, 100, document.Sum(letter))
		if reason.Of(err) != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := r.Open(); reason.Of(err) != reason.SourceDenied {
		t.Errorf("a governed file was opened without its prefix: %v", err)
	}
}

// A file system that is not mounted may come back.
func TestPrefixLostIsUnavailable(t *testing.T) {
	dir, s := shelf(t)
	if err := os.RemoveAll(filepath.Join(dir, "scans")); err != nil {
		t.Fatal(err)
	}
	if _, err := fetch(s, "file://"+dir+"/scans/within"); reason.Of(err) != reason.SourceUnreadable {
		t.Errorf("the directory of the prefix is gone: %v", err)
	}
}
