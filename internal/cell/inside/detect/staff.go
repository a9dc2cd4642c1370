package detect

import (
	"strings"

	"blotter/internal/document"
)

// Names of those who treat, write or sign are told from patients' where the context says
// so: a title, a credential, a label, what somebody did. A policy may keep them; so what is
// not clear stays a name, and what the perceptron alone takes for staff does too.

// tellStaff turns names into staff where that is clear, and what is not clear back.
func (f *Finder) tellStaff(sh *sheet, spans []span) []span {
	for i := range spans {
		s := &spans[i]
		if s.typ != document.Name && (s.typ != document.Staff || s.source == document.ByModel) || s.source == document.ByHint {
			continue
		}
		s.typ = document.Name
		if f.isStaff(sh, *s) {
			s.typ = document.Staff
		}
	}
	return staffTogether(sh, spans)
}

// staffTogether lets the names that overlap one of the staff be staff, too, unless a label
// of their own calls them otherwise: several layers find the same name, and not all of them
// all of it.
func staffTogether(sh *sheet, spans []span) []span {
	staff := make([]bool, len(sh.toks))
	for _, s := range spans {
		for i := s.from; i < s.to && s.typ == document.Staff; i++ {
			staff[i] = true
		}
	}
	for n, s := range spans {
		if s.typ != document.Name || s.source == document.ByLabel || s.source == document.ByHint {
			continue
		}
		for i := s.from; i < s.to; i++ {
			if staff[i] {
				spans[n].typ = document.Staff
			}
		}
	}
	return spans
}

// isStaff reports whether the context of a name says that it is one of the staff's.
func (f *Finder) isStaff(sh *sheet, s span) bool {
	set := func(name string) set { return f.terms.sections[name] }
	before, before2 := f.wordsBefore(sh, s.from)
	after := f.wordAfter(sh, s.to)
	switch {
	case f.hasIn(sh, s, set("staff titles")), set("staff titles").has(before), set("staff titles").has(before2) && before != "," && f.terms.titles.has(before):
		return true
	case f.endsInCredential(sh, s), set("staff credentials").has(after) && after != "do" && after != "pa", set("posts").has(after) && !f.terms.kin.has(after):
		return true
	case before == "by" && (f.terms.sections["done by somebody"].has(before2) || set("staff labels").has(before2)):
		return true
	}
	l := sh.labelOf(s.from)
	return l != nil && f.isStaffLabel(sh, l)
}

// hasIn reports whether a word of a span is in a set.
func (f *Finder) hasIn(sh *sheet, s span, words set) bool {
	for i := s.from; i < s.to; i++ {
		if words.has(sh.toks[i].fold) {
			return true
		}
	}
	return false
}

// endsInCredential reports whether a span took a credential in: "Okafor, MD".
func (f *Finder) endsInCredential(sh *sheet, s span) bool {
	return s.to-s.from > 1 && f.terms.sections["staff credentials"].has(sh.toks[s.to-1].fold) && sh.toks[s.to-1].upper
}

// wordsBefore are the two words before token i in its cell, signs other than a comma
// skipped.
func (f *Finder) wordsBefore(sh *sheet, i int) (one, two string) {
	var found []string
	for k := i - 1; k >= sh.toks[i].cell[0] && len(found) < 2; k-- {
		if t := &sh.toks[k]; t.kind != sign || t.text == "," {
			found = append(found, t.fold)
		}
	}
	found = append(found, "", "")
	return found[0], found[1]
}

// wordAfter is the word behind token i-1 in its cell, over a comma or a bracket, its stops
// left out: "m.d." is "md".
func (f *Finder) wordAfter(sh *sheet, i int) string {
	if i == 0 || i >= sh.toks[i-1].cell[1] {
		return ""
	}
	end, k := sh.toks[i-1].cell[1], i
	if strings.Contains(",(/-", sh.toks[k].text) {
		k++
	}
	word := ""
	for ; k < end && len(word) < 6; k++ {
		t := &sh.toks[k]
		if t.kind != letters || word != "" && len(t.text) > 2 {
			break
		}
		word += t.fold
		if len(t.text) > 2 || k+1 >= end || sh.toks[k+1].text != "." {
			break
		}
		k++ // over the stop
	}
	return word
}

// labelOf is the label that a value at token i belongs to: the nearest before it in its
// row, with no other text of another cell between, else the one over it.
func (sh *sheet) labelOf(i int) *label {
	row := sh.toks[i].row
	var best *label
	for n := range sh.labels {
		l := &sh.labels[n]
		if sh.toks[l.from].row == row && l.to <= i && (best == nil || l.from > best.from) {
			best = l
		}
	}
	if best != nil && (i-best.to <= 4 || sh.toks[i].cell[0] == best.to) {
		return best
	}
	return sh.labelOver(i)
}

// labelOver is the nearest label that stands over token i in the rows above, headers of
// tables included.
func (sh *sheet) labelOver(i int) *label {
	t := &sh.toks[i]
	var best *label
	for n := range sh.labels {
		l := &sh.labels[n]
		r := sh.toks[l.from].row
		if r >= t.row || t.row-r > maxTableRows || sh.toks[l.from].x0 > t.x1 || sh.toks[l.to-1].x1 < t.x0 {
			continue
		}
		if best == nil || r > sh.toks[best.from].row {
			best = l
		}
	}
	return best
}

// maxTableRows is how far below its header a name is still of that column.
const maxTableRows = 8

// isStaffLabel reports whether a label names somebody of the staff: "Attending", "Signed
// by", "Technologist".
func (f *Finder) isStaffLabel(sh *sheet, l *label) bool {
	staff := false
	for i := l.from; i < l.to; i++ {
		w := sh.toks[i].fold
		if f.terms.sections["never staff labels"].has(w) {
			return false
		}
		staff = staff || f.terms.sections["staff labels"].has(w)
	}
	return staff
}
