package vault

import (
	"context"
	"errors"
	"io"

	"blotter/internal/document"
	"github.com/tink-crypto/tink-go/v2/streamingaead"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// errClosed is what a Writer says once it was closed or aborted.
var errClosed = errors.New("vault: the writer is closed")

// Writer takes the bytes of one blob. It is for one goroutine. Either Close or Abort
// must be called; what comes after the first of them has no effect.
type Writer struct {
	stored unfinished
	cipher io.WriteCloser
	err    error // sticks
}

// Put begins a blob. Under the same Ref it replaces an earlier one, so that a step
// that is tried again under its lease has no trouble. Errors: vault.unavailable.
func (v *Vault) Put(ctx context.Context, r Ref) (*Writer, error) {
	key, err := r.key()
	if err != nil {
		return nil, err
	}
	primitive, err := v.cipherFor(ctx, r, true)
	if err != nil {
		return nil, err
	}
	stored, err := v.place.begin(ctx, key)
	if err != nil {
		return nil, unavailable("begin a blob", err)
	}
	w := &Writer{stored: stored}
	if w.cipher, err = primitive.NewEncryptingWriter(stored, binding(key)); err != nil {
		w.Abort()
		return nil, unavailable("begin a blob", err)
	}
	return w, nil
}

// Upload begins the blob of the document that a client sent for a job that is about to
// be. Its key is stored before the first byte; nobody but the caller may write it.
// Errors: vault.unavailable; vault.key_destroyed where the key is gone already.
func (v *Vault) Upload(ctx context.Context, job document.ID) (*Writer, error) {
	return v.Put(ctx, Ref{Job: job, Class: Upload})
}

// OpenUpload reads what Upload stored, with the errors of Open.
func (v *Vault) OpenUpload(ctx context.Context, job document.ID) (io.ReadCloser, error) {
	return v.Open(ctx, Ref{Job: job, Class: Upload})
}

// Write encrypts p.
func (w *Writer) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.cipher.Write(p)
	if err != nil {
		w.err = unavailable("write a blob", err)
	}
	return n, w.err
}

// Close puts the blob in its place. When it returns nil, the blob is on disk, or in the
// store's keeping, and has its name. Otherwise what stands under that name, if anything,
// is a whole blob: the one from before, or this one where only the last step failed.
func (w *Writer) Close() error {
	if w.err == nil {
		w.err = w.finish()
	}
	if w.err != nil && !errors.Is(w.err, errClosed) {
		err := w.err
		w.Abort()
		return err
	}
	err := w.err
	w.err = errClosed
	return err
}

// finish writes the last segment and puts the blob in its place.
func (w *Writer) finish() error {
	if err := w.cipher.Close(); err != nil {
		return unavailable("end a blob", err)
	}
	if err := w.stored.put(); err != nil {
		return unavailable("put a blob in its place", err)
	}
	return nil
}

// Abort throws the blob away, unless Close has put it in its place.
func (w *Writer) Abort() {
	if errors.Is(w.err, errClosed) {
		return
	}
	w.err = errClosed
	w.stored.drop()
}

// Open reads a blob. Errors, here or from Read: vault.key_destroyed; vault.damaged,
// also for a blob that is not there while its key is; vault.unavailable.
func (v *Vault) Open(ctx context.Context, r Ref) (io.ReadCloser, error) {
	key, err := r.key()
	if err != nil {
		return nil, err
	}
	primitive, err := v.cipherFor(ctx, r, false)
	if err != nil {
		return nil, err
	}
	stored, err := v.place.open(ctx, key)
	if errors.Is(err, errMissing) {
		return nil, damaged("open a blob", err)
	}
	if err != nil {
		return nil, unavailable("open a blob", err)
	}
	rd := &reader{Closer: stored, stored: source{r: stored}}
	if rd.plain, err = primitive.NewDecryptingReader(&rd.stored, binding(key)); err != nil {
		return nil, errors.Join(rd.judge(err), stored.Close())
	}
	return rd, nil
}

// cipherFor returns the streaming cipher of a blob's job and class.
func (v *Vault) cipherFor(ctx context.Context, r Ref, create bool) (tink.StreamingAEAD, error) {
	find := v.dataKey
	if create {
		find = v.ensureKey
	}
	h, err := find(ctx, r.Job, r.Class)
	if err != nil {
		return nil, err
	}
	primitive, err := streamingaead.New(h)
	if err != nil {
		return nil, damaged("use a data key", err)
	}
	return primitive, nil
}

// binding ties a ciphertext to the name of its blob.
func binding(key string) []byte { return []byte(domain + "blob\n" + key) }

// reader decrypts. Its first error sticks: tink's reader, asked again after a broken
// last segment, says that the stream is at its end.
type reader struct {
	io.Closer
	stored source
	plain  io.Reader
	err    error
}

func (r *reader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.plain.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		n, err = 0, r.judge(err)
	}
	r.err = err
	return n, err
}

// judge tells a disk that cannot be read from bytes that were changed.
func (r *reader) judge(err error) error {
	if r.stored.err != nil {
		return unavailable("read a blob", r.stored.err)
	}
	return damaged("read a blob", err)
}

// source remembers why reading the ciphertext failed: tink does not tell.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}
