package read

import (
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"strings"
	"testing"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// drawnPage is a page whose layer is true, and something that may be drawn besides.
func drawnPage(t *testing.T) (*sheet, []words.Word) {
	s := a4(t, 150, noteLines)
	return s, layerOf(s)
}

// searched are the parts of a page that the detector still has to see.
func searched(m image.Image, layer []words.Word) (parts []document.Box, ok bool) {
	p, _ := pictureOf(m)
	c := p.contours()
	lines := layerLines(layer, c)
	shapes, ok := c.unexplained(layer)
	return c.around(shapes, lines, medianHeight(layer)), ok
}

func fill(m draw.Image, r image.Rectangle, gray uint8) {
	draw.Draw(m, r, image.NewUniform(color.Gray{gray}), image.Point{}, draw.Src)
}

func frameAt(m draw.Image, r image.Rectangle, thick int) {
	fill(m, r, 0)
	fill(m, r.Inset(thick), 255)
}

// Rules, frames, grids, panels and boxes to tick are no text.
func TestDrawnPageNeedsNoDetector(t *testing.T) {
	s, layer := drawnPage(t)
	fill(s, image.Rect(100, 700, 1100, 702), 0)
	frameAt(s, image.Rect(100, 800, 1100, 1000), 3)
	for x := 200; x < 1100; x += 120 {
		fill(s, image.Rect(x, 800, x+2, 1000), 0)
	}
	for y := 840; y < 1000; y += 40 {
		fill(s, image.Rect(100, y, 1100, y+2), 0)
	}
	fill(s, image.Rect(100, 1100, 1100, 1140), 60)
	frameAt(s, image.Rect(120, 1200, 142, 1222), 2)
	frameAt(s, image.Rect(420, 1200, 442, 1222), 2)
	if parts, ok := searched(s.Gray, layer); !ok || len(parts) > 0 {
		t.Errorf("the detector is asked about %v", parts)
	}
}

// Whatever may be text under no word of the layer is looked at, and read or covered.
func TestDrawnBesideTheLayerIsSeen(t *testing.T) {
	for name, add := range map[string]func(s *sheet){
		"print":    func(s *sheet) { s.print(t, "Telephone Oyelaran 555-0170", 23, 200, 1000) },
		"faint":    func(s *sheet) { s.ink = 205; s.print(t, "Telephone Oyelaran 555-0170", 23, 200, 1000) },
		"small":    func(s *sheet) { s.print(t, "Telephone Oyelaran 555-0170", 14, 200, 1000) },
		"large":    func(s *sheet) { s.print(t, "Oyelaran", 120, 200, 1000) },
		"straight": func(s *sheet) { s.print(t, "HILL FELIT", 110, 200, 1000) },
		"in a frame": func(s *sheet) {
			frameAt(s, image.Rect(180, 960, 900, 1030), 2)
			s.print(t, "Telephone Oyelaran", 23, 200, 1000)
		},
		"beside a word":  func(s *sheet) { s.print(t, "Oyelaran", 23, 900, 212) },
		"a line between": func(s *sheet) { s.print(t, "Oyelaran", 12, 300, 167) },
	} {
		s, layer := drawnPage(t)
		n := len(s.words)
		add(s)
		p := mustRead(t, s.Gray, layer)
		for _, w := range s.words[n:] {
			if got := coverOf(w.box, seenBoxes(p)); got < 0.9 {
				t.Errorf("%s: %q is covered to %.2f", name, w.text, got)
			}
		}
	}
}

// White print on a dark panel is seen like any other.
func TestWhiteOnAPanelIsSeen(t *testing.T) {
	s, layer := drawnPage(t)
	fill(s, image.Rect(100, 960, 1100, 1040), 40)
	s.paper, s.ink = 40, 255
	s.print(t, "Telephone Oyelaran 555-0170", 25, 200, 1010)
	p := mustRead(t, s.Gray, layer)
	if wordOf(p, "Oyelaran") == nil {
		t.Error("not read")
	}
}

// A hostile layer puts a letter's box over text that it does not name: over all of it, over
// lines, or beside it.
func TestHostileBoxesExplainNothing(t *testing.T) {
	for name, lie := range map[string]func(s *sheet, true []words.Word) []words.Word{
		"over the page": func(s *sheet, ws []words.Word) []words.Word {
			return append(ws[:40:40], words.Word{Text: "a", Box: document.Box{W: s.Rect.Dx(), H: s.Rect.Dy()}})
		},
		"over lines": func(s *sheet, ws []words.Word) []words.Word {
			out := ws[:40:40]
			for _, w := range ws[40:] {
				out = append(out, words.Word{Text: "i", Box: document.Box{X: 100, Y: w.Box.Y - 4, W: 1000, H: 30}})
			}
			return out
		},
		"shifted": func(s *sheet, ws []words.Word) []words.Word {
			out := ws[:0:0]
			for _, w := range ws {
				w.Box.X += 40
				w.Box.Y += 14
				out = append(out, w)
			}
			return out
		},
		"aslant": func(s *sheet, ws []words.Word) []words.Word {
			return append(ws[:40:40], words.Word{Text: "CONFIDENTIAL", Vertical: true, Box: document.Box{X: 50, Y: 250, W: 1000, H: 600}})
		},
	} {
		s, layer := drawnPage(t)
		p := mustRead(t, s.Gray, lie(s, layer))
		if got := found(t, s.words, p); got < 0.95 {
			t.Errorf("%s: %.2f of the words found", name, got)
		}
	}
}

// Words that nobody sees are neither compared with what is drawn over them nor lost.
func TestHiddenWordsUnderAPictureStay(t *testing.T) {
	s, layer := drawnPage(t)
	noise := rand.New(rand.NewPCG(1, 2))
	for y := 900; y < 1100; y++ {
		for x := 300; x < 700; x++ {
			s.SetGray(x, y, color.Gray{uint8(noise.IntN(256))})
		}
	}
	hidden := words.Word{Text: "Quispe", Box: document.Box{X: 400, Y: 1000, W: 100, H: 20}}
	blank := words.Word{Text: "Jorge", Box: document.Box{X: 400, Y: 1300, W: 80, H: 20}}
	p := mustRead(t, s.Gray, append(layer, hidden, blank))
	if wordOf(p, "Jorge") == nil {
		t.Error("a word that does not show was dropped")
	}
	if got := found(t, s.words, p); got < 0.97 {
		t.Errorf("%.2f of the words found", got)
	}
}

func TestUnreadCoversItsShape(t *testing.T) {
	unread := []document.Box{{X: 10, Y: 10, W: 30, H: 10}, {X: 42, Y: 10, W: 10, H: 10}}
	widen(unread, []document.Box{{X: 8, Y: 8, W: 80, H: 14}, {X: 0, Y: 0, W: 500, H: 500}})
	if unread[1] != (document.Box{X: 8, Y: 8, W: 80, H: 14}) || unread[0] != (document.Box{X: 10, Y: 10, W: 30, H: 10}) {
		t.Errorf("%v", unread)
	}
}

// A hostile page of a million specks takes no longer than a scan's contours do.
func TestCountlessShapesAreNoDrawing(t *testing.T) {
	s := newSheet(1240, 1754, 255, 0)
	for y := 0; y < s.Rect.Dy(); y += 4 {
		for x := 0; x < s.Rect.Dx(); x += 4 {
			s.SetGray(x, y, color.Gray{0})
		}
	}
	if _, ok := searched(s.Gray, []words.Word{{Text: strings.Repeat("x", 9), Box: document.Box{X: 2, Y: 2, W: 90, H: 20}}}); ok {
		t.Error("specks pass for a drawn page")
	}
}
