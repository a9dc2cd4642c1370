package detect

import (
	"bytes"
	_ "embed"

	"blotter/internal/cell/inside/detect/lexicon"
	"blotter/internal/cell/inside/detect/perceptron"
	"blotter/internal/document"
)

// The perceptron was trained on documents that our own templates make (train/). It sees
// what the other layers see, all at once, and so finds names that no list has and no title
// announces. It is one voice among the others: what it is little sure of scores below the
// line.

//go:generate go run ./train -out weights.gz

//go:embed weights.gz
var weights []byte

func loadWeights() *perceptron.Model {
	m, err := perceptron.Read(bytes.NewReader(weights))
	if err != nil {
		panic("detect: " + err.Error())
	}
	return m
}

// The classes that the perceptron tells apart. Their numbers are part of the weights.
const (
	ClassNone uint8 = iota
	ClassName
	ClassStaff
	ClassPlace
	ClassOrganisation
	ClassDate
	ClassCode
)

// learnedTypes says what a class is found as: its type and the layer that it strengthens.
var learnedTypes = map[uint8]span{
	ClassName:         {typ: document.Name, source: document.ByName},
	ClassStaff:        {typ: document.Staff, source: document.ByName},
	ClassPlace:        {typ: document.Place, source: document.ByPlace},
	ClassOrganisation: {typ: document.Organisation, source: document.ByPlace},
	ClassDate:         {typ: document.Date, source: document.ByPattern},
	ClassCode:         {typ: document.Code, source: document.ByPattern},
}

// How margins become scores: a span whose surest word has sureMargin scores on the line, one
// of twice that 0.65, and none more than 0.69, so that what it finds alone is not sought in
// the whole document.
const (
	sureMargin   = 14.0
	learnedSpan  = 0.15
	mostOfLearnt = 0.69
)

// plainDoubt is what a margin must exceed sureMargin by, as a factor, where no word of the
// span is a name or unknown: headings look like names.
const plainDoubt = 2.5

// learned finds what the perceptron takes for personal.
func (f *Finder) learned(sh *sheet) []span {
	guesses := f.model.Tag(f.observe(sh))
	var out []span
	for i := 0; i < len(guesses); {
		class := guesses[i].Class
		to := i + 1
		for to < len(guesses) && guesses[to].Class == class && sh.toks[to].cell[0] == sh.toks[i].cell[0] && !(class == ClassPlace && f.isState(&sh.toks[to])) {
			to++
		}
		if s, ok := learnedTypes[class]; ok {
			s.from, s.to = f.trimLearned(sh, class, i, to)
			if s.score = f.learnedScore(sh, guesses, s); s.score > 0 {
				out = append(out, s)
			}
		}
		i = to
	}
	return out
}

// trimLearned takes off what is no part of a value: signs, labels, titles and credentials at
// its ends, and of a name words in small letters that are no name.
func (f *Finder) trimLearned(sh *sheet, class uint8, from, to int) (int, int) {
	to = f.trimCredentials(sh, from, to)
	for from < to && f.isOutside(sh, class, from) {
		from++
	}
	for to > from && f.isOutside(sh, class, to-1) {
		to--
	}
	return from, to
}

func (f *Finder) isOutside(sh *sheet, class uint8, i int) bool {
	t := &sh.toks[i]
	person := class == ClassName || class == ClassStaff
	switch {
	case t.kind == sign, sh.inLabel[i], f.isTitle(t), person && (sh.isSex(i) || f.isCredential(t)), class == ClassPlace && f.isState(t):
		return true
	case person && (f.isFlag(t) || f.isLabelWord(t) || f.opensClause(sh, i)):
		return true
	case person && t.kind == letters:
		return f.isPlainSmall(t) && !f.terms.particles.has(t.fold) || f.terms.sections["greetings"].has(t.fold) || f.terms.sections["salutations"].has(t.fold) ||
			f.termPenalty(sh, t, f.around(sh, i)) > 0
	case t.kind == letters && f.isEponym(t, f.around(sh, i)):
		return true
	case t.kind == letters:
		return !t.title && (f.isVocabulary(t) || f.isFamiliar(t)) && !f.terms.streetWords.has(t.fold) && !f.terms.streetHeads.has(t.fold)
	}
	return false
}

// isPlainSmall accepts a word in small letters that is hardly anybody's name.
func (f *Finder) isPlainSmall(t *token) bool {
	return !t.title && (f.isVocabulary(t) || f.isFamiliar(t)) && (!t.entry.IsName() || t.entry.Births() < 20_000 && (t.entry.Has(lexicon.Common|lexicon.Foreign) || f.lex.Familiar(t.fold)))
}

// isFlag accepts two to four capitals that say how something is: "HH", "SOB".
func (f *Finder) isFlag(t *token) bool {
	return t.upper && len(t.fold) <= 4 && (f.terms.sections["flags"].has(t.fold) || f.terms.clinical.has(t.fold) && !t.entry.IsName())
}

// opensClause reports whether an ordinary word has its capital from where it stands, and
// goes on as a clause does: "Hope for recovery". "Hope was seen" is somebody.
func (f *Finder) opensClause(sh *sheet, i int) bool {
	t := &sh.toks[i]
	if !t.title || t.upper || !t.entry.Has(lexicon.Common) || i > t.cell[0] && sh.toks[i-1].kind != sign || i+1 >= t.cell[1] {
		return false
	}
	next := &sh.toks[i+1]
	ordinary := next.entry.Has(lexicon.Common) && !next.entry.IsName() || f.isPlainSmall(next)
	return next.kind == letters && !next.title && ordinary && !f.terms.personVerbs.has(next.fold)
}

// isState accepts the code of a state in capitals: it may stay, what is smaller goes.
func (f *Finder) isState(t *token) bool { return t.upper && f.terms.stateCodes.has(t.fold) }

// isSex reports whether a letter is what stands between a name and an age: "LEE, MIN F 45Y".
func (sh *sheet) isSex(i int) bool {
	t := &sh.toks[i]
	if t.fold != "f" && t.fold != "m" || !t.upper || i+1 >= len(sh.toks) {
		return false
	}
	next := &sh.toks[i+1]
	return next.row == t.row && (next.kind == number || next.kind == mixed)
}

// isSpelt reports whether a span is an abbreviation with stops: "U. S."
func (f *Finder) isSpelt(sh *sheet, s span) bool {
	key := ""
	for i := s.from; i < s.to; i++ {
		if sh.toks[i].kind == letters {
			key += sh.toks[i].fold
		}
	}
	return f.terms.sections["spelt abbreviations"].has(key)
}

// captionAhead is how many words behind a span may stand before the colon of a label.
const captionAhead = 3

// isCaption reports whether what ends before token i goes on as a label does: "Vaccine
// requested:".
func (sh *sheet) isCaption(i int) bool {
	for k := i; k > 0 && k < sh.toks[i-1].cell[1] && k <= i+captionAhead; k++ {
		if sh.toks[k].kind != letters {
			return sh.toks[k].text == ":"
		}
	}
	return false
}

// isTitle reports whether a word is a title before all: Doctor is also a family name, but
// not here.
func (f *Finder) isTitle(t *token) bool {
	return f.terms.titles.has(t.fold) && (!t.entry.IsName() || f.terms.sections["staff titles"].has(t.fold))
}

// learnedScore is that of the surest word in a span; 0 where it holds no word at all, or
// nothing but a label or words that are never names, or is a number that others judge better.
func (f *Finder) learnedScore(sh *sheet, guesses []perceptron.Guess, s span) float64 {
	best, plain, ruled, length := 0.0, true, true, 0
	for i := s.from; i < s.to; i++ {
		t := &sh.toks[i]
		if sh.inLabel[i] || !speaks(t, s.typ) {
			continue
		}
		best = max(best, guesses[i].Margin)
		ruled = ruled && f.terms.notNames.has(t.fold)
		plain = plain && (f.terms.notNames.has(t.fold) || f.isPlainSmall(t) || !t.entry.IsName() && f.isVocabulary(t))
		length += len(t.fold)
	}
	if s.typ == document.Organisation && f.isSpecialty(sh, s) {
		return 0
	}
	if best == 0 || s.typ == document.Date || ruled || length < 2 || f.isSpelt(sh, s) || plain && sh.isCaption(s.to) {
		return 0
	}
	if plain && s.typ != document.Code && s.typ != document.Place {
		best /= plainDoubt
	}
	return min(mostOfLearnt, max(0.1, 0.5+(best-sureMargin)/sureMargin*learnedSpan))
}

// isSpecialty reports whether a span is a department and no house: words of the language
// that name nobody, the last a specialty ("Family Medicine").
func (f *Finder) isSpecialty(sh *sheet, s span) bool {
	return s.from < s.to && f.terms.sections["specialties"].has(sh.toks[s.to-1].fold) && f.isPlain(sh, s.from, s.to-1)
}

// speaks reports whether a token may be why a span is believed: a code has its digits, a
// place and an organisation have a word with a capital, a person has a word.
func speaks(t *token, typ document.Type) bool {
	switch typ {
	case document.Code:
		return digitsIn(t.text) >= longNumber
	case document.Place, document.Organisation:
		return t.kind == letters && t.title
	}
	return t.kind == letters
}

// longNumber is how many digits a code has that is believed for its place alone.
const longNumber = 6
