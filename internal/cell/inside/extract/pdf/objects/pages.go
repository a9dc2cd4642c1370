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
	units := map[int]float64{}
	for i, d := range f.pages(count) {
		n, _ := f.get(d, len(f.data), "UserUnit").(Number)
		if u, err := strconv.ParseFloat(string(n), 64); err == nil && u > 0 && u != 1 {
			units[i] = u
		}
	}
	return units
}

// pages lists the pages of the last catalogue whose tree has count of them, in order; nil
// where there is none.
func (f *File) pages(count int) []Dict {
	end := len(f.data)
	for i := len(f.objects) - 1; i >= 0; i-- {
		root := &f.objects[i]
		if root.dict()["Type"] != Name("Catalog") || f.find(root.Ref, end) != i {
			continue
		}
		if all := f.below(nil, root.dict()["Pages"], count, 0); len(all) == count && f.work > 0 {
			return all
		}
	}
	return nil
}

// below adds the pages of a node of the tree, until there are more than most.
func (f *File) below(all []Dict, v any, most, depth int) []Dict {
	if f.work--; f.work <= 0 || depth > maxPageDepth || len(all) > most {
		return all
	}
	d, ok := f.resolve(v, len(f.data)).(Dict)
	if !ok {
		return all
	}
	kids, ok := f.get(d, len(f.data), "Kids").(Array)
	if !ok {
		return append(all, d)
	}
	for _, k := range kids {
		all = f.below(all, k, most, depth+1)
	}
	return all
}

// inherited is an entry of a page, or that of the nearest node above it.
func (f *File) inherited(d Dict, name Name) any {
	for range maxPageDepth {
		if v := f.get(d, len(f.data), name); v != nil {
			return v
		}
		if d, _ = f.get(d, len(f.data), "Parent").(Dict); d == nil {
			return nil
		}
	}
	return nil
}
