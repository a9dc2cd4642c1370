package pdf

import "testing"

// An image that a comment draws is placed where the page shows it, whatever matrices lie in
// between; one that is not shown is not placed.
func TestPlacementsOfComments(t *testing.T) {
	for name, c := range map[string]struct{ page, note, form string }{
		"plain":            {box, "/N 11 0 R", "/BBox[0 0 1 1]"},
		"turned page":      {box + "/Rotate 90/UserUnit 2", "/N 11 0 R", "/BBox[0 0 1 1]"},
		"scaled form":      {box, "/N 11 0 R", "/BBox[0 0 1 1]/Matrix[5 0 0 7 3 4]"},
		"form turned":      {box, "/N 11 0 R", "/BBox[0 0 1 1]/Matrix[0 1 -1 0 3 4]"},
		"one of its looks": {box, "/N<</On 11 0 R/Off 12 0 R>>", "/BBox[0 0 1 1]"},
		"form in a form":   {box, "/N 13 0 R", "/BBox[0 0 1 1]/Matrix[2 0 0 2 1 1]"},
	} {
		d := open(t, onePage(c.page+"/Annots[<</Subtype/Stamp/F 4/AS/On/Rect[40 20 120 80]/AP<<"+c.note+">>>><</Subtype/Stamp/F 2/Rect[0 0 9 9]/AP<<"+c.note+">>>>]", "", "", parts{
			10: rawImage(4, 4, "", quarters), 12: stream("/Subtype/Form/BBox[0 0 1 1]", ""),
			11: stream("/Subtype/Form/Resources<</XObject<</I 10 0 R>>>>"+c.form, "/I Do"),
			13: stream("/Subtype/Form/BBox[0 0 10 10]/Resources<</XObject<</F 11 0 R>>>>", "q 2 0 0 2 1 1 cm /F Do Q"),
		}), roomy)
		page, pl := load(t, d, 0), d.Placements(0)
		if len(pl) != 1 || pl[0].Image != 1 || pl[0].Alone || d.Assets()[1].Page != 1 {
			t.Fatalf("%s: placements %+v of %+v", name, pl, d.Assets())
		}
		m := matrix(pl[0].ToPage)
		for _, p := range []struct {
			x, y float64
			want int
		}{{1, 1, 0}, {3, 1, 0x80}, {1, 3, 0x80}, {3, 3, 0x80}, {-.5, 2, 255}, {4.5, 2, 255}, {2, -.5, 255}, {2, 4.5, 255}} {
			x, y := m.apply(p.x, p.y)
			if got := lum(page, int(x), int(y)); got < p.want-12 || got > p.want+12 {
				t.Errorf("%s: image pixel %g,%g lies at %.1f,%.1f, which is %d, want %d", name, p.x, p.y, x, y, got, p.want)
			}
		}
	}
}
