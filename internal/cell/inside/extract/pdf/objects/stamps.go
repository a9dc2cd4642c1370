package objects

// Stamp is an image that a comment or a form field draws on its page.
type Stamp struct {
	Page int        // from 0
	Raw  [32]byte   // of the image's stream; see Image
	To   [6]float64 // maps the unit square of the image to the page's space
}

// Flags of comments that hide them on a screen, ISO 32000-1 12.5.3.
const (
	hidden = 1 << 1
	noView = 1 << 5
)

// mostStamps bounds what is listed; a form has some hundred fields.
const mostStamps = 10_000

// Stamps lists the images that comments draw as they lie there, on those of count pages
// that are asked for; none where the tree of pages is unclear. What draws itself has to be
// left out by who asks: see Drawn.
func (f *File) Stamps(count int, on func(page int) bool) []Stamp {
	w := newWeighing(f, func([]byte, []string, int, int, int) int64 { return 0 })
	w.left, w.ahead = f.lim.UnpackedBytes, readLittle
	var out []Stamp
	for i, page := range f.pages(count) {
		notes, _ := f.get(page, len(f.data), "Annots").(Array)
		if len(notes) == 0 || !on(i) {
			continue
		}
		res, _ := f.inherited(page, "Resources").(Dict)
		for _, v := range notes {
			note, _ := f.resolve(v, len(f.data)).(Dict)
			at, shown := f.shownBy(note)
			if f.work--; !shown || f.work <= 0 || w.left < 0 {
				continue
			}
			s := stamping{w: w, page: i, out: &out}
			s.form(w.place(at, scope{nil, res}), f.fitted(note, at), 0)
		}
	}
	return out
}

// shownBy is the stream that a comment shows on a screen.
func (f *File) shownBy(note Dict) (int, bool) {
	end := len(f.data)
	if f.integer(note, end, "F")&(hidden|noView) != 0 || f.get(note, end, "Subtype") == Name("Popup") {
		return 0, false
	}
	looks, _ := f.get(note, end, "AP").(Dict)
	v := looks["N"]
	if states, ok := f.get(looks, end, "N").(Dict); ok && !f.isStream(v, end) {
		state, _ := f.get(note, end, "AS").(Name)
		v = states[state]
	}
	r, ok := v.(Ref)
	i := f.find(r, end)
	return i, ok && i >= 0 && f.objects[i].stream
}

// fitted lays a comment's form, its own matrix applied, into the comment's place, ISO
// 32000-1 12.5.5.
func (f *File) fitted(note Dict, form int) transform {
	end, d := len(f.data), f.objects[form].dict()
	m := f.matrix(d["Matrix"], end)
	box, _ := f.rect(d["BBox"], end)
	to, _ := f.rect(note["Rect"], end)
	from := box.through(m)
	w, h := from.size()
	tw, th := to.size()
	x, y := 1.0, 1.0
	if w > 0 && h > 0 {
		x, y = tw/w, th/h
	}
	return m.then(transform{x, 0, 0, y, to.x0 - from.x0*x, to.y0 - from.y0*y})
}

// stamping lists the images of one comment.
type stamping struct {
	w    *weighing
	page int
	out  *[]Stamp
}

// form goes through the operators of a form, whose space to maps to the page's.
func (s stamping) form(at place, to transform, depth int) {
	if depth > mostLevels {
		return
	}
	f := s.w.f
	s.w.follow(s.w.contents([]int{at.stream}), at.in, func(i int, m transform) {
		o := &f.objects[i]
		switch {
		case len(*s.out) >= mostStamps:
		case f.isImage(o):
			*s.out = append(*s.out, Stamp{s.page, RawDigest(f.Raw(o)), m.then(to)})
		default:
			s.form(s.w.place(i, at.in), f.matrix(o.dict()["Matrix"], len(f.data)).then(m).then(to), depth+1)
		}
	})
}
