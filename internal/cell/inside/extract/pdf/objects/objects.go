// Package objects reads the objects of a PDF file where they lie, without its
// cross-reference tables: those of earlier revisions, those that no page reaches, and
// those that a broken table has lost. It decodes no pixel; it finds image streams and
// content streams and writes them out as a document of their own, for PDFium.
//
// It is additive: what a page shows is found by PDFium, and an object that hides from
// this reader but not from PDFium is not lost. Every loop is bounded by the size of
// the file or by a limit.
package objects

import (
	"bytes"
	"errors"
	"sort"

	"blotter/internal/reason"
)

// maxObjects bounds the objects of a file, those in object streams included. A long
// report with forms has some ten thousand.
const maxObjects = 500_000

// workFactor bounds what is looked at: so many times the size of the file. Reading an
// honest file looks at each byte about twice.
const workFactor = 16

// Limits bound what reading a file costs.
type Limits struct {
	UnpackedBytes int64 // of all object streams and content streams looked into
	Filters       int   // stream filters one after the other
}

// Object is one object in one of its versions.
type Object struct {
	Ref
	at     int // where it begins; that of its container where it was packed
	value  any
	data   span // the stream's bytes in the file; empty where it is no stream
	stream bool
	packed bool   // in an object stream, whose strings are not encrypted again
	mended []byte // what stands in the stream's place; nil: what the file has
}

type span struct{ from, to int }

// File is a file that was read.
type File struct {
	data     []byte
	objects  []Object
	versions map[int][]int // by number: indexes of objects, in the order of the file
	ends     []int         // where each revision ends
	trailers []Dict
	lock     *lock // nil: not encrypted
	lim      Limits
	unpacked int64
	work     int
	digests  map[int][32]byte // of streams that pictures refer to
	first    map[int]int      // by streams that pages draw: the first of these pages, from 1; Drawn finds them
	streams  map[[32]byte]int // of images, by their digests: the object that came last
}

// Read finds every object of data. The error is extract.entry_limit for too many,
// extract.unpacked_limit where a stream unpacks to more than the limit or stacks more
// filters than allowed. What cannot be parsed is passed over.
func Read(data []byte, lim Limits) (*File, error) {
	f := &File{data: data, lim: lim, versions: map[int][]int{}, first: map[int]int{}, digests: map[int][32]byte{}, streams: map[[32]byte]int{}, work: workFactor*len(data) + 1<<16}
	f.scan()
	if f.work <= 0 || len(f.objects) > maxObjects {
		return nil, reason.Because(reason.ExtractEntries, errors.New("objects: more than a document has"))
	}
	f.index()
	f.lengths()
	f.unlock()
	if err := f.weigh(); err != nil {
		return nil, err
	}
	if err := f.unpackObjects(); err != nil {
		return nil, err
	}
	return f, f.mend()
}

var (
	markObj       = []byte("obj")
	markStream    = []byte("stream")
	markEndstream = []byte("endstream")
	markEndobj    = []byte("endobj")
	markTrailer   = []byte("trailer")
	markEOF       = []byte("%%EOF")
)

// scan goes through the file once.
func (f *File) scan() {
	next := 0
	for next < len(f.data) && f.work > 0 && len(f.objects) <= maxObjects {
		i := bytes.Index(f.data[next:], markObj)
		if i < 0 {
			i = len(f.data) - next
		}
		f.work -= i
		f.between(next, next+i)
		at := next + i
		next = at + len(markObj)
		num, gen, start, ok := f.header(at)
		if !ok {
			continue
		}
		if end := f.object(Ref{num, gen}, start, next); end > next {
			next = end
		}
	}
}

// between looks for ends of revisions and trailers outside objects.
func (f *File) between(from, to int) {
	to = min(to+len(markObj), len(f.data))
	for at := from; ; {
		i := bytes.Index(f.data[at:to], markEOF)
		if i < 0 {
			break
		}
		at += i + len(markEOF)
		f.ends = append(f.ends, at)
	}
	for at := from; f.work > 0; {
		i := bytes.Index(f.data[at:to], markTrailer)
		if i < 0 {
			return
		}
		at += i + len(markTrailer)
		p := parser{b: f.data, at: at, work: &f.work}
		if v, err := p.value(0); err == nil {
			if d, ok := v.(Dict); ok {
				f.trailers = append(f.trailers, d)
			}
		}
	}
}

// header reads the two numbers before an obj at at, backwards.
func (f *File) header(at int) (num, gen, start int, ok bool) {
	i := at
	back := func() (int, bool) {
		end := i
		for end > 0 && isSpace(f.data[end-1]) && at-end < 64 {
			end--
		}
		from := end
		for from > 0 && isDigit(f.data[from-1]) && end-from < 11 {
			from--
		}
		i = from
		return whole(string(f.data[from:end]))
	}
	if gen, ok = back(); !ok {
		return 0, 0, 0, false
	}
	if i == 0 || !isSpace(f.data[i-1]) {
		return 0, 0, 0, false
	}
	num, ok = back()
	return num, gen, i, ok
}

// object reads the object whose value begins at value, and returns where it ends.
func (f *File) object(ref Ref, start, value int) int {
	p := parser{b: f.data, at: value, work: &f.work}
	v, err := p.value(0)
	if err != nil {
		return 0
	}
	o := Object{Ref: ref, at: start, value: v}
	end := p.at
	if d, ok := v.(Dict); ok {
		p.blanks()
		if bytes.HasPrefix(f.data[p.at:], markStream) {
			o.stream = true
			o.data = f.stream(d, p.at+len(markStream))
			end = o.data.to
		}
	}
	f.objects = append(f.objects, o)
	return end
}

// stream finds where a stream's bytes begin and end, by its length where that leads to
// an endstream, else by looking for one.
func (f *File) stream(d Dict, from int) span {
	if from < len(f.data) && f.data[from] == '\r' {
		from++
	}
	if from < len(f.data) && f.data[from] == '\n' {
		from++
	}
	if n, ok := d["Length"].(Number); ok {
		if n, ok := whole(string(n)); ok && f.endsAt(from, n) {
			return span{from, from + n}
		}
	}
	to := bytes.Index(f.data[from:], markEndstream)
	if to < 0 {
		f.work -= len(f.data) - from
		to = bytes.Index(f.data[from:], markEndobj)
	}
	if to < 0 {
		to = len(f.data) - from
	}
	f.work -= to
	return span{from, from + to}
}

// endsAt reports that an endstream follows n bytes after from.
func (f *File) endsAt(from, n int) bool {
	if n > len(f.data)-from {
		return false
	}
	rest := f.data[from+n:]
	for i := 0; i < 4 && len(rest) > 0 && isSpace(rest[0]); i++ {
		rest = rest[1:]
	}
	return bytes.HasPrefix(rest, markEndstream)
}

// index sorts the versions of each number.
func (f *File) index() {
	sort.SliceStable(f.objects, func(i, j int) bool { return f.objects[i].at < f.objects[j].at })
	clear(f.versions)
	for i, o := range f.objects {
		f.versions[o.Num] = append(f.versions[o.Num], i)
	}
	sort.Ints(f.ends)
}

// lengths takes the lengths that stand in objects of their own, and drops what was
// taken for an object inside such a stream.
func (f *File) lengths() {
	dropped, until := false, 0
	kept := make([]Object, 0, len(f.objects))
	for i := range f.objects {
		o := &f.objects[i]
		if o.at < until {
			dropped = true
			continue
		}
		if o.stream {
			d := o.value.(Dict) //nolint:forcetypeassert // object makes streams of dictionaries alone
			if r, ok := d["Length"].(Ref); ok {
				if n, ok := f.resolve(r, o.at).(Number); ok {
					if n, ok := whole(string(n)); ok && f.endsAt(o.data.from, n) {
						o.data.to = o.data.from + n
						until = o.data.to
					}
				}
			}
			o.data.to = max(o.data.to, o.data.from)
		}
		kept = append(kept, *o)
	}
	if dropped {
		f.objects = kept
		f.index()
	}
}

// find returns the index of the object that a reference at a place in the file means:
// the last version in that place's revision or before it, else the first; −1 for none.
func (f *File) find(r Ref, from int) int {
	versions := f.versions[r.Num]
	if len(versions) == 0 {
		return -1
	}
	end := len(f.data)
	if i := sort.SearchInts(f.ends, from+1); i < len(f.ends) {
		end = f.ends[i]
	}
	after := sort.Search(len(versions), func(i int) bool { return f.objects[versions[i]].at >= end })
	return versions[max(0, after-1)]
}

// resolve follows references, eight at most.
func (f *File) resolve(v any, from int) any {
	for range 8 {
		r, ok := v.(Ref)
		if !ok {
			return v
		}
		i := f.find(r, from)
		if i < 0 {
			return nil
		}
		v, from = f.objects[i].value, f.objects[i].at
	}
	return nil
}

// get resolves one entry of a dictionary under any of its names.
func (f *File) get(d Dict, from int, names ...Name) any {
	for _, n := range names {
		if v, ok := d[n]; ok {
			return f.resolve(v, from)
		}
	}
	return nil
}

func (f *File) integer(d Dict, from int, names ...Name) int {
	n, _ := f.get(d, from, names...).(Number)
	v, _ := whole(string(n))
	return v
}

// dict is the object's dictionary; nil where it has none.
func (o *Object) dict() Dict {
	d, _ := o.value.(Dict)
	return d
}
