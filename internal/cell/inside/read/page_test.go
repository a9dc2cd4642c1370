package read

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"blotter/internal/cell/engine"
	"blotter/internal/cell/engine/enginetest"
	"blotter/internal/document"
)

var (
	once   sync.Once
	shared *Reader
	loaded error
)

// reader loads the pinned engines once, or ends the test.
func reader(t testing.TB) *Reader {
	t.Helper()
	once.Do(func() { shared, loaded = openReader() })
	if loaded != nil {
		enginetest.Missing(t, loaded)
	}
	return shared
}

func openReader() (*Reader, error) {
	dir, err := engine.Dir()
	if err != nil {
		return nil, err
	}
	set, err := engine.Open(dir)
	if err != nil {
		return nil, err
	}
	m := Models{Library: set.Library.Path, Threads: 1}
	for path, into := range map[string]*[]byte{
		set.Detection.Path: &m.Detection, set.Recognition.Path: &m.Recognition,
		set.Angle.Path: &m.Angle, set.Dictionary.Path: &m.Dictionary,
	} {
		if *into, err = os.ReadFile(path); err != nil {
			return nil, err
		}
	}
	return Load(m)
}

// printed is a word on a generated page and the box of its ink.
type printed struct {
	text string
	box  document.Box
}

// sheet is a page being printed.
type sheet struct {
	*image.Gray
	paper, ink uint8
	words      []printed
}

func newSheet(w, h int, paper, ink uint8) *sheet {
	s := &sheet{Gray: image.NewGray(image.Rect(0, 0, w, h)), paper: paper, ink: ink}
	draw.Draw(s, s.Rect, image.NewUniform(color.Gray{paper}), image.Point{}, draw.Src)
	return s
}

// print writes a line with its baseline's start at x, y and returns where it ends.
func (s *sheet) print(t testing.TB, text string, size float64, x, y int) int {
	t.Helper()
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		t.Fatal(err)
	}
	defer face.Close()
	d := font.Drawer{Dst: s, Src: image.NewUniform(color.Gray{s.ink}), Face: face, Dot: fixed.P(x, y)}
	for i, w := range strings.Fields(text) {
		if i > 0 {
			d.DrawString(" ")
		}
		s.words = append(s.words, printed{w, s.inkOf(d, w)})
		d.DrawString(w)
	}
	return d.Dot.X.Round()
}

// inkOf is the box of the pixels that a word will darken at least half.
func (s *sheet) inkOf(d font.Drawer, w string) document.Box {
	b, _ := d.BoundString(w)
	area := image.Rect(b.Min.X.Floor()-1, b.Min.Y.Floor()-1, b.Max.X.Ceil()+1, b.Max.Y.Ceil()+1).Intersect(s.Rect)
	alone := image.NewGray(area)
	draw.Draw(alone, area, image.NewUniform(color.Gray{s.paper}), image.Point{}, draw.Src)
	d.Dst = alone
	d.DrawString(w)
	box := image.Rectangle{}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			if math.Abs(float64(alone.GrayAt(x, y).Y)-float64(s.paper)) > math.Abs(float64(s.ink)-float64(s.paper))/2 {
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return document.BoxOf(box)
}

// turned returns the picture turned clockwise by t quarters.
func turned(m *image.Gray, t document.Turn) *image.Gray {
	p, _ := pictureOf(m)
	q := p.quarterTurns(t)
	return &image.Gray{Pix: q.pix, Stride: q.stride, Rect: image.Rect(0, 0, q.w, q.h)}
}

// skewed returns the picture turned clockwise by some degrees about its middle.
func skewed(m *image.Gray, degrees float64) *image.Gray {
	p, _ := pictureOf(m)
	out := image.NewGray(m.Rect)
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	cx, cy := float64(p.w)/2, float64(p.h)/2
	for y := range p.h {
		for x := range p.w {
			dx, dy := float64(x)+0.5-cx, float64(y)+0.5-cy
			var sum [3]float32
			p.add(&sum, cx+dx*cos+dy*sin, cy-dx*sin+dy*cos)
			out.SetGray(x, y, color.Gray{uint8(sum[0])})
		}
	}
	return out
}

const letterLines, noteLines = 16, 8 // all of it; enough for most tests

const letter = `Summit Ridge Regional Medical Center
Discharge summary of 12 March 2026
Patient: Katherine Oyelaran    Date of birth: 07/22/1984
Record number SRMC-7741920    Telephone (303) 555-0170
The patient was admitted with frontal headache, dizziness and nausea
for three days, worse in the morning, with poor oral intake at home.
She has type 2 diabetes, essential hypertension and chronic migraine.
Blood pressure 158/94, heart rate 98, temperature 98.4, saturation 97%.
Metformin 1000 mg twice daily; lisinopril 20 mg once daily; aspirin 81 mg.
Penicillin causes a rash. No known allergy to latex or contrast media.
Neurological examination was normal, with equal pupils and steady gait.
Imaging showed no haemorrhage, fracture, mass effect or midline shift.
She was discharged in stable condition and may return to work on Monday.
Follow up with her physician within two weeks; recheck fasting glucose.
Return at once for chest pain, repeated vomiting, confusion or weakness.
Signed electronically by Jorge Quispe, physician, at Aurora, Colorado.`

// a4 prints the letter's first lines on an A4 page at the given resolution.
func a4(t testing.TB, dpi, lines int) *sheet {
	s := newSheet(dpi*827/100, dpi*1169/100, 255, 0)
	y := dpi * 3 / 4
	for _, line := range strings.Split(letter, "\n")[:lines] {
		s.print(t, line, 11*float64(dpi)/72, dpi*3/4, y)
		y += dpi / 4
	}
	return s
}
