package metafile

import (
	"bytes"
	"image/color"
	"math"
	"strings"
	"testing"
	"time"

	"blotter/internal/document"
	"blotter/internal/reason"
)

var (
	noPen   = join(order(38, longs(1, 5, 0, 0, 0)), order(37, longs(1)))
	redFill = join(order(39, longs(2, 0, 0x0000ff, 0)), order(37, longs(2)))
	wNoPen  = join(wo(0x02fa, shorts(5, 0, 0), longs(0)), wo(0x012d, shorts(0)))
	wBlue   = join(wo(0x02fc, shorts(0), longs(0xff0000), shorts(0)), wo(0x012d, shorts(1)))
)

// rects is a region of rectangles of four numbers each.
func rects(v ...int) []byte { return join(longs(32, 1, len(v)/4, 4*len(v), 0, 0, 0, 0), longs(v...)) }

func box(a, b, c, d int) []byte { return order(43, longs(a, b, c, d)) }

// Clips of every kind, regions, patterns and ways of pens, to the pixel.
func TestClipsRegionsAndBrushes(t *testing.T) {
	clipRegion := func(how int, v ...int) []byte {
		r := rects(v...)
		return order(75, longs(len(r), how), r)
	}
	red := join(noPen, redFill)
	paths := join(order(59), box(1, 0, 3, 1), order(60))
	pattern, bits := squares(2, 2, func(x, y int) color.NRGBA { return []color.NRGBA{black, {255, 0, 0, 255}}[(x+y)%2] })
	dibBrush := join(order(94, longs(3, 0, 32, 40, 72, len(bits)), pattern, bits), order(37, longs(3)))
	region := rects(0, 0, 1, 1, 3, 0, 4, 1)
	wRegion := wo(0x06ff, shorts(0, 6), longs(0), shorts(0, 1, 2, 0, 0, 4, 1, 4, 0, 1, 0, 1, 3, 4, 4))
	wBrush := wo(0x02fc, shorts(0), longs(0xff0000), shorts(0))
	all := box(0, 0, 4, 1)
	for name, c := range map[string]struct {
		b    []byte
		f    document.Format
		want string
	}{
		"clip by a region":     {emfOf(4, 1, red, all, order(37, longs(-0x80000000+4)), clipRegion(5, 1, 0, 2, 1, 3, 0, 4, 1), all), document.EMF, "r#r#\n"},
		"both":                 {emfOf(4, 1, red, all, order(37, longs(-0x80000000+4)), clipRegion(5, 0, 0, 2, 1, 3, 0, 4, 1), clipRegion(1, 1, 0, 4, 1), all), document.EMF, "r#r#\n"},
		"either":               {emfOf(4, 1, red, all, order(37, longs(-0x80000000+4)), clipRegion(5, 0, 0, 1, 1), clipRegion(2, 2, 0, 3, 1), all), document.EMF, "#r#r\n"},
		"one of both":          {emfOf(4, 1, red, all, order(37, longs(-0x80000000+4)), clipRegion(5, 0, 0, 3, 1), clipRegion(3, 1, 0, 4, 1), all), document.EMF, "#rr#\n"},
		"without":              {emfOf(4, 1, red, all, order(37, longs(-0x80000000+4)), clipRegion(4, 1, 0, 2, 1), all), document.EMF, "#r##\n"},
		"excluded":             {emfOf(4, 1, red, all, order(37, longs(-0x80000000+4)), order(29, longs(2, 0, 3, 1)), all), document.EMF, "##r#\n"},
		"moved":                {emfOf(4, 1, red, all, order(37, longs(-0x80000000+4)), clipRegion(5, 0, 0, 1, 1, 2, 0, 3, 1), order(26, longs(1, 0)), all), document.EMF, "r#r#\n"},
		"none again":           {emfOf(4, 1, red, clipRegion(5, 1, 0, 2, 1), order(75, longs(0, 5)), all), document.EMF, "rrrr\n"},
		"by a path":            {emfOf(4, 1, red, all, order(37, longs(-0x80000000+4)), paths, order(67, longs(5)), all), document.EMF, "r##r\n"},
		"saved with the state": {emfOf(4, 1, red, order(33), clipRegion(4, 1, 0, 2, 1), order(34, longs(-1)), all), document.EMF, "rrrr\n"},
		"path filled":          {emfOf(4, 1, red, paths, order(62, longs(0, 0, 0, 0)), order(15, longs(0, 0, 0)), order(15, longs(3, 0, 0xff0000))), document.EMF, "##rrrrbb\n##rrrrbb\n"},
		"path dropped":         {emfOf(4, 1, red, all, paths, order(68), order(37, longs(-0x80000000+4)), order(62, longs(0, 0, 0, 0))), document.EMF, "rrrr\n"},
		"region filled":        {emfOf(4, 1, noPen, redFill, order(71, longs(0, 0, 0, 0, len(region), 2), region)), document.EMF, "r..r\n"},
		"region painted":       {emfOf(4, 1, noPen, redFill, order(74, longs(0, 0, 0, 0, len(region)), region)), document.EMF, "r..r\n"},
		"region inverted":      {emfOf(4, 1, order(73, longs(0, 0, 0, 0, len(region)), region)), document.EMF, "#..#\n"},
		"pattern":              {emfOf(4, 2, noPen, dibBrush, box(0, 0, 4, 2)), document.EMF, "#r#r\nr#r#\n"},
		"hatched":              {emfOf(8, 6, noPen, order(39, longs(2, 2, 0x0000ff, 0)), order(37, longs(2)), box(0, 0, 8, 6)), document.EMF, strings.Repeat("........\n", 4) + "rrrrrrrr\n........\n"},
		"way of exclusive or":  {emfOf(4, 1, noPen, redFill, all, order(20, longs(7)), box(0, 0, 2, 1)), document.EMF, "##rr\n"},
		"way of black":         {emfOf(4, 1, noPen, redFill, all, order(20, longs(1)), box(0, 0, 2, 1)), document.EMF, "##rr\n"},
		"palette":              {emfOf(2, 1, noPen, order(49, longs(3), shorts(0x300, 2), []byte{0, 0, 0, 0, 0, 255, 0, 0}), order(48, longs(3)), order(39, longs(2, 0, 0x01000001, 0)), order(37, longs(2)), box(0, 0, 2, 1)), document.EMF, "gg\n"},
		"WMF region filled":    {wmfOf(4, 1, wNoPen, wBrush, wRegion, wo(0x0228, shorts(2, 1))), document.WMF, "b..b\n"},
		"WMF region as clip":   {wmfOf(4, 1, wNoPen, wBlue, wRegion, wo(0x012c, shorts(2)), wo(0x041b, shorts(1, 4, 0, 0))), document.WMF, "b..b\n"},
		"WMF excluded":         {wmfOf(4, 1, wNoPen, wBlue, wo(0x0415, shorts(1, 3, 0, 1)), wo(0x041b, shorts(1, 4, 0, 0))), document.WMF, "b..b\n"},
		"WMF pattern":          {wmfOf(4, 1, wNoPen, wo(0x0142, shorts(5, 0), pattern, bits), wo(0x012d, shorts(1)), wo(0x041b, shorts(1, 4, 0, 0))), document.WMF, "#r#r\n"},
		"WMF window scaled": {wmfOf(4, 1, wNoPen, wBlue, wo(0x020c, shorts(1, 1)), wo(0x020c, shorts(100, 400)), wo(0x041b, shorts(100, 400, 0, 0))),
			document.WMF, "bbbb\n"},
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

// Round things cover the area that geometry says, wherever their order says to begin and end.
func TestCurves(t *testing.T) {
	const side = 400
	black := order(37, longs(-0x80000000+4))
	bezier := join(order(59), order(27, longs(0, 200)), order(5, make([]byte, 16), longs(3, 0, -67, 400, -67, 400, 200)), order(61), order(60), order(62, longs(0, 0, 0, 0)))
	kinds := []byte{6, 2, 2, 3}
	draw := join(order(59), order(56, make([]byte, 16), longs(4, 0, 0, 400, 0, 400, 400, 0, 400), kinds), order(60), order(62, longs(0, 0, 0, 0)))
	quarter := math.Pi / 4 // of the square around it, for a whole circle
	for name, c := range map[string]struct {
		b    []byte
		f    document.Format
		want float64 // share of the square that is black
	}{
		"ellipse":         {emfOf(side, side, noPen, black, order(42, longs(0, 0, 400, 400))), document.EMF, quarter},
		"pie":             {emfOf(side, side, noPen, black, order(47, longs(0, 0, 400, 400, 400, 200, 200, 0))), document.EMF, quarter / 4},
		"pie, other way":  {emfOf(side, side, noPen, black, order(57, longs(2)), order(47, longs(0, 0, 400, 400, 400, 200, 200, 0))), document.EMF, 3 * quarter / 4},
		"chord":           {emfOf(side, side, noPen, black, order(46, longs(0, 0, 400, 400, 400, 200, 0, 200))), document.EMF, quarter / 2},
		"round rectangle": {emfOf(side, side, noPen, black, order(44, longs(0, 0, 400, 400, 400, 400))), document.EMF, quarter},
		"path of a curve": {emfOf(side, side, noPen, black, bezier), document.EMF, 0.6 * 267 / 400},
		"points of kinds": {emfOf(side, side, noPen, black, draw), document.EMF, 1},
		"WMF pie":         {wmfOf(side, side, wNoPen, wo(0x02fc, shorts(0), longs(0), shorts(0)), wo(0x012d, shorts(1)), wo(0x081a, shorts(0, 200, 200, 400, 400, 400, 0, 0))), document.WMF, quarter / 4},
		"WMF chord":       {wmfOf(side, side, wNoPen, wo(0x02fc, shorts(0), longs(0), shorts(0)), wo(0x012d, shorts(1)), wo(0x0830, shorts(200, 0, 200, 400, 400, 400, 0, 0))), document.WMF, quarter / 2},
	} {
		f := open(t, c.b, c.f)
		if f.Assets()[0].Withheld != "" {
			t.Errorf("%s: %+v", name, f.Assets())
			continue
		}
		img, dark := load(t, f, 0), 0
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				if at(img, x, y).R < 128 {
					dark++
				}
			}
		}
		scale := f.parts[0].plan.sx
		if got := float64(dark) / (side * side * scale * scale); math.Abs(got-c.want) > 0.01 {
			t.Errorf("%s: %.3f of the square is black, want %.3f", name, got, c.want)
		}
	}
}

// Arcs and curves are lines as well, which go on from each other.
func TestLinesThatBend(t *testing.T) {
	f := open(t, emfOf(400, 400, order(41, longs(200, 200, 100, 0, 0x43b40000)), order(27, longs(0, 0)), order(55, longs(0, 0, 400, 400, 200, 0, 0, 200)),
		order(54, longs(0, 399)), order(85, make([]byte, 16), longs(4), shorts(0, 0, 100, 0, 300, 400, 399, 399))), document.EMF)
	img := load(t, f, 0)
	for _, p := range []point{{100, 200}, {200, 100}, {200, 300}, {300, 200}, {58, 58}, {0, 300}} {
		found := false
		for d := -2; d <= 2; d++ {
			x, y := int(p.x*f.parts[0].plan.sx), int(p.y*f.parts[0].plan.sy)
			found = found || at(img, max(x+d, 0), y).R < 128 || at(img, x, max(y+d, 0)).R < 128
		}
		if !found {
			t.Errorf("no line at %v", p)
		}
	}
}

// Dashes are cut up to a bound; what would be finer than pixels is a whole line.
func TestDashes(t *testing.T) {
	dark := func() int {
		b := emfOf(100, 9, order(38, longs(1, 1, 0, 0, 0)), order(37, longs(1)), order(27, longs(0, 4)), order(54, longs(100, 4)))
		img, sum := load(t, open(t, b, document.EMF), 0), 0
		for x := range 100 {
			if at(img, x, img.Bounds().Dy()/2) == black {
				sum++
			}
		}
		return sum
	}
	if n := dark(); n < 70 || n > 85 {
		t.Errorf("%d of 100 pixels of a line of three dashes to a gap", n)
	}
	for n, want := range map[int]int{maxDashes - 2: (maxDashes - 2) / 2, maxDashes - 1: maxDashes / 2, maxDashes: 1, maxDashes + 1: 1} {
		if got := len(dash([]figure{{pts: []point{{0, 0}, {float64(n), 0}}}}, []float64{1, 1})); got != want {
			t.Errorf("a line of %d dashes and gaps: %d pieces, want %d", n, got, want)
		}
	}
	start := time.Now()
	b := emfOf(100, 9, box(0, 0, 100, 9), order(38, longs(1, 1, 1, 0, 0)), order(37, longs(1)), order(30, longs(0, 0, 100, 9)), order(54, longs(1e8-9, 4)))
	if f := open(t, b, document.EMF); f.Assets()[0].Withheld != "" || time.Since(start) > 5*time.Second {
		t.Errorf("an endless line: %v after %v", f.Assets(), time.Since(start))
	}
}

// Bitmaps are laid turned, mixed, with colours left out and through a mask.
func TestBitmapsThatMix(t *testing.T) {
	info, bits := squares(2, 2, func(x, y int) color.NRGBA {
		return []color.NRGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, black}[2*y+x]
	})
	deep := join(longs(40, 2, 2, 1|32<<16), make([]byte, 24))
	half := []byte{0, 0, 128, 128, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0, 255} // from the bottom: half red, nothing, red, black
	mask := join(longs(40, 2, 2, 1|1<<16), make([]byte, 24), []byte{0, 0, 0, 0, 255, 255, 255, 0})
	maskBits := []byte{0x80, 0, 0, 0, 0x40, 0, 0, 0} // from the bottom: the left, then the right
	blt := func(kind, how int, i, b []byte) []byte {
		return order(kind, longs(0, 0, 0, 0, 0, 0, 2, 2, how, 0, 0), identity(), longs(0, 0, 108, 40, 148, len(b), 2, 2), i, b)
	}
	masked := order(78, longs(0, 0, 0, 0, 0, 0, 2, 2, -0x55340000|0xcc0020&0xff0000, 0, 0), identity(), longs(0, 0, 128, 40, 168, len(bits), 0, 0, 0, 168+len(bits), 48, 216+len(bits), 8), info, bits, mask, maskBits)
	ground := join(noPen, box(0, 0, 2, 2))
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"turned":            {emfOf(2, 2, ground, order(35, longs(0, 0x3f800000, -0x40800000, 0, 0x40000000, 0)), stretch(info, bits, [4]int{0, 0, 2, 2}, [4]int{0, 0, 2, 2}, srcCopy)), "br\n#g\n"},
		"onto three points": {emfOf(2, 2, ground, order(79, longs(0, 0, 0, 0, 0, 2, 0, 0, 2, 2, 0, 0, 2, 2), identity(), longs(0, 0, 140, 40, 180, len(bits), 0, 0, 0, 0, 0, 0, 0), info, bits)), "g#\nrb\n"},
		"mixed":             {emfOf(2, 2, ground, blt(114, 0x1ff0000, deep, half)), "r#\n?.\n"},
		"mixed wholly":      {emfOf(2, 2, ground, blt(114, 0x0800000, info, bits)), "??\n??\n"},
		"without a colour":  {emfOf(2, 2, ground, blt(116, 0x00ff00, info, bits)), "r.\nb#\n"},
		"through a mask":    {emfOf(2, 2, ground, masked), ".g\nb.\n"},
	} {
		f := open(t, c.b, document.EMF)
		if f.Assets()[0].Withheld != "" {
			t.Errorf("%s: %+v", name, f.Assets())
			continue
		}
		if got := sketch(load(t, f, 0)); got != c.want {
			t.Errorf("%s: got\n%swant\n%s", name, got, c.want)
		}
	}
}

// Colours run from corner to corner of rectangles and triangles.
func TestGradients(t *testing.T) {
	corner := func(x, y, r, b int) []byte { return join(longs(x, y), shorts(r<<8, 0, b<<8, 0)) }
	level := emfOf(100, 10, order(118, longs(0, 0, 0, 0, 2, 1, 0), corner(0, 0, 255, 0), corner(100, 10, 0, 255), longs(0, 1, 0)))
	triangle := emfOf(100, 100, order(118, longs(0, 0, 0, 0, 3, 1, 2), corner(0, 0, 255, 0), corner(100, 0, 255, 0), corner(0, 100, 0, 255), longs(0, 1, 2)))
	img := load(t, open(t, level, document.EMF), 0)
	if a, b := at(img, 1, 5), at(img, 98, 5); a.R < 240 || a.B > 15 || b.B < 240 || b.R > 15 {
		t.Errorf("from %v to %v", a, b)
	}
	img = load(t, open(t, triangle, document.EMF), 0)
	if a, b := at(img, 2, 2), at(img, 2, 95); a.R < 240 || b.B < 230 || at(img, 90, 90) != white {
		t.Errorf("from %v to %v, %v outside", a, b, at(img, 90, 90))
	}
}

// The mask of a clip is paid for as often as it is made: where the clip shows in two places in
// turn, each time.
func TestMasksArePaidForWhereTheyAreMade(t *testing.T) {
	ring := rects(0, 0, 90, 90, 10, 10, 20, 20)
	shown := func(x int) []byte {
		return join(order(33), order(30, longs(x, 0, x+30, 90)), box(x, 0, x+30, 90), order(34, longs(-1)))
	}
	steps := func(orders ...[]byte) float64 {
		f := open(t, emfOf(90, 90, noPen, redFill, order(75, longs(len(ring), 5), ring), join(orders...)), document.EMF)
		m := &measure{box: nothing(), cost: f.cost}
		if _, err := f.play(m); err != nil {
			t.Fatal(err)
		}
		return m.steps
	}
	for want, got := range map[float64]float64{
		1: steps(shown(0), shown(0), shown(0)), 2: steps(shown(0), shown(30)), 4: steps(shown(0), shown(30), shown(0), shown(30)),
	} {
		if got != want {
			t.Errorf("%g masks are paid for, want %g", got, want)
		}
	}
}

// Pixels that let through are no picture by themselves: their colours may be all alike.
func TestWhatLetsThroughIsDrawn(t *testing.T) {
	info := join(longs(40, 2, 1, 1|32<<16), make([]byte, 24))
	bits := []byte{0, 0, 0, 255, 0, 0, 0, 0} // black, and nothing
	blend := func(how int) []byte {
		return emfOf(20, 10, order(114, longs(0, 0, 0, 0, 0, 0, 20, 10, how, 0, 0), identity(), longs(0, 0, 108, 40, 148, len(bits), 2, 1), info, bits))
	}
	for how, want := range map[int]color.NRGBA{0x1ff0000: white, 0xff0000: black} {
		f := open(t, blend(how), document.EMF)
		if n := len(f.Assets()); n != 1 {
			t.Errorf("%x: %d assets", how, n)
		}
		img := load(t, f, 0)
		if a, b := at(img, 0, 0), at(img, img.Bounds().Dx()-1, 0); a != black || b != want {
			t.Errorf("%x: %v beside %v, want black beside %v", how, a, b, want)
		}
	}
}

// Each bound of what an order may hold, from both sides.
func TestBoundsOfOrders(t *testing.T) {
	region := func(n int) []byte {
		r := rects(bytesOf(4*n, func(i int) int { return []int{0, 0, 1, 1}[i%4] })...)
		return emfOf(2, 1, noPen, redFill, order(74, longs(0, 0, 0, 0, len(r)), r))
	}
	clips := func(n int) []byte {
		r := rects(0, 0, 1, 1)
		return emfOf(9, 9, noPen, redFill, bytes.Repeat(order(75, longs(len(r), 4), r), n), box(0, 0, 9, 9))
	}
	path := func(n int) []byte {
		const each = maxPoints / 4
		p := order(86, make([]byte, 16), longs(each), make([]byte, 4*each))
		rest := order(86, make([]byte, 16), longs(n%each), make([]byte, 4*(n%each)))
		return emfOf(9, 9, noPen, redFill, box(0, 0, 9, 9), order(59), bytes.Repeat(p, n/each), rest, order(60), order(68))
	}
	for name, c := range map[string]struct {
		most int
		make func(n int) []byte
	}{"rectangles of a region": {maxRegionRects, region}, "steps of a clip": {maxCuts, clips}, "points of a path": {maxPathPoints, path}} {
		for d, want := range map[int]reason.Code{-1: "", 0: "", 1: reason.ExtractVector} {
			n := c.most + d
			if got := open(t, c.make(n), document.EMF).Assets()[0].Withheld; got != want {
				t.Errorf("%s: %d of %d: %q", name, n, c.most, got)
			}
		}
	}
}

func bytesOf(n int, at func(i int) int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = at(i)
	}
	return out
}

// Orders of a few bytes that each ask for much are stopped on the first walk.
func TestEffortIsBounded(t *testing.T) {
	pen := join(order(38, longs(1, 1, 1, 0, 0)), order(37, longs(1)))
	long := order(87, make([]byte, 16), longs(2), shorts(0, 0, 32000, 9))
	r := rects(bytesOf(4*maxRegionRects, func(i int) int { return i/4*2 + i%4/2 })...)
	clip := order(75, longs(len(r), 5), r)
	again := join(order(33), order(26, longs(1, 0)), box(0, 0, 9, 9), order(34, longs(-1)))
	for name, c := range map[string]struct {
		first, order []byte
		few, many    int
	}{
		"dashes":        {pen, long, 100, 100_000},
		"clips":         {clip, again, 10, 100_000},
		"round shapes":  {nil, order(42, longs(0, 0, 2, 2)), 1000, 800_000},
		"pieces of arc": {nil, order(45, longs(0, 0, 2, 2, 2, 1, 2, 1)), 1000, 800_000},
	} {
		for n, want := range map[int]reason.Code{c.few: "", c.many: reason.ExtractVector} {
			start := time.Now()
			f := open(t, emfOf(900, 9, noPen, c.first, bytes.Repeat(c.order, n)), document.EMF)
			if got := f.Assets()[0].Withheld; got != want || time.Since(start) > 20*time.Second {
				t.Errorf("%d %s: %q after %v", n, name, got, time.Since(start))
			}
		}
	}
}
