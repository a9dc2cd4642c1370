package detect

import "blotter/internal/cell/inside/detect/lexicon"

// initialsBefore counts the initials with their stops before token i, and tells whether a
// title, or what somebody did, stands before them. Two letters that abbreviate something
// else ("U. S.") are none.
func (f *Finder) initialsBefore(sh *sheet, i int) (n int, titled bool) {
	key := ""
	start := sh.toks[i].cell[0]
	k := i
	for k-2 >= start && n < 4 && sh.toks[k-1].text == "." && sh.toks[k-2].kind == letters && len([]rune(sh.toks[k-2].text)) == 1 {
		key = sh.toks[k-2].fold + key
		k -= 2
		n++
	}
	if n == 0 {
		return 0, false
	}
	a := f.around(sh, k)
	titled = f.isTitled(a) || a.before == "by" && f.terms.sections["done by somebody"].has(a.before2)
	if !titled && (n < 2 || !sh.toks[k].title || f.terms.sections["spelt abbreviations"].has(key)) {
		return 0, false
	}
	return n, titled
}

// isInitialSurname accepts a family name that is a word, too, behind an initial that no word
// such as "hepatitis" or "type" claims.
func (f *Finder) isInitialSurname(sh *sheet, i int) bool {
	t := &sh.toks[i]
	if !t.title || len(t.fold) < 4 || !t.entry.Has(lexicon.Surname) && t.entry.Births() < 500 || !sh.isBehindInitial(i) {
		return false
	}
	k := i - 2
	return k == t.cell[0] || !f.terms.sections["lettered"].has(sh.toks[k-1].fold)
}

// isSmallTitled accepts a word in small letters behind a title if no vocabulary has it:
// "Mr. whelan", "Mr. F. x. whelan".
func (f *Finder) isSmallTitled(sh *sheet, t *token, a around) bool {
	if len(t.fold) < 3 || f.isVocabulary(t) || !f.mayFollowTitle(t) {
		return false
	}
	if a.before == "." && f.terms.titles.has(a.before2) {
		return true
	}
	_, titled := f.initialsBefore(sh, t.index)
	return titled
}

// isFramed reports whether a capitalised word stands where a family name does, whatever
// it means: behind an initial ("Rosalind C. Strong"), before a suffix or a credential, or
// alone in its cell with a given name that is no other word.
func (f *Finder) isFramed(sh *sheet, k int) bool {
	cell := sh.toks[k].cell
	if k-2 > cell[0] && sh.toks[k-1].text == "." && len([]rune(sh.toks[k-2].text)) == 1 && sh.toks[k-2].title {
		return true
	}
	if f.prior(&sh.toks[k-1]) < 0.6 {
		return false
	}
	if k+1 < cell[1] && sh.toks[k+1].gap > 0 && sh.toks[k+1].upper && f.terms.sections["name suffixes"].has(sh.toks[k+1].fold) {
		return true // "Javon Cheeks II"
	}
	credential := k+2 < cell[1] && sh.toks[k+1].text == "," && f.isCredential(&sh.toks[k+2])
	return credential || k == cell[0]+1 && k+1 == cell[1]
}

// isMisreadTitled accepts a word behind a title in which a reader took one letter for a
// digit: "Mr. 5mith".
func (f *Finder) isMisreadTitled(sh *sheet, t *token) bool {
	return t.kind == mixed && digitsIn(t.text) == 1 && len(t.fold) >= gluedHead && f.isTitled(f.around(sh, t.index)) && !f.isKnownCode(t.fold)
}

// isGivenWord accepts an ordinary word with a capital that many are called: Will, Joy.
func (f *Finder) isGivenWord(t *token) bool {
	return t.title && !t.upper && t.entry.Births() > 20_000
}

// isWordPair accepts either of two ordinary words that are names both, before what people
// do: "Will Hope denies".
func (f *Finder) isWordPair(t *token, a around) bool {
	with := func(given, family, verb *token) bool {
		return given != nil && family != nil && verb != nil && f.isGivenWord(given) && family.title && !family.upper &&
			(family.entry.Has(lexicon.Surname) || family.entry.Births() > 500) && f.terms.personVerbs.has(verb.fold) && !verb.title
	}
	return with(t, a.next, a.next2) || with(a.prev, t, a.next)
}

// isBehindParticle reports whether a given name and particles stand before token i: "Jan van
// der Berg", "Maria de la Cruz".
func (f *Finder) isBehindParticle(sh *sheet, i int) bool {
	k := i - 1
	for k >= sh.toks[i].cell[0] && f.terms.particles.has(sh.toks[k].fold) && !sh.toks[k].title {
		k--
	}
	if k-1 >= sh.toks[i].cell[0] && k < i-1 && sh.toks[k].text == "." && len([]rune(sh.toks[k-1].text)) == 1 && sh.toks[k-1].upper {
		return sh.toks[i].title // "T. van der Merwe"
	}
	return sh.toks[i].title && k < i-1 && k >= sh.toks[i].cell[0] && sh.toks[k].title && !sh.toks[k].upper && sh.toks[k].entry.Births() > knownBirths &&
		(!sh.toks[k].entry.Has(lexicon.Common) || f.isMonthName(&sh.toks[k]))
}

// isTitledParticle reports whether particles stand between a title and token i: "Dr. du
// Plessis".
func (f *Finder) isTitledParticle(sh *sheet, i int) bool {
	k, start := i-1, sh.toks[i].cell[0]
	for k > start && f.terms.particles.has(sh.toks[k].fold) && !sh.toks[k].title {
		k--
	}
	if k == i-1 || k < start {
		return false
	}
	if sh.toks[k].text == "." && k > start {
		k--
	}
	return f.isTitle(&sh.toks[k])
}

// isTitledSurname accepts a family name that is a word of records, behind a title other
// than a greeting: "Dr. Ward", not "Dear Member".
func (f *Finder) isTitledSurname(t *token, a around) bool {
	named := t.entry.Has(lexicon.Surname) || t.entry.IsName() && f.terms.sections["staff titles"].has(a.before) // "Nurse Day"
	return t.title && !t.upper && named && !f.terms.kin.has(t.fold) && !f.terms.titles.has(t.fold) && !f.terms.credentials.has(t.fold) &&
		!f.terms.months.has(t.fold) && !f.terms.weekdays.has(t.fold) && f.isTitled(a) && a.before != "dear" && a.after != ":"
}

// leadsTitled reports whether the particles from token a on stand behind a title.
func (f *Finder) leadsTitled(sh *sheet, a int) bool {
	k := a
	for k+1 < sh.toks[a].cell[1] && f.terms.particles.has(sh.toks[k].fold) && !sh.toks[k].title {
		k++
	}
	return f.isTitledParticle(sh, k)
}

// isAfterInT reports whether the Dutch particle "in 't" or "van 't" stands before token i,
// behind a title: "Doctor in 't Veld".
func (f *Finder) isAfterInT(sh *sheet, i int) bool {
	start := sh.toks[i].cell[0]
	if i-4 < start || sh.toks[i-1].fold != "t" || !isApostrophe([]rune(sh.toks[i-2].text)[0]) || sh.toks[i-3].fold != "in" && sh.toks[i-3].fold != "van" {
		return false
	}
	before := &sh.toks[i-4]
	if before.text == "." && i-5 >= start {
		before = &sh.toks[i-5]
	}
	return f.terms.titles.has(before.fold) || before.title && before.entry.IsName()
}
