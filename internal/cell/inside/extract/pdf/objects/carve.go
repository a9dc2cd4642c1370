package objects

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
)

// Carve writes a document of one page for each image, then one for each stream of
// operators, with all that these need and nothing else. Soft masks are turned round,
// so that what they let through is dark on white.
func (f *File) Carve(images []Image, contents []int) []byte {
	c := carving{f: f, numbers: map[int]int{}}
	c.out.WriteString("%PDF-1.7\n")
	c.next = 3 + len(images)*2 + len(contents) // catalog, pages, a page each, contents of pages with an image
	owners := f.owners()
	kids := make([]int, 0, len(images)+len(contents))
	for i, im := range images {
		page, draw := 3+2*i, 4+2*i
		c.object(draw, "<</Length 5>>", []byte("/I Do"))
		c.object(page, fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 1 1]/Contents %d 0 R/Resources<</XObject<</I %d 0 R>>>>>>", draw, c.image(im)), nil)
		kids = append(kids, page)
	}
	for i, at := range contents {
		page := 3 + 2*len(images) + i
		o := &f.objects[at]
		c.object(page, fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 1 1]/Contents %d 0 R/Resources<<%s>>>>", c.number(at), c.spaces(o, owners[at])), nil)
		kids = append(kids, page)
	}
	c.rest()
	var list bytes.Buffer
	for _, k := range kids {
		fmt.Fprintf(&list, "%d 0 R ", k)
	}
	c.object(2, fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", list.Bytes(), len(kids)), nil)
	c.object(1, "<</Type/Catalog/Pages 2 0 R>>", nil)
	return c.finish()
}

// carving is a document being written. Objects get new numbers, because two versions
// of one may be needed.
type carving struct {
	f       *File
	out     bytes.Buffer
	at      []int // by number
	numbers map[int]int
	queue   []int
	next    int
}

func (c *carving) object(n int, head string, stream []byte) {
	for len(c.at) <= n {
		c.at = append(c.at, -1)
	}
	c.at[n] = c.out.Len()
	fmt.Fprintf(&c.out, "%d 0 obj\n%s", n, head)
	if stream != nil {
		c.out.WriteString("\nstream\n")
		c.out.Write(stream)
		c.out.WriteString("\nendstream")
	}
	c.out.WriteString("\nendobj\n")
}

// number gives an object of the file its new number and sees that it is written.
func (c *carving) number(i int) int {
	n, ok := c.numbers[i]
	if !ok {
		n = c.next
		c.next++
		c.numbers[i] = n
		c.queue = append(c.queue, i)
	}
	return n
}

// image writes an image without its masks, which are pictures of their own: what an
// image holds under its mask is drawn through it where a page shows it, and here.
func (c *carving) image(im Image) int {
	if !im.soft {
		return c.number(im.object)
	}
	o := &c.f.objects[im.object]
	d := maps.Clone(o.dict())
	delete(d, "Matte")
	d["Decode"] = Array{Number("1"), Number("0")}
	if a, ok := c.f.get(o.dict(), o.at, "Decode").(Array); ok && len(a) == 2 {
		d["Decode"] = Array{a[1], a[0]}
	}
	n := c.next
	c.next++
	c.write(n, o, d)
	return n
}

// spaces writes the colour spaces that inline images may name, in place: PDFium draws
// an inline image in a space that is an object of its own, but does not hand out its
// pixels.
func (c *carving) spaces(o, owner *Object) string {
	res, o := c.f.resources(o, owner)
	v, ok := res["ColorSpace"]
	if !ok {
		return ""
	}
	var b bytes.Buffer
	b.WriteString("/ColorSpace ")
	(&writer{f: c.f, out: &b, number: c.number, direct: true, deep: maxNesting}).value(o, v, 0)
	c.f.work -= b.Len()
	return b.String()
}

// rest writes what was numbered, and what that refers to.
func (c *carving) rest() {
	for len(c.queue) > 0 {
		i := c.queue[0]
		c.queue = c.queue[1:]
		o := &c.f.objects[i]
		c.write(c.numbers[i], o, o.value)
	}
}

// unneeded are entries that lead away from a picture.
var unneeded = []Name{"Length", "Metadata", "OPI", "Alternates", "Parent", "StructParent", "StructParents", "OC", "PieceInfo", "Resources", "Group", "Ref", "AF"}

func (c *carving) write(n int, o *Object, v any) {
	var b bytes.Buffer
	w := writer{f: c.f, out: &b, number: c.number, deep: maxNesting}
	d, ok := v.(Dict)
	if !ok || !o.stream {
		w.value(o, v, 0)
		c.object(n, b.String(), nil)
		return
	}
	raw := c.f.Raw(o)
	d = maps.Clone(d)
	for _, k := range unneeded {
		delete(d, k)
	}
	d["Length"] = Number(fmt.Sprint(len(raw)))
	if c.f.isImage(o) {
		d["Subtype"] = Name("Image")
	}
	w.value(o, d, 0)
	if raw == nil {
		raw = []byte{}
	}
	c.object(n, b.String(), raw)
}

func (c *carving) finish() []byte {
	start := c.out.Len()
	fmt.Fprintf(&c.out, "xref\n0 %d\n0000000000 65535 f \n", len(c.at))
	for _, at := range c.at[1:] {
		if at < 0 {
			c.out.WriteString("0000000000 65535 f \n")
			continue
		}
		fmt.Fprintf(&c.out, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&c.out, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(c.at), start)
	return c.out.Bytes()
}

// maxKey bounds what of an image's dictionary tells pictures apart, bytes; a palette
// has 1 KiB.
const maxKey = 1 << 16

// writer writes values. Without number, references are resolved in place, deep times.
type writer struct {
	f      *File
	out    *bytes.Buffer
	number func(int) int
	direct bool // references to what is no stream are resolved in place all the same
	deep   int
	sealed bool // strings stay encrypted, because the object keeps its number
}

func (w *writer) value(o *Object, v any, deep int) {
	if deep > w.deep || w.f.work <= 0 || w.number == nil && w.out.Len() > maxKey {
		w.out.WriteString("null ")
		return
	}
	switch v := v.(type) {
	case nil:
		w.out.WriteString("null ")
	case Name:
		w.name(v)
	case Number:
		fmt.Fprintf(w.out, "%s ", string(v))
	case word:
		fmt.Fprintf(w.out, "%s ", string(v))
	case String:
		if !w.sealed {
			v = w.f.text(o, v)
		}
		fmt.Fprintf(w.out, "<%x>", []byte(v))
	case Ref:
		w.ref(o, v, deep)
	case Array:
		w.out.WriteByte('[')
		for _, e := range v {
			w.value(o, e, deep+1)
		}
		w.out.WriteByte(']')
	case Dict:
		w.out.WriteString("<<")
		for _, k := range slices.Sorted(maps.Keys(v)) {
			w.name(k)
			w.value(o, v[k], deep+1)
		}
		w.out.WriteString(">>")
	}
}

func (w *writer) name(n Name) {
	w.out.WriteByte('/')
	for _, c := range []byte(n) {
		if isRegular(c) && c > ' ' && c < 0x7f && c != '#' {
			w.out.WriteByte(c)
		} else {
			fmt.Fprintf(w.out, "#%02x", c)
		}
	}
	w.out.WriteByte(' ')
}

func (w *writer) ref(o *Object, r Ref, deep int) {
	i := w.f.find(r, o.at)
	switch {
	case i < 0:
		w.out.WriteString("null ")
	case w.number != nil && (!w.direct || w.f.objects[i].stream || w.out.Len() > maxKey):
		fmt.Fprintf(w.out, "%d 0 R ", w.number(i))
	case w.f.objects[i].stream:
		fmt.Fprintf(w.out, "<%x>", w.f.digest(i))
	default:
		w.value(&w.f.objects[i], w.f.objects[i].value, deep+1)
	}
}
