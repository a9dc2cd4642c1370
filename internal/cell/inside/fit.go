package inside

import (
	"image"
	"slices"
	"strings"
	"unicode"

	"blotter/internal/cell/inside/redact"
	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// What the second look finds beside a burned box stands among words that stay. Its box is
// fitted to the ink that nothing explains: it follows the ink as far as that goes, and
// ends where a word begins that the first look knew.

// known reports whether a word that was read again is one that stays and says the same, or
// the part of it that was in view: it was judged amid all its neighbours then, which are
// gone now. Where a burned box cuts it from above or below, the surer reading counts:
// the first saw more. In doubt the word is news.
func known(again words.Word, kept *words.Page, gone []document.Finding) bool {
	said := ""
	for _, w := range kept.Words {
		if !mostlyUnder(w.Box, again.Box) && !mostlyUnder(again.Box, w.Box) {
			continue
		}
		said += plainly(w.Text)
		cut := len(near(kept.ToAsset(w.Box), boxesOf(gone))) > 0
		if cut && mostlyUnder(again.Box, w.Box) && w.Confidence > again.Confidence {
			return true
		}
	}
	return said != "" && strings.Contains(said, plainly(again.Text))
}

// plainly is a word's letters and digits in small letters.
func plainly(s string) string {
	return strings.Map(func(c rune) rune {
		if isLetterOrDigit(c) {
			return unicode.ToLower(c)
		}
		return -1
	}, s)
}

// scene is a burned asset with what is known of it, in its own pixels.
type scene struct {
	img     image.Image
	page    *words.Page    // the asset as it lies: its size alone
	burned  []document.Box // of the fill colour
	staying []document.Box // words and places that stay
}

// fit gives findings of the second look the boxes in which they are burned. What was
// only seen and shows no ink of its own falls away.
func (p *pipeline) fit(a *asset, img image.Image, kept *words.Page, fs []document.Finding) (out []document.Finding) {
	s := scene{img: img, page: &words.Page{Width: a.Width, Height: a.Height}}
	for _, f := range a.findings {
		beside := slices.ContainsFunc(fs, func(n document.Finding) bool { return !s.reach(n.Box).Intersect(f.Box).Empty() })
		if beside && redact.Burned(img, f.Box, p.task.Fill) {
			s.burned = append(s.burned, f.Box)
		}
	}
	for _, w := range kept.Words {
		s.staying = append(s.staying, kept.ToAsset(w.Box))
	}
	for _, b := range slices.Concat(kept.Unread, a.page.Standing) {
		s.staying = append(s.staying, kept.ToAsset(b))
	}
	for _, f := range fs {
		for _, f.Box = range s.fitted(f) {
			out = append(out, f)
		}
	}
	return out
}

// reach is how far a box may grow: on each side a quarter of its shorter side, about a
// stroke and its blur. A box that was too small once should not be so twice.
func (s scene) reach(b document.Box) document.Box {
	return b.Grow(2+min(b.W, b.H)/4, s.page.Width, s.page.Height)
}

// faint is the contrast, 0-255, under which ink cannot be told from paper.
const faint = 48

func (s scene) fitted(f document.Finding) []document.Box {
	if f.Type != document.Unread { // the words of a finding go, whoever knew them
		s.staying = slices.DeleteFunc(slices.Clone(s.staying), func(b document.Box) bool { return mostlyUnder(b, f.Box) })
	}
	strokes, contrast := s.strokes(f.Box)
	if contrast < faint {
		return []document.Box{s.reach(f.Box)}
	}
	if f.Type != document.Unread {
		strokes = append(strokes, s.clear(f.Box))
	}
	return s.joined(strokes)
}

// strokes are the boxes of the ink that touches a box and belongs to nothing that stays,
// with room for its blur.
func (s scene) strokes(b document.Box) (out []document.Box, contrast int) {
	const blur = 2
	reach := s.reach(b)
	ink, contrast := inkBeside(s.img, s.page, reach, s.burned)
	owned := ink.within(s.staying, reach)
	left := slices.Clone(ink.ink)
	for i := range left {
		if !left[i] {
			continue
		}
		all, stays := 0, 0
		piece := ink.trace(i, left, func(k int) {
			all++
			if owned[k] {
				stays++
			}
		})
		piece.X, piece.Y = piece.X+reach.X, piece.Y+reach.Y
		if 2*stays < all && !piece.Intersect(b).Empty() {
			out = append(out, piece.Grow(blur, s.page.Width, s.page.Height))
		}
	}
	return out, contrast
}

// within tells the pixels of a mask, which lies at a box, that boxes cover.
func (m mask) within(boxes []document.Box, at document.Box) []bool {
	out := make([]bool, len(m.ink))
	for _, b := range boxes {
		b = b.Intersect(at)
		for y := b.Y; y < b.Y+b.H; y++ {
			for x := b.X; x < b.X+b.W; x++ {
				out[(y-at.Y)*m.w+x-at.X] = true
			}
		}
	}
	return out
}

// clear cuts off a box what it takes of words that stay, on the side where that is least.
func (s scene) clear(b document.Box) document.Box {
	for _, w := range s.staying {
		if over := w.Intersect(b); !over.Empty() {
			b = largest(
				document.Box{X: b.X, Y: b.Y, W: over.X - b.X, H: b.H},
				document.Box{X: over.X + over.W, Y: b.Y, W: b.X + b.W - over.X - over.W, H: b.H},
				document.Box{X: b.X, Y: b.Y, W: b.W, H: over.Y - b.Y},
				document.Box{X: b.X, Y: over.Y + over.H, W: b.W, H: b.Y + b.H - over.Y - over.H},
			)
		}
	}
	return b
}

func largest(bs ...document.Box) document.Box {
	return slices.MaxFunc(bs, func(a, b document.Box) int { return a.Area() - b.Area() })
}

// joined makes one box of those that lie near each other, unless it would take half of a
// word that stays.
func (s scene) joined(boxes []document.Box) (out []document.Box) {
	slices.SortFunc(boxes, func(a, b document.Box) int { return a.X - b.X })
	for _, b := range boxes {
		if n := len(out); n > 0 && s.join(out[n-1], b) {
			out[n-1] = out[n-1].Union(b)
		} else if !b.Empty() {
			out = append(out, b)
		}
	}
	return out
}

func (s scene) join(a, b document.Box) bool {
	both := a.Union(b)
	return !slices.ContainsFunc(s.staying, func(w document.Box) bool { return mostlyUnder(w, both) })
}
