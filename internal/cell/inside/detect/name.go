package detect

import (
	"strings"

	"blotter/internal/cell/inside/detect/lexicon"
	"blotter/internal/document"
)

// Marks that are asked for together.
const (
	plainWords     = lexicon.Common | lexicon.Vocab | lexicon.Foreign
	namesAndPlaces = lexicon.Surname | lexicon.Given | lexicon.USPlace | lexicon.City | lexicon.Proper
)

// nameScore is the score from which a word opens a name; a word that only extends one
// may lack nameReach of it.
const (
	nameScore = 0.55
	nameReach = 0.25
)

// Births from which a word is a name that everyone knows, or one that most have heard.
const (
	famousBirths = 100_000
	knownBirths  = 5_000
)

// names finds personal names: how likely each word is one by itself, then what stands
// around it, then runs of such words.
func (f *Finder) names(sh *sheet) []span {
	scores := make([]float64, len(sh.toks))
	for i := range sh.toks {
		switch t := &sh.toks[i]; {
		case t.kind == letters && !sh.inLabel[i] && !f.isLabelWord(t):
			scores[i] = f.nameScoreAt(sh, i)
		case f.isMisreadTitled(sh, t):
			scores[i] = titledScore
		}
	}
	return f.nameRuns(sh, scores)
}

// prior is how likely a word is a name, whatever stands around it.
func (f *Finder) prior(t *token) float64 {
	if t.kind != letters || len(t.fold) < 2 || f.terms.notNames.has(t.fold) || f.terms.units.has(t.fold) ||
		f.terms.credentials.has(t.fold) || f.terms.titles.has(t.fold) || f.terms.kin.has(t.fold) ||
		f.terms.stateNames.has(t.fold) && t.entry.Births() < famousBirths {
		return 0
	}
	if len(t.fold) == 2 && t.upper {
		return 0.2 // an abbreviation more often than a name
	}
	e := t.entry
	births := e.Births()
	common, vocab, clinical := e.Has(lexicon.Common), e.Has(lexicon.Vocab), f.terms.clinical.has(t.fold)
	if e.Has(lexicon.Proper) && e.IsName() && births > knownBirths && !f.terms.months.has(t.fold) {
		common, vocab, clinical = common && births < famousBirths, false, false // John, Mary: also words by accident
	}
	switch name := e.IsName(); {
	case name && births >= famousBirths && !common:
		return 0.7
	case name && !common && !vocab && !clinical && !e.Has(lexicon.Foreign):
		return 0.6
	case name && births >= famousBirths:
		return 0.35 // Grace, Mark, Rose
	case name && !common && !clinical:
		return 0.35
	case name:
		return 0.2
	case e.Has(lexicon.USPlace|lexicon.City) && !common && !vocab && !clinical:
		return 0.4 // places are named after people
	case t.upper && len(t.fold) <= 3 && !name:
		return 0.2 // an abbreviation
	case !common && !vocab && !clinical && !e.Has(lexicon.Foreign|lexicon.Short) && !f.isVocabulary(t):
		return 0.4 // no word that we know
	}
	return 0
}

// around gives the words beside token i, signs skipped but for those that matter.
type around struct {
	before, after   string // folded text of the tokens beside, "" at a cell's or text's edge
	before2, after2 string
	prev, next      *token // the neighbouring tokens, nil at the edge
	next2           *token
}

func (f *Finder) around(sh *sheet, i int) around {
	var a around
	if a.prev = sh.beforeToken(i); a.prev != nil {
		a.before = a.prev.fold
		if p := sh.beforeToken(a.prev.index); p != nil {
			a.before2 = p.fold
		}
	}
	if a.next = sh.afterToken(i); a.next != nil {
		a.after = a.next.fold
		if a.next2 = sh.afterToken(a.next.index); a.next2 != nil {
			a.after2 = a.next2.fold
		}
	}
	return a
}

func (f *Finder) nameScoreAt(sh *sheet, i int) float64 {
	t := &sh.toks[i]
	a := f.around(sh, i)
	if !t.title && !f.isSmallName(t, a) && !f.isSmallTitled(sh, t, a) {
		return 0
	}
	if !t.title && f.isSmallTitled(sh, t, a) {
		return f.prior(t) + titledScore
	}
	p := f.prior(t)
	if t.upper && len(t.fold) <= 3 && !sh.rows[t.row].caps && t.entry.Births() < knownBirths {
		p = min(p, 0.35) // NAA is a test more often than a name
	}
	if n, titled := f.initialsBefore(sh, i); n >= 2 || n == 1 && titled {
		if f.mayFollowTitle(t) && (t.title || titled) {
			return p + titledScore // "R. S. Sprinkle", "Mr. F. x. whelan"
		}
	}
	if t.title && f.isAfterInT(sh, i) {
		return p + titledScore
	}
	if (f.isTitled(a) || f.isSecondTitled(sh, a) || f.isTitledParticle(sh, i)) && t.title && (f.mayFollowTitle(t) || f.isTitledSurname(t, a)) {
		return p + titledScore
	}
	listed := f.listedScore(sh, i)
	s := p + f.introduced(sh, t, a) + listed
	if s == 0 || f.isListedEponym(sh, t) {
		return 0
	}
	s += f.contextScore(sh, i, p, a)
	initialled := sh.isBehindInitial(i) && t.entry.Has(lexicon.Surname)         // "D. Norton" is no scale
	if listed < commaScore && !initialled || f.terms.eponymHeads.has(a.after) { // "Parkinson, James" is somebody
		s -= f.termPenalty(sh, t, a)
	}
	if !t.title && f.isSmallPair(t, a) {
		s += 0.25
	}
	if sh.rows[t.row].caps && listed == 0 {
		if !t.entry.IsName() {
			s -= 0.25
		}
		if len(t.fold) <= 3 {
			s -= 0.2
		}
	}
	return s
}

// isSmallName accepts a well known name in small letters that is no word, or a pair.
func (f *Finder) isSmallName(t *token, a around) bool {
	return t.entry.Births() > 20_000 && !t.entry.Has(plainWords) && !f.terms.clinical.has(t.fold) && len(t.fold) > 3 || f.isSmallPair(t, a)
}

// isSmallPair accepts two names in a row in small letters of which everyone knows one:
// "john smith", "henry nicole".
func (f *Finder) isSmallPair(t *token, a around) bool {
	famous := func(t *token) bool {
		return t.entry.Births() >= famousBirths && (!t.entry.Has(lexicon.Common) || t.entry.Births() > 1_000_000)
	}
	other := func(t *token) bool {
		return t.entry.IsName() && (!t.entry.Has(lexicon.Common) || t.entry.Has(lexicon.Surname)) && !f.terms.clinical.has(t.fold)
	}
	with := func(o *token) bool { return o != nil && (famous(t) && other(o) || famous(o) && other(t)) }
	return with(a.next) || with(a.prev)
}

// titledScore is what a title before a word is worth: enough for any word, and enough for
// the word to be sought in the whole document.
const titledScore = 0.7

func (f *Finder) mayFollowTitle(t *token) bool {
	return len(t.fold) > 1 && !f.terms.titles.has(t.fold) && !f.terms.kin.has(t.fold) && !f.terms.credentials.has(t.fold) &&
		(!f.terms.notNames.has(t.fold) || t.entry.Births() > 20_000)
}

// introduced is what "pt", "her daughter", "per RN" before a capitalised word is worth.
func (f *Finder) introduced(sh *sheet, t *token, a around) float64 {
	strong := f.terms.kin.has(a.before) || a.before == "," && f.terms.kin.has(a.before2) || f.terms.credentials.has(a.before) && len(a.before) > 1
	if sh.rows[t.row].caps || !t.title {
		return 0
	}
	if f.isWordPair(t, a) {
		return 0.6
	}
	if a.prev == nil {
		return 0
	}
	month := f.terms.months.has(t.fold) && t.entry.IsName() && (a.next == nil || a.next.kind == letters || a.next.kind == sign)
	switch {
	case month && f.isSigned(sh, t, a), f.isGreeted(sh, t, a), strong && f.isGivenWord(t) && !f.terms.kin.has(t.fold):
		return 0.6
	case f.terms.notNames.has(t.fold) && !month, f.terms.clinical.has(t.fold) && !t.entry.IsName(), f.terms.kin.has(t.fold):
		return 0
	case strong && month:
		return 0.6
	case strong && (t.entry.IsName() || !t.entry.Has(lexicon.Common)):
		return 0.4
	case a.before == "by" && f.terms.sections["done by somebody"].has(a.before2) && t.entry.IsName(),
		f.isSigned(sh, t, a):
		return 0.4
	case f.terms.nameIntro.has(a.before) && !t.entry.Has(lexicon.Common):
		return 0.2
	}
	return 0
}

// isSigned reports whether a given name ends its line behind a greeting: "Thanks, April".
func (f *Finder) isSigned(sh *sheet, t *token, a around) bool {
	return a.before == "," && f.terms.sections["greetings"].has(a.before2) && a.prev.row == t.row && t.entry.Births() > knownBirths && t.index == sh.rows[t.row].to-1
}

// isMonthName reports whether a month is also a given name, written as one: April, June.
func (f *Finder) isMonthName(t *token) bool {
	return t.title && t.entry.Births() > knownBirths && f.terms.months.has(t.fold)
}

// listedScore is what the form of a list or screen is worth: "SURNAME, GIVEN" or
// "SURNAME GIVEN" at the start of a cell, one of the two a name for sure, the other no
// ordinary word that is never a name.
func (f *Finder) listedScore(sh *sheet, i int) float64 {
	start := sh.listStart(i)
	end := sh.toks[start].cell[1]
	var words []int
	comma := false
	for k := start; k < end && k < start+5 && len(words) < 2; k++ {
		t := &sh.toks[k]
		switch {
		case t.kind == letters && t.title && len(t.fold) > 1:
			words = append(words, k)
		case (t.text == "," || t.text == "^" || t.text == "_" && t.gap == 0) && len(words) == 1:
			comma = true
		default:
			k = end
		}
	}
	if len(words) < 2 || i != words[0] && i != words[1] {
		return 0
	}
	rest := end - words[1] - 1
	if k := words[1] + 1; k+1 < end && sh.toks[k+1].text == ":" {
		rest = 0 // a label follows: "Sexton Carmen Age: 67"
	}
	if !comma && (rest > 4 || rest > 0 && sh.toks[words[1]+1].kind == letters && len(sh.toks[words[1]+1].text) > 1) {
		return 0
	}
	sure, likely := comma && rest == 0 && f.bothNames(&sh.toks[words[0]], &sh.toks[words[1]]), !f.terms.sections["greetings"].has(sh.toks[words[0]].fold)
	for _, k := range words {
		t := &sh.toks[k]
		sure = sure || f.prior(t) >= 0.6 || comma && (t.entry.IsName() && f.prior(t) >= 0.35 || f.isRareGiven(sh, words, k))
		likely = likely && (comma || t.entry.IsName() || !f.isVocabulary(t) || rest == 0 && !t.entry.Has(lexicon.Common)) && (!f.terms.notNames.has(t.fold) || f.terms.months.has(t.fold)) && !f.terms.clinical.has(t.fold)
	}
	switch {
	case !sure || !likely:
		return 0
	case comma:
		return commaScore
	}
	return 0.3
}

// commaScore is what "SURNAME, GIVEN" is worth.
const commaScore = 0.5

// isTitled reports whether a title stands right before ("Dr.", "Mr", "Frau Dr.").
func (f *Finder) isTitled(a around) bool {
	return f.terms.titles.has(a.before) || a.before == "." && f.terms.titles.has(a.before2)
}

// contextScore is what the neighbours say for a name.
func (f *Finder) contextScore(sh *sheet, i int, p float64, a around) float64 {
	s := 0.0
	common := sh.toks[i].entry.Has(lexicon.Common)
	if (f.terms.credentials.has(a.after) || a.after == "," && f.terms.credentials.has(a.after2)) && p >= 0.2 && (p >= 0.3 || !common) {
		s += 0.4
	}
	capital := func(t *token) bool { return t != nil && t.kind == letters && t.title }
	if p >= 0.35 && capital(a.next) && len(a.after) == 1 && a.after2 == "." {
		s += 0.2 // "John Q."
	}
	if p > 0 && a.before == "." && len(a.before2) == 1 {
		s += 0.25 // "J. Smith"
		if f.isInitialSurname(sh, i) {
			s += 0.1 // "J. Foster"
		}
	}
	if p >= 0.2 && f.isPost(a) {
		s += 0.3 // "Tadesse Wolf (physiotherapist)"
	}
	if p >= 0.35 && a.after == "from" && f.terms.sections["services"].has(a.after2) {
		s += 0.2 // "and Cross from nutrition"
	}
	if p >= 0.35 && a.before == "/" && a.before2 == "w" {
		s += 0.2 // "spoke w/ Hope"
	}
	if p >= 0.35 && f.terms.personVerbs.has(a.after) && (a.before == "" || a.before == "." || a.before == ":") {
		s += 0.15 // "Okafor was seen"
	}
	near := 0.0
	if capital(a.next) && f.prior(a.next) >= 0.3 && a.next.gap < wideGap || capital(a.prev) && f.prior(a.prev) >= 0.3 && sh.toks[i].gap < wideGap {
		near = 0.2
	}
	if !sh.rows[sh.toks[i].row].caps && (f.isPlainPair(&sh.toks[i], a.next) || f.isPlainPair(a.prev, &sh.toks[i])) {
		near = 0.4
	}
	if f.isRarePair(&sh.toks[i], a.next) || f.isRarePair(a.prev, &sh.toks[i]) {
		near = max(near, 0.2)
	}
	if a.after == "," && capital(a.next2) && f.prior(a.next2) >= 0.3 {
		near = max(near, 0.2)
		if sh.toks[i].gap >= wideGap && !common {
			near = 0.4 // "SMITH, John" opens a cell
		}
	}
	if (a.after == "^" || a.after == "_" && a.next.gap == 0) && capital(a.next2) {
		near = 0.4 // DICOM's own way
	}
	if a.before == "," && p >= 0.3 {
		near = max(near, 0.15)
	}
	if f.isBehindParticle(sh, i) {
		near = 0.4
	}
	return s + near
}

// isPlainPair accepts a given and a family name that are ordinary words both, side by side
// and capitalised: "Bob Miller", "Grace Young".
func (f *Finder) isPlainPair(given, family *token) bool {
	return given != nil && family != nil && given.title && family.title && given.entry.Births() > 20_000 && family.entry.Births() > 500 &&
		family.entry.Has(lexicon.Surname) && (f.prior(given) >= 0.2 || f.isMonthName(given)) && f.prior(family) >= 0.2
}

// beforeToken is the token before i in the text: in its cell, or at the end of the row
// that wraps into this one.
func (sh *sheet) beforeToken(i int) *token {
	r := sh.toks[i].row
	if i > sh.rows[r].from {
		if sh.toks[i].gap >= wideGap {
			return nil
		}
		return &sh.toks[i-1]
	}
	for j := r - 1; j >= 0 && j >= r-maxRowsAhead; j-- {
		if sh.rows[j].below == r && sh.rows[j].wraps {
			return &sh.toks[sh.rows[j].to-1]
		}
	}
	return nil
}

// afterToken is the token after i in the text, the first of the next row where it wraps.
func (sh *sheet) afterToken(i int) *token {
	r := &sh.rows[sh.toks[i].row]
	if i+1 < r.to {
		if sh.toks[i+1].gap >= wideGap {
			return nil
		}
		return &sh.toks[i+1]
	}
	if r.wraps {
		return &sh.toks[sh.rows[r.below].from]
	}
	return nil
}

// nameRuns joins words that make one name.
func (f *Finder) nameRuns(sh *sheet, scores []float64) []span {
	var out []span
	for i := 0; i < len(scores); {
		if scores[i] < nameScore {
			i++
			continue
		}
		row := &sh.rows[sh.toks[i].row]
		a, b := i, i+1
		for b < row.to && sh.toks[b].gap < wideGap {
			if f.extends(sh, scores, b, b-1) {
				b++
			} else if b+1 < row.to && f.joinsName(sh, a, b) && sh.toks[b+1].gap < wideGap && f.extends(sh, scores, b+1, b-1) {
				b += 2
			} else {
				break
			}
		}
		for a > row.from && sh.toks[a].gap < wideGap {
			if f.extends(sh, scores, a-1, a) {
				a--
			} else if a-2 >= row.from && strings.Contains(".-'’", sh.toks[a-1].text) && sh.toks[a-1].gap < wideGap && f.extends(sh, scores, a-2, a) && (sh.toks[a-1].text != "." || len(sh.toks[a-2].fold) == 1) {
				a -= 2
			} else {
				break
			}
		}
		a, b = f.trimParticles(sh, a, f.trimCredentials(sh, a, b))
		b = f.withSuffix(sh, b, row.to)
		best := 0.0
		for k := a; k < b; k++ {
			best = max(best, scores[k])
		}
		if best > 0 {
			out = append(out, span{a, b, document.Name, min(best, 0.99), document.ByName})
		}
		i = max(b, i+1)
	}
	return out
}

// joinsName reports whether sign b may stand inside the name that began at a.
func (f *Finder) joinsName(sh *sheet, a, b int) bool {
	switch sh.toks[b].text {
	case "-", "'", "’", "^", "_":
		return true
	case ".":
		return len([]rune(sh.toks[b-1].text)) == 1
	case ",":
		return b-a == 1
	}
	return false
}

// extends reports whether token k, beside the name's word at from, belongs to the name.
// Only what is likely a name itself does: the word after a name is not one by its place.
func (f *Finder) extends(sh *sheet, scores []float64, k, from int) bool {
	t := &sh.toks[k]
	if t.kind != letters || f.isTitle(t) || len(t.fold) > 1 && f.isCredential(t) || f.isLabelWord(t) {
		return false
	}
	switch {
	case scores[k] > 0 && scores[k] >= nameScore-nameReach:
		return true
	case t.title && len([]rune(t.text)) == 1:
		return t.fold != "i" || sh.rows[t.row].caps || k > from && k+1 < len(sh.toks) && sh.toks[k+1].text == "."
	case f.terms.particles.has(t.fold):
		return true
	case k > from && !t.title && !sh.toks[from].title && sh.toks[from].kind == letters && t.entry.IsName() && !t.entry.Has(lexicon.Common) && !f.terms.notNames.has(t.fold) && !f.terms.clinical.has(t.fold): // "rashad dorsey"
		return true
	case k < from && len([]rune(t.text)) == 1: // "Mr. f. whelan"
		_, titled := f.initialsBefore(sh, from)
		return titled
	case k < from: // "April Moss", "Will Okafor"
		return sh.toks[from].kind == letters && t.title && t.entry.Births() > knownBirths && !f.terms.clinical.has(t.fold) &&
			(f.isMonthName(t) || !f.terms.notNames.has(t.fold))
	}
	return f.isSurnameOf(sh, k, from)
}

// isSurnameOf accepts a word as the family name behind a given name, perhaps with an
// initial between them. Two words make a name: what stands behind the second is not taken.
func (f *Finder) isSurnameOf(sh *sheet, k, from int) bool {
	t := &sh.toks[k]
	if !t.title || len(t.fold) < 2 || sh.toks[k-1].text == "," || f.terms.eponymHeads.has(t.fold) || f.terms.notNames.has(t.fold) || f.terms.kin.has(t.fold) ||
		f.terms.facilities.has(t.fold) || f.terms.clinical.has(t.fold) && !t.entry.IsName() || !t.entry.IsName() && (t.entry.Has(lexicon.Common) && !f.isFramed(sh, k) || sh.rows[t.row].caps) {
		return false
	}
	start := sh.toks[k].cell[0]
	for from > start && (sh.toks[from].kind == sign || len([]rune(sh.toks[from].text)) == 1) {
		from--
	}
	given := &sh.toks[from]
	first := from == start || sh.toks[from-1].kind == sign || !sh.toks[from-1].title || f.terms.titles.has(sh.toks[from-1].fold) || f.prior(&sh.toks[from-1]) < 0.3
	return first && given.title && (f.prior(given) >= 0.6 || given.entry.Births() > 20_000 || f.isMonthName(given))
}

// trimParticles takes particles off that lead nowhere: "de" at the end of a run.
func (f *Finder) trimParticles(sh *sheet, a, b int) (int, int) {
	for b-1 > a && (sh.toks[b-1].kind == sign || f.terms.particles.has(sh.toks[b-1].fold) && !sh.toks[b-1].title) {
		b--
	}
	for a < b-1 && (sh.toks[a].kind == sign || f.terms.particles.has(sh.toks[a].fold) && !sh.toks[a].title && !f.leadsTitled(sh, a)) {
		a++
	}
	return a, b
}

// trimCredentials takes "M.D." off the end of a run: letters that spell a credential are
// no initials.
func (f *Finder) trimCredentials(sh *sheet, a, b int) int {
	key := ""
	for k := b - 1; k > a && len(key) < 5; k-- {
		t := &sh.toks[k]
		if t.kind == sign && t.text != "." || t.kind == letters && len(t.fold) > 2 {
			break
		}
		if t.kind == letters {
			key = t.fold + key
			if len(key) >= 2 && f.terms.credentials.has(key) && strings.Contains(key, "d") {
				return k
			}
		}
	}
	return b
}
