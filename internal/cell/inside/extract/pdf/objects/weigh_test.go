package objects

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// drawing is a document of one page, whose resources name object 5 in all ways: it and
// those after it are streams of a dictionary and its data each.
func drawing(content string, streams ...string) string {
	b := "%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 100 100]/Resources 20 0 R>>endobj\n" +
		"3 0 obj<</Type/Page/Parent 2 0 R/Contents 4 0 R>>endobj\n" + stream(4, "", content) +
		"20 0 obj<</XObject<</I 5 0 R/J 6 0 R/K 7 0 R>>/Pattern<</P 5 0 R>>/Font<</F 21 0 R>>/ExtGState<</G<</SMask<</G 5 0 R>>>>/B<</BM/Multiply>>/N<</SMask/None>>/T<</ca .5/CA 1>>/L<</CA 1>>/O<</ca 1/CA 1>>>>>>endobj\n" +
		"21 0 obj<</Type/Font/Subtype/Type3/FontMatrix[1 0 0 1 0 0]/Encoding<</Differences[97/x]>>/CharProcs<</x 5 0 R/b 6 0 R>>>>endobj\n"
	for i := 0; i+1 < len(streams); i += 2 {
		b += stream(5+i/2, streams[i], streams[i+1])
	}
	return b
}

func pixelsSaid(_ []byte, _ []string, w, h, _ int) int64 { return int64(w) * int64(h) }

func drawn(t *testing.T, b string) Drawn {
	t.Helper()
	return read(t, b).Drawn(1, 1<<30, pixelsSaid)[0]
}

const (
	form = "/Type/XObject/Subtype/Form"
	line = "0 0 m 9 9 l S "
)

// Objects are counted as often as PDFium builds or draws them.
func TestObjectsAreCountedAsOftenAsDrawn(t *testing.T) {
	ten := strings.Repeat(line, 10)
	tile := "/PatternType 1/BBox[0 0 10 10]/XStep 10/YStep 10"
	for name, c := range map[string]struct {
		file string
		want int64
	}{
		"nothing":                         {drawing(""), 0},
		"lines":                           {drawing(ten), 10},
		"a path that is not painted":      {drawing("0 0 m 9 9 l n"), 0},
		"operators glued together":        {drawing("0 0 9 9 re f[(a)]TJ/J Do<</A 1>>q(b)Tj", "", "", form, ""), 5},
		"text":                            {drawing("BT (a) Tj (a) ' (a) \" [(a)(b)] TJ ET"), 4},
		"a comment, a string, a name":     {drawing("%" + line + "\n(" + line + ") pop /S Q"), 0},
		"strings within strings":          {drawing("((" + line + ") \\) \\101 " + line + ") Tj"), 1},
		"hexadecimal":                     {drawing("<28> Tj " + line), 2},
		"form":                            {drawing("/I Do /I Do", form, ten), 2 + 2*10},
		"forms in forms":                  {drawing("/I Do /I Do", form, "/J Do /J Do", form, ten), 2 + 4 + 4*10},
		"form with resources of its own":  {drawing("/I Do", form+"/Resources<</XObject<</I 6 0 R>>>>", "/I Do", form, ten), 2 + 10},
		"no such form":                    {drawing("/Z Do /I Do"), 0},
		"inline image":                    {drawing("BI /W 5 /H 2 /CS /G /BPC 8 ID " + line[:10] + " EI " + line), 2},
		"inline image under a filter":     {drawing("BI /W 5 /H 2 /F/Fl ID EIEI (\x00 EI\n" + line), 2},
		"pattern, drawn once and copied":  {drawing("/Pattern cs /P scn 0 0 90 90 re f", tile, ten), 1 + 10},
		"pattern of cells over its place": {drawing("/P scn 0 0 90 5 re f", tile, ten), 1 + 20*10},
		"pattern no more":                 {drawing("/P scn 0 g 0 0 90 90 re f", tile, ten), 1},
		"pattern of a stroke alone":       {drawing("/P SCN 0 0 90 90 re f", tile, ten), 1},
		"pattern while it is saved":       {drawing("q /P scn Q 0 0 90 90 re f", tile, ten), 2},
		"glyphs":                          {drawing("/F 1 Tf (aab) Tj (zz) Tj", "", ten, "", line), 2 + 2*10 + 1},
		"soft mask":                       {drawing("/G gs "+line+line+"/N gs "+line, form, ten), 3 + 2*10},
	} {
		if got := drawn(t, c.file); got.Objects < c.want || got.Objects > c.want*5/4+4 {
			t.Errorf("%s: %d objects, want %d and a little for points and bytes", name, got.Objects, c.want)
		}
	}
}

// What takes as much as an object without being one counts.
func TestLongThingsAreSeveralObjects(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		want    int64
	}{
		"points":       {"0 0 m " + strings.Repeat("9 9 l ", 3200) + "S", 100 + 3200*6/256},
		"curves":       {"0 0 m " + strings.Repeat("9 9 9 9 9 9 c ", 3200) + "S", 300 + 3200*14/256},
		"characters":   {"(" + strings.Repeat("a", 64_000) + ") Tj", 1000 + 64_000/256},
		"states":       {strings.Repeat("q ", 1000), 1000},
		"states, shut": {strings.Repeat("q Q ", 1000), 1 + 4000/256},
		"tags":         {strings.Repeat("/P BMC ", 1000), 1000*1000/2/64 + 7000/256},
		"clips":        {strings.Repeat("0 0 9 9 re W n "+line, 1000), 1000 + 1000*1000/2/64 + 1000*14/64 + 29_000/256},
		"bytes":        {strings.Repeat("0 w ", 64_000), 1000},
		"inline image": {"BI /W 1024 /H 100 /CS /G /BPC 8 ID " + strings.Repeat("x", 102_400) + " EI", 100 + 400},
	} {
		if got := drawn(t, drawing(c.content)); got.Objects < c.want-2 || got.Objects > c.want*105/100+2 {
			t.Errorf("%s: %d objects, want %d", name, got.Objects, c.want)
		}
	}
}

// What draws itself is endless, whatever the way; counting it is not, and 24 levels of two
// are read once each.
func TestWhatDrawsItselfIsEndless(t *testing.T) {
	tile := "/PatternType 1/BBox[0 0 100 100]/XStep 100/YStep 100/Resources 20 0 R"
	note := strings.Replace(drawing("", form, "/I Do"), "/Contents", "/Annots[<</AP<</N 5 0 R>>>>]/Contents", 1)
	state := strings.Replace(drawing("", form, "/I Do"), "/Contents", "/Annots[<</AP<</N<</On 5 0 R>>>>>>]/Contents", 1)
	ladder := func(n int) string {
		var names, forms strings.Builder
		for i := range n {
			fmt.Fprintf(&names, "/L%d %d 0 R", i, 30+i)
			forms.WriteString(stream(30+i, form, fmt.Sprintf("/L%d Do /L%d Do", i+1, i+1)))
		}
		return strings.Replace(drawing("/L0 Do"), "/XObject<<", "/XObject<<"+names.String(), 1) + forms.String()
	}
	for name, c := range map[string]struct {
		file    string
		endless bool
	}{
		"form":                   {drawing("/I Do", form, "/I Do"), true},
		"form that names itself": {drawing("/I Do", form+"/Resources<</XObject<</I 5 0 R>>>>", line), false},
		"two forms":              {drawing("/I Do", form, "/J Do", form, "/I Do"), true},
		"pattern":                {drawing("/P scn 0 0 9 9 re f", tile, "/P scn 0 0 9 9 re f"), true},
		"glyph":                  {drawing("/F 1 Tf (a) Tj", "", "/F 1 Tf (a) Tj"), true},
		"soft mask":              {drawing("/G gs "+line, form, "/G gs "+line), true},
		"comment":                {note, true},
		"state of a comment":     {state, true},
		"an old version":         {drawing("/I Do", form, "/I Do") + stream(5, form, line), true},
		"24 levels of two":       {ladder(24), true},
		"ten levels of two":      {ladder(10), false},
	} {
		began := time.Now()
		got := drawn(t, c.file)
		if (got.Objects >= endless) != c.endless && name != "24 levels of two" {
			t.Errorf("%s: %d objects", name, got.Objects)
		}
		if name == "24 levels of two" && got.Objects < 1<<24 {
			t.Errorf("%s: %d objects", name, got.Objects)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

// Images count their pixels, or their bytes where these are more, as often as they are
// drawn; so do masks.
func TestPixelsAreCountedAsOftenAsDrawn(t *testing.T) {
	image := "/Subtype/Image/Width 30/Height 10"
	for name, c := range map[string]struct {
		file string
		want int64
	}{
		"image":        {drawing("/I Do /I Do", image, ""), 600},
		"in a form":    {drawing("/J Do /J Do", image, "", form, "/I Do /I Do"), 1200},
		"with a mask":  {drawing("/I Do", image+"/SMask 6 0 R", "", image, ""), 600},
		"mask of own":  {drawing("/I Do", image+"/Mask 5 0 R", ""), 300},
		"of bytes":     {drawing("/I Do /I Do", image, strings.Repeat("x", 500)), 1000},
		"in operators": {drawing("BI /W 80 /H 10 /CS /G /BPC 1 ID " + strings.Repeat("x", 100) + " EI"), 800},
		"in glyphs":    {drawing("/F 1 Tf (aaa) Tj", "", "/K Do", "", "", image, ""), 900},
	} {
		if got := drawn(t, c.file); got.Pixels != c.want {
			t.Errorf("%s: %d pixels, want %d", name, got.Pixels, c.want)
		}
	}
}

// What covers the page counts by its place, its clip and how it mixes with what is below.
func TestAreaIsWhatIsCovered(t *testing.T) {
	whole := "0 0 100 100 re "
	for name, c := range map[string]struct {
		file string
		want float64
	}{
		"fill":                    {drawing("0 0 50 50 re f"), 2500 * plainCost},
		"beyond the page":         {drawing("-900 -900 9999 9999 re f"), 10_000 * plainCost},
		"scaled":                  {drawing("q .5 0 0 .5 0 0 cm " + whole + "f Q"), 2500 * plainCost},
		"clipped":                 {drawing("q 0 0 10 10 re W n " + whole + "f Q"), 100 * plainCost},
		"clipped no more":         {drawing("q 0 0 10 10 re W n Q " + whole + "f"), 10_000 * plainCost},
		"clipped by a shape":      {drawing("0 0 m 100 0 l 0 100 l W n " + whole + "f"), 10_000 * layerCost},
		"clip that is empty":      {drawing("n W n " + whole + "f"), 0},
		"form":                    {drawing("/I Do", form+"/BBox[0 0 10 10]/Matrix[2 0 0 2 0 0]", whole+"f"), 400 * plainCost},
		"form of any size":        {drawing("/T gs /I Do", form+"/BBox[-32768 -32768 32768 32768]", "-9999 -9999 99999 99999 re f"), 10_000*layerCost + 16_384*plainCost},
		"form of any size, small": {drawing("q .5 0 0 .5 0 0 cm /I Do Q", form+"/BBox[-32768 -32768 32768 32768]", "-9999 -9999 99999 99999 re f"), 16_384 * plainCost},
		"image":                   {drawing("50 0 0 50 0 0 cm /I Do", "/Subtype/Image/Width 1/Height 1", ""), 2500 * sampledCost},
		"tiles":                   {drawing("/P scn "+whole+"f", "/PatternType 1/BBox[0 0 5 5]/XStep 5/YStep 5", ""), 10_000 * layerCost},
		"three blends, quadratic": {drawing("/B gs " + strings.Repeat(whole+"f ", 3)), 3*10_000*plainCost + 30_000*3/2.*blendCost},
		"through":                 {drawing("/T gs " + whole + "f"), 10_000 * layerCost},
		"through, lines opaque":   {drawing("/T gs /L gs " + whole + "f"), 10_000 * layerCost},
		"through no more":         {drawing("/T gs /O gs " + whole + "f"), 10_000 * plainCost},
		"a comment":               {strings.Replace(drawing("", form+"/BBox[0 0 10 10]", "0 0 10 10 re f"), "/Contents", "/Annots[<</Rect[0 0 50 50]/AP<</N 5 0 R>>>>]/Contents", 1), 2500 * plainCost},
	} {
		if got := drawn(t, c.file); got.Area < c.want*0.99 || got.Area > c.want*1.01 || got.Page != 10_000 {
			t.Errorf("%s: %g of %g square points, want %g", name, got.Area, got.Page, c.want)
		}
	}
}

// Where the tree of pages does not say which is which, all are as dear as the dearest.
func TestUnknownPagesAreTheDearest(t *testing.T) {
	b := drawing(strings.Repeat(line, 10)) + "9 0 obj<</Type/Page/MediaBox[0 0 9 9]>>endobj"
	for _, d := range read(t, b).Drawn(2, 1<<30, pixelsSaid) {
		if d.Objects < 10 {
			t.Errorf("%+v", d)
		}
	}
	if d := read(t, b).Drawn(1, 5, pixelsSaid)[0]; d.Objects <= 5 {
		t.Errorf("more than enough is %+v", d)
	}
}

// What cannot be read to its end counts as endless.
func TestReadingForCountingHasAnEnd(t *testing.T) {
	packed := deflate([]byte(strings.Repeat("0 w ", 200)))
	b := strings.Replace(drawing(""), "4 0 obj<</Length 0>>\nstream\n", "4 0 obj<<>>\nstream\n", 1)
	b = strings.Replace(b, "/Contents 4 0 R", "/Contents["+strings.Repeat("8 0 R ", 6)+"]", 1) + stream(8, "/Filter/FlateDecode", packed)
	f, err := Read([]byte(b), Limits{UnpackedBytes: 1000, Filters: 5})
	if err != nil {
		t.Fatal(err)
	}
	if d := f.Drawn(1, 1<<30, pixelsSaid)[0]; d.Objects < endless {
		t.Errorf("%+v", d)
	}
}
