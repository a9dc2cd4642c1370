package detect

import (
	"slices"

	"blotter/internal/document"
)

// captionReach is how far above its caption a written value may stand, between the
// middles of their rows, in heights of the taller.
const captionReach = 3

// captions tells which rows hold captions: labels of a form that stand below what was
// written on the line, not above it. A row does if more of its labels have a fitting
// value above than below; where both fit, the nearer one counts. Where labels and values
// take turns at one pitch, the page decides: its other rows are made alike.
func (f *Finder) captions(sh *sheet) map[int]bool {
	above, below := map[int]int{}, map[int]int{}
	all := 0
	for _, l := range sh.labels {
		if l.typ == 0 || !l.alone || l.separated && !l.hashed {
			continue
		}
		r := sh.toks[l.from].row
		up, down := f.pull(sh, l)
		above[r] += up
		below[r] += down
		all += up - down
	}
	rows := map[int]bool{}
	for r, n := range above {
		if n > below[r] || n > 0 && n == below[r] && all > 0 {
			rows[r] = true
		}
	}
	return rows
}

// nearer is how many times as far away the other value must stand for one to be nearer.
const nearer = 1.25

// pull weighs the value above a label against the one below: 1 for each that fits and is
// not plainly the farther one.
func (f *Finder) pull(sh *sheet, l label) (up, down int) {
	over, hasOver := f.over(sh, l)
	beneath := f.beneath(sh, l)
	if hasOver {
		up = 1
	}
	if len(beneath) > 0 {
		down = 1
	}
	if up+down < 2 {
		return up, down
	}
	at := sh.rows[sh.toks[l.from].row].middle()
	rise := float64(at - sh.rows[sh.toks[over.from].row].middle())
	fall := float64(sh.rows[sh.toks[beneath[0].from].row].middle() - at)
	switch {
	case rise > fall*nearer:
		return 0, 1
	case fall > rise*nearer:
		return 1, 0
	}
	return 1, 1
}

// over takes the value from the row above a caption.
func (f *Finder) over(sh *sheet, l label) (span, bool) {
	at := sh.toks[l.from].row
	r := &sh.rows[at]
	if !l.alone || l.separated && !l.hashed || !r.upright {
		return span{}, false
	}
	left, right := sh.toks[l.from].x0-r.height, sh.columnEnd(l)
	for j := at - 1; j >= 0 && j >= at-maxRowsAhead; j-- {
		q := &sh.rows[j]
		tall := max(r.height, q.height)
		if !q.upright || r.middle()-q.middle() < min(r.height, q.height)/2 {
			continue
		}
		if r.middle()-q.middle() > captionReach*tall {
			break
		}
		from, to := sh.inColumn(q, l, left, right)
		if from == to {
			continue
		}
		if slices.Contains(sh.inLabel[from:to], true) || f.isProse(sh, from, to) {
			return span{}, false
		}
		s, ok := f.value(sh, l, from, to, belowScore)
		return s, ok && f.isWritten(sh, s)
	}
	return span{}, false
}

// isWritten tells what somebody wrote on a line from a heading that happens to stand
// above a label: names and places must be known ones or no words at all.
func (f *Finder) isWritten(sh *sheet, s span) bool {
	switch s.typ {
	case document.Name:
		return s.to-s.from <= 6 && f.isWrittenName(sh.toks[s.from:s.to])
	case document.Place:
		return hasDigits(sh.toks[s.from:s.to]) || f.cityLength(sh, s.from, s.to) > 0 || f.stateEnd(sh, s.from, s.to) == s.to || f.isStrange(sh, s.from, s.to)
	case document.Organisation:
		return false // a heading names one more often than somebody writes one
	}
	return true
}

// isWrittenName reports whether words are names. An ordinary word may be the family name
// where a given name of many stands behind a comma: "CHEEKS, EBONY".
func (f *Finder) isWrittenName(toks []token) bool {
	named, given, ordinary, comma := 0, false, 0, false
	for i := range toks {
		t := &toks[i]
		switch {
		case t.kind == sign:
			comma = comma || t.text == ","
		case t.kind != letters || f.terms.facilities.has(t.fold):
			return false
		case f.terms.notNames.has(t.fold) || f.isVocabulary(t) && !t.entry.IsName():
			ordinary++
		default:
			named++
			given = given || comma && t.entry.Births() > knownBirths
		}
	}
	return named > 0 && (ordinary == 0 || ordinary == 1 && given)
}

// isStrange reports whether a cell holds capitalised words that no vocabulary has.
func (f *Finder) isStrange(sh *sheet, from, to int) bool {
	return to-from <= 4 && !slices.ContainsFunc(sh.toks[from:to], func(t token) bool {
		return t.kind == letters && (!t.title || f.isVocabulary(&t)) || t.kind == number || t.kind == mixed
	})
}
