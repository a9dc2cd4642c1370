package objects

import (
	"errors"

	"blotter/internal/reason"
)

// Contents lists the streams with operators that draw inline images: patterns, glyphs,
// forms and pages of earlier revisions, and, where they are asked for, the pages of the
// last. It reads what may be one. Those that draw more than so many objects by
// themselves are left out, and those with which all would draw more than total. The
// error is extract.unpacked_limit.
func (f *File) Contents(pages bool, objects, total int64) ([]int, error) {
	w := newWeighing(f, func([]byte, []string, int, int, int) int64 { return 0 })
	w.left, w.most = f.lim.UnpackedBytes-f.unpacked, float64(objects)*objectParts
	var shown map[int]bool
	if !pages {
		shown = f.shown()
	}
	var out []int
	for i := range f.objects {
		o := &f.objects[i]
		if !o.stream || shown[i] || f.isImage(o) || !mayDraw(o.dict()) {
			continue
		}
		m := w.paint(w.contents([]int{i}), scope{}, nowhere, 0)
		if w.left < 0 {
			return nil, reason.Because(reason.ExtractUnpacked, errors.New("objects: streams unpack to more than the limit"))
		}
		if n := whole64(m.parts / objectParts); m.inlines > 0 && n <= objects && n <= total {
			total -= n
			out = append(out, i)
		}
	}
	f.unpacked = f.lim.UnpackedBytes - w.left
	return out, nil
}

// PageOf is the first page, from 1, that Drawn found to draw with a stream of operators; 0 for
// none.
func (f *File) PageOf(content int) int { return f.first[content] }

// shown are the contents of pages whose object is its number's last version.
func (f *File) shown() map[int]bool {
	out := map[int]bool{}
	for _, versions := range f.versions {
		page := &f.objects[versions[len(versions)-1]]
		if page.dict()["Type"] != Name("Page") {
			continue
		}
		for _, i := range f.several(page.dict()["Contents"], len(f.data)) {
			out[i] = true
		}
	}
	return out
}

// several are the objects that a reference, or an array of them, points at.
func (f *File) several(v any, from int) []int {
	list := Array{v}
	if a, ok := f.resolve(v, from).(Array); ok {
		list = a
	}
	f.work -= len(list)
	if f.work <= 0 {
		return nil // one list shared by everything: no page is written like that
	}
	var out []int
	for _, v := range list {
		if r, ok := v.(Ref); ok {
			if i := f.find(r, from); i >= 0 {
				out = append(out, i)
			}
		}
	}
	return out
}

// owners tells for streams of operators without resources of their own whose they use:
// those of their page, or of their font.
func (f *File) owners() map[int]*Object {
	out := map[int]*Object{}
	for i := range f.objects {
		o := &f.objects[i]
		d := o.dict()
		if d["Type"] == Name("Page") {
			for _, c := range f.several(d["Contents"], o.at) {
				out[c] = o
			}
		}
		glyphs, _ := f.get(d, o.at, "CharProcs").(Dict)
		for _, g := range glyphs {
			for _, c := range f.several(g, o.at) {
				out[c] = o
			}
		}
	}
	return out
}

// resources are those of a stream of operators, its own or its owner's, which a page
// may have from the node above.
func (f *File) resources(o *Object, owner *Object) (Dict, *Object) {
	if d, ok := f.get(o.dict(), o.at, "Resources").(Dict); ok || owner == nil {
		return d, o
	}
	d := owner.dict()
	for range 8 {
		if res, ok := f.get(d, owner.at, "Resources").(Dict); ok {
			return res, owner
		}
		d, _ = f.get(d, owner.at, "Parent").(Dict)
	}
	return nil, owner
}

// mayDraw passes over streams that say they are something else than operators.
func mayDraw(d Dict) bool {
	switch d["Type"] {
	case nil, Name("XObject"), Name("Pattern"):
	default:
		return false
	}
	for _, k := range []Name{"Length1", "Length2", "N", "FunctionType", "ShadingType", "CIDSystemInfo", "CMapName"} {
		if _, ok := d[k]; ok {
			return false
		}
	}
	s, ok := d["Subtype"].(Name)
	return !ok || s == "Form"
}
