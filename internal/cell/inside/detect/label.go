package detect

import (
	"slices"
	"strings"

	"blotter/internal/document"
)

// label is one label found on the page.
type label struct {
	labelDef
	from, to  int // tokens [from, to), separators included
	separated bool
	hashed    bool // its separator is a number sign, which captions have too: "Unit #"
	alone     bool // nothing else stands in its cell: its value is in the next cell or below
	header    bool // one of several such in its row: a table's head
}

// Scores of labelled values. A failed checksum never lowers them: readers break checksums.
const (
	besideScore = 0.9
	belowScore  = 0.85
)

// labelled finds values beside or below their labels, and above those that are captions.
func (f *Finder) labelled(sh *sheet) []span {
	out := f.initialColumns(sh)
	captions := f.captions(sh)
	for _, l := range sh.labels {
		if l.typ == 0 {
			continue
		}
		if s, ok := f.beside(sh, l); ok {
			out = append(out, f.withoutRemarks(sh, s)...)
			continue
		}
		if captions[sh.toks[l.from].row] {
			if s, ok := f.over(sh, l); ok {
				out = append(out, f.withoutRemarks(sh, s)...)
				continue
			}
		}
		for _, s := range f.beneath(sh, l) {
			out = append(out, f.withoutRemarks(sh, s)...)
		}
	}
	return out
}

// findLabels goes through every row and takes the longest label at each place.
func (f *Finder) findLabels(sh *sheet) []label {
	var out []label
	for r := range sh.rows {
		first := len(out)
		for i := sh.rows[r].from; i < sh.rows[r].to; {
			l, ok := f.labelAt(sh, i)
			if !ok || !f.counts(sh, &l) {
				i++
				continue
			}
			out = append(out, l)
			i = l.to
		}
		f.markHeaders(sh, out[first:])
	}
	return out
}

// markHeaders tells a table's head from a row in which labels and their values take turns.
func (f *Finder) markHeaders(sh *sheet, row []label) {
	alone, answered := 0, 0
	for i, l := range row {
		if !l.alone || l.separated {
			continue
		}
		alone++
		if next := i + 1; l.to < sh.rows[sh.toks[l.from].row].to && (next == len(row) || row[next].from >= sh.toks[l.to].cell[1]) && !f.isPlain(sh, l.to, sh.toks[l.to].cell[1]) {
			answered++
		}
	}
	for i := range row {
		row[i].header = alone >= 2 && answered < alone && row[i].alone && !row[i].separated
	}
}

// longestLabel is the most words of a label in labels.tsv.
const longestLabel = 7

func (f *Finder) labelAt(sh *sheet, i int) (label, bool) {
	if sh.toks[i].kind != letters {
		return label{}, false
	}
	row := sh.rows[sh.toks[i].row]
	key, words, strange := "", 0, false
	var best label
	for k := i; k < row.to && words < longestLabel && len(key) <= f.labels.long+1; k++ {
		t := &sh.toks[k]
		if k > i && t.gap >= wideGap {
			break
		}
		if t.kind == sign {
			if !strings.Contains(".,-'’/&", t.text) { // "Last Name, First Name"
				break
			}
			continue
		}
		words++
		key += labelKey(t.text)
		strange = strange || t.kind != number && !t.entry.Has(plainWords)
		if words == 1 && f.labels.isMisspelt(t.fold) {
			continue
		}
		if def, ok := f.labels.lookup(key, strange && (len(t.text) > 1 || best.to == 0)); ok { // "Guarantor N." is no slip of "guarantor"
			best = label{labelDef: def, from: i, to: k + 1}
		}
	}
	if best.to > 0 {
		f.takeSeparator(sh, &best, row.to)
	}
	if l, ok := f.composed(sh, i); ok && !best.separated && l.to > best.to {
		return l, true
	}
	return best, best.to > 0
}

// takeSeparator moves the label's end over what stands between it and its value: a full
// stop, a bracketed explanation, a colon, a leader of dots or underscores.
func (f *Finder) takeSeparator(sh *sheet, l *label, end int) {
	for l.to < end {
		switch t := sh.toks[l.to].text; {
		case t == "#" || t == "№":
			l.separated, l.hashed = true, true
		case t == ":" || t == "=" || t == "：":
			l.separated, l.hashed = true, false
		case !l.separated && sh.toks[l.to].fold == "is" && numberLike(l.typ) && sh.leadsToNumber(l.to+1, end): // "her chart number is 483 920"
			l.separated = true
		case t == "." || t == "_" || t == "*" || t == "…":
		case t == "/" && !l.separated && l.to+1 < end && sh.toks[l.to+1].kind == letters: // "Name / Nombre:"
			other, ok := f.labelAt(sh, l.to+1)
			ends := other.to == end || other.to < end && sh.toks[other.to].gap >= wideGap // "Name/Nombre" alone
			if !ok || !other.separated && !ends {
				return
			}
			l.to, l.separated = other.to, other.separated
			return
		case t == "(" && !l.separated:
			close := slices.IndexFunc(sh.toks[l.to:min(end, l.to+14)], func(t token) bool { return t.text == ")" })
			colon := close >= 0 && l.to+close+1 < end && sh.toks[l.to+close+1].text == ":" // "SSN (last 4):"
			if close < 0 || !colon && (l.to+close+1 < end && sh.toks[l.to+close+1].gap < wideGap || hasDigits(sh.toks[l.to:l.to+close])) {
				return
			}
			l.to += close
		default:
			return
		}
		l.to++
	}
}

// leadsToNumber reports whether a number stands at token k, perhaps behind a short prefix.
func (sh *sheet) leadsToNumber(k, end int) bool {
	return k < end && (digitsIn(sh.toks[k].text) > 0 || sh.toks[k].upper && len(sh.toks[k].text) <= 4 && k+2 < end && hasDigits(sh.toks[k+1:k+3]))
}

func hasDigits(toks []token) bool {
	return slices.ContainsFunc(toks, func(t token) bool { return t.kind == number || t.kind == mixed })
}

// counts decides whether words that read like a label are one.
func (f *Finder) counts(sh *sheet, l *label) bool {
	row := sh.rows[sh.toks[l.from].row]
	starts := sh.startsCell(l.from)
	ends := l.to == row.to || sh.toks[l.to].gap >= wideGap
	capital := sh.toks[l.from].title
	l.alone = starts && ends
	letterCount := 0
	for _, t := range sh.toks[l.from:l.to] {
		if t.kind != sign {
			letterCount += len(t.fold)
		}
	}
	switch {
	case l.separated:
		// "Vaccine requested:" asks for no request's date.
		return !l.ordinary || numberLike(l.typ) || starts || !f.isPlainWord(&sh.toks[l.from-1]) || sh.toks[l.from].gap >= wideGap
	case l.public && l.ordinary:
		return l.alone && capital // "Code" heads a column, or says nothing
	case l.public && l.to < row.to && !l.alone:
		return hasDigits(sh.toks[l.to : l.to+1])
	case letterCount <= 2:
		return l.alone && l.typ == document.Name && (sh.initialBelow(l.from) || capital && l.to < row.to && f.onlyNames(sh, l.to))
	case l.alone && capital:
		return !l.ordinary || l.typ == document.Name && (l.to < row.to && f.onlyNames(sh, l.to) && f.hasName(sh, l.to) || f.namesBelow(sh, l.from) || f.namesAbove(sh, l.from))
	case l.to == row.to:
		return false
	case numberLike(l.typ):
		n := digitsIn(sh.toks[l.to].text)
		for k := l.to + 1; k < row.to && k <= l.to+3 && sh.toks[l.to].upper && len(sh.toks[l.to].text) <= 4 && sh.toks[k].gap < wideGap; k++ {
			n += digitsIn(sh.toks[k].text) // "AC WC 12-441", "MRN K-48 316"
		}
		return n >= 4 || n >= 1 && !l.ordinary || !l.ordinary && sh.toks[l.to].text == "("
	case l.ordinary || !starts || !capital:
		return false
	case l.typ == document.Date:
		return digitsIn(sh.toks[l.to].text) > 0 || f.terms.months.has(sh.toks[l.to].fold)
	case l.typ == document.Name:
		return f.onlyNames(sh, l.to) || f.allNames(sh, l.to, sh.toks[l.to].cell[1])
	}
	return l.typ == document.Age && digitsIn(sh.toks[l.to].text) == 2
}

// startsCell reports whether token i begins its cell; a field's number ("2.", "1a)") may
// stand before it.
func (sh *sheet) startsCell(i int) bool {
	for n := 0; ; n++ {
		if sh.toks[i].gap >= wideGap {
			return true
		}
		p := &sh.toks[i-1]
		if n == 3 || p.kind == letters && len(p.text) > 1 || p.kind == sign && !strings.Contains(".)(*•-|[]", p.text) || len(p.text) > 3 {
			return false
		}
		i--
	}
}

// onlyNames reports whether the cell that begins with token i holds one to five
// capitalised words and nothing else.
func (f *Finder) onlyNames(sh *sheet, i int) bool {
	n := 0
	for k := i; k < sh.rows[sh.toks[i].row].to && (k == i || sh.toks[k].gap < wideGap); k++ {
		switch t := &sh.toks[k]; {
		case t.kind == sign && strings.Contains(",.-", t.text):
		case t.kind != letters || !t.title || f.terms.notNames.has(t.fold) && !f.terms.titles.has(t.fold):
			return false
		default:
			n++
		}
	}
	return n >= 1 && n <= 5
}

// initialBelow reports whether a single letter stands in the cell below token i: "M.I.".
func (sh *sheet) initialBelow(i int) bool {
	from, to, ok := sh.cellBelow(i)
	return ok && sh.toks[from].upper && len(sh.toks[from].text) == 1 && (to == from+1 || to == from+2 && sh.toks[from+1].text == ".")
}

// namesBelow reports whether the cell below token i holds a name and nothing else.
func (f *Finder) namesBelow(sh *sheet, i int) bool {
	from, to, ok := sh.cellBelow(i)
	return ok && to-from >= 2 && f.onlyNames(sh, from) && slices.ContainsFunc(sh.toks[from:to], func(t token) bool { return f.prior(&t) >= 0.35 })
}

// namesAbove reports whether the cell above token i, as near as a caption's value, holds
// a name, in small letters perhaps.
func (f *Finder) namesAbove(sh *sheet, i int) bool {
	from, to, ok := sh.cellAbove(i)
	return ok && f.allNames(sh, from, to)
}

// allNames reports whether tokens [from, to) are two to five words that are names or no
// words at all.
func (f *Finder) allNames(sh *sheet, from, to int) bool {
	n := 0
	for k := from; k < to; k++ {
		switch t := &sh.toks[k]; {
		case t.kind == sign && strings.Contains(",.-'’", t.text):
		case t.kind != letters || f.terms.notNames.has(t.fold) || f.isVocabulary(t) && !t.entry.IsName():
			return false
		default:
			n++
		}
	}
	return n >= 2 && n <= 5
}

// isField reports whether a cell holds another field whole, its label and its value:
// "Person to notify: Ethan Arnold".
func (sh *sheet) isField(from, to int) bool {
	for k := from; k < to && k < from+composedWords; k++ {
		if sh.toks[k].text == ":" {
			return k > from && !hasDigits(sh.toks[from:k])
		}
	}
	return false
}

// hasName reports whether a word of the cell that begins with token i may be a name.
func (f *Finder) hasName(sh *sheet, i int) bool {
	return slices.ContainsFunc(sh.toks[i:sh.toks[i].cell[1]], func(t token) bool {
		return t.kind == letters && (t.entry.IsName() || !f.isVocabulary(&t))
	})
}

// numberLike are the types whose values have digits.
func numberLike(t document.Type) bool {
	switch t {
	case document.Phone, document.Fax, document.SSN, document.MRN, document.HealthPlan, document.Account,
		document.Licence, document.Vehicle, document.Device, document.Code, document.IP:
		return true
	}
	return false
}

// beside takes the value on the label's right, up to the next label or a wide gap.
func (f *Finder) beside(sh *sheet, l label) (span, bool) {
	row := sh.rows[sh.toks[l.from].row]
	if l.header || l.to >= row.to || sh.toks[l.to].gap >= farGap {
		return span{}, false
	}
	end := l.to
	for end < row.to && !sh.inLabel[end] && (end == l.to || sh.toks[end].gap < wideGap || sh.isSpread(l.typ, end)) && end-l.to < longestValue {
		end++
	}
	if l.alone && !l.separated && sh.toks[l.to].gap >= wideGap && !f.isFormCell(sh, l, end) {
		return span{}, false
	}
	return f.value(sh, l, l.to, end, besideScore)
}

// isFormCell accepts the cell right of a label that has no colon only where nothing
// stands below the label: there it would be the value.
func (f *Finder) isFormCell(sh *sheet, l label, end int) bool {
	r := sh.rows[sh.toks[l.from].row]
	if r.below < 0 {
		return true
	}
	q := sh.rows[r.below]
	for k := q.from; k < q.to; k++ {
		if sh.toks[k].gap >= wideGap && abs(sh.toks[k].x0-sh.toks[l.from].x0) < 2*r.height {
			_, isLabel := f.labelAt(sh, k)
			return isLabel
		}
	}
	return true
}

func abs(n int) int { return max(n, -n) }

// longestValue bounds a value, in tokens.
const longestValue = 24

// headedRows is how many rows a table's head speaks for, at most; it falls silent sooner
// where the rows stand apart or do not look the part.
const headedRows = 40

// beneath takes the value from the rows below, in the column's span: one row under a
// label of its own, several under a table's head.
func (f *Finder) beneath(sh *sheet, l label) []span {
	r := &sh.rows[sh.toks[l.from].row]
	if !l.alone || !r.upright {
		return nil
	}
	left, right := sh.toks[sh.toks[l.from].cell[0]].x0-r.height, sh.columnEnd(l)
	want := 1
	if l.header {
		want = headedRows
	}
	var out []span
	above := r
	for j := sh.toks[l.from].row + 1; j < len(sh.rows) && j <= sh.toks[l.from].row+headedRows+maxRowsAhead && len(out) < want; j++ {
		q := &sh.rows[j]
		if !q.upright || q.middle() < above.middle()+min(above.height, q.height)/2 {
			continue
		}
		if q.middle()-above.middle() > 4*max(above.height, q.height) || len(out) > 0 && q.middle()-above.middle() > 5*max(above.height, q.height)/2 {
			break
		}
		from, to := sh.inColumn(q, l, left, right)
		if from == to {
			continue
		}
		if slices.Contains(sh.inLabel[from:to], true) && (!l.header || sh.inLabel[from]) || f.isProse(sh, from, to) || f.isCaption(sh, from, to) || sh.isField(from, to) {
			break
		}
		s, ok := f.value(sh, l, from, to, belowScore)
		if !ok {
			break
		}
		out = append(out, s)
		above = q
	}
	return out
}

// isProse reports whether a cell is running text: four small words or more.
func (f *Finder) isProse(sh *sheet, from, to int) bool {
	n := 0
	for k := from; k < to; k++ {
		if t := &sh.toks[k]; t.kind == letters && !t.title && f.isVocabulary(t) && !f.terms.particles.has(t.fold) {
			n++
		}
	}
	return n >= 4
}

// isPlainWord reports whether a token is a small or capital word of the language that
// names nobody.
func (f *Finder) isPlainWord(t *token) bool {
	return t.kind == letters && len(t.fold) > 2 && f.isVocabulary(t) && !t.entry.IsName()
}

// isCaption reports whether a cell is the numbered caption of the next field: "24. A.
// DATE(S) OF SERVICE", "33a. NPI".
func (f *Finder) isCaption(sh *sheet, from, to int) bool {
	if f.isPlainCaption(sh, from, to) {
		return true
	}
	if t := &sh.toks[from]; t.kind == letters || digitsIn(t.text) == 0 || digitsIn(t.text) > 2 || len(t.text) > 3 || to-from < 3 || sh.toks[from+1].text != "." && sh.toks[from+1].text != ")" {
		return false
	}
	words := 0
	for k := from + 2; k < to; k++ {
		switch t := &sh.toks[k]; {
		case t.kind == number || t.kind == mixed:
			return false
		case t.kind == letters && len(t.text) > 1:
			if !f.isVocabulary(t) {
				return false
			}
			words++
		}
	}
	return words > 0
}

// isPlainCaption reports whether a cell is the unlisted caption of another field: two to
// six words of the language, one of which says what a field holds: "Print name of witness".
func (f *Finder) isPlainCaption(sh *sheet, from, to int) bool {
	words, says := 0, false
	for k := from; k < to; k++ {
		t := &sh.toks[k]
		if t.kind == sign {
			continue
		}
		if t.kind != letters || !f.isVocabulary(t) || f.prior(t) >= 0.6 {
			return false
		}
		words++
		says = says || f.terms.sections["field words"].has(t.fold)
	}
	return says && words >= 2 && words <= composedWords-1
}

// columnEnd is where the next cell of the label's row begins.
func (sh *sheet) columnEnd(l label) int {
	if l.to < sh.rows[sh.toks[l.from].row].to {
		return sh.toks[l.to].x0 - sh.rows[sh.toks[l.from].row].height/2
	}
	return int(^uint(0) >> 1)
}

// inColumn returns the cell of a row that belongs to a label's column: it begins between
// left and right, or stands under the label (numbers are often centred).
func (sh *sheet) inColumn(q *row, l label, left, right int) (int, int) {
	x0, x1 := sh.toks[l.from].x0, sh.toks[l.to-1].x1
	for k := q.from; k < q.to; k = sh.toks[k].cell[1] {
		end := sh.toks[k].cell[1]
		if sh.toks[k].x0 >= right {
			break
		}
		under := min(x1, sh.toks[end-1].x1) - max(x0, sh.toks[k].x0)
		if sh.toks[k].x0 < left && under*2 < x1-x0 {
			continue
		}
		for end > k+1 && (sh.toks[end-1].x0 >= right || end-k > longestValue) {
			end--
		}
		return k, end
	}
	return 0, 0
}
