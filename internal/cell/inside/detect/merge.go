package detect

import (
	"cmp"
	"slices"
	"unicode"

	"blotter/internal/document"
)

// mark is what the union of all spans of one type says of one token.
type mark struct {
	score  float64 // 0 where the type does not cover the token
	source document.Source
	span   int // of the span that gave the score; joins what belongs together
}

// merge turns spans into findings: a union by type, one box for each stretch of words
// along a row.
func merge(sh *sheet, spans []span) []document.Finding {
	marks := marksOf(sh, spans)
	var out []document.Finding
	for _, r := range sh.rows {
		start := len(out)
		for t := document.Name; t <= document.Signature; t++ {
			if marks[t] != nil {
				out = append(out, sh.stretches(r, t, marks[t])...)
			}
		}
		slices.SortStableFunc(out[start:], func(a, b document.Finding) int { return cmp.Compare(a.Box.X, b.Box.X) })
	}
	return out
}

// marksOf is the union: for every type that occurs, the best score of every token. A
// vague type gives way where a definite one covers the token as surely.
func marksOf(sh *sheet, spans []span) [document.Signature + 1][]mark {
	var marks [document.Signature + 1][]mark
	definite := make([]float64, len(sh.toks))
	labelled := make([]document.Type, len(sh.toks)) // what a label calls the token; 0 for none
	for n, s := range spans {
		if sh.isPublic(s) {
			continue
		}
		if marks[s.typ] == nil {
			marks[s.typ] = make([]mark, len(sh.toks))
		}
		for i := s.from; i < s.to; i++ {
			if m := &marks[s.typ][i]; s.score > m.score {
				*m = mark{s.score, s.source, n}
			}
			if s.typ != document.Code && s.typ != document.Unknown {
				definite[i] = max(definite[i], s.score)
			}
			if s.source == document.ByLabel && s.typ != document.Code {
				labelled[i] = s.typ
			}
		}
	}
	for i := range sh.toks {
		drop := func(t document.Type) {
			if marks[t] != nil {
				marks[t][i] = mark{}
			}
		}
		if code := marks[document.Code]; code != nil && code[i].score > 0 {
			if definite[i] >= code[i].score {
				drop(document.Code)
			}
			definite[i] = max(definite[i], code[i].score)
		}
		if definite[i] >= 0.5 {
			drop(document.Unknown)
		}
		if labelled[i] != 0 { // what a label names is not also what its digits look like
			for _, t := range numberTypes {
				if t != labelled[i] && marks[t] != nil && marks[t][i].source == document.ByPattern {
					drop(t)
				}
			}
		}
	}
	return marks
}

// isPublic reports whether a span is digits, or capitals that no vocabulary explains, that
// a label calls a measure or a public code.
func (sh *sheet) isPublic(s span) bool {
	if s.source != document.ByDefault && (s.source != document.ByPattern || s.typ != document.Code) {
		return false
	}
	for k := s.from; k < s.to; k++ {
		if !sh.public[k] || sh.toks[k].kind == letters && (s.source != document.ByDefault || !sh.toks[k].upper) {
			return false
		}
	}
	return true
}

// numberTypes are those that a pattern gives to digits which may as well be another's.
var numberTypes = []document.Type{
	document.Phone, document.SSN, document.HealthPlan, document.Account, document.Licence, document.Vehicle, document.Device,
}

// stretches makes the findings of one type in one row.
func (sh *sheet) stretches(r row, typ document.Type, marks []mark) []document.Finding {
	var out []document.Finding
	end := -1 // where the word before ended, if it was covered
	for i := r.from; i < r.to; {
		j := i + 1
		for j < r.to && sh.toks[j].word == sh.toks[i].word {
			j++
		}
		if f, lo := sh.wordFinding(i, j, typ, marks); lo >= 0 {
			n := len(out) - 1
			joins := end == i && (sh.toks[i].gap < wideGap || marks[i-1].span == marks[lo].span)
			if joins && sh.mayJoin(out[n].Box, f.Box, r, marks) {
				out[n].Box = out[n].Box.Union(f.Box)
				if f.Score > out[n].Score {
					out[n].Score, out[n].Source = f.Score, f.Source
				}
			} else {
				out = append(out, f)
			}
			end = j
		}
		i = j
	}
	return out
}

// wordFinding covers the word of tokens [i, j) and returns its first marked token; -1
// where none is.
func (sh *sheet) wordFinding(i, j int, typ document.Type, marks []mark) (document.Finding, int) {
	lo, best := -1, mark{}
	for k := i; k < j; k++ {
		if marks[k].score > 0 && lo < 0 {
			lo = k
		}
		if marks[k].score > best.score {
			best = marks[k]
		}
	}
	if lo < 0 {
		return document.Finding{}, -1
	}
	return document.Finding{Box: sh.part(lo, i), Type: typ, Score: best.score, Source: best.source}, lo
}

// mayJoin reports whether the box around a and b covers no foreign word that a and b
// leave alone: on a skewed page a long box reaches into the rows above and below.
func (sh *sheet) mayJoin(a, b document.Box, r row, marks []mark) bool {
	u := a.Union(b)
	for _, q := range sh.rows {
		if !q.upright || !r.upright || q.from == r.from || q.box.Intersect(u).Empty() {
			continue
		}
		for k := q.from; k < q.to; k++ {
			t := &sh.toks[k]
			if t.a > 0 || marks[k].score > 0 {
				continue
			}
			w := sh.page.Words[t.word].Box
			before := w.Intersect(a).Area() + w.Intersect(b).Area()
			if w.Intersect(u).Area()-before > w.Area()/10 {
				return false
			}
		}
	}
	return true
}

// part is the box of a word from its token lo on. It is the whole word, which begins with
// token i, unless a label is glued to its front ("DOB:01/02/1950"). Then the cut falls
// where the glyphs' usual widths put it, and most of a glyph before.
func (sh *sheet) part(lo, i int) document.Box {
	w := &sh.page.Words[sh.toks[lo].word]
	if lo == i || w.Vertical || !sh.isGluedLabel(i, lo) {
		return w.Box
	}
	total, before := 0.0, 0.0
	n := 0
	for _, c := range w.Text {
		total += glyphWidth(c)
		if n < sh.toks[lo].a {
			before += glyphWidth(c)
		}
		n++
	}
	skip := int(max(0, before-cutMargin) / total * float64(w.Box.W))
	return document.Box{X: w.Box.X + skip, Y: w.Box.Y, W: w.Box.W - skip, H: w.Box.H}
}

// cutMargin is how far before its estimated start a value's box begins, in widths of a
// digit.
const cutMargin = 0.8

// isGluedLabel reports whether tokens [i, lo) are a label with its separator.
func (sh *sheet) isGluedLabel(i, lo int) bool {
	last := sh.toks[lo-1].text
	return lo-i >= 2 && (last == ":" || last == "#" || last == "=") && sh.toks[i].kind == letters && len(sh.toks[i].text) > 1
}

// glyphWidth is the width of a character in usual sans-serif type, a digit being 1.
func glyphWidth(c rune) float64 {
	switch {
	case c == 'm' || c == 'w' || c == 'M' || c == 'W' || c == '@':
		return 1.5
	case unicode.IsUpper(c) && c != 'I':
		return 1.2
	case c == 'i' || c == 'l' || c == 'I' || c == 'j' || c == 'f' || c == 't' || c == 'r' || unicode.IsPunct(c):
		return 0.55
	}
	return 1
}
