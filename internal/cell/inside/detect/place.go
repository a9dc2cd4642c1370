package detect

import (
	"slices"
	"strings"

	"blotter/internal/cell/inside/detect/lexicon"
	"blotter/internal/document"
)

// placeScore is the score from which a word is taken for a place.
const placeScore = 0.55

// places finds streets, cities with what stands around them, postal codes, and
// organisations.
func (f *Finder) places(sh *sheet) []span {
	var out []span
	for i := 0; i < len(sh.toks); {
		end := i
		for _, match := range []func(*sheet, int) (span, bool){f.street, f.foreignStreet, f.beforeCode, f.beforePostcode, f.beforeZIP, f.datelined, f.cityBeforeZIP, f.stateAndZIP, f.codeAndCity, f.organisation, f.city} {
			if s, ok := match(sh, i); ok {
				out = append(out, s)
				end = max(end, s.to)
			}
		}
		i = max(end, i+1)
	}
	return out
}

func place(from, to int, score float64) (span, bool) {
	return span{from, to, document.Place, score, document.ByPlace}, true
}

// streetTokens is the most tokens between a house number and the word for the street.
const streetTokens = 6

// street finds "1425 N. Oak Hill Ave, Apt 4B": a house number, names, a word for street.
func (f *Finder) street(sh *sheet, i int) (span, bool) {
	t := &sh.toks[i]
	if !isHouseNumber(t) || i > 0 && sh.toks[i].gap == 0 && strings.Contains("/-.", sh.toks[i-1].text) {
		return span{}, false
	}
	end, first := sh.toks[i].cell[1], i
	if i+2 < end && sh.toks[i+1].text == "-" && sh.toks[i+1].gap == 0 && sh.toks[i+2].gap == 0 && isHouseNumber(&sh.toks[i+2]) {
		i += 2 // "86-14 Elm St"
	}
	for k := i + 1; k < end && k <= i+1+streetTokens; k++ {
		w := &sh.toks[k]
		if k > i+1 && f.isStreetWord(w) && (w.title || len(w.fold) > 4) && sh.isStreetName(k-1) && !f.isSaint(sh, k, end) {
			return place(first, f.addressEnd(sh, k+1, end), 0.8)
		}
		if sh.rows[t.row].caps && f.terms.nameStop.has(w.fold) {
			break // "ROOM 3 WILL BE SEEN BY DR."
		}
		if w.kind == sign && !strings.Contains(".-'’", w.text) || w.kind == letters && !w.title || w.kind == number && k > i+1 {
			break
		}
	}
	return span{}, false
}

// isStreetWord accepts a word for street, a long one with a slip if it is no word then.
func (f *Finder) isStreetWord(t *token) bool {
	if f.terms.streetWords.has(t.fold) {
		return true
	}
	if len(t.fold) < 5 || t.kind == sign || t.kind == number || f.isVocabulary(t) || t.entry.IsName() {
		return false
	}
	for w := range f.terms.sections["long street words"] {
		if len(w) >= 5 && oneSlip(w, t.fold) {
			return true
		}
	}
	return false
}

// isSaint tells "St. Mary Road" from "Mary St.": more of a street follows.
func (f *Finder) isSaint(sh *sheet, k, end int) bool {
	if sh.toks[k].fold != "st" && sh.toks[k].fold != "mt" {
		return false
	}
	for j := k + 1; j < end && j < k+4 && sh.toks[j].text != ","; j++ {
		if sh.toks[j].fold != "st" && f.terms.streetWords.has(sh.toks[j].fold) && sh.toks[j].title {
			return true
		}
	}
	return false
}

func (sh *sheet) isStreetName(k int) bool {
	if sh.toks[k].kind == sign {
		k--
	}
	t := &sh.toks[k]
	return t.title || t.kind == mixed && len(t.text) <= 5
}

// isHouseNumber accepts 1–6 digits, perhaps with a letter or misread.
func isHouseNumber(t *token) bool {
	n := digitsIn(t.text)
	return (t.kind == number || t.kind == mixed) && n >= 1 && len(t.text) <= 6 && n >= len(t.text)-1
}

// addressEnd moves over a flat's number, and over city, state and postal code where they
// follow on the same line.
func (f *Finder) addressEnd(sh *sheet, k, end int) int {
	last := k
	for j := k; j < end && j < k+14; j++ {
		t := &sh.toks[j]
		switch {
		case sh.inLabel[j], sh.isBehindZIP(f, j):
			return last
		case t.kind == sign && strings.Contains(".,#-–'/", t.text):
			continue
		case f.terms.sections["flats"].has(t.fold), t.kind == number && len(t.text) <= 6, t.kind == mixed && len(t.text) <= 7:
		case j > k+1 && t.title && f.isPlaceLead(&sh.toks[j-1]) && isPostalCode(sh, j-2): // "3732 HJ De Bilt"
		case j == k && len(t.text) == 1 && t.kind == letters && isHouseNumber(&sh.toks[j-1]): // "118 b"
		case len(t.text) == 1 && t.upper && sh.isFlat(f, j-1): // "Apt U", "Ste. X"
		case j > k && f.terms.sections["address bits"].has(t.fold) && sh.toks[j-1].text == ",":
		case j > k && t.title && isPostalCode(sh, j-1): // "1200-195 Lisboa", "1016 EA Amsterdam"
		case t.title && (j == k && !(sh.rows[t.row].caps && f.terms.notNames.has(t.fold)) || f.isPlaceWord(sh, t) || f.leadsToPlace(sh, j+1, end)):
		default:
			return last
		}
		last = j + 1
	}
	return last
}

// isBehindZIP reports whether token j stands behind a state and its ZIP code, which end an
// address; the code's own last four digits do not.
func (sh *sheet) isBehindZIP(f *Finder, j int) bool {
	t := &sh.toks[j]
	z := j - 1
	if z > 2 && sh.toks[z].kind == number && len(sh.toks[z].text) == 4 && sh.toks[z-1].text == "-" {
		z -= 2
	}
	if z < 1 || t.gap == 0 || !isZIP(&sh.toks[z]) {
		return false
	}
	s := &sh.toks[z-1]
	if s.kind == sign && z > 1 {
		s = &sh.toks[z-2]
	}
	return s.upper && f.terms.stateCodes.has(s.fold) || s.kind == letters && f.terms.stateNames.has(s.fold)
}

// isFlat reports whether the word for a flat stands at token j, or before a sign there.
func (sh *sheet) isFlat(f *Finder, j int) bool {
	if sh.toks[j].kind == sign && j > 0 {
		j--
	}
	return f.terms.sections["flats"].has(sh.toks[j].fold)
}

// isPlaceLead accepts the first word of places that have two: "De Bilt", "Bad Homburg".
func (f *Finder) isPlaceLead(t *token) bool {
	return f.terms.particles.has(t.fold) || slices.Contains([]string{"bad", "sankt", "saint", "san", "santa", "sint"}, t.fold)
}

// isPostalCode reports whether a European postal code ends with token j.
func isPostalCode(sh *sheet, j int) bool {
	t := &sh.toks[j]
	if t.upper && len(t.text) == 2 && j > 0 {
		t = &sh.toks[j-1]
		return t.kind == number && len(t.text) == 4
	}
	return t.kind == number && len(t.text) >= 3
}

func (f *Finder) isPlaceWord(sh *sheet, t *token) bool {
	return t.entry.Has(lexicon.USPlace|lexicon.City) || f.terms.stateNames.has(t.fold) || t.upper && f.terms.stateCodes.has(t.fold) ||
		f.terms.sections["directions"].has(t.fold) || f.terms.streetWords.has(t.fold) ||
		t.upper && len(t.text) == 2 && isPostalCode(sh, t.index)
}

// leadsToPlace reports whether a state or a postal code follows soon.
func (f *Finder) leadsToPlace(sh *sheet, j, end int) bool {
	for k := j; k < end && k < j+5; k++ {
		t := &sh.toks[k]
		if t.upper && f.terms.stateCodes.has(t.fold) || f.terms.stateNames.has(t.fold) || isZIP(t) {
			return true
		}
	}
	return false
}

// isZIP accepts five characters that are digits or were, four of them for sure.
func isZIP(t *token) bool {
	return len(t.text) == 5 && digitsIn(t.text) >= 4 && digitsIn(misread.Replace(t.text)) == 5
}

// stateAndZIP finds the postal code behind a state. The state itself may stay.
func (f *Finder) stateAndZIP(sh *sheet, i int) (span, bool) {
	k := f.zipAfterState(sh, i)
	if k < 0 {
		return span{}, false
	}
	to := k + 1
	if end := sh.toks[i].cell[1]; to+1 < end && sh.toks[to].text == "-" && sh.toks[to+1].kind == number && len(sh.toks[to+1].text) == 4 {
		to += 2
	}
	return place(k, to, 0.85)
}

// zipAfterState returns the postal code behind the state at token i; -1 for none.
func (f *Finder) zipAfterState(sh *sheet, i int) int {
	if t := &sh.toks[i]; t.kind != letters && !f.isMisreadState(t) || !t.title && t.kind == letters {
		return -1
	}
	end := sh.toks[i].cell[1]
	k := f.stateEnd(sh, i, end)
	if k == i {
		return -1
	}
	for k < end && sh.toks[k].kind == sign && strings.Contains(",.", sh.toks[k].text) {
		k++
	}
	if k >= end || !isZIP(&sh.toks[k]) {
		return -1
	}
	return k
}

// cityTokens bounds a city's name, in tokens: "Rancho Santa Margarita", "Winston-Salem".
const cityTokens = 5

// cityBeforeZIP takes the capitalised words before a state with its code for a city,
// listed or not.
func (f *Finder) cityBeforeZIP(sh *sheet, i int) (span, bool) {
	if !sh.toks[i].title || sh.toks[i].kind != letters || f.zipAfterState(sh, i) >= 0 && sh.toks[i].upper && len(sh.toks[i].text) == 2 {
		return span{}, false
	}
	end := sh.toks[i].cell[1]
	for k := i + 1; k <= i+cityTokens; k++ {
		if k == end {
			return f.cityApart(sh, i)
		}
		t := &sh.toks[k]
		if f.zipAfterState(sh, k) >= 0 {
			return place(i, k, 0.85)
		}
		if !t.title && !(t.kind == sign && strings.Contains(",.-'’", t.text)) && (t.kind != letters || f.isVocabulary(t)) { // "Ypsi lanti"
			break
		}
	}
	return span{}, false
}

// stateEnd returns the end of a state's name or code at token i; i for none.
func (f *Finder) stateEnd(sh *sheet, i, end int) int {
	if sh.toks[i].upper && f.terms.stateCodes.has(sh.toks[i].fold) || f.isMisreadState(&sh.toks[i]) {
		return i + 1
	}
	if !f.terms.stateFirsts.has(sh.toks[i].fold) {
		return i
	}
	for n := 3; n >= 1; n-- {
		if i+n <= end && f.terms.stateNames.has(sh.phrase(i, i+n)) {
			return i + n
		}
	}
	return i
}

// isMisreadState accepts a state's code with a digit in it: "0H".
func (f *Finder) isMisreadState(t *token) bool {
	return t.kind == mixed && len(t.text) == 2 && t.text[0] == '0' && t.upper && f.terms.stateCodes.has(readAsLetters.Replace(t.fold))
}

// phrase writes tokens as the lists hold them.
func (sh *sheet) phrase(from, to int) string {
	if to == from+1 {
		return sh.toks[from].fold
	}
	var b strings.Builder
	for k := from; k < to; k++ {
		if k > from && sh.toks[k].gap > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(sh.toks[k].fold)
	}
	return b.String()
}

// cityLength is how many tokens from i on are a listed place; 0 for none.
func (f *Finder) cityLength(sh *sheet, i, end int) int {
	for n := 4; n >= 1; n-- {
		if i+n > end || !sh.toks[i+n-1].title {
			continue
		}
		name := sh.phrase(i, i+n)
		if rest, ok := strings.CutPrefix(name, "st. "); ok {
			name = "saint " + rest
		}
		if f.lex.Lookup(name).Has(lexicon.USPlace | lexicon.City) {
			return n
		}
	}
	return 0
}

// city weighs a listed place, or an unknown capitalised word, by its context.
func (f *Finder) city(sh *sheet, i int) (span, bool) {
	t := &sh.toks[i]
	if t.kind != letters || !t.title || len(t.fold) < 3 && t.fold != "st" || f.stateEnd(sh, i, sh.toks[i].cell[1]) > i {
		return span{}, false
	}
	end := sh.toks[i].cell[1]
	n := f.cityLength(sh, i, end)
	s, listed := 0.0, n > 0
	if n == 0 {
		n = 1
	}
	if before := sh.beforeToken(i); before != nil && f.terms.beforePlace.has(before.fold) {
		s += 0.35
	}
	if k := i + n; k+1 < end && sh.toks[k].text == "," && f.stateEnd(sh, k+1, end) > k+1 && (len(sh.toks[k+1].fold) > 2 || !f.terms.credentials.has(sh.toks[k+1].fold) || listed) {
		s += 0.6
	}
	e := t.entry
	switch {
	case listed && n == 1 && (e.Has(lexicon.Common) || f.isVocabulary(t) && !e.Has(lexicon.Proper) || f.terms.eponyms.has(t.fold)):
		s += 0.05
	case listed && n > 1:
		s += 0.55
	case listed:
		s += 0.4
	case s < 0.35 || f.isVocabulary(t) || f.terms.clinical.has(t.fold):
		return span{}, false
	default:
		s += 0.2
	}
	if k := i + n; k < end && f.terms.eponymHeads.has(sh.toks[k].fold) && s < 0.9 {
		s -= 0.5 // "Ann Arbor classification", "Boston brace"
	}
	if s < placeScore {
		return span{}, false
	}
	return place(i, i+n, min(s, 0.9))
}

// organisation finds "Mercy General Hospital", "Klinikum Stuttgart", "Hospital of St. Ann":
// capitalised words around one that says what the house is.
func (f *Finder) organisation(sh *sheet, i int) (span, bool) {
	t, end := &sh.toks[i], sh.toks[i].cell[1]
	if !t.title || t.kind != letters || f.terms.titles.has(t.fold) && t.fold != "st" {
		return span{}, false
	}
	if i > sh.rows[t.row].from && t.gap < wideGap && sh.toks[i-1].title && !f.terms.notNames.has(sh.toks[i-1].fold) {
		return span{}, false // only from the first word of the run
	}
	last, named := -1, false
	for k := i; k < end && k < i+10; k++ {
		w := &sh.toks[k]
		if w.text == "." && f.endsSentence(sh, k, i) || k > i && !named && sh.isInitial(k) {
			break // "Lab L. Bradford General Surgery" is a visit
		}
		if w.kind == sign && strings.Contains(".&-'’", w.text) || k > i && slices.Contains(joiners, w.fold) {
			continue
		}
		if w.kind == sign && w.text == "," && k+1 < end && sh.toks[k+1].title && slices.ContainsFunc(sh.toks[k+1:min(end, k+6)], func(t token) bool { return f.terms.facilities.has(t.fold) }) {
			continue // "Nielsen, Jimenez and Aguilar Hospital"
		}
		if !w.title || w.kind != letters {
			break
		}
		switch {
		case f.terms.facilities.has(w.fold):
			last = k
		case f.terms.facilityLead.has(w.fold):
			named = named || len(w.fold) > 2 && f.terms.sections["saintly leads"].has(w.fold)
		case !f.terms.notNames.has(w.fold) && (!f.isVocabulary(w) || w.entry.Has(namesAndPlaces) || w.entry.IsName() || f.terms.eponyms.has(w.fold)):
			named = true
			if last >= 0 && last < k {
				last = k // "Klinikum Stuttgart"
			}
		}
	}
	person := len(t.text) == 1 && i+1 < end && sh.toks[i+1].text == "." || sh.isBehindInitial(i)
	if last >= 0 && person && (f.terms.sections["specialties"].has(sh.toks[last].fold) || sh.toks[last].fold == "lab") {
		return span{}, false // "A. Dagton  Internal Medicine" is a person and a specialty
	}
	for last > i && f.isLeadIn(sh, i) {
		i++ // "Performed at Mercy Hospital"
	}
	if last > i+1 && named && f.isHouseLabel(sh, i) {
		i++ // "Pharmacy Copper Hills Hospital"
	}
	if last < 0 || !named || last == i {
		return span{}, false
	}
	return span{i, last + 1, document.Organisation, 0.65, document.ByPlace}, true
}

// isLeadIn reports whether token i leads to the name of a house and is no part of it.
func (f *Finder) isLeadIn(sh *sheet, i int) bool {
	leads := func(w string) bool { return w == "at" || w == "by" || w == "to" || w == "from" }
	t := &sh.toks[i]
	if leads(t.fold) {
		return !t.title || sh.rows[t.row].caps
	}
	return t.title && t.entry.Has(lexicon.Common) && !t.entry.IsName() && i+1 < len(sh.toks) && leads(sh.toks[i+1].fold)
}

var joiners = []string{"of", "the", "and", "at", "for", "de", "la", "del", "des", "der", "di", "von", "du", "am", "an", "im", "zu", "zum", "zur", "bei"}

// continueAddresses covers the lines below an address that belong to it: a flat, the city
// with its code, and nothing else.
func (f *Finder) continueAddresses(sh *sheet, found []span) []span {
	var out []span
	todo := slices.DeleteFunc(slices.Clone(found), func(s span) bool { return s.typ != document.Place || s.score < 0.7 })
	for n := 0; n < len(todo) && n < len(sh.toks); n++ {
		s := todo[n]
		from, to, ok := sh.cellBelow(s.from)
		if !ok || !f.isAddressLine(sh, from, to) {
			continue
		}
		next, _ := place(from, to, 0.7)
		out = append(out, next)
		todo = append(todo, next)
	}
	return out
}

// cellBelow is the cell right below the one that token i stands in, with the same left
// edge or under i itself.
func (sh *sheet) cellBelow(i int) (int, int, bool) {
	r := &sh.rows[sh.toks[i].row]
	start := sh.toks[i].cell[0]
	for j := sh.toks[i].row + 1; j < len(sh.rows) && j <= sh.toks[i].row+maxRowsAhead; j++ {
		q := &sh.rows[j]
		if !q.upright || q.middle() <= r.middle()+r.height/2 {
			continue
		}
		if q.middle()-r.middle() > 5*r.height/2 {
			break
		}
		for k := q.from; k < q.to; k++ {
			if sh.toks[k].gap >= wideGap && (abs(sh.toks[k].x0-sh.toks[start].x0) <= r.height || abs(sh.toks[k].x0-sh.toks[i].x0) <= r.height) {
				return k, sh.toks[k].cell[1], true
			}
		}
	}
	return 0, 0, false
}

// cellAbove is the cell right above the one that begins with token i, with the same left
// edge, within the reach of a caption.
func (sh *sheet) cellAbove(i int) (int, int, bool) {
	at := sh.toks[i].row
	r := &sh.rows[at]
	for j := at - 1; j >= 0 && j >= at-maxRowsAhead; j-- {
		q := &sh.rows[j]
		if !q.upright || r.middle()-q.middle() < min(r.height, q.height)/2 {
			continue
		}
		if r.middle()-q.middle() > captionReach*max(r.height, q.height) {
			break
		}
		for k := q.from; k < q.to; k = sh.toks[k].cell[1] {
			if abs(sh.toks[k].x0-sh.toks[i].x0) <= r.height {
				return k, sh.toks[k].cell[1], true
			}
		}
	}
	return 0, 0, false
}

// isAddressLine reports whether a cell continues an address: short, capitalised, with a
// state, a code, a flat or a listed place.
func (f *Finder) isAddressLine(sh *sheet, from, to int) bool {
	if to-from > 12 || slices.ContainsFunc(sh.toks[from:to], func(t token) bool { return t.text == ":" }) {
		return false
	}
	hit := false
	for k := from; k < to; k++ {
		t := &sh.toks[k]
		if t.kind == letters && !t.title && !f.terms.particles.has(t.fold) {
			return false
		}
		hit = hit || isZIP(t) || k > from && t.upper && len(t.text) == 2 && f.terms.stateCodes.has(t.fold) && sh.toks[k-1].text == "," ||
			f.terms.sections["flats"].has(t.fold) && k+1 < to
	}
	return hit || f.cityLength(sh, from, to) == to-from && !f.isVocabulary(&sh.toks[from]) || f.terms.stateNames.has(sh.phrase(from, to))
}
