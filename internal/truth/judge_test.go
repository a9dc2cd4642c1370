package truth_test

import (
	"image"
	"image/color"
	"image/draw"
	"strings"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/internal/truth"
)

// paper is a white picture with black or other rectangles on it.
func paper(w, h int, fill color.Color, boxes ...image.Rectangle) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	for _, b := range boxes {
		draw.Draw(img, b, image.NewUniform(fill), image.Point{}, draw.Src)
	}
	return img
}

func word(want truth.Want, x0, y0, x1, y1 float64) truth.Word {
	return truth.Word{Text: "secret", Quad: truth.Rect(x0, y0, x1, y1), Want: want, Type: "name", Value: 1}
}

func TestCoveredIsTheShareUnderTheFill(t *testing.T) {
	red := color.RGBA{200, 0, 0, 255}
	half := image.Rect(0, 0, 50, 100)
	for _, c := range []struct {
		name string
		r    truth.Redacted
		want float64
	}{
		{"nothing", truth.Redacted{Image: paper(100, 100, color.Black)}, 0},
		{"half", truth.Redacted{Image: paper(100, 100, color.Black, half)}, 0.5},
		{"another colour than the fill", truth.Redacted{Image: paper(100, 100, red, half)}, 0},
		{"the fill of the policy", truth.Redacted{Image: paper(100, 100, red, half), Fill: red}, 0.5},
		{"under a box", truth.Redacted{Image: paper(100, 100, color.Black, half), Boxes: []document.Box{{W: 25, H: 100}}}, 0.25},
		{"black without a box", truth.Redacted{Image: paper(100, 100, color.Black, half), Boxes: []document.Box{}}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := word(truth.Destroy, 0, 0, 100, 100).Covered(c.r); got != c.want {
				t.Errorf("covered %v, want %v", got, c.want)
			}
		})
	}
}

// What a scan cut off is neither left nor covered.
func TestOnlyWhatLiesInThePictureCounts(t *testing.T) {
	cut := word(truth.Destroy, 90, 0, 110, 10)
	for name, c := range map[string]struct {
		boxes []document.Box
		want  float64
	}{
		"covered":  {[]document.Box{{X: 90, W: 10, H: 10}}, 1},
		"standing": {[]document.Box{}, 0},
	} {
		all := paper(100, 100, color.Black, image.Rect(0, 0, 100, 100))
		if got := cut.Covered(truth.Redacted{Image: all, Boxes: c.boxes}); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// A picture in gray shows a coloured fill as gray.
func TestTheFillIsAsThePictureCanShowIt(t *testing.T) {
	red := color.RGBA{200, 0, 0, 255}
	gray := image.NewGray(image.Rect(0, 0, 10, 10))
	draw.Draw(gray, gray.Bounds(), image.NewUniform(red), image.Point{}, draw.Src)
	if got := word(truth.Destroy, 0, 0, 10, 10).Covered(truth.Redacted{Image: gray, Fill: red}); got != 1 {
		t.Errorf("covered %v, want all", got)
	}
}

func TestTruthIsScaledToTheAsset(t *testing.T) {
	p := truth.Picture{Width: 100, Height: 50, Words: []truth.Word{word(truth.Destroy, 10, 10, 20, 20)},
		Areas: []truth.Area{{Quad: truth.Rect(50, 0, 100, 50), Want: truth.Destroy, Type: "face"}}}
	if got := p.In(200, 200)[0].Box(); got != (document.Box{X: 20, Y: 40, W: 20, H: 40}) {
		t.Errorf("the word lies at %v", got)
	}
	r := truth.Redacted{Image: paper(200, 200, color.Black, image.Rect(100, 0, 200, 200))}
	if got := p.AreasIn(200, 200)[0].Covered(r); got != 1 {
		t.Errorf("the area is covered to %v", got)
	}
	if p.Words[0].Quad[0].X != 10 || p.Areas[0].Quad[0].X != 50 {
		t.Error("scaling changed the picture itself")
	}
}

const valid = `{"schema":"blotter.truth/1","kind":"form","pictures":[{"page":1,"width":100,"height":100,"words":[
 {"text":"Okonkwo","quad":[{"x":1,"y":1},{"x":9,"y":1},{"x":9,"y":5},{"x":1,"y":5}],"want":"destroy","type":"name","value":1}]}]}`

func TestParse(t *testing.T) {
	d, err := truth.Parse([]byte(valid))
	if err != nil || d.Kind != "form" || d.Pictures[0].Words[0].Quad[2].Y != 5 {
		t.Fatalf("%+v, %v", d, err)
	}
	for _, c := range []struct{ name, old, new, want string }{
		{"no JSON", `{"schema"`, `{schema`, "no JSON"},
		{"a field misspelt", `"kind"`, `"kinds"`, "kinds"},
		{"a field of another type", `"page":1`, `"page":"1"`, "page must be"},
		{"something behind", `]}]}`, `]}]} 1`, "behind"},
		{"another schema", `truth/1`, `truth/9`, "schema"},
		{"no kind", `"form"`, `""`, "kind"},
		{"no size", `"width":100`, `"width":0`, "pictures[0]"},
		{"an unknown wish", `"destroy"`, `"hide"`, "pictures[0].words[0]: want"},
		{"an unknown type", `"name"`, `"nome"`, "pictures[0].words[0]: type"},
		{"no type", `"type":"name",`, ``, "pictures[0].words[0]: type"},
		{"outside", `{"x":1,"y":1},{"x":9,"y":1},{"x":9,"y":5},{"x":1,"y":5}`,
			`{"x":201,"y":1},{"x":209,"y":1},{"x":209,"y":5},{"x":201,"y":5}`, "quad"},
		{"three corners", `,{"x":1,"y":5}]`, `]`, "pictures[0].words[0]: quad must have four corners"},
		{"five corners", `,{"x":1,"y":5}]`, `,{"x":1,"y":5},{"x":1,"y":4}]`, "pictures[0].words[0]: quad must have four corners"},
		{"no quad", `"quad":[{"x":1,"y":1},{"x":9,"y":1},{"x":9,"y":5},{"x":1,"y":5}],`, ``, "pictures[0].words[0]: quad"},
		{"half a corner", `{"x":1,"y":5}]`, `{"x":1}]`, "pictures[0].words[0]: quad must have four corners"},
		{"without area", `"x":9,"y":5},{"x":1,"y":5}`, `"x":9,"y":1},{"x":1,"y":1}`, "quad"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(valid, c.old) {
				t.Fatal("the case changes nothing")
			}
			_, err := truth.Parse([]byte(strings.Replace(valid, c.old, c.new, 1)))
			if reason.Of(err) != reason.TruthInvalid || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s with %q", err, reason.TruthInvalid, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "Okonkwo") {
				t.Error("the error repeats a word's text")
			}
		})
	}
}

func TestTwoPicturesOfOnePlaceAreAMistake(t *testing.T) {
	picture := valid[strings.Index(valid, `{"page"`) : len(valid)-2]
	_, err := truth.Parse([]byte(strings.Replace(valid, picture, picture+","+picture, 1)))
	if reason.Of(err) != reason.TruthInvalid || !strings.Contains(err.Error(), "pictures[1]") {
		t.Errorf("got %v", err)
	}
}

// A file made by a program has its mistake in every word; ten of them are enough.
func TestFewProblemsAreTold(t *testing.T) {
	one := valid[strings.Index(valid, `{"text"`):strings.Index(valid, `]}]}`)]
	bad := strings.Replace(one, "destroy", "hide", 1)
	_, err := truth.Parse([]byte(strings.Replace(valid, one, bad+strings.Repeat(","+bad, 29), 1)))
	if err == nil || strings.Count(err.Error(), "\n") != 10 || !strings.Contains(err.Error(), "20 more") {
		t.Errorf("got %v", err)
	}
}

func TestJudge(t *testing.T) {
	p := truth.Picture{Width: 100, Height: 100, Words: []truth.Word{
		word(truth.Destroy, 0, 0, 10, 10), word(truth.Destroy, 20, 0, 30, 10), word(truth.Keep, 40, 0, 50, 10), word(truth.Either, 60, 0, 70, 10),
	}}
	p.Words[2].Text = "stable"
	for _, c := range []struct {
		name   string
		black  image.Rectangle
		values int
		words  int
		lost   int
	}{
		{"nothing", image.Rectangle{}, 0, 0, 0},
		{"half of the value", image.Rect(0, 0, 10, 10), 0, 1, 0},
		{"the value", image.Rect(0, 0, 30, 10), 1, 2, 0},
		{"most of a word", image.Rect(0, 0, 29, 10), 0, 1, 0},
		{"all", image.Rect(0, 0, 100, 10), 1, 2, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := p.Judge(truth.Redacted{Image: paper(100, 100, color.Black, c.black)})
			if v.Secret != 1 || v.Destroyed != c.values || v.Words != 2 || v.WordsDestroyed != c.words || v.Kept != 1 || v.Lost != c.lost {
				t.Errorf("%+v", v)
			}
			if len(v.Leaks) != 2-c.words || len(v.Losses) != c.lost {
				t.Errorf("leaks %v, losses %v", v.Leaks, v.Losses)
			}
		})
	}
}
