package source_test

import (
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/internal/source"
)

// open makes stores of the given prefixes.
func open(t testing.TB, prefixes ...string) *source.Stores {
	t.Helper()
	s, err := source.Open(source.Config{Prefixes: prefixes})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

const settings = "?region=eu-central-1&anonymous=true"

// scans is a directory with the prefixes that the tests below speak of.
func scans(t testing.TB) (dir string, s *source.Stores) {
	dir = t.TempDir()
	for _, name := range []string{"scans", "scans2", "ward"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return dir, open(t,
		"file://"+dir+"/scans/", "ward-7=file://"+dir+"/ward",
		"s3://bucket/in/"+settings, "s3://whole"+settings, "ward-7=gs://private?anonymous=true",
	)
}

func TestParse(t *testing.T) {
	dir, s := scans(t)
	for url, want := range map[string]source.Ref{
		"file://" + dir + "/scans/a/b.pdf":    {Scheme: "file", Path: dir + "/scans/a/b.pdf", Tenant: "t"},
		"file://" + dir + "/scans/a%20%3F%23": {Scheme: "file", Path: dir + "/scans/a ?#", Tenant: "t"},
		"file://" + dir + "/scans/...":        {Scheme: "file", Path: dir + "/scans/...", Tenant: "t"},
		"s3://bucket/in/b":                    {Scheme: "s3", Bucket: "bucket", Path: "in/b", Tenant: "t"},
		"s3://whole/b":                        {Scheme: "s3", Bucket: "whole", Path: "b", Tenant: "t"},
		"s3://whole/%D0%BF/100%25":            {Scheme: "s3", Bucket: "whole", Path: "п/100%", Tenant: "t"},
		"s3://whole/a+b":                      {Scheme: "s3", Bucket: "whole", Path: "a+b", Tenant: "t"},
	} {
		if got, err := s.Parse("t", url); err != nil || got != want || got.Kind() != want.Scheme {
			t.Errorf("%s: %+v, %v", url, got, err)
		}
	}
	for _, url := range []string{"file://" + dir + "/ward/a", "gs://private/a"} {
		if _, err := s.Parse("ward-7", url); err != nil {
			t.Errorf("%s: its own tenant: %v", url, err)
		}
		if _, err := s.Parse("t", url); reason.Of(err) != reason.SourceOutside {
			t.Errorf("%s: another tenant: %v", url, err)
		}
	}
}

// hostile are references that must not be followed, whatever a decoder or a store makes
// of them. DIR is the directory that holds the prefixes.
var hostile = map[string]reason.Code{
	"":                                        reason.SourceReference,
	"DIR/scans/a":                             reason.SourceReference,
	"//DIR/scans/a":                           reason.SourceReference,
	"FILE://DIR/scans/a":                      reason.SourceReference,
	"http://bucket/in/a":                      reason.SourceReference,
	"mem://bucket/in/a":                       reason.SourceReference,
	"file:DIR/scans/a":                        reason.SourceReference,
	"file://localhostDIR/scans/a":             reason.SourceReference,
	"file://DIR/scans":                        reason.SourceOutside,
	"file://DIR/scans/":                       reason.SourceReference,
	"file://DIR/scans2/a":                     reason.SourceOutside,
	"file://DIR/a":                            reason.SourceOutside,
	"file:///etc/passwd":                      reason.SourceOutside,
	"file://DIR/scans/../a":                   reason.SourceReference,
	"file://DIR/scans/./a":                    reason.SourceReference,
	"file://DIR/scans/%2e%2e/a":               reason.SourceReference,
	"file://DIR/scans/%2E./a":                 reason.SourceReference,
	"file://DIR/scans/.%2e/a":                 reason.SourceReference,
	"file://DIR/scans/..%2fa":                 reason.SourceReference,
	"file://DIR/scans/..%5ca":                 reason.SourceReference,
	"file://DIR/scans/%252e%252e/a":           reason.SourceReference,
	"file://DIR/scans/%252Fa":                 reason.SourceReference,
	"file://DIR/scans/%c0%ae%c0%ae/a":         reason.SourceReference,
	"file://DIR/scans/%ff":                    reason.SourceReference,
	"file://DIR/scans/\xff":                   reason.SourceReference,
	"file://DIR/scans//a":                     reason.SourceReference,
	"file://DIR//scans/a":                     reason.SourceReference,
	"file://DIR/scans/a/":                     reason.SourceReference,
	"file://DIR/scans/a%00.pdf":               reason.SourceReference,
	"file://DIR/scans/a\x00.pdf":              reason.SourceReference,
	"file://DIR/scans/a%0a":                   reason.SourceReference,
	"file://DIR/scans/a\n":                    reason.SourceReference,
	"file://DIR/scans/a\u0085":                reason.SourceReference,
	`file://DIR/scans\..\a`:                   reason.SourceReference,
	"file://DIR/scans/a%":                     reason.SourceReference,
	"file://DIR/scans/a%2":                    reason.SourceReference,
	"file://DIR/scans/a%zz":                   reason.SourceReference,
	"file://DIR/scans/a?x":                    reason.SourceReference,
	"file://DIR/scans/a#x":                    reason.SourceReference,
	"s3://bucket":                             reason.SourceReference,
	"s3://bucket/":                            reason.SourceReference,
	"s3://bucket/in":                          reason.SourceOutside,
	"s3://bucket/in2/a":                       reason.SourceOutside,
	"s3://bucket/in/../out/a":                 reason.SourceReference,
	"s3://bucket/in/a?endpoint=http://x":      reason.SourceReference,
	"s3://bucket/in/a?versionId=1":            reason.SourceReference,
	"s3://user@bucket/in/a":                   reason.SourceReference,
	"s3://user:secret@bucket/in/a":            reason.SourceReference,
	"s3://bucket:80/in/a":                     reason.SourceReference,
	"s3://bucket:/in/a":                       reason.SourceReference,
	"s3://%62ucket/in/a":                      reason.SourceReference,
	"s3://BUCKET/in/a":                        reason.SourceOutside,
	"s3://bucket./in/a":                       reason.SourceOutside,
	"s3:///in/a":                              reason.SourceReference,
	"s3://[::1]/in/a":                         reason.SourceReference,
	"gs://bucket/in/a":                        reason.SourceOutside,
	"s3://whole/" + strings.Repeat("a", 4096): reason.SourceReference,
}

func TestParseRefuses(t *testing.T) {
	dir, s := scans(t)
	for url, want := range hostile {
		url = strings.ReplaceAll(url, "DIR", dir)
		got, err := s.Parse("t", url)
		if reason.Of(err) != want || got != (source.Ref{}) {
			t.Errorf("%q: %+v, %v; want %s", url, got, err, want)
		}
		if err != nil && len(url) > 12 && strings.Contains(err.Error(), url[len(url)-12:]) {
			t.Errorf("%q: the error repeats it: %v", url, err)
		}
	}
	for _, tenant := range []document.Tenant{"", "*", "T"} {
		if _, err := s.Parse(tenant, "s3://whole/a"); reason.Of(err) != reason.SourceReference {
			t.Errorf("tenant %q: %v", tenant, err)
		}
	}
}

func TestOpenReportsEverything(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := source.Open(source.Config{Timeout: -1, Prefixes: []string{
		"file://" + dir, "file:///", "file://" + dir + "/absent/", "file://" + file, "file://" + dir + "?x=y", // 1 to 5
		"ftp://host/", "Ward=file://" + dir, "s3://a/b/../c", "s3://u@a/b", "s3://a//", // 6 to 10
		"s3://a/?region=x&key=b", "gs://a/?prefix=b", "file://" + dir + "/", "azblob://a?nonsense=1", // 11 to 14
	}})
	if reason.Of(err) != reason.ConfigInvalid {
		t.Fatal(err)
	}
	for _, want := range []string{
		"time-out", "entry 2 of sources: it names the whole", "entry 3 of sources: its directory", "entry 4 of sources: it is not a directory",
		"entry 5 of sources: a directory has no settings", "entry 6 of sources: it does not begin", "entry 7 of sources: \"Ward\"",
		"entry 8 of sources: it has a dot", "entry 9 of sources: its bucket", "entry 10 of sources: it has an empty", "entry 11 of sources: it cannot",
		"entry 12 of sources: a gs prefix", "entry 13 of sources: it is given twice", "entry 14 of sources: it cannot",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in:\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), "entry 1 ") {
		t.Errorf("the good one is refused too:\n%v", err)
	}
}

// A reference that reads blotter's own directory would read its keys.
func TestNoPrefixTouchesADirectoryOfOurs(t *testing.T) {
	root := t.TempDir()
	data, link := filepath.Join(root, "state", "data"), filepath.Join(root, "link")
	for _, dir := range []string{filepath.Join(data, "vault"), filepath.Join(root, "state", "database"), filepath.Join(root, "scans")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(data, link); err != nil {
		t.Fatal(err)
	}
	open := func(dir string) error {
		s, err := source.Open(source.Config{Prefixes: []string{"file://" + dir}, Private: []string{data}})
		if err == nil {
			err = s.Close()
		}
		return err
	}
	for _, dir := range []string{root, filepath.Join(root, "state"), data, filepath.Join(data, "vault"), link} {
		if err := open(dir); reason.Of(err) != reason.ConfigInvalid || !strings.Contains(err.Error(), "blotter's own") {
			t.Errorf("%s: %v", dir, err)
		}
	}
	for _, dir := range []string{filepath.Join(root, "scans"), filepath.Join(root, "state", "database")} {
		if err := open(dir); err != nil {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

// FuzzParse: what is accepted lies under a prefix, segment by segment, has nothing in it
// that a file system or a store could read otherwise, and is accepted again when it is
// fetched: there is no such file, and nobody is told of another.
func FuzzParse(f *testing.F) {
	dir := f.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "scans"), 0o700); err != nil {
		f.Fatal(err)
	}
	for url := range hostile {
		f.Add(strings.ReplaceAll(url, "DIR", ""))
	}
	f.Add("s3://bucket/in/b")
	f.Add("s3://whole/100%25")
	f.Add("file:///scans/a/%25")
	s := open(f, "s3://bucket/in/"+settings, "s3://whole"+settings, "file://"+dir+"/scans")
	f.Fuzz(func(t *testing.T, url string) {
		url = strings.Replace(url, "file:///", "file://"+dir+"/", 1)
		r, err := s.Parse("t", url)
		if err != nil {
			if code := reason.Of(err); code != reason.SourceReference && code != reason.SourceOutside || r != (source.Ref{}) {
				t.Errorf("%+v, %v", r, err)
			}
			return
		}
		under := map[string]string{"whole": "", "bucket": "in/", "": dir + "/scans/"}
		if prefix, ok := under[r.Bucket]; !ok || r.Tenant != "t" || !strings.HasPrefix(r.Path, prefix) || r.Path == prefix {
			t.Errorf("%q became %+v", url, r)
		}
		if r.Scheme == "file" {
			if _, err := s.Fetch(t.Context(), r, io.Discard, 1, document.Digest{}); reason.Of(err) != reason.SourceMissing {
				t.Errorf("%q: %v", url, err)
			}
		}
		if !utf8.ValidString(r.Path) || strings.ContainsAny(r.Path, "\\\x00\r\n\x7f") || path.Join("/", r.Path) != "/"+strings.TrimPrefix(r.Path, "/") {
			t.Errorf("%q became %q", url, r.Path)
		}
	})
}
