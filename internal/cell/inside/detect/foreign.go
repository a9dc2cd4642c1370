package detect

import (
	"slices"
	"strings"
)

// foreignStreet finds "Lindenstraße 12", "12 rue de la Paix", "Calle Mayor 15, 2º".
func (f *Finder) foreignStreet(sh *sheet, i int) (span, bool) {
	t := &sh.toks[i]
	end := sh.toks[i].cell[1]
	if t.kind == letters && t.title && hasStreetEnding(t.fold) {
		k := i + 1
		if k < end && sh.toks[k].text == "." {
			k++
		}
		if k < end && isHouseNumber(&sh.toks[k]) {
			return place(i, f.addressEnd(sh, k+1, end), 0.8)
		}
	}
	if s, ok := f.germanStreet(sh, i); ok {
		return s, true
	}
	from := i
	if isHouseNumber(t) && i+1 < end { // "12, rue de la Paix"
		i++
		for i+1 < end && (sh.toks[i].kind == sign || slices.Contains([]string{"bis", "ter", "quater"}, sh.toks[i].fold)) {
			i++
		}
	}
	if !f.terms.streetHeads.has(sh.toks[i].fold) {
		return span{}, false
	}
	k, names := i+1, 0
	for k < end && k < i+8 && (sh.toks[k].title || f.terms.particles.has(sh.toks[k].fold) || strings.Contains("'’.-", sh.toks[k].text)) {
		if sh.toks[k].title {
			names++
		}
		k++
	}
	numbered := from < i
	for j := k; j < end && j <= k+2 && !numbered; j++ {
		if isHouseNumber(&sh.toks[j]) {
			numbered, k = true, j+1
		} else if sh.toks[j].kind != sign && sh.toks[j].fold != "n" && sh.toks[j].fold != "no" {
			break
		}
	}
	if names == 0 || !numbered || from == i && !sh.toks[i].title && !f.isCoded(sh, k, end) {
		return span{}, false // "via Garibaldi 12" is a street where a code and a city follow
	}
	return place(from, f.addressEnd(sh, k, end), 0.75)
}

func hasStreetEnding(w string) bool {
	for _, e := range [...]string{"strasse", "str", "weg", "platz", "allee", "gasse", "straat", "laan", "plein", "gracht", "damm", "ufer", "steig"} {
		if strings.HasSuffix(w, e) && len(w) > len(e)+2 {
			return true
		}
	}
	return false
}

// codeAndCity finds "10115 Berlin", "75011 Paris", "1012 AB Amsterdam".
func (f *Finder) codeAndCity(sh *sheet, i int) (span, bool) {
	t, end := &sh.toks[i], sh.toks[i].cell[1]
	if t.kind != number || len(t.text) < 4 || len(t.text) > 5 || i+1 >= end || sh.toks[i+1].gap == 0 {
		return span{}, false
	}
	if before := sh.beforeToken(i); before != nil && (t.gap == 0 || sh.isYear(i) && (before.kind != letters || f.terms.months.has(before.fold))) {
		return span{}, false // the end of a longer number, the year of a date
	}
	k := i + 1
	if len(t.text) == 4 && sh.toks[k].upper && len(sh.toks[k].text) == 2 && k+1 < end {
		k++
	}
	if w := &sh.toks[k]; w.title && len(w.fold) >= 3 {
		n := f.cityLength(sh, k, end)
		if n == 0 && (len(t.text) == 4 || f.isVocabulary(w)) {
			return span{}, false
		}
		return place(i, k+max(n, 1), 0.65)
	}
	return span{}, false
}

// isCoded reports whether a European postal code with its city stands at token k, signs
// skipped.
func (f *Finder) isCoded(sh *sheet, k, end int) bool {
	for k < end && sh.toks[k].kind == sign {
		k++
	}
	if k+1 < end && sh.toks[k].kind == letters && len(sh.toks[k].text) == 1 && sh.toks[k+1].text == "-" { // "D-97070"
		k += 2
	}
	if k+1 >= end || sh.toks[k].kind != number || len(sh.toks[k].text) < 4 || len(sh.toks[k].text) > 5 {
		return false
	}
	if len(sh.toks[k].text) == 4 && sh.toks[k+1].text == "-" && k+3 < end { // "1250-096 Lisboa"
		k += 2
	}
	w := &sh.toks[k+1]
	return w.title && (w.kind == letters && len(w.fold) >= 2)
}

// datelined finds the place that heads a letter's date: "Bordeaux, le 12 mars 2020",
// "Bremen, den 3.4.2020", "Madrid, a 3 de mayo".
func (f *Finder) datelined(sh *sheet, i int) (span, bool) {
	end := sh.toks[i].cell[1]
	if t := &sh.toks[i]; i != t.cell[0] || t.kind != letters || !t.title || f.terms.notNames.has(t.fold) || f.terms.weekdays.has(t.fold) || f.terms.months.has(t.fold) {
		return span{}, false
	}
	if !slices.ContainsFunc(sh.toks[i:min(end, i+5)], func(t token) bool { return t.text == "," }) {
		return span{}, false
	}
	k := i + max(1, f.cityLength(sh, i, end))
	if k+2 >= end || k-i == 1 && f.isVocabulary(&sh.toks[i]) && f.cityLength(sh, i, end) == 0 || sh.toks[k].text != "," {
		return span{}, false
	}
	lead := sh.toks[k+1].fold
	if sh.isDateHead(k + 1) {
		return place(i, k, 0.7) // "Trier, 03.06.25"
	}
	if !slices.Contains([]string{"le", "den", "a", "il", "em", "li", "dd", "de"}, lead) || digitsIn(sh.toks[k+2].text) == 0 {
		return span{}, false
	}
	return place(i, k, 0.7)
}

// isDateHead reports whether a day, a stop or stroke and a month stand at token k.
func (sh *sheet) isDateHead(k int) bool {
	end := sh.toks[k].cell[1]
	return k+3 < end && sh.toks[k].kind == number && len(sh.toks[k].text) <= 2 && strings.Contains("./-", sh.toks[k+1].text) && sh.toks[k+2].kind == number && sh.toks[k+3].text == sh.toks[k+1].text
}

// germanStreet finds "Alte Gasse 7" and "Karl-Marx-Allee 90": a word for street behind up to
// four capitalised ones, its number behind it.
func (f *Finder) germanStreet(sh *sheet, i int) (span, bool) {
	t, end := &sh.toks[i], sh.toks[i].cell[1]
	if t.kind != letters || !t.title || i > t.cell[0] && (sh.toks[i-1].title && t.gap < wideGap || sh.toks[i-1].text == "-") {
		return span{}, false
	}
	for k := i + 1; k+1 < end && k < i+7; k++ {
		w := &sh.toks[k]
		if w.title && slices.Contains(germanWays, w.fold) && isHouseNumber(&sh.toks[k+1]) && sh.toks[k+1].gap > 0 {
			return place(i, f.addressEnd(sh, k+2, end), 0.75)
		}
		if w.text != "-" && w.text != "." && !w.title {
			break
		}
	}
	return span{}, false
}

var germanWays = []string{"strasse", "str", "weg", "platz", "allee", "gasse", "ring", "damm", "ufer", "markt", "chaussee", "graben", "wall", "steig", "pfad", "straat", "laan", "plein", "kade", "dijk"}
