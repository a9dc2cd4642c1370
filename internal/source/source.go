// Package source fetches documents from the governed stores that hold them. A
// document is asked for by a reference and the digest it must have; what arrives is
// counted, hashed and compared on the way, and never written anywhere but where the
// caller says. The governed original is only read: blotter never changes or deletes it.
package source

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// Ref says where a document lies. It is sealed under the job's key wherever it is
// kept, because a path may hold a name.
type Ref struct {
	Scheme string `json:"scheme"` // "file"
	Path   string `json:"path"`   // absolute
}

// File refers to a file on this machine, as its owner named it on the command line.
func File(path string) (Ref, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return Ref{}, reason.Because(reason.SourceDenied, err)
	}
	return Ref{Scheme: "file", Path: abs}, nil
}

// Open opens the document for reading. It carries source.not_found, source.denied
// (no permission, or no regular file) or source.unavailable.
func Open(r Ref) (io.ReadCloser, error) {
	if r.Scheme != "file" {
		return nil, reason.Because(reason.SourceDenied, errors.New("source: unknown scheme"))
	}
	// O_NONBLOCK: opening a named pipe must not wait for its other end.
	f, err := os.OpenFile(r.Path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, reason.Because(reason.SourceMissing, err)
	case errors.Is(err, fs.ErrPermission):
		return nil, reason.Because(reason.SourceDenied, err)
	case err != nil:
		return nil, reason.Because(reason.SourceUnreadable, err)
	}
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return nil, errors.Join(reason.Because(reason.SourceDenied, errors.New("source: not a regular file")), f.Close())
	}
	return f, nil
}

// Fetch copies the document to dst and returns its size in bytes. It stops one byte
// over the limit with source.byte_limit, and ends with source.digest_mismatch where
// the bytes are not those that were promised; dst then holds nothing that may be used.
// An error of reading is source.unavailable, one of writing workdir.unavailable.
func Fetch(ctx context.Context, r Ref, dst io.Writer, limit int64, want document.Digest) (int64, error) {
	src, err := Open(r)
	if err != nil {
		return 0, err
	}
	defer src.Close()
	got, n, err := copyAndHash(ctx, dst, src, limit)
	if err != nil {
		return n, err
	}
	if got != want {
		return n, reason.Because(reason.SourceDigest, nil)
	}
	return n, nil
}

// Digest reads the document once and returns its digest and size, with the limit and
// the errors of Fetch.
func Digest(ctx context.Context, r Ref, limit int64) (document.Digest, int64, error) {
	src, err := Open(r)
	if err != nil {
		return document.Digest{}, 0, err
	}
	defer src.Close()
	return copyAndHash(ctx, io.Discard, src, limit)
}

// chunk is how much is read at once: large enough that system calls do not show, small
// enough to notice a cancelled context soon.
const chunk = 256 << 10

func copyAndHash(ctx context.Context, dst io.Writer, src io.Reader, limit int64) (document.Digest, int64, error) {
	h := sha256.New()
	buf := make([]byte, chunk)
	var n int64
	for {
		if err := context.Cause(ctx); err != nil {
			return document.Digest{}, n, err
		}
		k, err := src.Read(buf)
		n += int64(k)
		if n > limit {
			return document.Digest{}, n, reason.Because(reason.SourceBytes, fmt.Errorf("source: over %d bytes", limit))
		}
		h.Write(buf[:k]) // a hash never fails
		if _, werr := dst.Write(buf[:k]); werr != nil {
			return document.Digest{}, n, reason.Because(reason.WorkdirFailed, werr)
		}
		if errors.Is(err, io.EOF) {
			return document.Digest(h.Sum(nil)), n, nil
		}
		if err != nil {
			return document.Digest{}, n, reason.Because(reason.SourceUnreadable, err)
		}
	}
}
