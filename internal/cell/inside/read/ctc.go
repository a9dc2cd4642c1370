package read

import (
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

// decode reads the recogniser's output: for each time step a probability for each
// class. The best class of a run of equal ones counts once (connectionist temporal
// classification). The net swallows spaces, yet still gives them some probability, which
// is kept for whoever splits the line into words.
func (a alphabet) decode(out []float32, steps int) []glyph {
	classes := len(a.characters)
	var glyphs []glyph
	previous, gap := 0, 0.0
	for t := range steps {
		row := out[t*classes : (t+1)*classes]
		best, p := 0, row[0]
		for c, v := range row {
			if v > p {
				best, p = c, v
			}
		}
		switch {
		case best == a.space:
			gap = 1
		case best == 0:
			gap = max(gap, float64(row[a.space]/p))
		case best != previous:
			glyphs = append(glyphs, glyph{a.characters[best], t, float64(p), gap})
			gap = 0
		case float64(p) > glyphs[len(glyphs)-1].p:
			glyphs[len(glyphs)-1].p, glyphs[len(glyphs)-1].step = float64(p), t
		}
		previous = best
	}
	return glyphs
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
