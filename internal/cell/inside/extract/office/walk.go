package office

import (
	"encoding/xml"
	"errors"
	"io"

	"blotter/internal/reason"
)

// Bounds on what the decoder keeps: it notes every open element, and all that stands in a
// tag.
const (
	maxOpen  = 256     // elements in one another: what libxml2 reads unless it is told otherwise
	maxToken = 4 << 20 // bytes of a tag or of text between two; more than any suite writes
)

// walk calls f for each element of a part, which is never held as a whole. The decoder knows
// no entities but XML's own five, so that nothing in it can grow.
func walk(part io.Reader, f func(xml.StartElement) error) error {
	in := &paced{r: part}
	dec := xml.NewDecoder(in)
	for open := 0; ; {
		in.since = 0
		tok, err := dec.Token()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errToken):
			return reason.Because(reason.ExtractMalformed, err)
		case err != nil:
			return reason.Because(reason.ExtractMalformed, errors.New("office: markup"))
		}
		switch e := tok.(type) {
		case xml.StartElement:
			if open++; open > maxOpen {
				return reason.Because(reason.ExtractDepth, errors.New("office: elements too deep"))
			}
			if err := f(e); err != nil {
				return err
			}
		case xml.EndElement:
			open--
		}
	}
}

var errToken = errors.New("office: a tag or text without end")

// paced is a reader that ends where one token would take too much.
type paced struct {
	r     io.Reader
	since int // bytes read since the last token
}

func (p *paced) Read(b []byte) (int, error) {
	if p.since > maxToken {
		return 0, errToken
	}
	n, err := p.r.Read(b)
	p.since += n
	return n, err
}
