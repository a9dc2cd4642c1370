package metafile

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"strings"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// sketch shows a picture as letters: '.' white, '#' black, 'r', 'g', 'b'.
func sketch(img image.Image) string {
	var out strings.Builder
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			letter := map[color.NRGBA]byte{white: '.', black: '#', {255, 0, 0, 255}: 'r', {0, 255, 0, 255}: 'g', {0, 0, 255, 255}: 'b'}[at(img, x, y)]
			if letter == 0 {
				letter = '?'
			}
			out.WriteByte(letter)
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// Orders of both dialects draw what they say, to the pixel.
func TestDrawing(t *testing.T) {
	red := redFill
	star := shorts(0, 0, 4, 0, 4, 4, 0, 4, 0, 0, 1, 1, 3, 1, 3, 3, 1, 3, 1, 1)
	for name, c := range map[string]struct {
		b    []byte
		f    document.Format
		want string
	}{
		"rectangle":       {emfOf(4, 2, noPen, red, order(43, longs(0, 0, 4, 2))), document.EMF, "rrrr\nrrrr\n"},
		"window scaled":   {emfOf(4, 2, noPen, red, order(17, longs(8)), order(9, longs(400, 200)), order(11, longs(4, 2)), order(43, longs(0, 0, 400, 200))), document.EMF, "rrrr\nrrrr\n"},
		"triangle":        {emfOf(4, 4, noPen, red, order(86, make([]byte, 16), longs(3), shorts(0, 0, 4, 4, 0, 4))), document.EMF, "....\nr...\nrr..\nrrr.\n"},
		"hole":            {emfOf(4, 4, noPen, red, order(86, make([]byte, 16), longs(10), star)), document.EMF, "rrrr\nr..r\nr..r\nrrrr\n"},
		"no hole":         {emfOf(4, 4, noPen, red, order(19, longs(2)), order(86, make([]byte, 16), longs(10), star)), document.EMF, "rrrr\nrrrr\nrrrr\nrrrr\n"},
		"clip":            {emfOf(4, 2, noPen, red, order(43, longs(0, 0, 4, 2)), order(30, longs(1, 0, 3, 2)), order(37, longs(-0x80000000+4)), order(43, longs(0, 0, 4, 2))), document.EMF, "r##r\nr##r\n"},
		"saved":           {emfOf(4, 1, noPen, red, order(33), order(37, longs(-0x80000000+4)), order(34, longs(-1)), order(43, longs(0, 0, 4, 1))), document.EMF, "rrrr\n"},
		"pattern":         {emfOf(2, 2, red, order(76, longs(0, 0, 0, 0, 0, 0, 2, 2, 0xf00021, 0, 0), identity(), longs(0, 0, 0, 0, 0, 0))), document.EMF, "rr\nrr\n"},
		"blackness":       {emfOf(2, 1, order(76, longs(0, 0, 0, 0, 0, 0, 2, 1, 0x42, 0, 0), identity(), longs(0, 0, 0, 0, 0, 0))), document.EMF, "##\n"},
		"placed":          {emfOf(2, 1, noPen, red, order(35, longs(0x40000000, 0, 0, 0x40000000, 0, 0)), order(43, longs(0, 0, 1, 1))), document.EMF, "rr\nrr\n"},
		"WMF rectangle":   {wmfOf(3, 2, wNoPen, wBlue, wo(0x020b, shorts(0, 0)), wo(0x020c, shorts(2, 3)), wo(0x041b, shorts(2, 3, 0, 0))), document.WMF, "bbb\nbbb\n"},
		"WMF polygons":    {wmfOf(4, 4, wNoPen, wBlue, wo(0x0538, shorts(2, 5, 5), star)), document.WMF, "bbbb\nb..b\nb..b\nbbbb\n"},
		"WMF upside down": {wmfOf(4, 4, wNoPen, wBlue, wo(0x020c, shorts(-4, 4)), wo(0x0324, shorts(3, 0, 0, 4, -4, 0, -4))), document.WMF, "....\nb...\nbb..\nbbb.\n"},
		"number used anew": {wmfOf(2, 1, wNoPen, wo(0x01f0, shorts(0)), wo(0x02fc, shorts(0), longs(0xff0000), shorts(0)), wo(0x012d, shorts(0)),
			wo(0x041b, shorts(1, 2, 0, 0))), document.WMF, "bb\n"},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, c.b, c.f)
			if len(f.Assets()) != 1 || f.Assets()[0].Withheld != "" {
				t.Fatalf("%+v", f.Assets())
			}
			if got := sketch(load(t, f, 0)); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

// A line is as thick as its pen and never vanishes.
func TestLines(t *testing.T) {
	for width, want := range map[int]int{0: 1, 1: 1, 4: 4} {
		f := open(t, emfOf(40, 20, order(38, longs(1, 0, width, 0, 0)), order(37, longs(1)), order(27, longs(0, 10)), order(54, longs(40, 10)), order(54, longs(40, 0)), order(54, longs(0, 0))), document.EMF)
		img, dark := load(t, f, 0), 0
		for y := 5; y < img.Bounds().Dy(); y++ {
			if at(img, 20, y) == black {
				dark++
			}
		}
		if dark != want {
			t.Errorf("a pen of %d draws %d pixels\n%s", width, dark, sketch(img))
		}
	}
}

// The boolean functions are those of the table: two bitmaps, a mask and an image, make
// a picture with a transparent corner.
func TestBooleanFunctions(t *testing.T) {
	for rop, f := range map[byte]func(p, s, d byte) byte{
		0xcc: func(_, s, _ byte) byte { return s }, 0x88: func(_, s, d byte) byte { return s & d }, 0xee: func(_, s, d byte) byte { return s | d },
		0x66: func(_, s, d byte) byte { return s ^ d }, 0x55: func(_, _, d byte) byte { return ^d }, 0xf0: func(p, _, _ byte) byte { return p },
		0xb8: func(p, s, d byte) byte { return p ^ s&(d^p) }, 0x00: func(_, _, _ byte) byte { return 0 }, 0xff: func(_, _, _ byte) byte { return 0xff },
	} {
		for _, v := range [][3]byte{{0x0f, 0x33, 0x55}, {0xff, 0, 0xaa}, {1, 2, 3}} {
			if got := boolean(rop, v[0], v[1], v[2]); got != f(v[0], v[1], v[2]) {
				t.Errorf("%#x of %v is %#x", rop, v, got)
			}
		}
	}
	if usesSource(0xf0) || !usesSource(0xcc) || usesPattern(0xcc) || !usesPattern(0xb8) || usesSource(0x55) {
		t.Error("what a function depends on")
	}
}

// Points that are not there, or too many, are not drawn as if there were fewer.
func TestPointsThatAreMissing(t *testing.T) {
	many := func(n int) []byte { return order(86, make([]byte, 16), longs(n), make([]byte, 4*n)) }
	for name, c := range map[string]struct {
		b    []byte
		f    document.Format
		want reason.Code
	}{
		"polygon":        {emfOf(9, 9, order(86, make([]byte, 16), longs(4), shorts(0, 0, 4, 4))), document.EMF, reason.ExtractVector},
		"polygons":       {emfOf(9, 9, order(91, make([]byte, 16), longs(2, 6, 3, 3), shorts(0, 0, 4, 4, 0, 4, 1, 1))), document.EMF, reason.ExtractVector},
		"WMF polygons":   {wmfOf(9, 9, wo(0x0538, shorts(2, 3, 3), shorts(0, 0, 4, 4, 0, 4, 1, 1))), document.WMF, reason.ExtractVector},
		"as many as may": {emfOf(9, 9, many(maxPoints)), document.EMF, ""},
		"one more":       {emfOf(9, 9, many(maxPoints+1)), document.EMF, reason.ExtractVector},
	} {
		if got := open(t, c.b, c.f).Assets()[0].Withheld; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// seeds are pictures with every order that is known.
func seeds(t testing.TB) map[document.Format][][]byte {
	info, bits := squares(6, 5, ramp)
	dib := join(info, bits)
	var all []byte
	for kind := 1; kind <= 122; kind++ {
		if kind != 14 {
			all = append(all, order(kind, longs(1, 2, 0, 1, 2, 1, 40, 0, 2, 1, 2, 3, 4, 5, 6, 7))...)
		}
	}
	var each []byte
	for kind := range wmfQuiet {
		each = append(each, wo(int(kind), shorts(1, 2, 3, 4))...)
	}
	for _, kind := range []int{0x1e, 0x127, 0x102, 0x103, 0x104, 0x106, 0x201, 0x209, 0x20b, 0x20c, 0x20f, 0x12d, 0x1f0, 0x2fa, 0x2fb, 0x2fc, 0xf7, 0x1f9,
		0x142, 0x6ff, 0x12c, 0x415, 0x416, 0x214, 0x213, 0x324, 0x325, 0x538, 0x41b, 0x418, 0x61d, 0xd33, 0xf43, 0x940, 0xb41, 0x922, 0xb23, 0x521, 0xa32} {
		each = append(each, wo(kind, shorts(1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9))...)
	}
	return map[document.Format][][]byte{
		document.EMF: {emfOf(6, 5, stretch(info, bits, [4]int{0, 0, 6, 5}, [4]int{0, 0, 6, 5}, 0x8800c6)), emfOf(9, 9, all), emfOf(9, 9, say(" ")),
			emfOf(90, 90, typeOf(1, -12, 900, 204, "Arial"), order(22, longs(31)), sayAt(9, 9, 6, "Анна x", 9, 9, 9, 9, 9, 9), order(59), sayAt(9, 9, 0, "y"), order(60), order(67, longs(5)),
				order(95, longs(3, 0, 0, 0, 0, 0x10201, 4, 0, 255, 0, 0), longs(0)), order(37, longs(3)), order(85, make([]byte, 16), longs(4), shorts(0, 0, 9, 0, 30, 40, 39, 39)), sayAt(9, 30, 0, "z"))},
		document.WMF: {wmfOf(6, 5, wo(0x0f43, longs(srcCopy), shorts(0, 5, 6, 0, 0, 5, 6, 0, 0), dib)), wmfOf(9, 9, each),
			wmfOf(90, 90, wo(0x02fb, shorts(-12, 0, 300, 0, 700), []byte{1, 1, 1, 0, 0, 0, 0, 0}, make([]byte, 32)), wo(0x012d, shorts(0)), wo(0x0a32, shorts(10, 10, 4, 6, 0, 0, 90, 30), []byte("Anna"), shorts(9, 7, 7, 7)),
				wo(0x06ff, shorts(0, 6), longs(0), shorts(0, 1, 2, 0, 0, 4, 1, 4, 0, 1, 0, 1, 3, 4, 4)), wo(0x012c, shorts(1)), wo(0x081a, shorts(0, 20, 20, 40, 40, 40, 0, 0)))},
		document.PICT: {pictOf(6, 5, wideEnds(0x98, 8, 0, 0, 2, 16, 0, 0, 2, 16, 0, 0, 2, 16, 0), []byte{2, 0xff, 0x55, 2, 0xff, 0xaa}),
			pictOf(6, 5, quickTime(pngOf(t, 6, 5))), pictOf(6, 5, wideEnds(0x9b, 0, 0xff, 0x8000|24, 0, 0, 5, 6, 0, 4, 0, 0, 72, 0, 72, 0, 16, 32, 3, 8), make([]byte, 40))},
	}
}

// No file makes a reader panic or break its promise of a size.
func FuzzMetafile(f *testing.F) {
	for kind, files := range seeds(f) {
		for _, b := range files {
			f.Add(b, byte(kind))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, kind byte) {
		lim := roomy
		lim.AssetPixels = 1e5
		x, err := Open(context.Background(), b, document.Format(kind), lim, nil)
		if err != nil {
			if reason.Of(err) == reason.Internal {
				t.Fatal(err)
			}
			return
		}
		for i, it := range x.Assets() {
			img, err := x.Load(i)
			if err != nil && reason.Of(err) == reason.Internal {
				t.Fatal(err)
			}
			if _, err := x.Layer(i); err != nil && reason.Of(err) == reason.Internal {
				t.Fatal(err)
			}
			if err == nil && fmt.Sprint(img.Bounds().Max) != fmt.Sprint(image.Pt(it.Width, it.Height)) {
				t.Fatalf("%v, promised %d×%d", img.Bounds(), it.Width, it.Height)
			}
		}
	})
}

// F16: every file cut anywhere is withheld or refused, never a panic.
func TestCutFiles(t *testing.T) {
	for kind, files := range seeds(t) {
		for _, b := range files {
			for n := range len(b) {
				x, err := Open(context.Background(), b[:n], kind, roomy, nil)
				if err != nil {
					continue
				}
				for i := range x.Assets() {
					if _, err := x.Load(i); err != nil && reason.Of(err) == reason.Internal {
						t.Fatalf("%v cut at %d: %v", kind, n, err)
					}
				}
			}
		}
	}
}
