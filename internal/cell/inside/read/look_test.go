package read

import (
	"context"
	"image"
	"image/draw"
	"slices"
	"testing"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// burn blackens boxes of an asset.
func burn(m *image.Gray, boxes []document.Box) *image.Gray {
	out := image.NewGray(m.Rect)
	draw.Draw(out, m.Rect, m, image.Point{}, draw.Src)
	for _, b := range boxes {
		draw.Draw(out, b.Rect(), image.Black, image.Point{}, draw.Src)
	}
	return out
}

func mustLook(t *testing.T, img image.Image, turn document.Turn, burned []document.Box, before *words.Page) words.Page {
	t.Helper()
	p, err := reader(t).Look(context.Background(), img, turn, burned, before)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestLookIsQuietWhereAllIsBurned(t *testing.T) {
	s := a4(t, 150, noteLines)
	before := mustRead(t, s.Gray, nil)
	var boxes []document.Box
	for _, w := range before.Words {
		boxes = append(boxes, w.Box.Grow(3, s.Rect.Dx(), s.Rect.Dy()))
	}
	p := mustLook(t, burn(s.Gray, boxes), 0, boxes, &before)
	if len(p.Words)+len(p.Unread) > 0 {
		t.Errorf("seen on a page of black boxes: %+v", p)
	}
}

func TestLookSeesWhatAppeared(t *testing.T) {
	for turn := range document.Turn(4) {
		s := a4(t, 150, noteLines)
		before := mustRead(t, s.Gray, nil)
		before.Turn = turn
		w := wordOf(before, "Oyelaran")
		if w == nil {
			t.Fatal("the name was not read")
		}
		// The name is burned but for its second half, and a line appears that the
		// first look did not see.
		half := document.Box{X: w.Box.X, Y: w.Box.Y, W: w.Box.W / 2, H: w.Box.H}
		derivative := burn(s.Gray, []document.Box{half})
		fresh := &sheet{Gray: derivative, paper: 255, ink: 0}
		fresh.print(t, "Wenceslas Abernathy", 22, 200, 1500)
		asset := before.ToAsset(half)
		p := mustLook(t, turned(derivative, (4-turn)%4), turn, []document.Box{asset}, &before)
		if wordOf(p, "Wenceslas") == nil || wordOf(p, "Abernathy") == nil {
			t.Errorf("turn %d: a new line was not read", turn)
		}
		rest := document.Box{X: half.X + half.W, Y: half.Y, W: w.Box.W - half.W, H: half.H}
		seen := append([]document.Box(nil), p.Unread...)
		for _, x := range p.Words {
			seen = append(seen, x.Box)
			if x.Text == "dizziness" {
				t.Errorf("turn %d: a known line was read again", turn)
			}
		}
		if under(quadOf(rest), seen) < 0.5 {
			t.Errorf("turn %d: what a box left standing was not seen", turn)
		}
	}
}

func TestLookWithoutAFirst(t *testing.T) {
	s := a4(t, 150, noteLines)
	p := mustLook(t, s.Gray, 0, nil, nil)
	if got := found(t, s.words, p); got < 0.95 {
		t.Errorf("%.1f %% of words read", 100*got)
	}
}

// A box that is only said to be burned hides nothing from the second look.
func TestLookReadsUnderABoxThatWasNotBurned(t *testing.T) {
	s := a4(t, 150, noteLines)
	before := mustRead(t, s.Gray, nil)
	w := wordOf(before, "Oyelaran")
	if w == nil {
		t.Fatal("the name was not read")
	}
	box := w.Box.Grow(3, s.Rect.Dx(), s.Rect.Dy())
	before.Words = slices.DeleteFunc(before.Words, func(x words.Word) bool { return x.Box == w.Box })
	if p := mustLook(t, s.Gray, 0, []document.Box{box}, &before); wordOf(p, "Oyelaran") == nil {
		t.Errorf("the name is in full view and was not read: %+v", p)
	}
	if p := mustLook(t, burn(s.Gray, []document.Box{box}), 0, []document.Box{box}, &before); wordOf(p, "Oyelaran") != nil {
		t.Error("the name was read under its box")
	}
}

// Of a line with a burned word in its middle, the words beside it are read again, and
// a stretch that nothing explains.
func TestLookReadsOnlyBesideWhatIsBurned(t *testing.T) {
	box := func(x, w int) document.Box { return document.Box{X: x, Y: 12, W: w, H: 16} }
	g := region{quad: quadOf(document.Box{X: 0, Y: 10, W: 1000, H: 20})}
	known := []document.Box{box(0, 95), box(105, 90), box(305, 90), box(405, 95), box(505, 95)}
	var got []document.Box
	for _, n := range g.news([]document.Box{box(205, 90)}, known) {
		got = append(got, n.bounds(1000, 100))
	}
	want := []document.Box{{X: 105, Y: 10, W: 100, H: 20}, {X: 295, Y: 10, W: 100, H: 20}, {X: 600, Y: 10, W: 400, H: 20}}
	if !slices.Equal(got, want) {
		t.Errorf("read again: %v, want %v", got, want)
	}
	if all := g.news(nil, nil); len(all) != 1 || all[0].quad != g.quad {
		t.Errorf("of an unknown line: %v", all)
	}
}
