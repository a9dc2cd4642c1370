package objects

import (
	"bytes"
	"io"
)

// What the look at a table may cost. A file of 100,000 pages in object streams has a
// table of some 2 MB.
const (
	tablesRead  = 64      // revisions gone back through
	tableBytes  = 8 << 20 // unpacked, of a table or of an object stream
	tailBytes   = 4 << 10 // behind which a file names its last table
	tableWork   = 4 << 20 // bytes parsed
	plainRow    = 20      // bytes of a line of a table in letters, ISO 32000-1 7.5.4
	maxDeclared = 1 << 20 // pages; PDFium counts for itself where a file declares more
)

// DeclaredPages is how many pages the newest catalogue of a file says there are, found by
// its cross-reference tables as a viewer finds it, and without a look at anything else: 0
// where they do not lead there, and the whole file must be read.
func DeclaredPages(data []byte) int {
	t := tables{f: &File{data: data, lim: Limits{UnpackedBytes: tableBytes, Filters: 2}, work: tableWork}}
	if !t.read() || t.trailer["Encrypt"] != nil {
		return 0
	}
	root, _ := t.load(t.trailer["Root"], 0).(Dict)
	pages, _ := t.load(root["Pages"], 0).(Dict)
	count, _ := t.load(pages["Count"], 0).(Number)
	if n, ok := whole(string(count)); ok && n < maxDeclared {
		return n
	}
	return 0
}

// tables are the cross-reference tables of a file, the newest first.
type tables struct {
	f       *File
	trailer Dict // of the newest
	find    []func(num int) (tableRow, bool)
}

// tableRow is where an object stands: at an offset, or as one of those in an object stream.
type tableRow struct{ at, in, index int }

// read follows the tables from the newest back.
func (t *tables) read() bool {
	tail := max(0, len(t.f.data)-tailBytes)
	mark := bytes.LastIndex(t.f.data[tail:], []byte("startxref"))
	if mark < 0 {
		return false
	}
	p := t.f.parser(tail + mark + len("startxref"))
	p.blanks()
	next, ok := whole(p.token())
	for range tablesRead {
		if !ok || next >= len(t.f.data) || t.f.work <= 0 {
			break
		}
		var d Dict
		if d, ok = t.table(next); !ok {
			return false
		}
		if t.trailer == nil {
			t.trailer = d
		}
		prev, _ := d["Prev"].(Number)
		next, ok = whole(string(prev))
	}
	return t.trailer != nil
}

func (f *File) parser(at int) parser { return parser{b: f.data, at: at, work: &f.work} }

// table reads one table, in letters or as a stream, and returns its trailer.
func (t *tables) table(at int) (Dict, bool) {
	p := t.f.parser(at)
	p.blanks()
	if bytes.HasPrefix(p.b[p.at:], []byte("xref")) {
		p.at += len("xref")
		return t.letters(&p)
	}
	return t.stream(p.at)
}

// letters reads a table of lines.
func (t *tables) letters(p *parser) (Dict, bool) {
	for {
		p.blanks()
		word := p.token()
		if word == "trailer" {
			v, err := p.value(0)
			d, ok := v.(Dict)
			return d, ok && err == nil
		}
		first, ok := whole(word)
		p.blanks()
		n, counts := whole(p.token())
		p.blanks()
		from := p.at
		if !ok || !counts || n > (len(p.b)-from)/plainRow {
			return nil, false
		}
		t.find = append(t.find, func(num int) (tableRow, bool) {
			if num < first || num >= first+n {
				return tableRow{}, false
			}
			row := p.b[from+(num-first)*plainRow:][:plainRow]
			at, ok := whole(string(row[:10]))
			return tableRow{at: at}, ok && row[17] == 'n'
		})
		p.at = from + n*plainRow
	}
}

// stream reads a table that is a stream, ISO 32000-1 7.5.8.
func (t *tables) stream(at int) (Dict, bool) {
	o := t.object(at)
	if o == nil || !o.stream {
		return nil, false
	}
	d := o.dict()
	w, _ := d["W"].(Array)
	rows := t.unpacked(o)
	if len(w) != 3 || rows == nil {
		return nil, false
	}
	var wide [3]int
	for i, v := range w {
		n, _ := v.(Number)
		if wide[i], _ = whole(string(n)); wide[i] > 8 {
			return nil, false
		}
	}
	index, _ := d["Index"].(Array)
	if index == nil {
		index = Array{Number("0"), d["Size"]}
	}
	length := wide[0] + wide[1] + wide[2]
	t.find = append(t.find, func(num int) (tableRow, bool) {
		for i, before := 0, 0; i+1 < len(index); i += 2 {
			first, _ := index[i].(Number)
			count, _ := index[i+1].(Number)
			from, _ := whole(string(first))
			n, ok := whole(string(count))
			if row := before + num - from; ok && num >= from && num < from+n && (row+1)*length <= len(rows) {
				return rowOf(rows[row*length:], wide)
			}
			before += n
		}
		return tableRow{}, false
	})
	return d, true
}

// rowOf reads a row of a stream.
func rowOf(row []byte, wide [3]int) (tableRow, bool) {
	v := [3]int{1, 0, 0} // without a kind it is an offset
	for i, n := range wide {
		if n > 0 {
			v[i] = 0
		}
		for range n {
			v[i], row = v[i]<<8|int(row[0]), row[1:]
		}
	}
	switch v[0] {
	case 1:
		return tableRow{at: v[1]}, true
	case 2:
		return tableRow{in: v[1], index: v[2]}, true
	}
	return tableRow{}, false
}

// object reads the object at an offset; nil where there is none.
func (t *tables) object(at int) *Object {
	if at < 0 || at >= len(t.f.data) {
		return nil
	}
	p := t.f.parser(at)
	p.blanks()
	num, ok := whole(p.token())
	p.blanks()
	gen, counts := whole(p.token())
	p.blanks()
	if !ok || !counts || p.token() != string(markObj) || t.f.object(Ref{num, gen}, at, p.at) == 0 {
		return nil
	}
	return &t.f.objects[len(t.f.objects)-1]
}

// unpacked is a stream without its filters; nil where it cannot be had at little cost.
func (t *tables) unpacked(o *Object) []byte {
	names, _ := t.f.filters(o)
	r, ok := t.f.reader(o, len(names))
	if !ok || len(names) > t.f.lim.Filters {
		return nil
	}
	b, err := io.ReadAll(io.LimitReader(r, tableBytes+1))
	if err != nil || len(b) > tableBytes {
		return nil
	}
	return b
}

// load follows a reference to its value; nil where the tables do not know it.
func (t *tables) load(v any, depth int) any {
	r, ok := v.(Ref)
	if !ok || depth > 2 {
		return v
	}
	for _, find := range t.find {
		at, ok := find(r.Num)
		switch {
		case !ok:
			continue
		case at.in == 0:
			if o := t.object(at.at); o != nil && o.Num == r.Num {
				return o.value
			}
			return nil
		}
		return t.packed(at, depth)
	}
	return nil
}

// packed reads one object of an object stream.
func (t *tables) packed(at tableRow, depth int) any {
	var o *Object
	for _, find := range t.find {
		if in, ok := find(at.in); ok && in.in == 0 {
			o = t.object(in.at)
			break
		}
	}
	if o == nil || !o.stream || depth > 2 {
		return nil
	}
	body := t.unpacked(o)
	head := parser{b: body, work: &t.f.work}
	for i := 0; ; i++ {
		head.blanks()
		_, named := whole(head.token())
		head.blanks()
		off, ok := whole(head.token())
		first := t.f.integer(o.dict(), o.at, "First")
		if !named || !ok || first+off >= len(body) {
			return nil
		}
		if i < at.index {
			continue
		}
		p := parser{b: body, at: first + off, work: &t.f.work}
		v, err := p.value(0)
		if err != nil {
			return nil
		}
		return v
	}
}
