// Package source fetches documents from where they lie: a file that the command line
// was given, or one of the governed stores that the operator has opened to a tenant. A
// document is asked for by a reference and the digest it must have; what arrives is
// counted, hashed and compared on the way, and never written anywhere but where the
// caller says. The governed original is only read: blotter never changes or deletes it.
//
// A client's reference is a URL under one of its tenant's prefixes, in one spelling:
// what could be read in two ways (dot segments, empty segments, double encoding, user,
// query, fragment) is refused before anything is opened, and below a directory neither
// a link nor a race leads out of it.
//
// No error that a store gives carries an address or a key on.
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
	Scheme string          `json:"scheme"`           // "file", "s3", "gs" or "azblob"
	Bucket string          `json:"bucket,omitempty"` // bucket or container; empty for files
	Path   string          `json:"path"`             // absolute path of a file; key in a bucket, decoded
	Tenant document.Tenant `json:"tenant,omitempty"` // whose prefixes it must lie under; empty for a file of the command line
}

// commandLine is the kind of a file that was given to the command line.
const commandLine = "cli"

// Kind is how the document comes in, in the words of a policy's deny_sources: "cli" for
// a file of the command line, the scheme for one in a governed store.
func (r Ref) Kind() string {
	if r.Tenant == "" {
		return commandLine
	}
	return r.Scheme
}

// File refers to a file on this machine, as its owner named it on the command line. It
// needs no prefix: whoever may run the command may read the file.
func File(path string) (Ref, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return Ref{}, reason.Because(reason.SourceDenied, err)
	}
	return Ref{Scheme: "file", Path: abs}, nil
}

// Open opens a file of the command line for reading. It carries source.not_found,
// source.denied (no permission, no regular file, or no file of the command line) or
// source.unavailable.
func (r Ref) Open() (io.ReadCloser, error) {
	if r.Scheme != "file" || r.Tenant != "" {
		return nil, reason.Because(reason.SourceDenied, errors.New("source: not a file of the command line"))
	}
	f, err := OpenFile(r.Path)
	if err != nil {
		return nil, err // not a nil pointer in an interface
	}
	return f, nil
}

// OpenFile opens a regular file of this machine for reading alone, as a cell demands. It
// carries the codes of Open.
func OpenFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, openFlags, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, reason.Because(reason.SourceMissing, err)
	case errors.Is(err, fs.ErrPermission):
		return nil, reason.Because(reason.SourceDenied, err)
	case err != nil:
		return nil, reason.Because(reason.SourceUnreadable, err)
	}
	return regular(f)
}

// openFlags open for reading alone. O_NONBLOCK: opening a named pipe must not wait for
// its other end.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY

// regular passes on a regular file and closes anything else.
func regular(f *os.File) (*os.File, error) {
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		f.Close() // nothing was written
		return nil, errIrregular
	}
	return f, nil
}

var errIrregular = reason.Because(reason.SourceDenied, errors.New("source: not a regular file"))

// Fetch copies a file of the command line to dst, as Copy does.
func Fetch(ctx context.Context, r Ref, dst io.Writer, limit int64, want document.Digest) (int64, error) {
	src, err := r.Open()
	if err != nil {
		return 0, err
	}
	defer src.Close()
	return Copy(ctx, dst, src, limit, want)
}

// Copy copies a document from wherever it comes and returns its size in bytes. It stops
// one byte over the limit with source.byte_limit, and ends with source.digest_mismatch
// where the bytes are not those that were promised; dst then holds nothing that may be
// used. An error of reading keeps its code, or is source.unavailable where it has none;
// one of writing is workdir.unavailable. Once ctx has ended it returns the cause of ctx.
func Copy(ctx context.Context, dst io.Writer, src io.Reader, limit int64, want document.Digest) (int64, error) {
	got, n, err := copyAndHash(ctx, dst, src, limit)
	if err != nil {
		return n, err
	}
	if got != want {
		return n, reason.Because(reason.SourceDigest, nil)
	}
	return n, nil
}

// Digest reads a file of the command line once and returns its digest and size, with
// the limit and the errors of Fetch.
func Digest(ctx context.Context, r Ref, limit int64) (document.Digest, int64, error) {
	src, err := r.Open()
	if err != nil {
		return document.Digest{}, 0, err
	}
	defer src.Close()
	return copyAndHash(ctx, io.Discard, src, limit)
}

// Sum reads an open document to its end and returns its digest, with the errors of Copy.
func Sum(ctx context.Context, r io.Reader, limit int64) (document.Digest, error) {
	sum, _, err := copyAndHash(ctx, io.Discard, r, limit)
	return sum, err
}

// chunk is how much is read at once: large enough that system calls do not show, small
// enough to notice a cancelled context soon.
const chunk = 256 << 10

func copyAndHash(ctx context.Context, dst io.Writer, src io.Reader, limit int64) (document.Digest, int64, error) {
	h := sha256.New()
	buf := make([]byte, chunk)
	var n int64
	for {
		k, err := src.Read(buf)
		if cause := context.Cause(ctx); cause != nil {
			return document.Digest{}, n, cause
		}
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
			return document.Digest{}, n, unreadable(err)
		}
	}
}

func unreadable(err error) error {
	if reason.Of(err) != reason.Internal {
		return err
	}
	return reason.Because(reason.SourceUnreadable, err)
}
