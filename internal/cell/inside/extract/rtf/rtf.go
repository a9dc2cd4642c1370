// Package rtf opens documents in the Rich Text Format: every picture (\pict), every
// embedded object (\objdata) and the theme (\themedata) is within, wherever it stands: in the text, in headers,
// shapes, list marks, or as the fallback that a writer keeps for readers of old. Text and
// drawings are not processed; NotCovered says so.
//
// The reader follows the groups and control words of the format (specification 1.9.1)
// and believes nothing else: digits are taken where they stand, and what is missing at
// the end is missing.
package rtf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"

	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// Document is an opened document. It implements catalogue.Container.
type Document struct {
	catalogue.Wrapper
	data   []byte
	within []piece
	spent  catalogue.Cost
	extra  document.NotCovered
}

// Open reads a document of size bytes into memory and finds what is within. The error is
// extract.entry_limit or extract.unpacked_limit where it breaks a limit.
func Open(ctx context.Context, r io.ReaderAt, size int64, lim document.Limits) (*Document, error) {
	data := make([]byte, size)
	n, err := r.ReadAt(data, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, reason.Because(reason.SourceUnreadable, err)
	}
	d := &Document{data: data[:n], extra: document.OfficeText}
	s := scanner{b: d.data}
	w := walk{d: d, lim: lim}
	for {
		if w.steps++; w.steps%stepsBetweenLooks == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t := s.next()
		if t.kind == end {
			return d, nil
		}
		if err := w.take(&s, t); err != nil {
			return nil, err
		}
	}
}

// themeData begins the colours, fonts and backgrounds of a document: a package of its own, in
// which pictures may lie.
const themeData = "themedata"

// stepsBetweenLooks is how many tokens pass before the context is looked at again.
const stepsBetweenLooks = 1 << 16

// maxOpen bounds how many groups are remembered at a time; of those that lie deeper the
// end of an outer one is missed, and with it nothing that is within.
const maxOpen = 10_000

// maxInside bounds how many pieces one piece may lie in: its bytes are looked for in all
// that stands within, so that each level costs a walk of its own. Writers put none into
// another's group but for a picture in a picture's properties.
const maxInside = 8

// walk is where the reader stands.
type walk struct {
	d     *Document
	lim   document.Limits
	open  []int // for each open group the piece that it is, or -1
	depth int   // of those the pieces
	steps int
}

// take follows one token.
func (w *walk) take(s *scanner, t token) error {
	switch t.kind {
	case groupOpens:
		if len(w.open) < maxOpen {
			w.open = append(w.open, -1)
		}
	case groupCloses:
		w.close(t.at)
	case word:
		return w.word(t)
	case digits, raw:
		w.grow(t)
	}
	return nil
}

// close ends a group, and the piece that it is.
func (w *walk) close(at int) {
	if len(w.open) == 0 {
		return
	}
	if i := w.open[len(w.open)-1]; i >= 0 {
		w.d.within[i].to = at
		w.depth--
	}
	w.open = w.open[:len(w.open)-1]
}

// current is the piece whose own group is the innermost; nil for none.
func (w *walk) current() *piece {
	if len(w.open) == 0 || w.open[len(w.open)-1] < 0 {
		return nil
	}
	return &w.d.within[w.open[len(w.open)-1]]
}

// word follows a control word.
func (w *walk) word(t token) error {
	p := w.current()
	switch {
	case t.name == "pict" || t.name == "objdata" || t.name == themeData:
		return w.begin(t)
	case t.name == "fldinst":
		w.field(t.at)
	case p != nil && p.picture:
		p.describe(t)
	}
	if bit, ok := beside[t.name]; ok {
		w.d.extra |= bit
	}
	return nil
}

// field notes a field that shows a picture from elsewhere. It is never fetched.
func (w *walk) field(at int) {
	const near = 256 // bytes within which the field's name stands, formatting included
	code := w.d.data[at:min(at+near, len(w.d.data))]
	if bytes.Contains(formatting.ReplaceAll(code, nil), []byte("INCLUDEPICTURE")) {
		w.d.extra |= document.ExternalImages
	}
}

// formatting is what may stand within a field's name: groups, control words and line breaks.
var formatting = regexp.MustCompile(`[{}\r\n]|\\(?:[a-z]+-?[0-9]* ?|\*)`)

// begin opens a piece: its group is the one that the word stands in.
func (w *walk) begin(t token) error {
	if len(w.d.within) >= w.lim.Entries {
		return reason.Because(reason.ExtractEntries, fmt.Errorf("rtf: more than %d pictures and objects", w.lim.Entries))
	}
	if len(w.open) == 0 { // outside any group
		w.open = append(w.open, -1)
	}
	if p := w.current(); p != nil { // two in one group
		p.to = t.at
		w.depth--
	}
	w.depth++
	w.open[len(w.open)-1] = len(w.d.within)
	w.d.within = append(w.d.within, piece{from: t.at, to: len(w.d.data), picture: t.name == "pict", theme: t.name == themeData, deep: w.depth > maxInside})
	w.d.spent.Entries++
	return nil
}

// grow counts the bytes of a piece; they are read when they are asked for.
func (w *walk) grow(t token) {
	if p := w.current(); p != nil {
		n := int64(t.to - t.from)
		if t.kind == digits {
			p.digits += n
		} else {
			p.raw += n
		}
	}
}

// beside are control words that tell of what is no picture.
var beside = map[string]document.NotCovered{
	"shpinst": document.OfficeVector, "do": document.OfficeVector,
	"info": document.Metadata, "annotation": document.Metadata, "atnid": document.Metadata,
	"objlink": document.EmbeddedFiles, "objautlink": document.EmbeddedFiles, "objsub": document.EmbeddedFiles,
	"template": document.EmbeddedFiles, "datastore": document.Metadata,
}

// Embedded lists pictures and objects in the order of the document.
func (d *Document) Embedded() []catalogue.Embedded {
	out := make([]catalogue.Embedded, len(d.within))
	for i, p := range d.within {
		out[i] = catalogue.Embedded{Size: p.most(), Picture: p.picture, Withheld: p.withheld()}
	}
	return out
}

// Unpack reads one of them.
func (d *Document) Unpack(i int) ([]byte, error) {
	p := d.within[i]
	b := p.bytes(d.data)
	switch {
	case p.picture:
		return p.file(b)
	case p.theme:
		return b, nil
	}
	return object(b)
}

// Spent counts them and their bytes.
func (d *Document) Spent() catalogue.Cost {
	c := d.spent
	for _, p := range d.within {
		c.Unpacked += p.most()
	}
	return c
}

// NotCovered always holds OfficeText.
func (d *Document) NotCovered() document.NotCovered { return d.extra }
