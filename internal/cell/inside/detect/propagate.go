package detect

import (
	"slices"
	"strings"

	"blotter/internal/document"
)

// confident is the score from which a name or number is sought in the whole document.
const confident = 0.7

// known is what one document taught: the words of its names, and its numbers.
type known struct {
	finder *Finder
	names  map[string]bool // by labelKey; true: only where it is written with a capital
	staff  map[string]bool // by labelKey: it is only known of the staff
	order  []string        // keys long enough to be sought with slips, in order of discovery
	ids    map[string]document.Type
}

func newKnown(f *Finder) *known {
	return &known{finder: f, names: map[string]bool{}, staff: map[string]bool{}, ids: map[string]document.Type{}}
}

// maxKnown bounds what one document can teach: a hostile page full of names must not make
// every word of it cost a thousand comparisons.
const maxKnown = 400

// learn takes in the confident finds of one page.
func (k *known) learn(sh *sheet, spans []span) {
	for _, s := range spans {
		if s.score < confident || s.typ == document.Unknown {
			continue
		}
		if s.typ == document.Name || s.typ == document.Staff {
			for i := s.from; i < s.to; i++ {
				k.learnName(sh, s, i)
			}
		} else if (numberLike(s.typ) || s.typ == document.Email) && !isDateToo(s, spans) {
			if key := joined(sh, s); digitsIn(key) >= 5 && len(k.ids) < maxKnown {
				k.ids[key] = s.typ
			}
		}
	}
}

// isDateToo reports whether a date covers the span: its digits are no number to seek.
func isDateToo(s span, spans []span) bool {
	return slices.ContainsFunc(spans, func(o span) bool { return o.typ == document.Date && o.from < s.to && s.from < o.to })
}

// learnName takes in one word of a name. An ordinary word that is never a name ("Regional
// Manager" beside a label) is sought elsewhere only where a title or a sure name stands
// with it.
func (k *known) learnName(sh *sheet, s span, i int) {
	f, t := k.finder, &sh.toks[i]
	if t.kind != letters || len(t.fold) < 3 || len(k.names) >= maxKnown || f.terms.notNames.has(t.fold) || f.terms.titles.has(t.fold) ||
		f.terms.credentials.has(t.fold) || f.terms.eponymHeads.has(t.fold) || f.terms.months.has(t.fold) {
		return
	}
	word := t.entry.Has(plainWords) || f.terms.clinical.has(t.fold) || f.terms.eponyms.has(t.fold)
	if word && !t.entry.IsName() && s.source != document.ByName &&
		!slices.ContainsFunc(sh.toks[s.from:s.to], func(o token) bool { return f.prior(&o) >= 0.6 }) {
		return
	}
	key := labelKey(t.fold)
	_, seen := k.names[key]
	k.staff[key] = s.typ == document.Staff && (!seen || k.staff[key])
	if capital, seen := k.names[key]; seen {
		k.names[key] = capital && word
		return
	}
	k.names[key] = word
	if !word && len(key) >= fuzzyFrom {
		k.order = append(k.order, key)
	}
}

// joined writes a span's tokens without spaces and signs.
func joined(sh *sheet, s span) string {
	var b strings.Builder
	for _, t := range sh.toks[s.from:s.to] {
		if t.kind != sign {
			b.WriteString(t.fold)
		}
	}
	return b.String()
}

// find looks for what is known: names with one slip from 6 letters and two from 9,
// numbers exactly.
func (k *known) find(sh *sheet) []span {
	var out []span
	for i := range sh.toks {
		if t := &sh.toks[i]; t.kind != sign && k.isName(sh, i, t) {
			typ := document.Name
			if k.staff[labelKey(t.fold)] {
				typ = document.Staff
			}
			out = append(out, span{i, i + 1, typ, 0.75, document.ByPropagation})
		}
	}
	return append(out, k.findNumbers(sh)...)
}

func (k *known) isName(sh *sheet, i int, t *token) bool {
	if len(t.fold) < 3 || len(t.fold) > 40 {
		return false
	}
	key := labelKey(t.fold)
	if capital, ok := k.names[key]; ok {
		return !capital || t.title && !k.isTerm(sh, i)
	}
	if !t.title && t.kind == letters || len(key) < fuzzyFrom-1 || k.finder.isVocabulary(t) {
		return false
	}
	return slices.ContainsFunc(k.order, func(name string) bool {
		slips := 1
		if len(name) >= 9 {
			slips = 2
		}
		return within(name, key, slips)
	})
}

// isTerm reports whether a name stands as an eponym at token i.
func (k *known) isTerm(sh *sheet, i int) bool {
	return k.finder.termPenalty(sh, &sh.toks[i], k.finder.around(sh, i)) > 0
}

// findNumbers seeks the document's numbers in runs of tokens of a row.
func (k *known) findNumbers(sh *sheet) []span {
	var out []span
	for i := range sh.toks {
		if sh.toks[i].kind != number && sh.toks[i].kind != mixed {
			continue
		}
		key := ""
		for j := i; j < sh.rows[sh.toks[i].row].to && j < i+8 && len(key) < 40; j++ {
			if j > i && sh.toks[j].gap >= wideGap {
				break
			}
			if sh.toks[j].kind == sign {
				continue
			}
			key += sh.toks[j].fold
			if typ, ok := k.ids[key]; ok {
				out = append(out, span{i, j + 1, typ, 0.75, document.ByPropagation})
			}
		}
	}
	return out
}

// within reports whether a and b are at most n edits apart.
func within(a, b string, n int) bool {
	if abs(len(a)-len(b)) > n {
		return false
	}
	if n == 1 {
		return oneSlip(a, b)
	}
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range before {
		before[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			change := before[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, before[j+1]+1, row[j]+1)
		}
		before, row = row, before
	}
	return before[len(b)] <= n
}
