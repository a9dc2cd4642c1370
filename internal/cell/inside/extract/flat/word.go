package flat

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"strings"

	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/cell/inside/markup"
	"blotter/internal/reason"
)

// Parts of the package that a document of Word 2003 becomes.
const (
	wordText      = "word/document.xml"
	wordPictures  = "word/media/"
	wordRelations = "word/_rels/document.xml.rels"

	pictureRelation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/image"
)

// word reads a document of Word 2003 (WordprocessingML): pictures stand in it as base64 and
// have names that its shapes refer to; objects of other programs and macros lie in one
// container each.
func (w *walk) word() error {
	var relations strings.Builder
	picture := func(target, mode string) {
		fmt.Fprintf(&relations, `<Relationship Type="%s" Target="%s" TargetMode="%s"/>`, pictureRelation, target, mode)
	}
	text, from := part{name: wordText}, 0
	outside := false
	for {
		t, err := w.next()
		if err != nil {
			return err
		}
		switch {
		case t.Kind == markup.End:
			text.pieces = append(text.pieces, w.b[from:])
			if err := w.add(text); err != nil {
				return err
			}
			if outside {
				picture("elsewhere", "External")
			}
			return w.add(part{name: wordRelations, made: []byte("<Relationships>" + relations.String() + "</Relationships>")})
		case t.Kind != markup.Open:
		case string(t.Name) == "binData":
			text.pieces = append(text.pieces, w.b[from:t.To])
			p, err := w.binary(t)
			if err != nil {
				return err
			}
			if strings.HasPrefix(p.name, wordPictures) {
				picture("/"+p.name, "")
			}
			from = w.Last().From
		case string(t.Name) == "imagedata" || string(t.Name) == "fill":
			outside = outside || elsewhere(t)
		case string(t.Name) == "DocumentProperties":
			if err := w.add(part{name: "docProps/core.xml"}); err != nil {
				return err
			}
		}
	}
}

// elsewhere reports whether a shape shows a picture that is not in the document.
func elsewhere(t markup.Token) bool {
	src, ok := t.Attribute("src")
	return ok && src != "" && !strings.HasPrefix(strings.ToLower(src), "wordml:")
}

// binary reads bytes that stand in the document. It tells macros, objects and pictures
// by the name that Word gives them.
func (w *walk) binary(t markup.Token) (part, error) {
	name, _ := t.Attribute("name")
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	p := part{letters: true}
	switch n := len(w.parts) + 1; {
	case name == "editdata.mso":
		p.name = "word/vbaProject.bin"
	case strings.HasSuffix(name, ".mso"):
		p.name, p.active = fmt.Sprintf("word/embeddings/%06d", n), true
	default:
		p.name = fmt.Sprintf("%s%06d", wordPictures, n)
	}
	var err error
	if p.pieces, err = w.content(); err != nil {
		return p, err
	}
	return p, w.add(p)
}

// activeMime begins what Word packs objects and macros into: a header of some fifty bytes,
// then a compound file that zlib packed.
const (
	activeMime   = "ActiveMime"
	activeHeader = 0x1e // bytes before the packed ones can begin at the earliest
	activeSearch = 0x80 // and at the latest
)

// unpackActive unpacks such a container, into what is left of the limit. What is none is
// returned as it is.
func (w *walk) unpackActive(b []byte) ([]byte, error) {
	if !bytes.HasPrefix(b, []byte(activeMime)) {
		return b, nil
	}
	for at := activeHeader; at < min(activeSearch, len(b)-1); at++ {
		const deflate, check = 0x78, 31
		if b[at] != deflate || (int(b[at])<<8|int(b[at+1]))%check != 0 {
			continue
		}
		left, dense := w.lim.UnpackedBytes-w.size, max(catalogue.DensityFrom, int64(w.lim.Ratio)*int64(len(b)))
		n := inflated(b[at:], min(left, dense), io.Discard) // before any of it is kept
		switch {
		case n > dense:
			return nil, reason.Because(reason.ExtractRatio, errors.New("flat: objects packed too densely"))
		case n > left:
			return nil, reason.Because(reason.ExtractUnpacked, errors.New("flat: objects too large"))
		case n == 0:
			continue
		}
		var out bytes.Buffer
		out.Grow(int(n))
		w.size += inflated(b[at:], n, &out)
		return out.Bytes(), nil
	}
	return b, nil // it is withheld as what nobody knows
}

// inflated unpacks at most one byte more than most, as far as the packed ones are sound, and
// returns how many.
func inflated(packed []byte, most int64, to io.Writer) int64 {
	z, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return 0
	}
	n, _ := io.Copy(to, io.LimitReader(z, most+1)) // what is cut off stays cut off: the objects are opened as they are
	return n
}
