package objectstore

import (
	"context"
	"errors"
	"io"
	"time"

	"gocloud.dev/blob"
)

// watch cancels a context where a single step of a stream takes too long. What passes
// between two steps is the caller's own time and does not count.
type watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
}

func newWatch(ctx context.Context) watch {
	ctx, cancel := context.WithCancelCause(ctx)
	return watch{ctx, cancel}
}

func (w watch) step(d time.Duration, do func() error) error {
	t := time.AfterFunc(d, func() { w.cancel(errSilent) })
	defer t.Stop()
	return do()
}

// Reader reads an object as a stream; it must be closed. ErrMissing: there is none.
func (s *Store) Reader(ctx context.Context, key string) (io.ReadCloser, error) {
	w := newWatch(ctx)
	var body *blob.Reader
	err := w.step(Patience, func() (err error) {
		body, err = s.bucket.NewReader(w.ctx, s.prefix+key, nil)
		return err
	})
	if err != nil {
		err = failed(w.ctx, "open an object", err)
		w.cancel(nil)
		return nil, err
	}
	return &reader{watch: w, body: body}, nil
}

type reader struct {
	watch
	body *blob.Reader
}

func (r *reader) Read(p []byte) (n int, err error) {
	err = r.step(Patience, func() (err error) {
		n, err = r.body.Read(p)
		return err
	})
	if err != nil && !errors.Is(err, io.EOF) {
		err = failed(r.ctx, "read an object", err)
	}
	return n, err
}

func (r *reader) Close() error {
	err := r.body.Close()
	r.cancel(nil)
	if err != nil {
		return errors.New("objectstore: an object could not be closed")
	}
	return nil
}

// Writer writes an object as a stream, for one goroutine. Either Close or Abort must be
// called. Up to 16 MiB are held in memory.
type Writer struct {
	watch
	object *blob.Writer
}

// Writer begins an object, which replaces one of that name once it is closed.
func (s *Store) Writer(ctx context.Context, key string) (*Writer, error) {
	w := &Writer{watch: newWatch(ctx)}
	var err error
	w.object, err = s.bucket.NewWriter(w.ctx, s.prefix+key, &blob.WriterOptions{
		ContentType: binary, DisableContentTypeDetection: true, BufferSize: partSize, MaxConcurrency: 1,
	})
	if err != nil {
		err = failed(w.ctx, "begin an object", err)
		w.cancel(nil)
		return nil, err
	}
	return w, nil
}

// Write sends bytes on their way.
func (w *Writer) Write(p []byte) (n int, err error) {
	err = w.step(writingTime(partSize), func() (err error) {
		n, err = w.object.Write(p)
		return err
	})
	return n, failed(w.ctx, "write an object", err)
}

// Close puts the object in its place. After an error it may stand there, whole.
func (w *Writer) Close() error {
	if cause := context.Cause(w.ctx); cause != nil { // nothing to be sent any more
		w.Abort()
		return failed(w.ctx, "put an object in its place", cause)
	}
	err := w.step(writingTime(heldMost), w.object.Close)
	err = failed(w.ctx, "put an object in its place", err)
	w.cancel(nil)
	return err
}

// heldMost is how many bytes of an object may still be on their way when it is closed: an
// object under this size is sent only then.
const heldMost = 16 << 20

// Abort throws away what was written.
func (w *Writer) Abort() {
	w.cancel(context.Canceled)
	_ = w.object.Close() // fails by design: the cancelled context ends the upload
}
