package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
)

// UploadOptions say what is asked for besides the document. Empty fields ask for nothing.
type UploadOptions struct {
	// IdempotencyKey is new for each document and the same again when the caller repeats a
	// request whose answer it lost; 1 to 255 printable ASCII characters. Empty: one is made.
	IdempotencyKey string

	SHA256    string // that the document must have, 64 lower-case hexadecimal digits
	Policy    string // name of the redaction policy; empty: the service's own
	Lane      string // "interactive" or "bulk"; empty: left to the key
	Originals bool   // also keep each image as it was before redaction
	Hints     *Hints // what is known of the person
}

// Upload sends a document. Where it is an io.Seeker, it is sent from where it stands, and
// sent again with the same key where that helps; otherwise it is sent once.
func (c *Client) Upload(ctx context.Context, document io.Reader, o UploadOptions) (Accepted, error) {
	what := call{method: http.MethodPost, path: "/v1/documents", header: http.Header{"Idempotency-Key": {keyOr(o.IdempotencyKey)}}}
	src, err := newSource(document)
	if err != nil {
		return Accepted{}, err
	}
	what.never = !src.again()
	if o.Hints != nil {
		err = form(&what, src, o)
	} else {
		err = raw(&what, src, o)
	}
	if err != nil {
		return Accepted{}, err
	}
	var out Accepted
	return out, c.json(ctx, what, &out)
}

// keyOr is the key, or a fresh one of 128 random bits.
func keyOr(key string) string {
	if key == "" {
		return rand.Text()
	}
	return key
}

// raw sends a document as the body.
func raw(what *call, src *source, o UploadOptions) error {
	what.body, what.query = src.open, url.Values{}
	what.header.Set("Content-Type", "application/octet-stream")
	for name, value := range map[string]string{"policy": o.Policy, "lane": o.Lane} {
		if value != "" {
			what.query.Set(name, value)
		}
	}
	if o.Originals {
		what.query.Set("originals", "true")
	}
	if o.SHA256 == "" {
		return nil
	}
	sum, err := hex.DecodeString(o.SHA256)
	if err != nil || len(sum) != sha256.Size {
		return errors.New("client: a SHA-256 is 64 hexadecimal digits")
	}
	what.header.Set("Content-Digest", digestHeader(sum))
	return nil
}

// form sends a document in a form, because hints may stand in no address. The digest comes
// first; so the document is read twice where the caller does not know it.
func form(what *call, src *source, o UploadOptions) error {
	if o.SHA256 == "" {
		var err error
		if o.SHA256, err = src.digest(); err != nil {
			return err
		}
	}
	hints, err := json.Marshal(o.Hints)
	if err != nil {
		return fmt.Errorf("client: write hints: %w", err)
	}
	var head, tail bytes.Buffer
	w := multipart.NewWriter(&head)
	originals := ""
	if o.Originals {
		originals = "true"
	}
	for _, f := range [][2]string{{"sha256", o.SHA256}, {"policy", o.Policy}, {"lane", o.Lane}, {"originals", originals}, {"hints", string(hints)}} {
		if f[1] != "" {
			err = errors.Join(err, w.WriteField(f[0], f[1]))
		}
	}
	_, fileErr := w.CreateFormFile("file", "document") // no name of the caller's goes over the wire
	fmt.Fprintf(&tail, "\r\n--%s--\r\n", w.Boundary())
	what.header.Set("Content-Type", w.FormDataContentType())
	what.body = src.between(head.Bytes(), tail.Bytes())
	return errors.Join(err, fileErr)
}

// Refer asks for a document that lies in one of the service's governed stores, under an
// idempotency key; empty: one is made.
func (c *Client) Refer(ctx context.Context, ref Reference, key string) (Accepted, error) {
	body, err := json.Marshal(ref)
	if err != nil {
		return Accepted{}, fmt.Errorf("client: write a reference: %w", err)
	}
	what := call{
		method: http.MethodPost, path: "/v1/documents",
		header: http.Header{"Idempotency-Key": {keyOr(key)}, "Content-Type": {"application/json"}},
		body:   func() (io.Reader, int64, error) { return bytes.NewReader(body), int64(len(body)), nil },
	}
	var out Accepted
	return out, c.json(ctx, what, &out)
}

// Redacted is an image from the synchronous path.
type Redacted struct {
	Job string // its job, which has the receipt
	PNG []byte
}

// Redact redacts one small image while the caller waits. An *Error whose Async is set says
// that Upload takes the image.
func (c *Client) Redact(ctx context.Context, image io.Reader) (Redacted, error) {
	src, err := newSource(image)
	if err != nil {
		return Redacted{}, err
	}
	png, header, err := c.whole(ctx, call{
		method: http.MethodPost, path: "/v1/redact", body: src.open, never: !src.again(), once: true,
		header: http.Header{"Content-Type": {"application/octet-stream"}},
	})
	if err != nil {
		return Redacted{}, err
	}
	job := header.Get("Location")
	return Redacted{Job: job[strings.LastIndex(job, "/")+1:], PNG: png}, nil
}

// source is a document that is sent, possibly more than once.
type source struct {
	io.Reader
	seeker io.Seeker // nil: it can be read only once
	start  int64
	size   int64 // -1: unknown
}

func newSource(r io.Reader) (*source, error) {
	s := &source{Reader: r, size: -1}
	seeker, ok := r.(io.Seeker)
	if !ok {
		return s, nil
	}
	start, err := seeker.Seek(0, io.SeekCurrent)
	if err != nil {
		return s, nil //nolint:nilerr // a pipe is a Seeker that cannot seek: it is sent once
	}
	end, err := seeker.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("client: find out the size of a document: %w", err)
	}
	s.seeker, s.start, s.size = seeker, start, end-start
	return s, s.rewind()
}

func (s *source) again() bool { return s.seeker != nil }

func (s *source) rewind() error {
	if s.seeker == nil {
		return nil
	}
	if _, err := s.seeker.Seek(s.start, io.SeekStart); err != nil {
		return fmt.Errorf("client: read a document again: %w", err)
	}
	return nil
}

// open is the document from its start, as the body of a call. The wrapping keeps the
// transport from closing what is the caller's.
func (s *source) open() (io.Reader, int64, error) {
	if s.size == 0 {
		return http.NoBody, 0, nil
	}
	return struct{ io.Reader }{s.Reader}, s.size, s.rewind()
}

// between is the document between two other parts.
func (s *source) between(head, tail []byte) func() (io.Reader, int64, error) {
	return func() (io.Reader, int64, error) {
		size := s.size
		if size >= 0 {
			size += int64(len(head) + len(tail))
		}
		return io.MultiReader(bytes.NewReader(head), s.Reader, bytes.NewReader(tail)), size, s.rewind()
	}
}

func (s *source) digest() (string, error) {
	if s.seeker == nil {
		return "", errors.New("client: hints are sent in a form, whose digest comes first: give SHA256, or a document that can be read twice")
	}
	h := sha256.New()
	if _, err := io.Copy(h, s.Reader); err != nil {
		return "", fmt.Errorf("client: read a document: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), s.rewind()
}
