package read

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// glyph is one character that the recogniser saw.
type glyph struct {
	text string
	step int     // time step at which it was surest
	p    float64 // probability then
	gap  float64 // the most that p(space)/p(best) reached between it and the one before
}

// alphabet maps the recogniser's classes to characters: class 0 is "nothing", the
// last one a space.
type alphabet struct {
	characters []string
	space      int
}

func newAlphabet(dictionary []byte) alphabet {
	lines := strings.Split(strings.TrimRight(string(dictionary), "\n"), "\n")
	characters := make([]string, 0, len(lines)+2)
	characters = append(characters, "")
	for _, l := range lines {
		characters = append(characters, strings.TrimRight(l, "\r"))
	}
	characters = append(characters, " ")
	return alphabet{characters, len(characters) - 1}
}

// decode reads the recogniser's output: for each class a row of scores, one for each time
// step, of which exp is proportional to the probability. The best class of a run of equal
// ones counts once (connectionist temporal classification). The net swallows spaces, yet
// still gives them some probability, which is kept for whoever splits the line into words.
func (a alphabet) decode(scores []float32, steps int) []glyph {
	best, top := bestClasses(scores, steps)
	p := a.probabilities(scores, best, top)
	spaces := scores[a.space*steps:]
	var glyphs []glyph
	previous, gap := 0, 0.0
	for t, class := range best {
		switch {
		case class == a.space:
			gap = 1
		case class == 0:
			gap = max(gap, math.Exp(float64(spaces[t]-top[t])))
		case class != previous:
			glyphs = append(glyphs, glyph{a.characters[class], t, p[t], gap})
			gap = 0
		case p[t] > glyphs[len(glyphs)-1].p:
			glyphs[len(glyphs)-1].p, glyphs[len(glyphs)-1].step = p[t], t
		}
		previous = class
	}
	return glyphs
}

// bestClasses are the class of the highest score at each step, and that score.
func bestClasses(scores []float32, steps int) (best []int, top []float32) {
	best, top = make([]int, steps), slices.Clone(scores[:steps])
	for c := 1; (c+1)*steps <= len(scores); c++ {
		row := scores[c*steps : (c+1)*steps]
		row = row[:len(top)] // spares the check of each index
		for t, most := range top {
			if v := row[t]; v > most {
				best[t], top[t] = c, v
			}
		}
	}
	return best, top
}

// probabilities are those of the best classes that are characters: one divided by the sum of
// exp over all classes, in which those far below the best count for nothing.
func (a alphabet) probabilities(scores []float32, best []int, top []float32) []float64 {
	var written []int // steps
	for t, class := range best {
		if class != 0 && class != a.space {
			written = append(written, t)
		}
	}
	p := make([]float64, len(best))
	for c := range a.characters {
		row := scores[c*len(best) : (c+1)*len(best)]
		for _, t := range written {
			if d := row[t] - top[t]; d > -negligible {
				p[t] += math.Exp(float64(d))
			}
		}
	}
	for _, t := range written {
		p[t] = 1 / p[t]
	}
	return p
}

// confidence is the mean probability of glyphs; 0 for none.
func confidence(glyphs []glyph) float64 {
	if len(glyphs) == 0 {
		return 0
	}
	sum := 0.0
	for _, g := range glyphs {
		sum += g.p
	}
	return sum / float64(len(glyphs))
}

// foreign reports whether a character is one that the recogniser knows and the
// layers that judge words do not: Chinese and Japanese. Full-width forms of Latin
// characters are not foreign.
func foreign(character string) bool {
	r, _ := utf8.DecodeRuneInString(character)
	return r >= 0x2e80 && !(r >= 0xff00 && r <= 0xff5e)
}

// latin replaces a full-width form by the character it stands for.
func latin(character string) string {
	r, n := utf8.DecodeRuneInString(character)
	if n == len(character) && r > 0xff00 && r <= 0xff5e {
		return string(r - 0xff00 + ' ')
	}
	return character
}
