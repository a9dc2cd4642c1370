package intake

import (
	"errors"
	"hash"
	"io"
	"net/http"
	"os"
	"time"

	"blotter/internal/reason"
)

// body is the body of a request on its way in. It ends a client that sends too slowly:
// each read has until the next byte is due, and all of them together the time of the
// whole body. It counts what came.
type body struct {
	io.ReadCloser
	deadline func(time.Time) error // of the connection's, or stream's, next read
	idle     time.Duration
	until    time.Time // for the whole body
	bytes    int64     // that were read
	ended    bool      // nothing more comes

	flowing func() error // called after bytes came in; nil: nobody
	sum     hash.Hash    // of what was read; nil: nobody asks
}

// newBody bounds the body of r. The first byte is due at once: net/http itself reads
// what a handler leaves.
func newBody(w http.ResponseWriter, r *http.Request, idle, whole time.Duration) *body {
	b := &body{
		ReadCloser: r.Body, deadline: http.NewResponseController(w).SetReadDeadline,
		idle: idle, until: time.Now().Add(whole), ended: r.ContentLength == 0,
	}
	if !b.ended {
		_ = b.deadline(time.Now().Add(idle))
	}
	return b
}

// within shortens the time for the whole body; it never widens it.
func (b *body) within(d time.Duration) {
	if until := time.Now().Add(d); until.Before(b.until) {
		b.until = until
	}
}

func (b *body) Read(p []byte) (int, error) {
	if b.ended {
		return 0, io.EOF
	}
	due := time.Now().Add(b.idle)
	if b.until.Before(due) {
		due = b.until
	}
	_ = b.deadline(due) // where there are no deadlines, the server has its own
	n, err := b.ReadCloser.Read(p)
	b.bytes += int64(n)
	if b.sum != nil {
		b.sum.Write(p[:n])
	}
	if n > 0 && b.flowing != nil {
		if err := b.flowing(); err != nil {
			return n, err
		}
	}
	switch {
	case errors.Is(err, io.EOF):
		b.ended = true
		_ = b.deadline(time.Time{}) // what is read from here on tells that the client has gone
	case err != nil:
		err = cut(err)
	}
	return n, err
}

// cut says why a body ended before its end.
func cut(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return &refusal{code: reason.APIBodyTimeout, cause: err}
	}
	return &refusal{code: reason.APIRequest, faults: []string{"body: it ended too early"}, cause: err}
}
