package intake

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"

	"blotter/internal/reason"
)

const (
	// maxPartHeader bounds the lines between two parts of a form: boundary, disposition with
	// a long file name, type. mime/multipart itself would take 10 MiB.
	maxPartHeader = 16 << 10

	// readAhead is what mime/multipart takes in before it needs it.
	readAhead = 8 << 10

	filePart = "file"
)

// fieldBytes are the fields of a form, each with the most bytes that its value may have.
var fieldBytes = map[string]int64{"sha256": 64, "policy": 64, "lane": 16, "originals": 5, "hints": maxHints}

// formReader reads a multipart form as it comes in: fields first, then the file, then
// nothing. It keeps no more than one field in memory, and the name that the client gives
// the file is thrown away.
type formReader struct {
	in       *metered
	parts    *multipart.Reader
	boundary string
}

// newFormReader reads a form with the boundary from body. The boundary is checked by
// mime/multipart against nothing: one of over 70 bytes (RFC 2046) is refused here.
func newFormReader(body io.Reader, boundary string) (*formReader, error) {
	if boundary == "" || len(boundary) > 70 {
		return nil, fault(reason.APIRequest, "header Content-Type: no usable boundary")
	}
	in := &metered{r: body}
	return &formReader{in: in, parts: multipart.NewReader(in, boundary), boundary: boundary}, nil
}

// begin reads the fields before the file, and the file's header.
func (f *formReader) begin() (s settings, file io.Reader, err error) {
	seen := map[string]bool{}
	for {
		part, err := f.next()
		if err != nil {
			return s, nil, err
		}
		if part == nil {
			return s, nil, fault(reason.APIRequest, "form: the part file is missing")
		}
		name := part.FormName()
		switch {
		case name == filePart && !seen["sha256"]:
			return s, nil, fault(reason.APIRequest, "form: the field sha256 must come before the file")
		case name == filePart:
			f.in.unlimited = true
			return s, formFile{f, part}, nil
		case fieldBytes[name] == 0:
			return s, nil, fault(reason.APIRequest, "form: a field of an unknown name")
		case seen[name]:
			return s, nil, fault(reason.APIRequest, "form field "+name+": given twice")
		}
		seen[name] = true
		if err := f.field(&s, name, part); err != nil {
			return s, nil, err
		}
	}
}

// next returns the next part; nil behind the last. A part with a coding of its own is
// refused, as RFC 7578 (section 4.7) advises against them.
func (f *formReader) next() (*multipart.Part, error) {
	f.in.allow(maxPartHeader)
	part, err := f.parts.NextRawPart()
	if err == io.EOF { // and nothing that wraps it: a form that was cut off does
		return nil, nil
	}
	if err != nil {
		return nil, f.malformed(err)
	}
	switch part.Header.Get("Content-Transfer-Encoding") {
	case "", "7bit", "8bit", "binary":
		return part, nil
	}
	return nil, fault(reason.APIRequest, "form: a part with a Content-Transfer-Encoding")
}

// field reads the value of a field.
func (f *formReader) field(s *settings, name string, value io.Reader) error {
	most := fieldBytes[name]
	f.in.allow(most + readAhead)
	text, err := io.ReadAll(io.LimitReader(value, most+1))
	switch {
	case err != nil:
		return f.malformed(err)
	case int64(len(text)) > most:
		return fault(reason.APIRequest, "form field "+name+": too long")
	case name == "hints":
		s.hints, err = parseHints(text)
		return err
	case !setters[name](s, string(text)):
		return fault(reason.APIRequest, "form field "+name+": not a value that it may have")
	}
	return nil
}

// around is what a form holds besides: settings, hints, and the lines between them.
func (f *formReader) around() int64 { return formBytes }

// end makes sure that nothing follows the file, and reads the body to its end.
func (f *formReader) end() error {
	f.in.unlimited = false
	part, err := f.next()
	if err != nil {
		return err
	}
	if part != nil {
		return fault(reason.APIRequest, "form: something follows the file")
	}
	f.in.allow(readAhead)
	if _, err := io.Copy(io.Discard, f.in); err != nil {
		return f.malformed(err)
	}
	if end := bytes.TrimRight(f.in.tail, "\r\n \t"); !bytes.HasSuffix(end, []byte("--"+f.boundary+"--")) {
		return fault(reason.APIRequest, "form: something follows the file")
	}
	return nil
}

// malformed blames the form, unless the body itself ended before its time: that is told
// as it was, whatever mime/multipart made of it.
func (f *formReader) malformed(err error) error {
	if f.in.failed != nil {
		return f.in.failed
	}
	return &refusal{code: reason.APIRequest, faults: []string{"body: not a well-formed multipart form"}, cause: err}
}

// formFile is the file of a form.
type formFile struct {
	form *formReader
	part io.Reader
}

func (f formFile) Read(b []byte) (int, error) {
	n, err := f.part.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = f.form.malformed(err)
	}
	return n, err
}

// metered lets no more through than was allowed, and remembers the last bytes.
type metered struct {
	r         io.Reader
	left      int64
	unlimited bool
	tail      []byte
	failed    error // of the body, but for its end
}

// tailBytes hold the last boundary (70 bytes at most), its dashes, and blanks behind it.
const tailBytes = 128

var errTooMuch = fmt.Errorf("intake: more between two parts than %d bytes", maxPartHeader)

// allow lets n bytes through from here on, and what is read ahead.
func (m *metered) allow(n int64) { m.left = n + readAhead }

func (m *metered) Read(p []byte) (int, error) {
	if !m.unlimited && m.left <= 0 {
		return 0, errTooMuch
	}
	if !m.unlimited && int64(len(p)) > m.left {
		p = p[:m.left]
	}
	n, err := m.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		m.failed = err
	}
	m.left -= int64(n)
	m.tail = append(m.tail, p[:n]...)
	if len(m.tail) > tailBytes {
		m.tail = append(m.tail[:0], m.tail[len(m.tail)-tailBytes:]...)
	}
	return n, err
}
