package source_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/internal/source"
)

func write(t *testing.T, data []byte) source.Ref {
	t.Helper()
	path := filepath.Join(t.TempDir(), "document")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := source.File(path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFetchStopsAtTheLimit(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789"), 100_000)
	r := write(t, data)
	for _, c := range []struct {
		limit int64
		want  reason.Code
	}{{999_999, reason.SourceBytes}, {1_000_000, ""}, {1_000_001, ""}} {
		var got bytes.Buffer
		n, err := source.Fetch(context.Background(), r, &got, c.limit, document.Sum(data))
		if reason.Of(err) != c.want {
			t.Errorf("limit %d: %v, want code %q", c.limit, err, c.want)
		}
		if err == nil && (n != int64(len(data)) || !bytes.Equal(got.Bytes(), data)) {
			t.Errorf("limit %d: fetched %d bytes that differ", c.limit, n)
		}
		if int64(got.Len()) > c.limit {
			t.Errorf("limit %d: %d bytes were written", c.limit, got.Len())
		}
	}
}

func TestFetchComparesTheDigest(t *testing.T) {
	r := write(t, []byte("a letter"))
	_, err := source.Fetch(context.Background(), r, &bytes.Buffer{}, 100, document.Sum([]byte("another")))
	if reason.Of(err) != reason.SourceDigest {
		t.Fatalf("got %v", err)
	}
	d, n, err := source.Digest(context.Background(), r, 100)
	if err != nil || n != 8 || d != document.Sum([]byte("a letter")) {
		t.Fatalf("digest %v of %d bytes, %v", d, n, err)
	}
}

func TestOpenRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]reason.Code{
		dir: reason.SourceDenied, fifo: reason.SourceDenied, "/dev/zero": reason.SourceDenied,
		filepath.Join(dir, "absent"): reason.SourceMissing,
	} {
		if _, err := (source.Ref{Scheme: "file", Path: path}).Open(); reason.Of(err) != want {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
	if _, err := (source.Ref{Scheme: "gopher", Path: fifo}).Open(); reason.Of(err) != reason.SourceDenied {
		t.Errorf("an unknown scheme: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestFetchTellsReadingFromWriting(t *testing.T) {
	full := errors.New("disk full")
	_, err := source.Fetch(context.Background(), write(t, []byte("x")), failing{full}, 10, document.Sum([]byte("x")))
	if reason.Of(err) != reason.WorkdirFailed || !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(full)
	if _, err := source.Fetch(ctx, write(t, []byte("x")), &bytes.Buffer{}, 10, document.Sum([]byte("x"))); !errors.Is(err, full) {
		t.Errorf("a cancelled fetch: %v", err)
	}
}
