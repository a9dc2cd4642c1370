package objects

import "strconv"

// maxPageDepth bounds the nodes above a page.
const maxPageDepth = 32

// UserUnits returns the size of each page's user unit in points, by the page's index;
// nil where all are 1, or where the tree does not have count pages, so that indexes
// could not be trusted.
func (f *File) UserUnits(count int) map[int]float64 {
	some := false
	for i := range f.objects {
		if _, ok := f.objects[i].dict()["UserUnit"]; ok {
			some = true
		}
	}
	if !some {
		return nil
	}
	end := len(f.data)
	for i := len(f.objects) - 1; i >= 0; i-- {
		root := &f.objects[i]
		if root.dict()["Type"] != Name("Catalog") || f.find(root.Ref, end) != i {
			continue
		}
		w := pageWalk{f: f, units: map[int]float64{}}
		w.node(root.dict()["Pages"], 0)
		if w.pages == count && f.work > 0 {
			return w.units
		}
	}
	return nil
}

type pageWalk struct {
	f     *File
	pages int
	units map[int]float64
}

func (w *pageWalk) node(v any, depth int) {
	if w.f.work--; w.f.work <= 0 || depth > maxPageDepth {
		return
	}
	d, ok := w.f.resolve(v, len(w.f.data)).(Dict)
	if !ok {
		return
	}
	kids, ok := w.f.get(d, len(w.f.data), "Kids").(Array)
	if ok {
		for _, k := range kids {
			w.node(k, depth+1)
		}
		return
	}
	n, _ := w.f.get(d, len(w.f.data), "UserUnit").(Number)
	if u, err := strconv.ParseFloat(string(n), 64); err == nil && u > 0 && u != 1 {
		w.units[w.pages] = u
	}
	w.pages++
}
