package detect

import "blotter/internal/document"

// youngAge is the score of an age that Safe Harbor lets stand: below the line of 0.5,
// for policies that want every age gone.
const youngAge = 0.45

// youngAgePatterns find ages below 90 in digits. A number of years alone is more often a
// time ("for 10 years") than an age.
var youngAgePatterns = []pattern{
	compile(document.Age, youngAge, digits(1), `(?i)\b([0-8]?[0-9][ \-]?(?:y\.?/?o\b|(?:yrs?|years?|months?|mos?|weeks?|wks?|days?)[ \-]old|years? of age|jährige[rnsm]?\b|jahre alt|ans d['’]âge|a[ñn]os de edad|anni d['’]età|jaar oud))`, nil),
	compile(document.Age, youngAge, digits(2), `\b([1-8][0-9] ?[MF])\b`, nil),
	compile(document.Age, youngAge, digits(1), `\b[MFmf] ?/ ?([0-8]?[0-9])\b`, nil),
	compile(document.Age, youngAge, digitsAnd(1, leadAged), `(?i)\b(?:age|aged|alter|edad|âge|turned|turning)[: ]{1,2}([0-8]?[0-9])\b`, nil),
}

// ageValue takes the number behind a label for an age, with the score that it then has.
func (f *Finder) ageValue(sh *sheet, from, to int, score float64) (int, float64, bool) {
	if from == to {
		return to, score, false
	}
	n := numbers(sh.toks[from].text)
	switch {
	case len(n) == 0:
		return from, score, false
	case isOver89(sh.toks[from].text):
		return from + 1, score, true
	}
	return from + 1, youngAge, n[0] < 90
}
