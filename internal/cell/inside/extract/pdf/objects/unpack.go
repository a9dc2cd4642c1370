package objects

import (
	"bytes"
	"compress/lzw"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"

	tifflzw "golang.org/x/image/tiff/lzw"

	"blotter/internal/reason"
)

// most is how many bytes one byte may become: deflate's bound, LZW's and run length's.
var most = map[Name]int64{"FlateDecode": 1032, "Fl": 1032, "LZWDecode": 1366, "LZW": 1366, "RunLengthDecode": 64, "RL": 64}

// filters lists a stream's filters in the order in which they are undone, with the
// parameters of each.
func (f *File) filters(o *Object) (names []Name, parms []Dict) {
	d := o.dict()
	switch v := f.get(d, o.at, "Filter", "F").(type) {
	case Name:
		names = []Name{v}
	case Array:
		for _, e := range v[:min(len(v), f.lim.Filters+1)] {
			n, _ := f.resolve(e, o.at).(Name)
			names = append(names, n)
		}
	}
	parms = make([]Dict, len(names))
	switch v := f.get(d, o.at, "DecodeParms", "DP").(type) {
	case Dict:
		if len(parms) > 0 {
			parms[0] = v
		}
	case Array:
		for i := range min(len(v), len(parms)) {
			parms[i], _ = f.resolve(v[i], o.at).(Dict)
		}
	}
	return names, parms
}

// weighed is how many times the limit all streams together may unpack to while they are
// measured: some twenty seconds.
const weighed = 16

// weigh refuses streams that stack more filters than allowed, or that unpack to more
// than the limit. A stream that cannot, by its length, is not unpacked to find out.
// The last filter of an image is left out: there the size of the picture bounds it.
func (f *File) weigh() error {
	left := weighed * f.lim.UnpackedBytes
	for i := range f.objects {
		o := &f.objects[i]
		if !o.stream {
			continue
		}
		names, _ := f.filters(o)
		if len(names) > f.lim.Filters {
			return reason.Because(reason.ExtractFilters, fmt.Errorf("objects: %d filters on one stream", len(names)))
		}
		if f.isImage(o) && len(names) > 0 {
			names = names[:len(names)-1]
		}
		bound := int64(o.data.to - o.data.from)
		for _, n := range names {
			if m := most[n]; m > 0 {
				bound = min(bound, math.MaxInt64/m) * m
			}
		}
		if bound <= f.lim.UnpackedBytes {
			continue
		}
		n, all, err := f.measure(o, len(names))
		if left -= all; n > f.lim.UnpackedBytes || left < 0 {
			return reason.Because(reason.ExtractUnpacked, fmt.Errorf("objects: a stream unpacks to over %d bytes, or all to many times that: %w", f.lim.UnpackedBytes, errors.Join(err)))
		}
	}
	return nil
}

// measure unpacks the first n filters and keeps nothing. Every stage is measured,
// because each is held in memory by who unpacks it in earnest. all is the sum.
func (f *File) measure(o *Object, n int) (largest, all int64, err error) {
	for stage := 1; stage <= n; stage++ {
		r, ok := f.reader(o, stage)
		if !ok {
			return largest, all, nil
		}
		got, err := io.Copy(io.Discard, io.LimitReader(r, f.lim.UnpackedBytes+1))
		largest, all = max(largest, got), all+got
		if err != nil || largest > f.lim.UnpackedBytes {
			return largest, all, err
		}
	}
	return largest, all, nil
}

// reader undoes the first n filters; false where it does not know one.
func (f *File) reader(o *Object, n int) (io.Reader, bool) {
	names, parms := f.filters(o)
	var r io.Reader = bytes.NewReader(f.Raw(o))
	for i, name := range names[:n] {
		early := true
		if v, ok := f.get(parms[i], o.at, "EarlyChange").(Number); ok && v == "0" {
			early = false
		}
		if r = Undo(name, r, early); r == nil {
			return nil, false
		}
		if p := f.integer(parms[i], o.at, "Predictor"); p > 1 {
			r = f.predictor(r, parms[i], o.at, p)
		}
	}
	return r, true
}

// Undo undoes one filter without its predictor; nil for one that it does not know.
// early is LZW's early change, the default.
func Undo(name Name, r io.Reader, early bool) io.Reader {
	switch name {
	case "FlateDecode", "Fl":
		z, err := zlib.NewReader(r)
		if err != nil {
			return nil
		}
		return z
	case "LZWDecode", "LZW":
		if early {
			return tifflzw.NewReader(r, tifflzw.MSB, 8)
		}
		return lzw.NewReader(r, lzw.MSB, 8)
	case "RunLengthDecode", "RL":
		return &runs{r: r}
	case "ASCII85Decode", "A85":
		return ascii85.NewDecoder(&until{r: r, end: '~'})
	case "ASCIIHexDecode", "AHx":
		return hex.NewDecoder(&until{r: r, end: '>', blanks: "\x00\t\n\f\r "})
	case "Crypt":
		return r
	}
	return nil
}

// until reads up to a mark and leaves blanks out.
type until struct {
	r      io.Reader
	end    byte
	blanks string
	over   bool
}

func (u *until) Read(p []byte) (int, error) {
	for !u.over {
		n, err := u.r.Read(p)
		if at := bytes.IndexByte(p[:n], u.end); at >= 0 {
			n, u.over = at, true
		}
		kept := 0
		for _, c := range p[:n] {
			if bytes.IndexByte([]byte(u.blanks), c) < 0 {
				p[kept] = c
				kept++
			}
		}
		if kept > 0 || err != nil {
			return kept, err
		}
	}
	return 0, io.EOF
}

// runs undoes RunLengthDecode, ISO 32000-1 7.4.5.
type runs struct {
	r    io.Reader
	rest []byte
	err  error
}

func (r *runs) Read(p []byte) (int, error) {
	for len(r.rest) == 0 && r.err == nil {
		r.err = r.next()
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	if n == 0 {
		return 0, r.err
	}
	return n, nil
}

func (r *runs) next() error {
	var b [128]byte
	if _, err := io.ReadFull(r.r, b[:1]); err != nil {
		return err
	}
	switch n := int(b[0]); {
	case n == 128:
		return io.EOF
	case n > 128:
		if _, err := io.ReadFull(r.r, b[:1]); err != nil {
			return err
		}
		r.rest = bytes.Repeat(b[:1], 257-n)
	default:
		if _, err := io.ReadFull(r.r, b[:n+1]); err != nil {
			return err
		}
		r.rest = append(r.rest[:0], b[:n+1]...)
	}
	return nil
}

// longestRow bounds a row under a predictor, in bytes. Lists of objects have a few; a row of
// pixels that long would be 4 million across.
const longestRow = 16 << 20

// predictor undoes PNG's predictors, and TIFF's for samples of up to a byte. Others are
// passed through; nothing here looks into their samples.
func (f *File) predictor(r io.Reader, parms Dict, at, kind int) io.Reader {
	if kind < 10 && kind != 2 {
		return r
	}
	colours, bits, columns := max(1, f.integer(parms, at, "Colors")), f.integer(parms, at, "BitsPerComponent"), max(1, f.integer(parms, at, "Columns"))
	if bits == 0 {
		bits = 8
	}
	if colours > 1<<8 || bits > 32 || columns > longestRow*8/(colours*bits) {
		return r
	}
	step := (colours*bits + 7) / 8
	width := (colours*bits*columns + 7) / 8
	if kind == 2 {
		if bits > 8 || 8%bits != 0 {
			return r
		}
		return &differences{r: r, bits: bits, colours: colours, line: make([]byte, width)}
	}
	return &rows{r: r, step: step, line: make([]byte, width+1), above: make([]byte, width)}
}

// rows undoes PNG's row filters.
type rows struct {
	r     io.Reader
	step  int
	line  []byte // the filter's number and a row
	above []byte
	rest  []byte
}

func (r *rows) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		n, err := io.ReadFull(r.r, r.line)
		if n < 2 {
			return 0, err
		}
		row := r.line[1:n]
		r.undo(r.line[0], row)
		copy(r.above, row)
		r.rest = r.above[:len(row)]
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *rows) undo(kind byte, row []byte) {
	first := min(r.step, len(row)) // these have nothing on their left
	rest, left, up, corner := row[first:], row, r.above[first:], r.above
	switch kind {
	case 1:
		for i := range rest {
			rest[i] += left[i]
		}
	case 2:
		for i := range row {
			row[i] += r.above[i]
		}
	case 3:
		for i := range first {
			row[i] += r.above[i] / 2
		}
		for i := range rest {
			rest[i] += byte((int(left[i]) + int(up[i])) / 2)
		}
	case 4:
		for i := range first {
			row[i] += r.above[i]
		}
		for i := range rest {
			rest[i] += paeth(left[i], up[i], corner[i])
		}
	}
}

func paeth(a, b, c byte) byte {
	away := func(v byte) int { d := int(a) + int(b) - int(c) - int(v); return max(d, -d) }
	switch {
	case away(a) <= away(b) && away(a) <= away(c):
		return a
	case away(b) <= away(c):
		return b
	}
	return c
}

// unpack undoes all filters of a stream, as far as they go, within what is left of the
// document's limit.
func (f *File) unpack(o *Object) ([]byte, error) {
	names, _ := f.filters(o)
	r, ok := f.reader(o, len(names))
	if !ok {
		return nil, nil
	}
	left := f.lim.UnpackedBytes - f.unpacked
	out, _ := io.ReadAll(io.LimitReader(r, left+1)) // an error ends it; what came before counts
	f.unpacked += int64(len(out))
	if f.unpacked > f.lim.UnpackedBytes {
		return nil, reason.Because(reason.ExtractUnpacked, errors.New("objects: streams unpack to more than the limit"))
	}
	return out, nil
}

// unpackObjects reads the object streams.
func (f *File) unpackObjects() error {
	found := false
	for i := range f.objects {
		o := &f.objects[i]
		if !o.stream || o.dict()["Type"] != Name("ObjStm") {
			continue
		}
		body, err := f.unpack(o)
		if err != nil {
			return err
		}
		f.packed(body, o.at, f.integer(o.dict(), o.at, "N"), f.integer(o.dict(), o.at, "First"))
		found = true
		if f.work <= 0 || len(f.objects) > maxObjects {
			return reason.Because(reason.ExtractEntries, errors.New("objects: more than a document has"))
		}
	}
	if found {
		f.index()
	}
	return nil
}

// packed reads the objects of one object stream.
func (f *File) packed(body []byte, at, n, first int) {
	f.work += 4 * len(body) // paid for by the limit on unpacked bytes
	head := parser{b: body, work: &f.work}
	for range n {
		head.blanks()
		num, ok := whole(head.token())
		if !ok {
			return
		}
		head.blanks()
		off, ok := whole(head.token())
		if !ok || first+off >= len(body) {
			continue
		}
		p := parser{b: body, at: first + off, work: &f.work}
		if v, err := p.value(0); err == nil {
			f.objects = append(f.objects, Object{Ref: Ref{Num: num}, at: at, value: v, packed: true})
		}
		if f.work <= 0 || len(f.objects) > maxObjects {
			return
		}
	}
}
