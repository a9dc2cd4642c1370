package tag

import "math"

// overlap is the share of a window that the next one shows again: a word at its end has
// that much of the page on both sides in one of the two.
const overlap = 0.25

// window is a run of words [from, to) that the model sees at once.
type window struct{ from, to int }

// windows cuts a page into the fewest windows of at most room tokens that overlap. No
// word has more tokens than a window (maxPieces), so each window moves on.
func windows(texts []text, room int) []window {
	var out []window
	for from := 0; from < len(texts); {
		to, tokens := from, 0
		for to < len(texts) && tokens+len(texts[to]) <= room {
			tokens += len(texts[to])
			to++
		}
		out = append(out, window{from, to})
		if to == len(texts) {
			break
		}
		next := to
		for again := 0.0; next > from+1; next-- {
			if again += float64(len(texts[next-1])); again > overlap*float64(room) {
				break
			}
		}
		from = next
	}
	return out
}

// around counts the tokens between a word and the nearer end of the window. The ends of
// the page are no ends: nothing is missing there.
func (w window) around(texts []text, word int) int {
	count := func(from, to int) (n int) {
		for _, t := range texts[from:to] {
			n += len(t)
		}
		return n
	}
	before, after := math.MaxInt, math.MaxInt
	if w.from > 0 {
		before = count(w.from, word)
	}
	if w.to < len(texts) {
		after = count(word+1, w.to)
	}
	return min(before, after)
}
