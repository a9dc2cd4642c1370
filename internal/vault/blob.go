package vault

import (
	"context"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"

	"blotter/internal/document"
	"blotter/internal/durable"
	"github.com/tink-crypto/tink-go/v2/streamingaead"
	"github.com/tink-crypto/tink-go/v2/tink"
	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"
)

// errClosed is what a Writer says once it was closed or aborted.
var errClosed = errors.New("vault: the writer is closed")

// Writer takes the bytes of one blob. It is for one goroutine. Either Close or Abort
// must be called; what comes after the first of them has no effect.
type Writer struct {
	dir    string   // the blob's directory
	file   *os.File // under its temporary name, for syncing
	cancel context.CancelFunc
	blob   *blob.Writer
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
	w := &Writer{dir: filepath.Join(v.dir, filepath.FromSlash(path.Dir(key)))}
	if err := durable.MkdirAll(w.dir, dirMode); err != nil {
		return nil, unavailable("make a blob's directory", err)
	}
	ctx, w.cancel = context.WithCancel(ctx)
	w.blob, err = v.bucket.NewWriter(ctx, key, &blob.WriterOptions{
		DisableContentTypeDetection: true, // opens the file at once; there is nothing to detect in ciphertext
		BeforeWrite:                 w.takeFile,
	})
	if err != nil {
		w.cancel()
		return nil, unavailable("begin a blob", err)
	}
	if w.cipher, err = primitive.NewEncryptingWriter(w.blob, binding(key)); err != nil {
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

// takeFile gets hold of the file underneath, to sync it before it is renamed.
func (w *Writer) takeFile(as func(any) bool) error {
	if !as(&w.file) {
		return errors.New("the bucket is not of files")
	}
	return w.file.Chmod(0o600)
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

// Close puts the blob in its place. When it returns nil, the blob is on disk and has
// its name. Otherwise what stands under that name, if anything, is a whole blob: the
// one from before, or this one where only its name could not be synced.
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

// finish writes the last segment, then syncs before the rename, and the directory
// after it.
func (w *Writer) finish() error {
	if err := w.cipher.Close(); err != nil {
		return unavailable("end a blob", err)
	}
	if err := durable.Sync(w.file); err != nil {
		return unavailable("sync a blob", err)
	}
	if err := durable.Around("vault_rename", w.blob.Close); err != nil {
		return unavailable("put a blob in its place", err)
	}
	w.cancel()
	if err := durable.SyncDir(w.dir); err != nil {
		return unavailable("sync a blob's directory", err)
	}
	return nil
}

// Abort throws the blob away, unless Close has put it in its place.
func (w *Writer) Abort() {
	if errors.Is(w.err, errClosed) {
		return
	}
	w.err = errClosed
	w.cancel()
	_ = w.blob.Close() // fails by design: the cancelled context makes it remove the file
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
	stored, err := v.bucket.NewReader(ctx, key, nil)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, damaged("open a blob", errors.New("it is missing"))
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
