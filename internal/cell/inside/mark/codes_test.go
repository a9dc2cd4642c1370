package mark

import (
	"image"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/datamatrix"
	"github.com/makiuchi-d/gozxing/oned"
	"github.com/makiuchi-d/gozxing/qrcode"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// contact is what a code on a wristband may say; nobody has this name and number.
const contact = "MECARD:N:Mustermann,Erika;TEL:+12125550147;BDAY:19640812;;"

// drawnCode is a code of module pixels per module, with a quiet zone of four modules.
func drawnCode(t testing.TB, w gozxing.Writer, format gozxing.BarcodeFormat, text string, module, height int) *image.Gray {
	t.Helper()
	m, err := w.EncodeWithoutHint(text, format, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	rows := m.GetHeight()
	if rows == 1 {
		rows = height / module
	}
	const quiet = 4
	img := white((m.GetWidth()+2*quiet)*module, (rows+2*quiet)*module)
	for y := range rows * module {
		for x := range m.GetWidth() * module {
			if m.Get(x/module, min(y/module, m.GetHeight()-1)) {
				img.Pix[(y+quiet*module)*img.Stride+x+quiet*module] = 0
			}
		}
	}
	return img
}

// kinds are the formats that can be drawn here, with something that each can say.
var kinds = []struct {
	name   string
	writer gozxing.Writer
	format gozxing.BarcodeFormat
	text   string
	linear bool
}{
	{"qr", qrcode.NewQRCodeWriter(), gozxing.BarcodeFormat_QR_CODE, contact, false},
	{"data matrix", datamatrix.NewDataMatrixWriter(), gozxing.BarcodeFormat_DATA_MATRIX, "MRN 4711-0815 Erika", false},
	{"code 128", oned.NewCode128Writer(), gozxing.BarcodeFormat_CODE_128, "MRN47110815", true},
	{"code 39", oned.NewCode39Writer(), gozxing.BarcodeFormat_CODE_39, "MRN4711", true},
	{"code 93", oned.NewCode93Writer(), gozxing.BarcodeFormat_CODE_93, "MRN47110815", true},
	{"itf", oned.NewITFWriter(), gozxing.BarcodeFormat_ITF, "4711081512", true},
	{"codabar", oned.NewCodaBarWriter(), gozxing.BarcodeFormat_CODABAR, "A4711081512B", true},
	{"ean 13", oned.NewEAN13Writer(), gozxing.BarcodeFormat_EAN_13, "4006381333931", true},
	{"ean 8", oned.NewEAN8Writer(), gozxing.BarcodeFormat_EAN_8, "96385074", true},
	{"upc a", oned.NewUPCAWriter(), gozxing.BarcodeFormat_UPC_A, "036000291452", true},
}

// inked is the smallest box around the ink in a part of a page.
func inked(img *image.Gray, b document.Box) document.Box {
	var r image.Rectangle
	for y := b.Y; y < b.Y+b.H; y++ {
		for x := b.X; x < b.X+b.W; x++ {
			if img.Pix[y*img.Stride+x] < 128 {
				r = r.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return document.BoxOf(r)
}

func isDark(v uint8) bool  { return v < 100 }
func isLight(v uint8) bool { return v > 200 }

// find gives the marks of a page without words.
func find(t testing.TB, img image.Image, decode bool) Marks {
	t.Helper()
	m, err := New().Find(img, &words.Page{Width: img.Bounds().Dx(), Height: img.Bounds().Dy()}, decode)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// covers returns the surest code whose box covers a place and is not much larger.
func covers(codes []Code, b document.Box, slack float64) (Code, bool) {
	best, ok := Code{}, false
	for _, c := range codes {
		if b.Rect().In(c.Box.Rect()) && float64(c.Box.Area()) <= slack*float64(b.Area()) && c.Score > best.Score {
			best, ok = c, true
		}
	}
	return best, ok
}

func TestEveryKindIsCoveredAndRead(t *testing.T) {
	for _, k := range kinds {
		for _, module := range []int{2, 3, 5, 8} {
			page := white(1500, 1000)
			at := put(page, drawnCode(t, k.writer, k.format, k.text, module, 90), 120, 140)
			got := find(t, page, true).Codes
			c, ok := covers(got, inked(page, at), 2)
			if module == 8 && uncovered(page, at, isDark, got) == 0 {
				continue // in one box or in several
			}
			if !ok {
				t.Errorf("%s of %d pixels a module at %v: %+v", k.name, module, inked(page, at), got)
				continue
			}
			if module > 2 && !strings.Contains(strings.Trim(c.Text, "AB"), strings.Trim(k.text, "AB")) {
				t.Errorf("%s of %d pixels a module says %q, want %q", k.name, module, c.Text, k.text)
			}
		}
	}
}

// A code must be covered however it lies and whatever became of it; that it can be
// decoded is not asked for.
func TestCodesAreCoveredInAnyState(t *testing.T) {
	states := []struct {
		name string
		make func(*image.Gray) (*image.Gray, uint8) // and the brightness of the page around it
		ink  func(uint8) bool
		hard map[string]bool // kinds that are known to be missed
	}{
		{"a quarter turn", func(c *image.Gray) (*image.Gray, uint8) { return turned(c, 90, 255), 255 }, isDark, nil},
		{"upside down", func(c *image.Gray) (*image.Gray, uint8) { return turned(c, 180, 255), 255 }, isDark, nil},
		{"three quarters", func(c *image.Gray) (*image.Gray, uint8) { return turned(c, 270, 255), 255 }, isDark, nil},
		{"skewed by 4°", func(c *image.Gray) (*image.Gray, uint8) { return turned(c, 4, 255), 255 }, isDark, nil},
		{"slanted by −17°", func(c *image.Gray) (*image.Gray, uint8) { return turned(c, -17, 255), 255 }, isDark, nil},
		{"blurred", func(c *image.Gray) (*image.Gray, uint8) { return blurred(c, 1), 255 }, isDark, nil},
		{"noisy", func(c *image.Gray) (*image.Gray, uint8) { return noisy(c, 60, 3), 255 }, isDark, nil},
		{"on a dark page", func(c *image.Gray) (*image.Gray, uint8) { return c, 20 }, isDark, nil},
		{"light on dark", func(c *image.Gray) (*image.Gray, uint8) { return negative(c), 0 }, isLight, nil},
		{"torn", func(c *image.Gray) (*image.Gray, uint8) { return scratched(c), 255 }, isDark, map[string]bool{"ean 8": true}},
	}
	for _, k := range kinds {
		for _, s := range states {
			if s.hard[k.name] {
				continue
			}
			code, around := s.make(drawnCode(t, k.writer, k.format, k.text, 4, 100))
			page := plain(code.Rect.Dx()+160, code.Rect.Dy()+160, around)
			at := put(page, code, 80, 80)
			if left := uncovered(page, at, s.ink, find(t, page, false).Codes); left > 0.02 {
				t.Errorf("%s, %s: %.0f %% of it is left by %+v", k.name, s.name, 100*left, find(t, page, false).Codes)
			}
		}
	}
}

// uncovered is the share of a code's ink that no box covers.
func uncovered(img *image.Gray, at document.Box, ink func(uint8) bool, codes []Code) float64 {
	all, left := 0, 0
	for y := at.Y; y < at.Y+at.H; y++ {
		for x := at.X; x < at.X+at.W; x++ {
			if !ink(img.Pix[y*img.Stride+x]) {
				continue
			}
			all++
			if !slices.ContainsFunc(codes, func(c Code) bool { return image.Pt(x, y).In(c.Box.Rect()) }) {
				left++
			}
		}
	}
	return float64(left) / float64(max(1, all))
}

// scratched wipes a band through the middle, too wide for any error correction.
func scratched(img *image.Gray) *image.Gray {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	for y := range h {
		for x := w*9/20 + y/10; x < w*11/20+y/10 && x < w; x++ {
			img.Pix[y*img.Stride+x] = 255
		}
	}
	return img
}

// stackedCode draws what PDF417 looks like: guards at both ends, and rows of random
// bars between them. Nothing here can decode it.
func stackedCode(module int) *image.Gray {
	const columns, rows, high = 4, 12, 3
	rng := rand.New(rand.NewPCG(7, 7))
	img := white((17*(columns+1)+18+8)*module, (rows*high+8)*module)
	for row := range rows {
		x, ink := 4, true
		bar := func(n int) {
			if ink {
				r := image.Rect(x*module, (4+row*high)*module, (x+n)*module, (4+(row+1)*high)*module)
				for py := r.Min.Y; py < r.Max.Y; py++ {
					for px := r.Min.X; px < r.Max.X; px++ {
						img.Pix[py*img.Stride+px] = 0
					}
				}
			}
			x, ink = x+n, !ink
		}
		for _, n := range []int{8, 1, 1, 1, 1, 1, 1, 3} {
			bar(n)
		}
		for range columns {
			left := 17
			for i := range 8 {
				n := 1 + rng.IntN(min(4, left-(7-i)))
				if i == 7 {
					n = left
				}
				bar(n)
				left -= n
			}
		}
		for _, n := range []int{7, 1, 1, 3, 1, 1, 1, 2, 1} {
			bar(n)
		}
	}
	return img
}

func TestPDF417IsCoveredUnread(t *testing.T) {
	for _, module := range []int{2, 3, 6} {
		for _, degrees := range []float64{0, 90, 180, 270, 2} {
			page := white(1400, 1400)
			at := put(page, turned(stackedCode(module), degrees, 255), 150, 180)
			if left := uncovered(page, at, isDark, find(t, page, true).Codes); left > 0 {
				t.Errorf("module %d, %v°: %.0f %% of it is left by %+v", module, degrees, 100*left, find(t, page, true).Codes)
			}
		}
	}
}

func TestManyCodesOnAPage(t *testing.T) {
	page := white(2400, 2600)
	var want []document.Box
	for i := range 30 {
		k := kinds[i%len(kinds)]
		code := drawnCode(t, k.writer, k.format, k.text, 3, 80)
		at := put(page, code, 40+(i%5)*460, 40+(i/5)*420)
		want = append(want, inked(page, at))
	}
	got := find(t, page, false).Codes
	for _, b := range want {
		if _, ok := covers(got, b, 2.5); !ok {
			t.Errorf("no code at %v", b)
		}
	}
}

// Words that a reader made of letters like bars keep those from being codes; what a text
// layer claims to stand there does not.
func TestWordsThatWereReadAreNoCodes(t *testing.T) {
	img := white(900, 400)
	at := put(img, drawnCode(t, kinds[2].writer, kinds[2].format, kinds[2].text, 3, 60), 100, 100)
	page := &words.Page{Width: 900, Height: 400, Words: []words.Word{{Text: "illumination", Box: at, Confidence: 0.97}}}
	for origin, want := range map[words.Origin]int{words.FromPixels: 0, words.FromLayer: 1} {
		page.Words[0].Origin = origin
		if m, err := New().Find(img, page, false); err != nil || min(len(m.Codes), 1) != want {
			t.Errorf("origin %d: %+v, %v", origin, m, err)
		}
	}
}

func TestCodeTextBecomesAPage(t *testing.T) {
	p := Code{Text: "MECARD:N:Mustermann,Erika;TEL:+12125550147;;"}.Page()
	var got []string
	lines := map[int]bool{}
	for _, w := range p.Words {
		got = append(got, w.Text)
		lines[w.Line] = true
	}
	if strings.Join(got, " ") != "MECARD: N: Mustermann,Erika TEL: +12125550147" || len(lines) != 2 {
		t.Errorf("words %q on %d lines", got, len(lines))
	}
}

// logo is a mark of a firm: a disc, stripes and a box, without words.
func logo(w, h int) *image.Gray {
	img := white(w, h)
	for y := range h {
		for x := range w {
			dx, dy := x-h/2, y-h/2
			switch d := dx*dx + dy*dy; {
			case d < h*h/5 && d > h*h/12, d < h*h/40:
				img.Pix[y*img.Stride+x] = 40
			case x > h && y > h/4 && y < 3*h/4 && (x/(w/16))%2 == 0:
				img.Pix[y*img.Stride+x] = 110
			}
		}
	}
	return img
}

func TestLogosTextAndPicturesGiveNoMarks(t *testing.T) {
	pages := map[string]*image.Gray{"empty": white(800, 1100), "black": plain(800, 1100, 0), "tiny": white(3, 3), "line": white(4000, 1)}
	pages["logo"] = white(1240, 1754)
	put(pages["logo"], logo(400, 160), 100, 90)
	pages["logo from afar"] = white(1240, 1754)
	put(pages["logo from afar"], logo(120, 48), 900, 90)
	pages["gradient"] = white(700, 700)
	for i := range pages["gradient"].Pix {
		pages["gradient"].Pix[i] = uint8(i % 700 / 3)
	}
	pages["static"] = noisy(plain(600, 600, 128), 127, 5)
	pages["form"] = ruledForm()
	for name, img := range pages {
		if m := find(t, img, true); len(m.Findings)+len(m.Codes) > 0 {
			t.Errorf("%s: %+v", name, m)
		}
	}
	for _, dpi := range []float64{72, 150, 300} {
		img, page := textPage(t, dpi)
		m, err := New().Find(img, page, true)
		if err != nil || len(m.Findings)+len(m.Codes) > 0 {
			t.Errorf("text at %v dpi: %+v, %v", dpi, m, err)
		}
	}
}

// ruledForm has rules, a table and boxes of one character each.
func ruledForm() *image.Gray {
	img := white(1240, 1754)
	line := func(x0, y0, x1, y1 int) {
		for y := y0; y < y1; y++ {
			for x := x0; x < x1; x++ {
				img.Pix[y*img.Stride+x] = 0
			}
		}
	}
	for y := 200; y < 1000; y += 40 {
		line(100, y, 1100, y+2)
	}
	for x := 100; x <= 1100; x += 100 {
		line(x, 200, x+2, 960)
	}
	for x := 100; x < 900; x += 24 {
		line(x, 1100, x+2, 1130)
	}
	line(100, 1100, 900, 1102)
	line(100, 1130, 900, 1132)
	return img
}
