package metafile

import (
	"bytes"
	"context"
	"image/color"
	"slices"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// A picture that shows one bitmap is that bitmap, pixel by pixel, in every dialect.
func TestOneBitmapIsThePicture(t *testing.T) {
	info, bits := squares(6, 5, ramp)
	dib := join(info, bits)
	plus := func(flags int, body []byte) []byte {
		return order(70, longs(4+12+len(body)), []byte("EMF+"), shorts(0x4008, flags), longs(12+len(body), len(body)), body)
	}
	plusDraw := order(70, longs(4+12), []byte("EMF+"), shorts(0x401b, 0), longs(12, 0))
	picture := pngOf(t, 6, 5)
	inFile := join(longs(-600825855, 1, 6, 5, 0, 0, 1), picture)
	argb := join(longs(-600825855, 1, 6, 5, 28, 0x26200a, 0))
	for y := range 5 {
		for x := range 7 { // one pixel of padding
			argb = append(argb, 7, byte(40*y), byte(40*x), 255)
		}
	}
	rows := wideEnds(0, 0, 5, 6, 0, 0, 50, 60, 0) // where from, where to, mode
	for y := range 5 {
		line := []byte{}
		for _, c := range []func(x int) byte{func(x int) byte { return byte(40 * x) }, func(int) byte { return byte(40 * y) }, func(int) byte { return 7 }} {
			line = append(line, 5)
			for x := range 6 {
				line = append(line, c(x))
			}
		}
		rows = append(append(rows, byte(len(line))), line...)
	}
	direct := join(wideEnds(0x9a, 0, 0xff, 0x8000|24, 0, 0, 5, 6, 0, 4, 0, 0, 72, 0, 72, 0, 16, 32, 3, 8, 0, 0, 0, 0, 0, 0), rows)
	for name, c := range map[string]struct {
		b    []byte
		f    document.Format
		kind document.Format
	}{
		"StretchDIBits":             {emfOf(60, 50, stretch(info, bits, [4]int{0, 0, 60, 50}, [4]int{0, 0, 6, 5}, srcCopy)), document.EMF, document.BMP},
		"StretchDIBits of a PNG":    {emfOf(60, 50, stretch(join(longs(40, 6, 5, 1, 5), make([]byte, 20)), picture, [4]int{0, 0, 60, 50}, [4]int{0, 0, 6, 5}, srcCopy)), document.EMF, document.PNG},
		"SetDIBitsToDevice":         {emfOf(6, 5, order(80, longs(0, 0, 0, 0, 0, 0, 0, 0, 6, 5, 76, 40, 116, len(bits), 0, 0, 5), info, bits)), document.EMF, document.BMP},
		"StretchBlt":                {emfOf(60, 50, order(77, longs(0, 0, 0, 0, 0, 0, 60, 50, srcCopy, 0, 0), identity(), longs(0, 0, 108, 40, 148, len(bits), 6, 5), info, bits)), document.EMF, document.BMP},
		"AlphaBlend":                {emfOf(60, 50, order(114, longs(0, 0, 0, 0, 0, 0, 60, 50, 0x1ff0000, 0, 0), identity(), longs(0, 0, 108, 40, 148, len(bits), 6, 5), info, bits)), document.EMF, document.BMP},
		"EMF+ with a file":          {emfOf(60, 50, plus(0x500, inFile), plusDraw), document.EMF, document.PNG},
		"EMF+ in two pieces":        {emfOf(60, 50, plus(0x8500, join(longs(len(inFile)), inFile[:20])), plus(0x8500, join(longs(len(inFile)), inFile[20:])), plusDraw), document.EMF, document.PNG},
		"EMF+ with rows of pixels":  {emfOf(60, 50, plus(0x500, argb), plusDraw), document.EMF, document.BMP},
		"StretchDIB of a WMF":       {wmfOf(60, 50, wo(0x0f43, longs(srcCopy), shorts(0, 5, 6, 0, 0, 50, 60, 0, 0), dib)), document.WMF, document.BMP},
		"DIBStretchBlt":             {wmfOf(60, 50, wo(0x0b41, longs(srcCopy), shorts(5, 6, 0, 0, 50, 60, 0, 0), dib)), document.WMF, document.BMP},
		"DIBBitBlt":                 {wmfOf(6, 5, wo(0x0940, longs(srcCopy), shorts(0, 0, 5, 6, 0, 0), dib)), document.WMF, document.BMP},
		"SetDIBToDevice":            {wmfOf(6, 5, wo(0x0d33, shorts(0, 5, 0, 0, 0, 5, 6, 0, 0), dib)), document.WMF, document.BMP},
		"PICT of direct colours":    {pictOf(60, 50, direct), document.PICT, document.RawPixels},
		"PICT behind 512 bytes":     {join(make([]byte, pictApart), pictOf(60, 50, direct)), document.PICT, document.RawPixels},
		"PICT with QuickTime's PNG": {pictOf(6, 5, quickTime(picture)), document.PICT, document.PNG},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, c.b, c.f)
			if got := f.Assets(); len(got) != 1 || got[0].Format != c.kind || got[0].Withheld != "" || got[0].Kind != document.Image {
				t.Fatalf("assets: %+v", got)
			}
			img := load(t, f, 0)
			for y := range 5 {
				for x := range 6 {
					if at(img, x, y) != ramp(x, y) {
						t.Fatalf("pixel %d, %d is %v", x, y, at(img, x, y))
					}
				}
			}
		})
	}
}

func identity() []byte { return longs(0x3f800000, 0, 0, 0x3f800000, 0, 0) }

// quickTime is an image that QuickTime would unpack.
func quickTime(file []byte) []byte {
	body := make([]byte, 68)
	body = append(body, 0, 0, 0, 86)
	body = append(body, "png "...)
	body = append(append(body, make([]byte, 78)...), file...)
	body = append(body, make([]byte, len(body)&1)...)
	return join(wideEnds(0x8200, len(body)>>16, len(body)), body)
}

// A bitmap with a frame around it is drawn, at the bitmap's own resolution.
func TestDrawnAroundABitmap(t *testing.T) {
	info, bits := squares(6, 5, ramp)
	f := open(t, emfOf(6, 5, order(38, longs(1, 5, 0, 0, 0)), order(37, longs(1)), order(43, longs(0, 0, 6, 5)), order(21, longs(3)),
		stretch(info, bits, [4]int{0, 0, 6, 5}, [4]int{0, 0, 6, 5}, srcCopy)), document.EMF)
	if it := f.Assets(); len(it) != 1 || it[0].Format != document.EMF || it[0].Width != 6 || it[0].Height != 5 {
		t.Fatalf("assets: %+v", it)
	}
	img := load(t, f, 0)
	if at(img, 0, 0) != ramp(0, 0) || at(img, 5, 4) != ramp(5, 4) || at(img, 2, 3) != ramp(2, 3) {
		t.Errorf("corners %v, %v", at(img, 0, 0), at(img, 5, 4))
	}
}

// An image that was cut into strips is put together: words run across the cuts.
func TestStripsArePutTogether(t *testing.T) {
	var records [][]byte
	for i := range 5 {
		info, bits := squares(6, 1, func(x, _ int) color.NRGBA { return ramp(x, i) })
		records = append(records, stretch(info, bits, [4]int{0, 10 * i, 60, 10}, [4]int{0, 0, 6, 1}, srcCopy))
	}
	f := open(t, emfOf(60, 50, records...), document.EMF)
	if it := f.Assets(); len(it) != 1 || it[0].Width != 6 || it[0].Height != 5 {
		t.Fatalf("assets: %+v", it)
	}
	img := load(t, f, 0)
	for i := range 30 {
		if x, y := i%6, i/6; at(img, x, y) != ramp(x, y) {
			t.Fatalf("pixel %d, %d is %v", x, y, at(img, x, y))
		}
	}
}

// F10: a bitmap of which a part is shown is drawn so, and is an asset in full as well:
// what was cropped away is still in the document.
func TestCroppedBitmap(t *testing.T) {
	info, bits := squares(6, 5, ramp)
	f := open(t, emfOf(2, 2, stretch(info, bits, [4]int{0, 0, 2, 2}, [4]int{3, 1, 2, 2}, srcCopy)), document.EMF)
	if it := f.Assets(); len(it) != 2 || it[0].Width != 2 || it[1].Width != 6 || it[1].Height != 5 {
		t.Fatalf("assets: %+v", it)
	}
	// Rows count from the bottom: row 1 from there is row 3 from the top.
	if img := load(t, f, 0); at(img, 0, 0) != ramp(3, 2) || at(img, 1, 1) != ramp(4, 3) {
		t.Errorf("shows %v and %v", at(img, 0, 0), at(img, 1, 1))
	}
	if img := load(t, f, 1); at(img, 5, 4) != ramp(5, 4) {
		t.Errorf("hides %v", at(img, 5, 4))
	}
}

// F23: a picture without an order that draws is a blank, not a damaged file; some are huge.
func TestBlankPictures(t *testing.T) {
	for name, f := range map[string]*File{
		"nothing":        open(t, emfOf(30, 20), document.EMF),
		"state alone":    open(t, emfOf(30, 20, order(17, longs(8)), order(33), order(34, longs(-1)), order(70, longs(4), []byte("GDIC"))), document.EMF),
		"invisible text": open(t, emfOf(30, 20, order(18, longs(1)), say("  ")), document.EMF),
		"WMF":            open(t, wmfOf(30, 20, wo(0x0103, shorts(8)), wo(0x020c, shorts(20, 30)), wo(0x0626, shorts(15, 2), []byte("hi"))), document.WMF),
		"PICT":           open(t, pictOf(30, 20, wideEnds(0xa0, 1)), document.PICT),
	} {
		if it := f.Assets(); len(it) != 1 || it[0].Withheld != "" || it[0].Width != 30 || it[0].Height != 20 {
			t.Fatalf("%s: %+v", name, it)
		}
		if img := load(t, f, 0); at(img, 0, 0) != white || at(img, 29, 19) != white {
			t.Errorf("%s: %v", name, at(img, 0, 0))
		}
	}
}

// Whatever is not drawn here withholds the picture, and the bitmaps within become assets.
func TestVectorPicturesAreWithheld(t *testing.T) {
	info, bits := squares(6, 5, ramp)
	bitmap := stretch(info, bits, [4]int{0, 0, 60, 50}, [4]int{0, 0, 6, 5}, srcCopy)
	vector := []reason.Code{reason.ExtractVector}
	both := []reason.Code{reason.ExtractVector, ""}
	for name, c := range map[string]struct {
		b    []byte
		f    document.Format
		want []reason.Code
	}{
		"text":                     {emfOf(9, 9, say("王")), document.EMF, vector},
		"text over a bitmap":       {emfOf(9, 9, bitmap, say("王")), document.EMF, both},
		"curve under a bitmap":     {emfOf(9, 9, order(2, make([]byte, 40)), bitmap), document.EMF, both},
		"order nobody knows":       {emfOf(9, 9, order(900), bitmap), document.EMF, both},
		"clipped by nothing known": {emfOf(9, 9, order(67, longs(9)), bitmap), document.EMF, both},
		"cut off":                  {emfOf(9, 9, bitmap)[:310], document.EMF, []reason.Code{reason.ExtractTruncated, ""}},
		"EMF+ that draws lines":    {emfOf(9, 9, order(70, longs(16), []byte("EMF+"), shorts(0x400d, 0), longs(12, 0)), bitmap), document.EMF, both},
		"text of a WMF":            {wmfOf(9, 9, wo(0x0a32, shorts(1, 1, 9, 0), []byte("a"))), document.WMF, vector},
		"plain text of a WMF":      {wmfOf(9, 9, wo(0x0521, shorts(9), []byte("a"), shorts(0, 0))), document.WMF, vector},
		"bitmap of a device":       {wmfOf(9, 9, wo(0x0922, longs(srcCopy), make([]byte, 40))), document.WMF, []reason.Code{reason.ExtractEncoding}},
		"WMF without an end":       {wmfOf(9, 9, wo(0x0214, shorts(1, 1)))[:50], document.WMF, []reason.Code{reason.ExtractTruncated}},
		"frame of a PICT's region": {pictOf(9, 9, wideEnds(0x80, 10, 0, 0, 5, 5)), document.PICT, vector},
		"PICT cut off":             {pictOf(9, 9, wideEnds(0x20, 1)), document.PICT, []reason.Code{reason.ExtractTruncated}},
		"far beyond any page":      {emfOf(9, 9, order(43, longs(0, 0, 1<<30, 1<<30))), document.EMF, vector},
		"colours of a device":      {emfOf(9, 9, devices(info, bits)), document.EMF, []reason.Code{reason.ExtractEncoding}},
		"bitmap outside its order": {emfOf(9, 9, order(81, longs(0, 0, 0, 0, 0, 0, 0, 0, 6, 5, 80, 4000, 120, 9, 0, srcCopy, 6, 5))), document.EMF, []reason.Code{reason.ExtractMalformed}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := codes(open(t, c.b, c.f)); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// devices is a bitmap whose colours are places in a palette that only a device has.
func devices(info, bits []byte) []byte {
	info = slices.Clone(info)
	info[14] = 8
	b := stretch(info, bits, [4]int{0, 0, 6, 5}, [4]int{0, 0, 6, 5}, srcCopy)
	b[64] = 1
	return b
}

func TestHeadersThatAreNone(t *testing.T) {
	for f, b := range map[document.Format][]byte{document.EMF: emfOf(1, 1)[:80], document.WMF: make([]byte, 40), document.PICT: make([]byte, 600)} {
		if _, err := Open(context.Background(), b, f, roomy, nil); reason.Of(err) != reason.ExtractMalformed {
			t.Errorf("%v: %v", f, err)
		}
	}
	if _, err := Open(context.Background(), nil, document.PNG, roomy, nil); reason.Of(err) != reason.ExtractEncoding {
		t.Errorf("another format: %v", err)
	}
}

func TestLimits(t *testing.T) {
	info, bits := squares(6, 5, ramp)
	b := emfOf(2, 2, stretch(info, bits, [4]int{0, 0, 2, 2}, [4]int{3, 1, 2, 2}, srcCopy)) // 4 pixels, and 30
	for _, c := range []struct {
		name     string
		change   func(*document.Limits)
		refused  reason.Code
		withheld reason.Code // of the bitmap
	}{
		{"pixels", func(l *document.Limits) { l.AssetPixels = 30 }, "", ""},
		{"pixels-1", func(l *document.Limits) { l.AssetPixels = 29 }, "", reason.ExtractPixels},
		{"total", func(l *document.Limits) { l.TotalPixels = 34 }, "", ""},
		{"total-1", func(l *document.Limits) { l.TotalPixels = 33 }, reason.ExtractTotal, ""},
		{"assets", func(l *document.Limits) { l.Assets = 2 }, "", ""},
		{"assets-1", func(l *document.Limits) { l.Assets = 1 }, reason.ExtractAssets, ""},
	} {
		lim := roomy
		c.change(&lim)
		f, err := Open(context.Background(), b, document.EMF, lim, nil)
		if reason.Of(err) != c.refused {
			t.Errorf("%s: %v", c.name, err)
		}
		if err == nil && f.Assets()[1].Withheld != c.withheld {
			t.Errorf("%s: bitmap %q", c.name, f.Assets()[1].Withheld)
		}
	}
}

// A picture that would take minutes to draw is withheld before a pixel is drawn.
func TestWorkIsBounded(t *testing.T) {
	fill := order(43, longs(0, 0, 2000, 2000))
	for n, want := range map[int]reason.Code{100: "", 400: reason.ExtractVector} {
		lim := roomy
		lim.AssetPixels = 1e7
		f, err := Open(context.Background(), emfOf(2000, 2000, bytes.Repeat(fill, n)), document.EMF, lim, nil)
		if err != nil || f.Assets()[0].Withheld != want {
			t.Errorf("%d times 4 megapixels: %v, %v", n, f.Assets()[0].Withheld, err)
		}
	}
	// Many edges cost more than many pixels: each row sorts those that cross it.
	var zigzag []int
	for i := range 1 << 13 {
		zigzag = append(zigzag, i%2000, i%2*1999)
	}
	for n, want := range map[int]reason.Code{1 << 12: "", 1 << 13: reason.ExtractVector} {
		b := emfOf(2000, 2000, order(38, longs(1, 5, 0, 0, 0)), order(37, longs(1)), order(86, make([]byte, 16), longs(n), shorts(zigzag[:2*n]...)))
		lim := roomy
		lim.AssetPixels = 1e7
		f, err := Open(context.Background(), b, document.EMF, lim, nil)
		if err != nil || f.Assets()[0].Withheld != want {
			t.Errorf("%d edges: %v, %v", n, f.Assets()[0].Withheld, err)
		}
	}
}

// Lines that a clip hides are walked row by row all the same, and a bitmap that is a file
// is as large as the file says, not the header before it.
func TestHiddenWorkIsBounded(t *testing.T) {
	whole, _ := squares(4, 4, ramp)
	whole = join(whole[:16], longs(5), make([]byte, 20)) // PNG within
	lines := order(87, make([]byte, 16), longs(2), shorts(50, 0, 50, 1999))
	frame := order(43, longs(0, 0, 10, 2000))
	large := pngOf(t, 1000, 1000)
	laid := stretch(whole, large, [4]int{0, 0, 4, 4}, [4]int{0, 0, 4, 4}, srcCopy)
	for _, c := range []struct {
		name  string
		most  int // that many are drawn
		order []byte
		first []byte
	}{
		{"lines that are seen", 4000, lines, frame},
		{"files", 900, laid, nil},
	} {
		for n, want := range map[int]reason.Code{c.most: "", 3 * c.most: reason.ExtractVector} {
			b := emfOf(2000, 2000, c.first, bytes.Repeat(c.order, n))
			if f := open(t, b, document.EMF); f.Assets()[0].Withheld != want {
				t.Errorf("%d %s: %q", n, c.name, f.Assets()[0].Withheld)
			}
		}
	}
}

// A list of points that is not there in full is no picture of one line less.
func TestLinesThatAreCutOff(t *testing.T) {
	for n, want := range map[int]reason.Code{2: "", 3: reason.ExtractVector} {
		b := emfOf(20, 20, order(89, make([]byte, 16), longs(n), shorts(5, 5, 9, 9)))
		if f := open(t, b, document.EMF); f.Assets()[0].Withheld != want {
			t.Errorf("%d of 2 points: %q", n, f.Assets()[0].Withheld)
		}
	}
}

// An order of the newer dialect that cannot be read may have been text.
func TestBrokenOrdersOfTheNewerDialect(t *testing.T) {
	line := order(54, longs(9, 9))
	for size, want := range map[int]reason.Code{12: "", 8: reason.ExtractVector, 16: reason.ExtractVector} {
		comment := order(70, longs(16), []byte("EMF+"), shorts(0x4002, 0), longs(size, 0))
		if f := open(t, emfOf(20, 20, comment, line), document.EMF); f.Assets()[0].Withheld != want {
			t.Errorf("an order of %d bytes in 12: %q", size, f.Assets()[0].Withheld)
		}
	}
}
