package inside

import (
	"cmp"
	"image"
	"image/color"
	"slices"
	"unicode"
	"unicode/utf8"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// letters returns the boxes of a word's characters, from left to right, where its ink
// falls into as many pieces as it has characters and each is as wide as its character
// can be; nil where it does not, as with letters that touch.
func letters(img image.Image, page *words.Page, w words.Word) []document.Box {
	text := []rune(w.Text)
	if w.Vertical || w.Box.Empty() || len(text) > mostLetters {
		return nil
	}
	pieces := columns(inkOf(img, page, w.Box))
	if len(pieces) != len(text) || !plausible(text, pieces) {
		return nil
	}
	for i := range pieces {
		pieces[i].X, pieces[i].Y = pieces[i].X+w.Box.X, pieces[i].Y+w.Box.Y
	}
	return pieces
}

// mostLetters is longer than any date or ZIP code.
const mostLetters = 32

func isLetterOrDigit(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

// mask tells the ink of a box, row by row.
type mask struct {
	ink  []bool
	w, h int
}

// inkOf separates ink from paper in a box of the upright page.
func inkOf(img image.Image, page *words.Page, b document.Box) mask {
	m, _ := inkBeside(img, page, b, nil)
	return m
}

// inkBeside separates ink from paper in a box of the upright page, without what is hidden
// under boxes in the image's own pixels: paper is the brightness of most pixels, ink what
// differs from it by a third of the contrast, which is returned, 0-255.
func inkBeside(img image.Image, page *words.Page, b document.Box, hidden []document.Box) (mask, int) {
	m := mask{make([]bool, b.Area()), b.W, b.H}
	light := make([]int, b.Area())
	lo, hi, sum, n := 255, 0, 0, 0
	origin := img.Bounds().Min
	hidden = near(page.ToAsset(b), hidden)
	for i := range light {
		at := page.ToAsset(document.Box{X: b.X + i%b.W, Y: b.Y + i/b.W, W: 1, H: 1})
		if light[i] = -1; slices.ContainsFunc(hidden, func(h document.Box) bool { return !h.Intersect(at).Empty() }) {
			continue
		}
		light[i] = int(color.GrayModel.Convert(img.At(origin.X+at.X, origin.Y+at.Y)).(color.Gray).Y)
		lo, hi, sum, n = min(lo, light[i]), max(hi, light[i]), sum+light[i], n+1
	}
	dark := 2*sum > n*(lo+hi) // writing is darker than its paper, which most of a word is
	for i, v := range light {
		if dark {
			m.ink[i] = v >= 0 && 3*(hi-v) > hi-lo
		} else {
			m.ink[i] = v >= 0 && 3*(v-lo) > hi-lo
		}
	}
	return m, max(0, hi-lo)
}

// near are those boxes that touch one.
func near(b document.Box, boxes []document.Box) (out []document.Box) {
	for _, o := range boxes {
		if !o.Intersect(b).Empty() {
			out = append(out, o)
		}
	}
	return out
}

// columns are the boxes of the pieces of ink, from left to right. Pieces one above the
// other are one: the dots of a colon.
func columns(m mask) []document.Box {
	var out []document.Box
	seen := slices.Clone(m.ink)
	for i, ink := range seen {
		if ink {
			out = append(out, m.piece(i, seen))
		}
	}
	slices.SortFunc(out, func(a, b document.Box) int { return cmp.Compare(2*a.X+a.W, 2*b.X+b.W) })
	joined := out[:0]
	for _, b := range out {
		if n := len(joined); n > 0 && 2*overlap(joined[n-1], b) > min(joined[n-1].W, b.W) {
			joined[n-1] = joined[n-1].Union(b)
		} else {
			joined = append(joined, b)
		}
	}
	return joined
}

func overlap(a, b document.Box) int { return min(a.X+a.W, b.X+b.W) - max(a.X, b.X) }

// piece is the box of the ink that hangs together with pixel i, which it takes out of
// left.
func (m mask) piece(i int, left []bool) document.Box { return m.trace(i, left, func(int) {}) }

// trace is piece, and says each pixel.
func (m mask) trace(i int, left []bool, each func(int)) document.Box {
	left[i] = false
	todo := []int{i}
	box := image.Rectangle{}
	for len(todo) > 0 {
		i, todo = todo[len(todo)-1], todo[:len(todo)-1]
		each(i)
		x, y := i%m.w, i/m.w
		box = box.Union(image.Rect(x, y, x+1, y+1))
		for ny := max(0, y-1); ny < min(m.h, y+2); ny++ {
			for nx := max(0, x-1); nx < min(m.w, x+2); nx++ {
				if n := ny*m.w + nx; left[n] {
					left[n] = false
					todo = append(todo, n)
				}
			}
		}
	}
	return document.BoxOf(box)
}

// plausible reports whether pieces are as wide as the characters they are taken for.
// Digits but the one are equally wide in usual type; nothing else is wider than most of
// a word's digits: two that touch are, and halves of one are narrower.
func plausible(text []rune, pieces []document.Box) bool {
	var widths []int
	for i, c := range text {
		if unicode.IsDigit(c) && c != '1' {
			widths = append(widths, pieces[i].W)
		}
	}
	if len(widths) == 0 {
		return false
	}
	slices.Sort(widths)
	usual := widths[len(widths)/2]
	for i, c := range text {
		wide := 10*pieces[i].W > 15*usual
		narrow := 10*pieces[i].W < 6*usual
		if unicode.IsDigit(c) && (wide || narrow && c != '1') || c < utf8.RuneSelf && unicode.IsPunct(c) && wide {
			return false
		}
	}
	return true
}
