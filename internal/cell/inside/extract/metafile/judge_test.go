package metafile

import (
	"strings"
	"testing"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// drawnText draws text as outlines, of which no layer tells.
func drawnText(x, y int, s string) []byte {
	return join(order(59), sayAt(x, y, 0, s), order(60), order(37, longs(-1<<31|4)), order(62, longs(0, 0, 0, 0)))
}

// A picture may write one thing and show another. What it does not show as it was written is
// in no layer, and what stands beside it still is.
func TestOnlyWhatIsSeenIsSaid(t *testing.T) {
	whitePen, whiteBrush := order(37, longs(-1<<31|6)), order(37, longs(-1<<31))
	cover := join(whitePen, whiteBrush, order(43, longs(5, 8, 190, 30)))
	colour := func(c int) []byte { return order(24, longs(c)) }
	band := order(43, longs(0, 0, 200, 100)) // paper
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"drawn over":          {join(sayAt(10, 10, 0, "decoy"), cover, drawnText(10, 10, "Anna")), "true"},
		"drawn below":         {join(drawnText(10, 10, "Anna"), colour(0xffffff), sayAt(10, 10, 0, "decoy"), colour(0)), "true"},
		"beside it, close":    {join(sayAt(10, 10, 0, "decoy"), drawnText(44, 10, "Anna")), "true"},
		"over another":        {join(sayAt(10, 10, 0, "decoy"), sayAt(12, 10, 0, "Anna")), "true"},
		"backwards":           {sayAt(90, 10, 0, "annA", -9, -9, -9, -9), "true"},
		"upon each other":     {sayAt(10, 10, 0, "annA", 1, 1, 1, 1), "true"},
		"white between":       {join(sayAt(10, 10, 0, "A"), colour(0xffffff), sayAt(19, 10, 0, "x"), colour(0), sayAt(26, 10, 0, "n")), "x / true"},
		"cut by a clip":       {join(order(33), order(30, longs(22, 0, 200, 100)), sayAt(10, 10, 0, "xAnna"), order(34, longs(-1))), "true"},
		"in outlines":         {join(order(33), order(59), sayAt(10, 10, 0, "Anna"), order(60), order(67, longs(1)), sayAt(10, 10, 0, "decoy"), order(34, longs(-1))), "true"},
		"on paper":            {join(band, sayAt(10, 10, 0, "Anna")), "Anna / true"},
		"on an own ground":    {join(drawnText(10, 10, "x"), order(18, longs(2)), sayAt(10, 10, 0, "Anna"), order(18, longs(1))), "Anna / true"},
		"crossed by a line":   {join(sayAt(10, 10, 0, "Anna"), order(27, longs(0, 18)), order(54, longs(199, 18))), "Anna / true"},
		"in a cell":           {join(order(43, longs(2, 2, 80, 40)), sayAt(10, 10, 0, "Anna")), "Anna / true"},
		"pale, but seen":      {join(colour(0xd0d0d0), sayAt(10, 10, 0, "Anna"), colour(0)), "Anna / true"},
		"white on black":      {join(order(37, longs(-1<<31|4)), order(43, longs(0, 0, 200, 50)), colour(0xffffff), sayAt(10, 10, 0, "Anna"), colour(0)), "Anna / true"},
		"white, turned black": {join(colour(0xffffff), sayAt(10, 10, 0, "Anna"), colour(0), order(37, longs(-1<<31|4)), order(20, longs(6)), order(43, longs(0, 0, 200, 50)), order(20, longs(13))), "true"},
	} {
		b := emfOf(200, 100, typeOf(1, -12, 0, 0, arial), bare, c.b, sayAt(10, 70, 0, "true"))
		f := open(t, b, document.EMF)
		if ws, err := f.Layer(0); err != nil || texts(ws) != c.want {
			t.Errorf("%s: %q, want %q, %v", name, texts(ws), c.want, err)
		}
	}
}

// A letter of a size that holds other text within it explains nothing of that.
func TestTextWithinALetter(t *testing.T) {
	b := emfOf(400, 400, typeOf(1, -300, 0, 0, arial), bare, sayAt(10, 10, 0, "O"), typeOf(2, -14, 0, 0, arial), drawnText(80, 180, "Anna Schmidt"))
	if ws, err := open(t, b, document.EMF).Layer(0); err != nil || strings.Contains(texts(ws), "O") {
		t.Errorf("%q, %v", texts(ws), err)
	}
}

// Words are held against the picture as long as that touches no more pixels than drawing may.
func TestJudgingIsBounded(t *testing.T) {
	const side = 1000
	for n, over := range map[int]bool{maxWork/side/side - 1: false, maxWork / side / side: false, maxWork/side/side + 1: true} {
		s := &scribe{canvas: &canvas{plan: &plan{width: side, height: side}}}
		for range n { // each with the whole picture within reach
			s.words = append(s.words, note{Word: words.Word{Box: document.Box{X: 1, Y: 1, W: side - 2, H: side - 2}}})
		}
		if got := s.judging() > maxWork; got != over {
			t.Errorf("%d words: too many %v", n, got)
		}
		if over && s.judge() != nil {
			t.Error("they are held against it all the same")
		}
	}
}
