package inside_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/gif"
	"image/png"
	"math"
	"math/rand/v2"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"blotter/internal/cell"
	"blotter/internal/document"
	"blotter/internal/examples/paper"
	"blotter/internal/truth"
)

// Faults that other redactors were seen with, each through a real cell on a document made
// here. What happened elsewhere stands at each test.

// notice is a page as the tests draw it: words between braces must go, others must stay.
var notice = []string{
	"Patient name: {Odalys} {Ferrante}",
	"Date of birth: {03/12/1961}",
	"Phone: {(212)} {555-0147}",
	"She was seen for asthma by a nurse and sleeps well again.",
	"Continue the inhaler twice daily and return in two weeks.",
}

// draw sets lines of text, 44 pixels apart, from (60,60) on, and says where they stand.
func drawLines(t *testing.T, img draw.Image, ink color.Color, lines []string) truth.Picture {
	t.Helper()
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: 30, DPI: 72})
	if err != nil {
		t.Fatal(err)
	}
	out := truth.Picture{Width: img.Bounds().Dx(), Height: img.Bounds().Dy()}
	d := &font.Drawer{Dst: img, Src: image.NewUniform(ink), Face: face}
	for n, line := range lines {
		d.Dot = fixed.P(60, 90+44*n)
		for _, word := range bytes.Fields([]byte(line)) {
			text := string(bytes.Trim(word, "{}"))
			w := truth.Word{Text: text, Want: truth.Keep}
			if word[0] == '{' {
				w.Want, w.Value = truth.Destroy, n+1
			}
			r, _ := d.BoundString(text)
			w.Quad = truth.Rect(float64(r.Min.X.Floor()), float64(r.Min.Y.Floor()), float64(r.Max.X.Ceil()), float64(r.Max.Y.Ceil()))
			out.Words = append(out.Words, w)
			d.DrawString(text + " ")
		}
	}
	return out
}

// page draws lines in black on white paper.
func page(t *testing.T, lines []string) (*image.Gray, truth.Picture) {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 900, 60+44*len(lines)+60))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	return img, drawLines(t, img, color.Black, lines)
}

// turn gives what turns into img and p when it is turned clockwise by t quarters.
func turn(img *image.Gray, p truth.Picture, t document.Turn) (*image.Gray, truth.Picture) {
	w, h := p.Width, p.Height
	out := truth.Picture{Width: w, Height: h}
	if t%2 == 1 {
		out.Width, out.Height = h, w
	}
	turned := image.NewGray(image.Rect(0, 0, out.Width, out.Height))
	for y := range h {
		for x := range w {
			at := t.ToAsset(document.Box{X: x, Y: y, W: 1, H: 1}, w, h)
			turned.SetGray(at.X, at.Y, img.GrayAt(x, y))
		}
	}
	for _, word := range p.Words {
		b := t.ToAsset(word.Box(), w, h)
		word.Quad = truth.Rect(float64(b.X), float64(b.Y), float64(b.X+b.W), float64(b.Y+b.H))
		out.Words = append(out.Words, word)
	}
	return turned, out
}

// process sends a document through a real cell and returns its assets and derivatives.
func process(t *testing.T, cfg cell.Config, doc []byte) *sink {
	t.Helper()
	s := &sink{}
	if _, err := start(t, cfg).Run(t.Context(), file(t, doc), task(), s); err != nil {
		t.Fatal(err)
	}
	for _, a := range s.assets {
		if a.Status != document.Redacted {
			t.Fatalf("asset %d is withheld: %s", a.Index, a.Reason)
		}
		if kinds := chunks(t, s.made[a.Index].Bytes()); kinds != "IHDR IDAT IEND" {
			t.Errorf("asset %d holds more than pixels: %s", a.Index, kinds)
		}
	}
	return s
}

// check holds the derivative of an asset against what was drawn.
func (s *sink) check(t *testing.T, n int, p truth.Picture) {
	t.Helper()
	if n >= len(s.assets) {
		t.Fatalf("only %d assets", len(s.assets))
	}
	a := s.assets[n]
	img, err := png.Decode(bytes.NewReader(s.made[a.Index].Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if a.Width*p.Height/p.Width < a.Height-2 || a.Width*p.Height/p.Width > a.Height+2 {
		t.Errorf("asset %d measures %d×%d, drawn were %d×%d", a.Index, a.Width, a.Height, p.Width, p.Height)
	}
	boxes := []document.Box{}
	for _, f := range a.Findings {
		boxes = append(boxes, f.Box)
	}
	v := p.Judge(truth.Redacted{Image: img, Boxes: boxes})
	if v.Secret == 0 || v.Destroyed < v.Secret || v.Lost > 0 {
		t.Errorf("asset %d: %d of %d values destroyed, still there: %v; lost without need: %v", a.Index, v.Destroyed, v.Secret, v.Leaks, v.Losses)
	}
}

// chunks names the kinds of a PNG's chunks, each run of one kind once; the file must end
// with the last.
func chunks(t *testing.T, b []byte) (kinds string) {
	t.Helper()
	last := ""
	for at := 8; at+12 <= len(b); {
		n, kind := int(binary.BigEndian.Uint32(b[at:])), string(b[at+4:at+8])
		if kind != last {
			kinds += " " + kind
		}
		at, last = at+12+n, kind
		if kind == "IEND" && at != len(b) {
			kinds += " and more"
		}
	}
	return kinds[1:]
}

// F30: on a page with /Rotate the box landed elsewhere. The scan lies in the file as the
// scanner saw it; page and image are both right.
func TestBoxesFollowThePagesRotation(t *testing.T) {
	cfg := withEngines(t)
	upright, words := page(t, notice)
	for quarters := range 4 {
		lying, itsWords := turn(upright, words, document.Turn(quarters))
		s := process(t, cfg, scanPDF(lying, quarters, ""))
		if len(s.assets) != 2 {
			t.Fatalf("%d quarters: %d assets", quarters, len(s.assets))
		}
		s.check(t, 0, words)
		s.check(t, 1, itsWords)
	}
}

// F31: a photo that a camera held sideways was read as it lies in the file.
func TestBoxesFollowEXIF(t *testing.T) {
	cfg := withEngines(t)
	upright, words := page(t, notice)
	for orientation, quarters := range map[byte]document.Turn{1: 0, 3: 2, 6: 1, 8: 3} {
		lying, _ := turn(upright, words, quarters)
		s := process(t, cfg, photo(t, lying, exif(orientation, nil)))
		s.check(t, 0, words)
	}
}

// F32: the word after a two-word name was covered, too.
func TestTheWordBehindANameStays(t *testing.T) {
	img, words := page(t, []string{
		"The patient saw Dr. {John} {Smith} who recommended rest and",
		"fluids. Mrs. {Carmen} {Delgado} agrees and will call again.",
	})
	process(t, withEngines(t), photo(t, img, nil)).check(t, 0, words)
}

// F33: names and telephone numbers on a form were missed: values beside their labels and
// below them, without a sentence around.
func TestValuesOfAFormAreFound(t *testing.T) {
	img, words := page(t, []string{
		"Name: {Thandiwe} {Okonkwo}", "Home phone: {503-555-0162}", "Emergency contact: {Ngozi} {Okonkwo}",
		"Relationship: sister", "Medical record number: {4471-0093}", "Allergies: none known",
	})
	process(t, withEngines(t), photo(t, img, nil)).check(t, 0, words)
}

// F34, F13: only the first frame was looked at. Every frame says something else.
func TestEveryFrameIsRedacted(t *testing.T) {
	cfg := withEngines(t)
	var pages []paper.Bitmap
	var want []truth.Picture
	film := gif.GIF{}
	for _, name := range []string{"Patient: {Odalys} {Ferrante}", "Patient: {Thandiwe} {Okonkwo}", "Patient: {Ruth} {Delgado}"} {
		img, words := page(t, append([]string{name}, notice[3:]...))
		pages, want = append(pages, paper.Threshold(img, 128)), append(want, words)
		frame := image.NewPaletted(img.Rect, palette.Plan9)
		draw.Draw(frame, frame.Rect, img, image.Point{}, draw.Src)
		film.Image, film.Delay = append(film.Image, frame), append(film.Delay, 50)
	}
	var animated bytes.Buffer
	if err := gif.EncodeAll(&animated, &film); err != nil {
		t.Fatal(err)
	}
	for _, doc := range [][]byte{paper.EncodeTIFF(pages), animated.Bytes()} {
		s := process(t, cfg, doc)
		for i, words := range want {
			s.check(t, i, words)
		}
	}
}

// F36: after redaction the file still held the old picture: as a thumbnail in EXIF, in
// XMP, as a second picture behind the first. Each picture is an asset of its own and is
// redacted like the first. (process checks that a derivative is pixels.)
func TestNothingButPixelsLeaves(t *testing.T) {
	img, words := page(t, notice)
	whole := photo(t, img, exif(1, photo(t, img, nil)))
	xmp := append([]byte("http://ns.adobe.com/xap/1.0/\x00"), "<x:xmpmeta>Odalys Ferrante</x:xmpmeta>"...)
	doc := append(whole[:2:2], segment(0xe1, xmp)...)
	doc = append(append(doc, whole[2:]...), photo(t, img, nil)...)
	s := process(t, withEngines(t), doc)
	if len(s.assets) != 3 {
		t.Fatalf("%d pictures came out", len(s.assets))
	}
	for i := range s.assets {
		s.check(t, i, words)
	}
}

// F36: a PDF kept what it showed before its last change. The page is the last revision's; the
// picture of the earlier one is an asset without a page, redacted like the others.
func TestEarlierRevisionsStayBehind(t *testing.T) {
	before, old := page(t, notice)
	after, words := page(t, []string{"Patient: {Ruth} {Delgado}", notice[3], notice[4], "", ""})
	s := process(t, withEngines(t), revised(scanPDF(before, 0, ""), after))
	if len(s.assets) != 3 {
		t.Fatalf("%d assets", len(s.assets))
	}
	s.check(t, 0, words)
	s.check(t, 1, words)
	s.check(t, 2, old)
}

// F37, F38: boxes lay over text that could still be selected. A page of text leaves as pixels.
// Nothing was covered because the text had been taken out before its place was
// looked up. Here text lies invisibly over a scan, and both are gone.
func TestTextOfAPageBecomesPixels(t *testing.T) {
	cfg := withEngines(t)
	img, words := page(t, notice)
	hidden := "BT 3 Tr /F1 21 Tf 44 225 Td (Patient name: Odalys Ferrante) Tj ET"
	s := process(t, cfg, scanPDF(img, 0, hidden))
	s.check(t, 0, words)
	s.check(t, 1, words)

	typed := textPDF("BT /F1 24 Tf 40 200 Td (Patient name: Odalys Ferrante) Tj 0 -40 Td (She was seen for asthma.) Tj ET")
	s = process(t, cfg, typed)
	if len(s.assets) != 1 || len(s.assets[0].Findings) == 0 {
		t.Fatalf("%d assets", len(s.assets))
	}
	if made := s.made[s.assets[0].Index].Bytes(); bytes.Contains(made, []byte("Ferrante")) {
		t.Error("the derivative holds text")
	}
	checkDerivative(t, s.assets[0], bytes.NewReader(s.made[s.assets[0].Index].Bytes()))
}

// F39: whole blocks of name, date and number were left on screens of ultrasound and x-ray
// devices: light text in the corners of a dark picture with structure.
func TestScreensOfDevicesAreRead(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 1000, 760))
	rng := rand.New(rand.NewPCG(3, 9))
	for y := range 760 {
		for x := range 1000 {
			fan := 140 * math.Exp(-(math.Pow(float64(x-500)/260, 2) + math.Pow(float64(y-460)/170, 2)))
			img.SetGray(x, y, color.Gray{uint8(12 + fan*(0.6+0.4*rng.Float64()))})
		}
	}
	words := drawLines(t, img, color.Gray{235}, []string{
		"Name: {FERRANTE,} {ODALYS}", "ID: {4471-0093}", "DOB: {03/12/1961} F", "Abdomen right kidney long",
	})
	s := process(t, withEngines(t), photo(t, img, nil))
	s.check(t, 0, words)
}
