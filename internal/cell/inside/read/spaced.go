package read

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"blotter/internal/cell/inside/words"
)

// Text that is spread out, letter by letter: "S c h m i d t".
const (
	spacedLeast  = 6   // fragments of one or two characters in a row
	spacedAlone  = 0.6 // share of them that are one character
	spacedWidest = 1.1 // the widest gap between letters, in heights of the fragments: boxes of a form are wider
	spacedJump   = 1.4 // from how many usual steps from letter to letter on a space lies between,
	spacedRoom   = 0.2 // and so many heights more than the usual gap
)

// closeUp joins letters that are spread out to words. A layer gives such letters as words of
// their own, because of the gaps between them, and nobody is found in those. Words of a line
// follow each other from left to right.
func closeUp(ws []words.Word) []words.Word {
	var out []words.Word
	for i := 0; i < len(ws); {
		n := spaced(ws[i:])
		if n < spacedLeast {
			n = 1
			out = append(out, ws[i])
		} else {
			out = append(out, join(ws[i:i+n])...)
		}
		i += n
	}
	return out
}

// spaced is how many fragments stand in a row at the start of ws, 0 where they are no spread text.
func spaced(ws []words.Word) int {
	n, alone, letters, height := 0, 0, 0, 0
	for ; n < len(ws); n++ {
		w, size := ws[n], utf8.RuneCountInString(ws[n].Text)
		if size > 2 || w.Vertical || w.Line != ws[0].Line {
			break
		}
		height = max(height, w.Box.H)
		if n > 0 {
			if gap := gapOf(ws[n-1], w); gap < 0 || float64(gap) > 2*spacedWidest*float64(height) {
				break
			}
		}
		if size == 1 {
			alone++
		}
		if r, _ := utf8.DecodeRuneInString(w.Text); unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters++
		}
	}
	if float64(alone) < spacedAlone*float64(n) || 2*letters < n || n < spacedLeast {
		return 0
	}
	if gap, _ := usual(ws[:n]); gap > spacedWidest*float64(height) {
		return 0
	}
	return n
}

func gapOf(a, b words.Word) int { return b.Box.X - a.Box.X - a.Box.W }

// step is how far it is from the last character of a word to the first of the next, from middle
// to middle.
func step(a, b words.Word) float64 {
	half := func(w words.Word) float64 { return float64(w.Box.W) / float64(2*utf8.RuneCountInString(w.Text)) }
	return float64(gapOf(a, b)) + half(a) + half(b)
}

// usual is the median gap between fragments and the median step.
func usual(ws []words.Word) (gap, far float64) {
	gaps, steps := make([]float64, len(ws)-1), make([]float64, len(ws)-1)
	for i := range gaps {
		gaps[i], steps[i] = float64(gapOf(ws[i], ws[i+1])), step(ws[i], ws[i+1])
	}
	slices.Sort(gaps)
	slices.Sort(steps)
	return gaps[len(gaps)/2], steps[len(steps)/2]
}

// join makes words of fragments: a space is wider than the usual gap by far.
func join(ws []words.Word) []words.Word {
	gap, far := usual(ws)
	out := []words.Word{ws[0]}
	for i, w := range ws[1:] {
		last := &out[len(out)-1]
		if step(ws[i], w) > spacedJump*far && float64(gapOf(ws[i], w)) > gap+spacedRoom*float64(max(ws[i].Box.H, w.Box.H)) || last.Origin != w.Origin {
			out = append(out, w)
			continue
		}
		last.Text += w.Text
		last.Box = last.Box.Union(w.Box)
		last.Confidence = min(last.Confidence, w.Confidence)
	}
	return out
}
