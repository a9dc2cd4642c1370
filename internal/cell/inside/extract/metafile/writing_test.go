package metafile

import (
	"bytes"
	"image"
	"strings"
	"testing"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// typeOf makes a font and chooses it: number, height, slope, character set and name.
func typeOf(n, height, slope, set int, name string) []byte {
	face := make([]byte, 64)
	for i, c := range name {
		face[2*i], face[2*i+1] = byte(c), byte(c>>8)
	}
	return join(order(82, longs(n, height, 0, slope, slope, 400), []byte{0, 0, 0, byte(set), 0, 0, 0, 0}, face), order(37, longs(n)))
}

// wide is text of 16 bits a character.
func wide(s string) (b []byte) {
	for _, c := range s {
		b = append(b, byte(c), byte(c>>8))
	}
	return b
}

// sayAt writes at a place, with the room for each character where gaps are given.
func sayAt(x, y, options int, s string, gaps ...int) []byte {
	b := wide(s)
	b = append(b, make([]byte, -len(b)&3)...)
	dx := 0
	if len(gaps) > 0 {
		dx = 76 + len(b)
	}
	return order(84, make([]byte, 16), longs(1, 0, 0, x, y, len([]rune(s)), 76, options, 0, 0, 0, 0, dx), b, longs(gaps...))
}

const arial = "Arial"

var bare = order(18, longs(1)) // text without a ground

// texts are the words of a layer, by line.
func texts(ws []words.Word) string {
	var out strings.Builder
	for i, w := range ws {
		switch {
		case i == 0:
		case w.Line != ws[i-1].Line:
			out.WriteString(" / ")
		default:
			out.WriteString(" ")
		}
		out.WriteString(w.Text)
	}
	return out.String()
}

// Text is drawn large enough to be read, wherever and however a dialect puts it, and each word
// is known with the place where its ink is.
func TestTextIsDrawnAndKnown(t *testing.T) {
	small := func(options int, s []byte) []byte {
		return order(108, longs(20, 30, len(s)/(2-options>>9&1), options, 1, 0, 0), s)
	}
	poly := order(97, make([]byte, 16), longs(1, 0, 0, 2), longs(10, 10, 3, 120, 0, 0, 0, 0, 0, 0), longs(10, 40, 3, 126, 0, 0, 0, 0, 0, 0), wide("uno"), wide("due"))
	latin := join(typeOf(1, -12, 0, 0, arial), bare)
	wfont := func(set int, name string) []byte {
		face := make([]byte, 32)
		copy(face, name)
		return join(wo(0x02fb, shorts(-12, 0, 0, 0, 400), []byte{0, 0, 0, byte(set), 0, 0, 0, 0}, face), wo(0x012d, shorts(0)), wo(0x0102, shorts(1)))
	}
	for name, c := range map[string]struct {
		b    []byte
		f    document.Format
		want string
	}{
		"plain":              {emfOf(200, 50, latin, sayAt(10, 10, 0, "Anna Schmidt")), document.EMF, "Anna Schmidt"},
		"room for each":      {emfOf(200, 50, latin, sayAt(10, 10, 0, "Anna", 9, 7, 7, 7)), document.EMF, "Anna"},
		"spread out":         {emfOf(200, 50, latin, sayAt(10, 10, 0, "AB", 40, 9)), document.EMF, "A B"},
		"on several lines":   {emfOf(200, 50, latin, sayAt(10, 10, 0, "Anna"), sayAt(10, 30, 0, "Schmidt")), document.EMF, "Anna / Schmidt"},
		"in pieces":          {emfOf(200, 50, latin, sayAt(10, 10, 0, "An", 8, 7), sayAt(25, 10, 0, "na", 7, 7), sayAt(43, 10, 0, "S", 8), sayAt(51, 10, 0, "mid", 10, 3, 7)), document.EMF, "Anna Smid"},
		"far apart":          {emfOf(400, 50, latin, sayAt(10, 10, 0, "Anna"), sayAt(200, 10, 0, "Schmidt")), document.EMF, "Anna / Schmidt"},
		"moving on":          {emfOf(200, 50, latin, order(22, longs(1)), order(27, longs(10, 10)), sayAt(0, 0, 0, "An", 8, 7), sayAt(0, 0, 0, "na", 7, 7)), document.EMF, "Anna"},
		"from the right":     {emfOf(200, 50, latin, order(22, longs(2)), sayAt(190, 10, 0, "Anna")), document.EMF, "Anna"},
		"around the middle":  {emfOf(200, 50, latin, order(22, longs(6+24)), sayAt(100, 20, 0, "Anna")), document.EMF, "Anna"},
		"Cyrillic":           {emfOf(200, 50, typeOf(1, -12, 0, 204, arial), sayAt(10, 10, 0, "Анна Қўё")), document.EMF, "Анна Кўё"},
		"Greek of Symbol":    {emfOf(200, 50, typeOf(1, -12, 0, 2, "Symbol"), sayAt(10, 10, 0, "abS")), document.EMF, "αβΣ"},
		"Symbol, private":    {emfOf(200, 50, typeOf(1, -12, 0, 2, "Symbol"), sayAt(10, 10, 0, "\uf061")), document.EMF, "α"},
		"a bullet":           {emfOf(200, 50, typeOf(1, -12, 0, 2, "Wingdings"), sayAt(10, 10, 0, "n")), document.EMF, "■"},
		"of small bytes":     {emfOf(200, 50, latin, small(0x300, []byte("Anna"))), document.EMF, "Anna"},
		"small":              {emfOf(200, 50, latin, small(0x100, wide("Anna"))), document.EMF, "Anna"},
		"two at once":        {emfOf(200, 60, latin, poly), document.EMF, "uno / due"},
		"bytes":              {emfOf(200, 50, latin, order(83, make([]byte, 16), longs(1, 0, 0, 10, 10, 3, 76, 0, 0, 0, 0, 0, 0), []byte("\xd6ll"))), document.EMF, "Öll"},
		"upwards":            {emfOf(50, 200, typeOf(1, -12, 900, 0, arial), sayAt(10, 180, 0, "Anna")), document.EMF, "Anna"},
		"by the world":       {emfOf(50, 200, latin, order(35, longs(0, 0x3f800000, -0x40800000, 0, 0x42200000, 0)), sayAt(10, 10, 0, "Anna")), document.EMF, "Anna"},
		"upside down":        {emfOf(200, 50, latin, order(17, longs(8)), order(9, longs(200, -50)), order(11, longs(200, 50)), sayAt(10, -10, 0, "Anna")), document.EMF, "Anna"},
		"WMF, extended":      {wmfOf(200, 50, wfont(0, arial), wo(0x0a32, shorts(10, 10, 4, 0), []byte("Anna"), shorts(9, 7, 7, 7))), document.WMF, "Anna"},
		"WMF, plain":         {wmfOf(200, 50, wfont(204, arial), wo(0x0521, shorts(5), []byte("\xc0\xed\xed\xe0!\x00"), shorts(10, 10))), document.WMF, "Анна!"},
		"WMF, with a ground": {wmfOf(200, 50, wfont(0, arial), wo(0x0a32, shorts(10, 10, 4, 2, 0, 0, 90, 30), []byte("Anna"))), document.WMF, "Anna"},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, c.b, c.f)
			if f.Assets()[0].Withheld != "" {
				t.Fatalf("%+v", f.Assets())
			}
			ws, err := f.Layer(0)
			if err != nil || texts(ws) != c.want {
				t.Fatalf("reads %q, want %q, %v", texts(ws), c.want, err)
			}
			inkInside(t, load(t, f, 0), ws)
		})
	}
}

// inkInside wants ink in each word's box, of a readable height, and none outside of all.
func inkInside(t *testing.T, img image.Image, ws []words.Word) {
	t.Helper()
	for _, w := range ws {
		if high := min(w.Box.H, w.Box.W); high < 10 || w.Origin != words.FromLayer || w.Confidence != 1 {
			t.Errorf("word %+v", w)
		}
	}
	inside := make([]int, len(ws))
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if at(img, x, y).R > 100 {
				continue
			}
			found := false
			for i, w := range ws {
				if image.Pt(x, y).In(image.Rect(w.Box.X, w.Box.Y, w.Box.X+w.Box.W, w.Box.Y+w.Box.H)) {
					inside[i]++
					found = true
				}
			}
			if !found {
				t.Fatalf("ink at %d, %d lies in no word", x, y)
			}
		}
	}
	for i, n := range inside {
		if n < 20 {
			t.Errorf("%d pixels of ink in %+v", n, ws[i])
		}
	}
}

// What a clip hides is neither drawn nor said.
func TestHiddenTextIsNotSaid(t *testing.T) {
	f := open(t, emfOf(200, 100, typeOf(1, -12, 0, 0, arial), bare, sayAt(10, 10, 0, "seen"), order(30, longs(0, 0, 200, 50)), sayAt(10, 70, 0, "hidden")), document.EMF)
	if ws, err := f.Layer(0); err != nil || texts(ws) != "seen" {
		t.Errorf("%q, %v", texts(ws), err)
	}
}

// A word that something comes to lie on, that stands on a bitmap or runs aslant is not said: what
// its box shows, only the pixels tell.
func TestWordsThatMayLieAreNotSaid(t *testing.T) {
	latin := join(typeOf(1, -12, 0, 0, arial), bare)
	info, bits := squares(6, 5, ramp)
	said := sayAt(10, 10, 0, "Anna")
	picture := stretch(info, bits, [4]int{0, 0, 60, 30}, [4]int{0, 0, 6, 5}, srcCopy)
	beside := stretch(info, bits, [4]int{100, 0, 60, 30}, [4]int{0, 0, 6, 5}, srcCopy)
	letter := order(3, make([]byte, 16), longs(3, 10, 10, 40, 10, 20, 24))
	aslant := func(tenths int) []byte { return typeOf(2, -12, tenths, 0, arial) }
	for name, c := range map[string]struct {
		orders []byte
		want   string
	}{
		"filled over":           {join(said, order(43, longs(0, 0, 60, 30))), ""},
		"a shape over":          {join(said, letter), ""},
		"filled beside":         {join(said, order(43, longs(100, 0, 160, 30))), "Anna"},
		"filled before":         {join(order(43, longs(0, 0, 60, 30)), said), "Anna"},
		"a bitmap over":         {join(said, picture), ""},
		"a bitmap under":        {join(picture, said), ""},
		"a bitmap beside":       {join(said, beside), "Anna"},
		"behind a clip":         {join(said, order(33), order(30, longs(100, 0, 200, 50)), order(43, longs(0, 0, 160, 30)), order(34, longs(-1))), "Anna"},
		"half of it":            {join(said, sayAt(10, 30, 0, "Schmidt"), order(43, longs(0, 0, 60, 26))), "Schmidt"},
		"grounds of lines":      {join(order(18, longs(2)), said, sayAt(10, 22, 0, "Schmidt")), "Anna / Schmidt"},
		"a little aslant":       {join(aslant(50), sayAt(10, 20, 0, "Anna")), "Anna"},
		"aslant":                {join(aslant(450), sayAt(10, 40, 0, "Anna")), ""},
		"nearly upwards":        {join(aslant(850), sayAt(10, 45, 0, "Anna")), "Anna"},
		"in pieces, one hidden": {join(sayAt(10, 10, 0, "An", 8, 7), order(43, longs(0, 0, 60, 30)), sayAt(25, 10, 0, "na", 7, 7)), ""},
	} {
		f := open(t, emfOf(200, 50, latin, c.orders), document.EMF)
		if ws, err := f.Layer(0); err != nil || texts(ws) != c.want || f.Assets()[0].Withheld != "" {
			t.Errorf("%s: %q, %v, %+v", name, texts(ws), err, f.Assets())
		}
	}
}

// A picture in which holding words against what lies on them would take long has no layer.
func TestLayersAreBounded(t *testing.T) {
	words := sayAt(0, 0, 0, strings.Repeat("x ", 60))
	fills := func(n int) []byte { return join(words, bytes.Repeat(order(43, longs(0, 40, 9, 49)), n)) }
	s := func(n int) *scribe {
		f := open(t, emfOf(900, 50, typeOf(1, -12, 0, 0, arial), bare, fills(n)), document.EMF)
		s := &scribe{canvas: newCanvas(f, f.parts[0].plan)}
		if _, err := f.play(s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	if one, three := s(1), s(3); len(one.words) != 60 || three.checks != 3*one.checks || one.checks != 61 {
		t.Errorf("%d words: %d checks for one shape, %d for three", len(one.words), one.checks, three.checks)
	}
	for checks, want := range map[int]int{maxChecks - 62: 60, maxChecks - 61: 60, maxChecks - 60: 0} {
		last := s(0)
		last.checks = checks
		last.hide(document.Box{W: 1, H: 1, Y: last.plan.height - 1})
		if got := len(last.words); got != want {
			t.Errorf("%d checks before: %d words, want %d", checks, got, want)
		}
	}
}

// The smallest text decides how large the picture is.
func TestTextDecidesTheSize(t *testing.T) {
	for height, want := range map[int]int{56: 200, 28: 200, 14: 400, 7: 800} {
		b := emfOf(200, 50, typeOf(1, -height, 0, 0, arial), order(43, longs(0, 0, 200, 50)), sayAt(0, 0, 0, "x"))
		if it := open(t, b, document.EMF).Assets()[0]; it.Width < want || it.Width > want+20 {
			t.Errorf("an em of %d units in 200: %d pixels wide, want %d", height, it.Width, want)
		}
	}
}

// A character that the typefaces lack withholds the picture, and so does one that only a font
// of the machine knows; signs that could spell are not passed as marks.
func TestTextThatCannotBeDrawn(t *testing.T) {
	latin := typeOf(1, -12, 0, 0, arial)
	many := func(n int) []byte { return emfOf(20, 20, latin, sayAt(0, 0, 0, strings.Repeat(" ", n-1)+"x")) }
	lines := func(n int) []byte {
		return emfOf(20, 20, latin, order(97, make([]byte, 16), longs(1, 0, 0, n), make([]byte, 40*n)))
	}
	for name, c := range map[string]struct {
		b    []byte
		want reason.Code
	}{
		"Chinese":             {emfOf(90, 20, latin, sayAt(0, 0, 0, "王")), reason.ExtractVector},
		"glyphs of a font":    {emfOf(90, 20, latin, sayAt(0, 0, 0x10, "abc")), reason.ExtractVector},
		"two signs":           {emfOf(90, 20, typeOf(1, -12, 0, 2, "Wingdings"), sayAt(0, 0, 0, "ab")), ""},
		"three signs":         {emfOf(90, 20, typeOf(1, -12, 0, 2, "Wingdings"), sayAt(0, 0, 0, "abc")), reason.ExtractVector},
		"unknown set, ASCII":  {emfOf(90, 20, typeOf(1, -12, 0, 128, arial), order(83, make([]byte, 16), longs(1, 0, 0, 0, 0, 1, 76, 0, 0, 0, 0, 0, 0), []byte("a"))), ""},
		"unknown set":         {emfOf(90, 20, typeOf(1, -12, 0, 128, arial), order(83, make([]byte, 16), longs(1, 0, 0, 0, 0, 2, 76, 0, 0, 0, 0, 0, 0), []byte("\x89\xa4"))), reason.ExtractVector},
		"outside its order":   {emfOf(90, 20, latin, order(84, make([]byte, 16), longs(1, 0, 0, 0, 0, 40, 76, 0, 0, 0, 0, 0, 0))), reason.ExtractVector},
		"letters - 1":         {many(maxLetters - 1), ""},
		"letters":             {many(maxLetters), ""},
		"letters + 1":         {many(maxLetters + 1), reason.ExtractVector},
		"lines - 1":           {lines(maxStrings - 1), ""},
		"lines":               {lines(maxStrings), ""},
		"lines + 1":           {lines(maxStrings + 1), reason.ExtractVector},
		"as fine as no paper": {emfOf(400, 400, order(43, longs(0, 0, 400, 400)), typeOf(1, -1, 0, 0, arial), sayAt(0, 0, 0, "a")), reason.ExtractPixels},
	} {
		if got := open(t, c.b, document.EMF).Assets()[0].Withheld; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A page of text is more work than one line, and is bounded before it is drawn.
func TestWritingIsBounded(t *testing.T) {
	line := strings.Repeat("x", 130)
	for n, want := range map[int]reason.Code{500: "", 1500: reason.ExtractVector} {
		var orders [][]byte
		for range n {
			orders = append(orders, sayAt(0, 0, 0, line))
		}
		b := emfOf(900, 90, typeOf(1, -12, 0, 0, arial), bare, order(30, longs(0, 0, 900, 90)), join(orders...))
		f := open(t, b, document.EMF)
		if got := f.Assets()[0].Withheld; got != want {
			t.Errorf("%d lines: %q, want %q", n, got, want)
		}
	}
}
