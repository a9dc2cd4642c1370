package objects

import (
	"errors"
	"io"
	"slices"

	"blotter/internal/reason"
)

// Attached is a file that the document carries: in the list of a portfolio, behind a
// pin on a page, beside a film, or in an earlier revision.
type Attached struct {
	Size   int64 // unpacked
	Opaque bool  // under a filter that nobody knows
	object int
}

// Files lists the files within, each once, in the order of the document: streams that
// say they are embedded files, and those that a file specification points at (ISO
// 32000-1, 7.11.4). They are unpacked to be measured. The error is extract.unpacked_limit
// where they are more than the limit together.
func (f *File) Files() ([]Attached, error) {
	specified := map[int]bool{}
	for i := range f.objects {
		f.specified(f.objects[i].value, f.objects[i].at, specified, 0)
	}
	var out []Attached
	seen := map[[32]byte]bool{}
	var sum int64
	for i := range f.objects {
		o := &f.objects[i]
		if !o.stream || o.dict()["Type"] != Name("EmbeddedFile") && !specified[i] {
			continue
		}
		if raw := RawDigest(f.Raw(o)); seen[raw] {
			continue
		} else {
			seen[raw] = true
		}
		a := Attached{object: i}
		names, _ := f.filters(o)
		r, ok := f.reader(o, len(names))
		if a.Opaque = !ok; ok {
			a.Size, _ = io.Copy(io.Discard, io.LimitReader(r, f.lim.UnpackedBytes-sum+1)) // what comes before an error counts
		}
		if sum += a.Size; sum > f.lim.UnpackedBytes {
			return nil, reason.Because(reason.ExtractUnpacked, errors.New("objects: attached files unpack to more than the limit"))
		}
		out = append(out, a)
	}
	return out, nil
}

// Exhausted reports that the file took more reading than any honest one: what it holds was
// not looked for to the end.
func (f *File) Exhausted() bool { return f.work <= 0 }

// Elsewhere reports that the pixels of an image lie in another file, ISO 32000-1 7.3.8.2, or
// that a form stands for a page of one, 8.10.4. Neither is fetched.
func (f *File) Elsewhere() bool {
	for i := range f.objects {
		o := &f.objects[i]
		if !o.stream {
			continue
		}
		switch f.resolve(o.dict()["F"], o.at).(type) {
		case String, Dict:
			return true
		}
		if _, ok := f.resolve(o.dict()["Ref"], o.at).(Dict); ok {
			return true
		}
	}
	return false
}

// specified notes the streams that file specifications within v point at.
func (f *File) specified(v any, from int, found map[int]bool, nesting int) {
	if f.work--; f.work <= 0 || nesting > maxNesting {
		return
	}
	switch v := v.(type) {
	case Array:
		for _, e := range v {
			f.specified(e, from, found, nesting+1)
		}
	case Dict:
		if files, ok := f.get(v, from, "EF").(Dict); ok {
			for _, name := range []Name{"F", "UF", "DOS", "Mac", "Unix"} {
				if r, ok := files[name].(Ref); ok {
					found[f.find(r, from)] = true
				}
			}
		}
		for _, name := range sortedNames(v) {
			f.specified(v[name], from, found, nesting+1)
		}
	}
}

// sortedNames keeps what little work is left from being spent in another order each time.
func sortedNames(d Dict) []Name {
	out := make([]Name, 0, len(d))
	for n := range d {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// Unpack returns the bytes of a file within, as far as they can be had.
func (f *File) Unpack(a Attached) ([]byte, error) {
	o := &f.objects[a.object]
	names, _ := f.filters(o)
	r, ok := f.reader(o, len(names))
	if !ok {
		return nil, reason.Because(reason.ExtractEncoding, errors.New("objects: a filter that nobody knows"))
	}
	b, _ := io.ReadAll(io.LimitReader(r, a.Size)) // as far as it went when it was measured
	return b, nil
}
