package specimen

import (
	"image/color"
	"math/rand/v2"
	"time"

	"blotter/internal/examples/paper"
	"blotter/internal/specimen/people"
	"blotter/internal/specimen/prose"
	"blotter/internal/specimen/typecase"
)

// desk is where one document is written: its chance, its people, its prose and its type.
type desk struct {
	half      Half
	n         int // which one of its kind
	rng       *rand.Rand
	fineness  float64
	typefaces *typecase.Case
	crowd     *people.Crowd
	book      *prose.Book
	language  string
	country   string
	today     time.Time
	date      func(time.Time) string // in this document's spelling
	subject   people.Person
	doctor    people.Person
	home      people.Address
	mrn       string
	specialty string
	print     font // what the document is set in
	narrow    font // condensed
	typist    font // of one width
	hand      paper.Style
	told      map[string]bool // sentences that the document holds already
	err       error
}

// font is a family of typefaces.
type font struct{ regular, bold, italic *paper.Typeface }

func newDesk(half Half, n int, rng *rand.Rand, typefaces *typecase.Case) *desk {
	d := &desk{half: half, n: n, rng: rng, typefaces: typefaces, crowd: people.Gather(half, rng), book: prose.Open(half), told: map[string]bool{}}
	d.today = time.Date(2019+rng.IntN(7), time.Month(1+rng.IntN(12)), 1+rng.IntN(28), 8+rng.IntN(9), rng.IntN(60), 0, 0, time.UTC)
	d.setType()
	d.settle("en", "us")
	return d
}

// settle chooses the people and the spellings of a document in a language.
func (d *desk) settle(language, country string) {
	d.language, d.country = language, country
	d.date = d.crowd.Dates(language)
	d.subject, d.doctor = d.crowd.Person(language, d.today), d.crowd.Person(language, d.today)
	d.doctor.Suffix = ""
	d.home = d.crowd.Address(country)
	d.mrn = d.crowd.MRN()
	d.specialty = one(d, d.book.Specialties())
}

// setType chooses typefaces; each half has its own.
func (d *desk) setType() {
	type cabinet struct{ print, narrow, typist, hands []string }
	c := map[Half]cabinet{
		Tune: {[]string{"arimo", "tinos", "roboto", "lora"}, []string{"roboto-condensed"}, []string{"cousine"},
			[]string{"caveat", "homemade-apple", "reenie-beanie", "indie-flower", "kalam"}},
		Publish: {[]string{"carlito", "gelasio", "source-sans-3", "pt-serif"}, []string{"archivo-narrow"}, []string{"courier-prime"},
			[]string{"dancing-script", "nothing-you-could-do", "covered-by-your-grace", "patrick-hand", "cedarville-cursive"}},
	}[d.half]
	d.print = d.family(one(d, c.print), true)
	d.narrow = d.family(one(d, c.narrow), false)
	d.typist = d.family(one(d, c.typist), true)
	if d.maybe(8) {
		d.print = d.typist // an office with a typewriter
	}
	d.hand = paper.Style{Face: d.typeface(one(d, c.hands)), Size: 15, Ink: d.pen()}
}

func (d *desk) family(name string, italic bool) font {
	f := font{regular: d.typeface(name), bold: d.typeface(name + "-bold")}
	f.italic = f.regular
	if italic {
		f.italic = d.typeface(name + "-italic")
	}
	return f
}

// typeface falls back to the Go font where one cannot be read, and notes the error.
func (d *desk) typeface(name string) *paper.Typeface {
	t, err := d.typefaces.Typeface(name)
	if err != nil {
		d.fail(err)
		return paper.Regular
	}
	return t
}

func (d *desk) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// pen is the ink of a ball pen.
func (d *desk) pen() color.Color {
	inks := []color.Color{color.RGBA{0x12, 0x1f, 0x6e, 0xff}, color.RGBA{0x1a, 0x1a, 0x22, 0xff}, color.RGBA{0x10, 0x30, 0x8a, 0xff}, color.RGBA{0x30, 0x30, 0x38, 0xff}}
	return inks[d.rng.IntN(len(inks))]
}

func (f font) at(size float64) paper.Style     { return paper.Style{Face: f.regular, Size: size} }
func (f font) strong(size float64) paper.Style { return paper.Style{Face: f.bold, Size: size} }
func (f font) slanted(size float64) paper.Style {
	return paper.Style{Face: f.italic, Size: size}
}

// one picks from a list.
func one[T any](d *desk, of []T) T { return of[d.rng.IntN(len(of))] }

// some picks n different entries in a chance order; fewer where there are fewer.
func some[T any](d *desk, of []T, n int) []T {
	var out []T
	for _, i := range d.rng.Perm(len(of))[:min(n, len(of))] {
		out = append(out, of[i])
	}
	return out
}

// wording picks from the entries that belong to the half: the even or the odd ones.
func (d *desk) wording(of ...string) string {
	own := d.own(len(of))
	return of[own[d.rng.IntN(len(own))]]
}

// variant picks one of n layouts that the half may see.
func (d *desk) variant(n int) int { return one(d, d.own(n)) }

func (d *desk) own(n int) []int {
	var out []int
	for i := int(d.half) % max(n, 1); i < n; i += 2 {
		out = append(out, i)
	}
	if len(out) == 0 {
		out = []int{0}
	}
	return out
}

// amount is a strength between two bounds. The range is cut into eight slices, of which
// each half has every other one.
func (d *desk) amount(low, high float64) float64 {
	const slices = 8
	slice := 2*d.rng.IntN(slices/2) + int(d.half)
	return low + (high-low)*(float64(slice)+d.rng.Float64())/slices
}

// maybe is true in so many of a hundred cases.
func (d *desk) maybe(percent int) bool { return d.rng.IntN(100) < percent }
