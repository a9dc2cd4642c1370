package detect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"blotter/internal/cell/inside/detect/lexicon"
	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// hints is what the caller said of the subject, made ready to be sought. All of it is
// compared by labelKey, which makes letters equal that readers confuse.
type hints struct {
	names     map[string]bool // words of names; true: also an ordinary word, so only with a capital
	initials  set             // first letters of names
	dates     set             // digits in every order, padded: 01021950, 500102 …
	numbers   []string
	addresses [][]string // the words of each
}

const (
	hintScore = 0.95
	// hintWordScore is for words of a name that are ordinary words too (May, Will).
	hintWordScore = 0.7
	// shortestHint is the shortest number or word of a name that is sought, in characters.
	shortestHint = 3
	// maxHints bounds each list of the subject; the caller is trusted, but the work per word
	// grows with it.
	maxHints = 100
)

// newHints reads the subject; what it cannot read (a date that is none) it leaves out.
func (f *Finder) newHints(s words.Subject) *hints {
	h := &hints{names: map[string]bool{}, initials: set{}, dates: set{}}
	for _, name := range first(s.Names) {
		for _, w := range splitWords(name) {
			if len([]rune(w)) >= 2 && !f.terms.titles.has(w) && !f.terms.particles.has(w) {
				e := f.lex.Lookup(w)
				h.initials[labelKey(string([]rune(w)[:1]))] = struct{}{}
				h.names[labelKey(w)] = e.Has(plainWords) || f.terms.clinical.has(w) || len(w) < shortestHint
			}
		}
	}
	for _, d := range first(s.Dates) {
		if t, err := time.Parse(time.DateOnly, d); err == nil {
			for _, form := range dateForms(t) {
				h.dates[form] = struct{}{}
			}
		}
	}
	for _, n := range first(s.Numbers) {
		for _, form := range dialForms(n) {
			if key := labelKey(form); len(key) > shortestHint && !slices.Contains(h.numbers, key) {
				h.numbers = append(h.numbers, key)
			}
		}
	}
	for _, a := range first(s.Addresses) {
		var keys []string
		for _, w := range splitWords(a) {
			keys = append(keys, labelKey(w))
		}
		h.addresses = append(h.addresses, keys)
	}
	return h
}

func first(list []string) []string { return list[:min(len(list), maxHints)] }

// splitWords cuts a text as pages are cut, signs left out.
func splitWords(s string) []string {
	var out []string
	for _, c := range cut(s) {
		if w := lexicon.Fold(c.text); labelKey(w) != "" {
			out = append(out, strings.TrimSuffix(w, "'s"))
		}
	}
	return out
}

// dialForms writes a number as it was given and, where it is a telephone number with its
// country, as it is dialled at home: without the country, and with a zero in its stead.
func dialForms(n string) []string {
	out := []string{n}
	digits := digitsOnly(n)
	foreign, long := strings.HasPrefix(strings.TrimSpace(n), "+"), len(digits) >= 10
	if rest, ok := strings.CutPrefix(digits, "00"); ok && long {
		digits, foreign = rest, true
	}
	if !foreign || !long {
		return out
	}
	for country := 1; country <= 3; country++ {
		if home := digits[country:]; len(home) >= shortestHome {
			out = append(out, home, "0"+home)
		}
	}
	return out
}

// shortestHome is the shortest telephone number within a country that is sought without
// its country, in digits.
const shortestHome = 8

// dateForms writes a date in digits, in the orders in which people do.
func dateForms(t time.Time) []string {
	y, m, d := fmt.Sprintf("%04d", t.Year()), fmt.Sprintf("%02d", int(t.Month())), fmt.Sprintf("%02d", t.Day())
	var out []string
	for _, year := range []string{y, y[2:]} {
		out = append(out, m+d+year, d+m+year, year+m+d)
	}
	return out
}

// hinted seeks the subject.
func (f *Finder) hinted(sh *sheet, h *hints) []span {
	var out []span
	for i := range sh.toks {
		t := &sh.toks[i]
		if t.kind == sign {
			continue
		}
		if s, ok := h.name(f, t); ok {
			from, to := h.withInitials(sh, i)
			out = append(out, span{from, to, document.Name, s, document.ByHint})
		} else if h.parted(sh, i) {
			out = append(out, span{i, i + 2, document.Name, 0.9, document.ByHint})
		}
		if len(h.dates) > 0 {
			if to := f.hintedDate(sh, h, i); to > i {
				out = append(out, span{i, to, document.Date, hintScore, document.ByHint})
			}
		}
		if to := h.number(sh, i); to > i {
			out = append(out, span{i, to, document.Code, hintScore, document.ByHint})
		}
		if to := h.address(sh, i); to > i {
			out = append(out, span{i, to, document.Place, hintScore, document.ByHint})
		}
	}
	return out
}

// name compares one token with the words of the subject's names: one slip from 5 letters,
// two from 9. Glued words ("JohnSmith") hold the name whole.
func (h *hints) name(f *Finder, t *token) (float64, bool) {
	key := labelKey(t.fold)
	if len(key) > 60 {
		return 0, false
	}
	if ordinary, ok := h.names[key]; ok {
		if ordinary {
			return hintWordScore, t.title
		}
		return hintScore, true
	}
	if len(key) < 4 || t.entry.Has(plainWords) {
		return 0, false
	}
	best := 0.0
	for name, ordinary := range h.names {
		slips := 0
		switch {
		case len(name) >= 9:
			slips = 2
		case len(name) >= 5:
			slips = 1
		}
		if !ordinary && (within(name, key, slips) || len(name) >= 4 && strings.Contains(key, name) && !f.isVocabulary(t)) {
			best = 0.9
		}
	}
	return best, best > 0
}

// parted reports whether tokens i and i+1 are a word of a name that a reader cut in two.
func (h *hints) parted(sh *sheet, i int) bool {
	if i+1 >= sh.toks[i].cell[1] || sh.toks[i].kind == sign || sh.toks[i+1].kind == sign || len(h.names) == 0 {
		return false
	}
	key := labelKey(sh.toks[i].fold + sh.toks[i+1].fold)
	ordinary, ok := h.names[key]
	return ok && !ordinary && len(key) >= fuzzyFrom
}

// withInitials adds the initials of the subject's other names that stand beside token i:
// "Q. Zporova", "Zporova, Q".
func (h *hints) withInitials(sh *sheet, i int) (from, to int) {
	from, to = i, i+1
	cell := sh.toks[i].cell
	k := i - 1
	if k >= cell[0] && sh.toks[k].text == "." {
		k--
	}
	if k >= cell[0] && h.isInitial(&sh.toks[k]) {
		from = k
	}
	k = i + 1
	if k < cell[1] && sh.toks[k].text == "," {
		k++
	}
	if k < cell[1] && h.isInitial(&sh.toks[k]) {
		to = k + 1
	}
	return from, to
}

func (h *hints) isInitial(t *token) bool {
	return t.kind == letters && t.upper && len(t.text) == 1 && h.initials.has(labelKey(t.fold))
}

// dateTokens is the most tokens of a date: "January 2nd, of 1950" with its signs.
const dateTokens = 8

// hintedDate returns the end of the subject's date that begins with token i; i for none.
func (f *Finder) hintedDate(sh *sheet, h *hints, i int) int {
	key, end := "", i
	for k := i; k < sh.rows[sh.toks[i].row].to && k < i+dateTokens && len(key) < 8; k++ {
		t := &sh.toks[k]
		if k > i && t.gap >= wideGap {
			break
		}
		if t.kind == sign {
			continue
		}
		if m := monthNumber(t.fold); m > 0 {
			key += fmt.Sprintf("%02d", m)
		} else if n := digitsOnly(misread.Replace(trimOrdinal(t.text))); n != "" {
			if len(n) == 1 {
				n = "0" + n
			}
			key += n
		} else if k == i || len(t.fold) > 3 {
			break
		}
		if h.dates.has(key) {
			end = k + 1
		}
	}
	return end
}

func trimOrdinal(s string) string {
	for _, e := range [...]string{"st", "nd", "rd", "th"} {
		if n := strings.TrimSuffix(s, e); n != s {
			return n
		}
	}
	return s
}

// monthNumber reads a month's name in the languages of the labels; 0 for none.
func monthNumber(w string) int {
	if len(w) < 3 {
		return 0
	}
	for i, prefixes := range [...]string{"jan ene gen", "feb fev", "mar mae maa mrz", "apr avr abr", "may mai mei mag", "jun juin giu",
		"jul juil lug", "aug aou ago", "sep set", "oct okt ott out", "nov", "dec dez dic"} {
		if slices.ContainsFunc(strings.Fields(prefixes), func(p string) bool { return strings.HasPrefix(w, p) }) && len(w) <= 10 {
			return i + 1
		}
	}
	return 0
}

// number returns the end of a number of the subject that begins with token i; i for none.
// Spaces and hyphens do not matter; from 8 characters one may be wrong.
func (h *hints) number(sh *sheet, i int) int {
	if len(h.numbers) == 0 {
		return i
	}
	key := ""
	for k := i; k < sh.rows[sh.toks[i].row].to && k < i+10 && len(key) < 40; k++ {
		if k > i && sh.toks[k].gap >= wideGap {
			break
		}
		if sh.toks[k].kind == sign {
			continue
		}
		key += labelKey(sh.toks[k].fold)
		for _, n := range h.numbers {
			if key == n || len(n) >= 8 && oneSlip(n, key) || k == i && len(n) >= 5 && strings.Contains(key, n) {
				return k + 1
			}
		}
	}
	return i
}

// address returns the end of a stretch of the subject's address that begins with token i:
// two words in their order, or one that is a long number.
func (h *hints) address(sh *sheet, i int) int {
	for _, a := range h.addresses {
		key := labelKey(sh.toks[i].fold)
		at := slices.Index(a, key)
		if at < 0 {
			continue
		}
		end, n := i+1, 1
		for k := i + 1; k < sh.rows[sh.toks[i].row].to && at+1 < len(a); k++ {
			if sh.toks[k].kind == sign {
				continue
			}
			if next := labelKey(sh.toks[k].fold); next != a[at+1] && !(len(next) >= fuzzyFrom && oneSlip(next, a[at+1])) {
				break
			}
			at++
			n++
			end = k + 1
		}
		if _, err := strconv.Atoi(sh.toks[i].fold); n >= 2 || err == nil && len(key) >= 5 {
			return end
		}
	}
	return i
}
