package intake

import (
	"crypto/sha256"
	"io"
	"mime"
	"net/http"
	"strings"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// delivery is a way in which a request brings its document. Its methods are called in their
// order, each once.
type delivery interface {
	// begin reads what stands before the document, and returns the document as it is to be
	// read; nil for a reference.
	begin() (settings, io.Reader, error)
	// end makes sure that nothing stands behind it.
	end() error
	// around is how many bytes of the body may be no bytes of the document.
	around() int64
}

// deliveryOf chooses by the Content-Type, which is trusted for nothing else, and refuses what
// can be told from line and header alone.
func deliveryOf(r *http.Request) (delivery, error) {
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, fault(reason.APIMediaType, "header Content-Encoding: a document is sent as it is")
	}
	mediaType, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case mediaType == "multipart/form-data" && err == nil:
		return newForm(r, params["boundary"])
	case strings.HasPrefix(strings.ToLower(r.Header.Get("Content-Type")), "multipart/"):
		return nil, fault(reason.APIMediaType, "header Content-Type: multipart/form-data is the only form with parts")
	case mediaType == "application/json":
		return newReference(r)
	}
	return newRaw(r, "policy", "lane", "originals")
}

// raw is a document that is the body, with its settings in the query.
type raw struct {
	settings
	r *http.Request
}

func newRaw(r *http.Request, parameters ...string) (delivery, error) {
	s, err := fromQuery(r.URL, parameters...)
	return &raw{s, r}, err
}

func (f *raw) begin() (settings, io.Reader, error) { return f.settings, f.r.Body, nil }
func (f *raw) end() error                          { return nil } // the document was read to the body's end
func (f *raw) around() int64                       { return 0 }

// newForm is a document in a multipart form, whose settings are fields.
func newForm(r *http.Request, boundary string) (delivery, error) {
	if _, err := fromQuery(r.URL); err != nil {
		return nil, err
	}
	return newFormReader(r.Body, boundary)
}

// reference is a document that lies in a governed store.
type reference struct{ r *http.Request }

func newReference(r *http.Request) (delivery, error) {
	if _, err := fromQuery(r.URL); err != nil {
		return nil, err
	}
	if r.ContentLength > maxReference {
		return nil, fault(reason.APITooLarge)
	}
	return &reference{r}, nil
}

func (f *reference) begin() (settings, io.Reader, error) {
	text, err := io.ReadAll(io.LimitReader(f.r.Body, maxReference+1))
	if err != nil {
		return settings{}, nil, err
	}
	if len(text) > maxReference {
		return settings{}, nil, fault(reason.APITooLarge)
	}
	s, err := parseReference(text)
	return s, nil, err
}

func (f *reference) end() error    { return nil }
func (f *reference) around() int64 { return 0 }

// promises are the digests that the body of a request must have.
type promises struct {
	r       *http.Request
	body    *body
	digests []document.Digest
}

// promisesOf reads what the header promises, and has the body hashed where it, or the
// trailer to come, promises anything.
func promisesOf(r *http.Request) (*promises, error) {
	p := &promises{r: r}
	var err error
	if p.digests, err = promised(r.Header); err != nil {
		return nil, err
	}
	b, ok := r.Body.(*body)
	if ok && (len(p.digests) > 0 || promisesLater(r)) {
		p.body, b.sum = b, sha256.New()
	}
	return p, nil
}

// kept checks the promises once the body was read to its end.
func (p *promises) kept() error {
	if p.body == nil {
		return nil
	}
	later, err := promised(p.r.Trailer)
	if err != nil {
		return err
	}
	sum := document.Digest(p.body.sum.Sum(nil))
	for _, d := range append(later, p.digests...) {
		if d != sum {
			return fault(reason.SourceDigest)
		}
	}
	return nil
}
