// Package flat makes packages of office documents that are written as one XML file: Word
// 2003, flat OPC (Word and PowerPoint from 2007 on), flat OpenDocument. What is no XML stands
// in them as base64; here it becomes parts of an archive beside the text, where package
// office looks for it. Nothing is judged here but the limits on parts and on their bytes,
// before any is decoded.
package flat

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"blotter/internal/cell/inside/extract/armour"
	"blotter/internal/cell/inside/markup"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// Package reads a document of size bytes and returns it as a package, with the format that
// package office knows it by. The error is extract.malformed, extract.truncated,
// extract.depth_limit, extract.entry_limit, extract.unpacked_limit or extract.ratio_limit.
func Package(ctx context.Context, r io.ReaderAt, size int64, f document.Format, lim document.Limits) ([]byte, document.Format, error) {
	data := make([]byte, size)
	n, err := r.ReadAt(data, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, f, reason.Because(reason.SourceUnreadable, err)
	}
	w := &walk{ctx: ctx, lim: lim, b: narrow(data[:n])}
	w.Scanner = markup.NewScanner(w.b)
	as := document.DOCX
	switch f {
	case document.FlatOPC:
		err = w.opc()
	case document.WordXML:
		err = w.word()
	default:
		as, err = document.ODT, w.openDocument()
	}
	if err != nil {
		return nil, f, coded(err)
	}
	b, err := w.pack()
	return b, as, err
}

// coded gives an error of the markup its reason.
func coded(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return reason.Because(reason.ExtractTruncated, err)
	case errors.Is(err, markup.ErrDepth):
		return reason.Because(reason.ExtractDepth, err)
	case errors.Is(err, markup.ErrMalformed), errors.Is(err, markup.ErrEntities):
		return reason.Because(reason.ExtractMalformed, err)
	}
	return err
}

// narrow makes UTF-8 of UTF-16 that says so by its first two bytes.
func narrow(b []byte) []byte {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case bytes.HasPrefix(b, []byte("\xff\xfe")):
	case bytes.HasPrefix(b, []byte("\xfe\xff")):
		order = binary.BigEndian
	default:
		return b
	}
	units := make([]uint16, len(b)/2-1)
	for i := range units {
		units[i] = order.Uint16(b[2*i+2:])
	}
	return []byte(string(utf16.Decode(units)))
}

// walk is where the reader stands, and the parts that it found.
type walk struct {
	*markup.Scanner
	ctx   context.Context
	lim   document.Limits
	b     []byte
	parts []part
	size  int64
	steps int
}

// part is a file of the package to be: bytes of the document as they stand, or in base64.
type part struct {
	name    string
	pieces  [][]byte
	letters bool
	made    []byte // instead: what is not in the document
	active  bool   // it is packed once more
}

// most is how many bytes the part can have.
func (p part) most() int64 {
	n := int64(len(p.made))
	for _, piece := range p.pieces {
		n += int64(len(piece))
	}
	if p.letters {
		return armour.Base64.Most(n)
	}
	return n
}

// stepsBetweenLooks is how many tokens pass before the context is looked at again.
const stepsBetweenLooks = 1 << 14

// next is the next token, while somebody waits for it.
func (w *walk) next() (markup.Token, error) {
	if w.steps++; w.steps%stepsBetweenLooks == 0 && w.ctx.Err() != nil {
		return markup.Token{}, w.ctx.Err()
	}
	return w.Next()
}

// add takes a part, within the limits.
func (w *walk) add(p part) error {
	if len(w.parts) >= w.lim.Entries {
		return reason.Because(reason.ExtractEntries, fmt.Errorf("flat: more than %d parts", w.lim.Entries))
	}
	if w.size += p.most(); w.size > w.lim.UnpackedBytes {
		return reason.Because(reason.ExtractUnpacked, errors.New("flat: parts too large"))
	}
	w.parts = append(w.parts, p)
	return nil
}

// content reads the text of the element that was opened last, up to its end. What elements
// in it hold is none of it.
func (w *walk) content() (pieces [][]byte, err error) {
	for depth := w.Depth(); ; {
		t, err := w.next()
		if err != nil {
			return nil, err
		}
		switch {
		case t.Kind == markup.Close && w.Depth() < depth:
			return pieces, nil
		case w.Depth() > depth || t.From == t.To:
		case t.Kind == markup.Text:
			pieces = append(pieces, markup.Plain(w.b[t.From:t.To]))
		case t.Kind == markup.Data:
			pieces = append(pieces, w.b[t.From:t.To])
		}
	}
}

// longestName bounds the name of a part, which the document chose, in bytes.
const longestName = 512

// called is a name that an archive can have: of a file, and none of a folder.
func called(name string, i int) string {
	name = strings.Trim(name, "/")
	if name == "" || len(name) > longestName {
		return fmt.Sprintf("parts/%06d", i)
	}
	return name
}

// pack writes the parts into an archive, as they are.
func (w *walk) pack() ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i, p := range w.parts {
		if err := w.ctx.Err(); err != nil {
			return nil, err
		}
		b, err := w.bytes(p)
		if err != nil {
			return nil, err
		}
		f, err := z.CreateHeader(&zip.FileHeader{Name: called(p.name, i), Method: zip.Store})
		if err == nil {
			_, err = f.Write(b)
		}
		if err != nil {
			return nil, reason.Because(reason.ExtractMalformed, fmt.Errorf("flat: part %d: %w", i, err))
		}
	}
	if err := z.Close(); err != nil {
		return nil, reason.Because(reason.Internal, err)
	}
	return out.Bytes(), nil
}

// bytes are those of a part.
func (w *walk) bytes(p part) ([]byte, error) {
	b := p.made
	if b == nil {
		b = bytes.Join(p.pieces, nil)
	}
	if p.letters {
		b = armour.Base64.Decode(b)
	}
	if p.active {
		return w.unpackActive(b)
	}
	return b, nil
}
