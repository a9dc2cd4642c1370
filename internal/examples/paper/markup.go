package paper

import (
	"strings"
	"unicode"

	"blotter/internal/document"
	"blotter/internal/truth"
)

// Text is written with its truth: "Patient: {name:Ada Byron}" marks a
// value that must go, "{?organisation:St Anne's}" one that may go or stay. A space in
// a value separates words, as it does outside.
type span struct {
	text  string
	want  truth.Want
	kind  string
	value int
	glued bool // no space before it: it belongs to the same printed word as the span before
}

// spans splits marked-up text into printed words and parts of words. value counts the
// values of a picture and goes on counting. Wrong markup is a fault of the programmer
// and panics.
func spans(markup string, value *int) []span {
	var out []span
	glued := true // at the start of a line there is nothing to glue to, which does no harm
	for markup != "" {
		piece := span{want: truth.Keep}
		piece.text, markup = cutPlain(markup)
		if piece.text == "" {
			piece, markup = cutValue(markup)
			*value++
			piece.value = *value
		}
		out, glued = appendWords(out, piece, glued)
	}
	return out
}

func cutPlain(s string) (text, rest string) {
	if i := strings.IndexByte(s, '{'); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

func cutValue(s string) (span, string) {
	head, rest, closed := strings.Cut(s[1:], "}")
	kind, text, named := strings.Cut(head, ":")
	want := truth.Destroy
	if k, optional := strings.CutPrefix(kind, "?"); optional {
		kind, want = k, truth.Either
	}
	if _, known := document.ParseType(kind); !closed || !named || !known {
		panic("paper: wrong markup: " + s)
	}
	return span{text: text, want: want, kind: kind}, rest
}

func appendWords(out []span, piece span, glued bool) ([]span, bool) {
	for i, text := range strings.Split(piece.text, " ") {
		if i > 0 {
			glued = false
		}
		if text == "" {
			continue
		}
		s := piece
		s.text, s.glued = text, glued
		if s.want == truth.Keep && !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			s.want = truth.Either // punctuation beside a value may go with it
		}
		out, glued = append(out, s), true
	}
	return out, glued
}
