package detect

import (
	"strings"

	"blotter/internal/cell/inside/detect/lexicon"
	"blotter/internal/document"
)

// Scores of what no vocabulary explains, all below the line of 0.5, so that a policy's
// threshold for document.Unknown chooses how far denying goes.
const (
	unknownNumber  = 0.45 // five digits and more, letters mixed with digits
	unknownCapital = 0.4  // a word with a capital, on a page whose words are known otherwise
	unknownForeign = 0.3  // the same on a page in a language that the vocabulary hardly knows
	unknownSmall   = 0.2  // any other word: as often a slip of the reader as a name
)

// foreignShare is the share of unknown words from which a page counts as foreign. English
// records have 1–4 %, German and Spanish ones about 25 %: there denying capitals burns
// every second noun.
const foreignShare = 0.1

// unexplained finds words that are neither common nor clinical vocabulary, and numbers
// that are longer than a measured value. It says nothing of what others found already.
func (f *Finder) unexplained(sh *sheet, found []span) []span {
	covered := make([]bool, len(sh.toks))
	for _, s := range found {
		for i := s.from; i < s.to; i++ {
			covered[i] = true
		}
	}
	var out []span
	strange, all := 0, 0
	foreign := f.isForeign(sh)
	for i := range sh.toks {
		t := &sh.toks[i]
		if t.kind == letters {
			all++
		}
		if covered[i] || sh.inLabel[i] || t.kind == sign || f.isExplained(t) || sh.isPriced(i) || t.kind == letters && (foreign || !t.title) && f.isFamiliar(t) {
			continue
		}
		score := unknownSmall
		switch {
		case t.kind != letters:
			score = unknownNumber
		case t.title:
			score = unknownCapital
		}
		if t.kind == letters {
			strange++
		}
		out = append(out, span{i, i + 1, document.Unknown, score, document.ByDefault})
	}
	if float64(strange) > foreignShare*float64(all) && strange > fewWords {
		for i := range out {
			if out[i].score == unknownCapital {
				out[i].score = unknownForeign
			}
		}
	}
	return out
}

// fewWords are too few to tell a page's language by: a card, a wristband.
const fewWords = 10

func (f *Finder) isExplained(t *token) bool {
	switch t.kind {
	case number:
		return len(t.text) <= 4
	case mixed:
		return digitsIn(t.text) <= 3 && len(t.text) <= 5 || f.isKnownCode(t.fold)
	}
	return len([]rune(t.fold)) == 1 || f.isVocabulary(t)
}

// isPriced reports whether a number of five digits is what was done, by its place: before a
// price in the same row ("94010 72.00"), or behind the word for such a code.
func (sh *sheet) isPriced(i int) bool {
	t := &sh.toks[i]
	if len(t.text) != 5 || digitsIn(t.text) < 4 {
		return false
	}
	if i > 0 && sh.toks[i-1].row == t.row && procedureCodes[sh.toks[i-1].fold] {
		return true
	}
	to := sh.rows[t.row].to
	for k := i + 1; k+2 < to && k < i+12; k++ {
		if sh.toks[k].kind == number && sh.toks[k+1].text == "." && sh.toks[k+1].gap == 0 && len(sh.toks[k+2].text) == 2 && sh.toks[k+2].kind == number && sh.toks[k+2].gap == 0 {
			return true
		}
	}
	return false
}

var procedureCodes = map[string]bool{"cpt": true, "hcpcs": true, "code": true, "procedure": true}

func (f *Finder) isKnownCode(fold string) bool {
	return f.terms.codesKept.has(fold) || f.terms.units.has(strings.TrimLeft(fold, "0123456789"))
}

// isVocabulary reports whether a word is one of a language, of medicine or of forms,
// directly or without a usual ending.
func (f *Finder) isVocabulary(t *token) bool {
	known := func(w string, e lexicon.Entry) bool {
		return e.Has(lexicon.Common|lexicon.Vocab|lexicon.Foreign|lexicon.Short) || f.terms.clinical.has(w) || f.terms.foreign.has(w) || f.terms.units.has(w) ||
			f.terms.eponyms.has(w) || f.terms.notNames.has(w) || f.terms.titles.has(w) || f.terms.months.has(w) ||
			f.terms.weekdays.has(w) || f.terms.eponymHeads.has(w) || f.terms.stateNames.has(w) || f.terms.credentials.has(w) || f.terms.kin.has(w)
	}
	if known(t.fold, t.entry) || hasClinicalEnding(t) {
		return true
	}
	if i := strings.IndexByte(t.fold, '\''); i == 1 || i == 2 { // l'auscultation, qu'une
		if rest := t.fold[i+1:]; known(rest, f.lex.Lookup(rest)) {
			return true
		}
	}
	for _, ending := range [...]string{"s", "es", "ed", "ing", "ly", "al", "ic", "n", "en"} {
		if stem := strings.TrimSuffix(t.fold, ending); stem != t.fold && len(stem) > 3 && known(stem, f.lex.Lookup(stem)) {
			return true
		}
	}
	return false
}

// clinicalEndings end words of drugs, substances, diseases and procedures and hardly
// anything else.
var clinicalEndings = [...]string{"plasmin", "globulin", "protein", "statin", "mycin", "micin", "cillin", "cycline", "prazole", "sartan", "olol", "dipine", "prazol", "conazol", "dipin", "oxetin", "tidin", "fenac", "profen", "caine", "cain", "terol", "lukast", "sone", "solone", "floxacin",
	"triptan", "gliptin", "gliflozin", "glutide", "conazole", "azepam", "zosin", "mab", "tinib", "parin", "xaban", "thiazide", "setron", "tidine", "oxetine",
	"emia", "aemia", "uria", "itis", "osis", "pathy", "ectomy", "oscopy", "otomy", "ostomy", "plasty", "graphy", "algia", "megaly", "penia", "cytosis", "genase", "ferase",
	"kinase", "lipase", "amylase", "tropin", "ferritin", "ferrin", "bilirubin", "opril", "vir", "virus"}

// hasClinicalEnding accepts a long word with such an ending that is not a name.
func hasClinicalEnding(t *token) bool {
	if len(t.fold) < 8 || t.entry.IsName() {
		return false
	}
	for _, e := range clinicalEndings {
		if strings.HasSuffix(t.fold, e) {
			return true
		}
	}
	return false
}
