package detect

import (
	"slices"
	"strings"

	"blotter/internal/document"
)

// No list holds every label of every form. One that nobody listed still says what stands
// beside it: by its first word ("Date of last colonoscopy:", "Fecha de la consulta:",
// "Name of attending nurse:"), or by the end of a compound ("Untersuchungsdatum:",
// "Bestelnummer:").

// composedWords bounds the words of such a label.
const composedWords = 7

// composed finds such a label at token i: words and nothing else, up to a colon.
func (f *Finder) composed(sh *sheet, i int) (label, bool) {
	t := &sh.toks[i]
	if !t.title || !sh.startsCell(i) {
		return label{}, false
	}
	words, k := 0, i
	for ; k < t.cell[1] && sh.toks[k].text != ":"; k++ {
		w := &sh.toks[k]
		if w.kind == letters {
			words++
		} else if w.kind != sign || !strings.Contains(".-'’°/º", w.text) {
			return label{}, false
		}
		if words > composedWords {
			return label{}, false
		}
	}
	if k == t.cell[1] || words == 0 {
		return label{}, false
	}
	typ := f.typeOfHead(sh, i, k, words)
	return label{labelDef: labelDef{typ: typ}, from: i, to: k + 1, separated: true}, typ != 0
}

// typeOfHead is what the words [i, k) of a label ask for; 0 for what nobody knows.
func (f *Finder) typeOfHead(sh *sheet, i, k, words int) document.Type {
	head := sh.toks[i].fold
	if words == 1 {
		return f.typeOfCompound(head)
	}
	if len(head) <= 3 && sh.toks[i+1].kind == letters && !f.terms.particles.has(sh.toks[i+1].fold) && head != "tel" && head != "nom" {
		return 0 // "No known allergies:", but "N° de dossier:"
	}
	for _, typ := range headTypes {
		switch {
		case !f.terms.sections["label heads "+typ.String()].has(head):
		case typ == document.Name:
			return f.typeOfNamed(sh, i, k)
		default:
			return typ
		}
	}
	return f.typeOfCompound(sh.toks[k-1].fold)
}

// headTypes are the types that the first word of a label may ask for; the sections of
// data/layout.txt are called after them.
var headTypes = []document.Type{document.Date, document.Name, document.Code, document.Phone, document.Place}

// typeOfNamed tells whose name a label asks for: a person's, a house's, or that of a drug
// or a test.
func (f *Finder) typeOfNamed(sh *sheet, i, k int) document.Type {
	has := func(s set) bool {
		return slices.ContainsFunc(sh.toks[i+1:k], func(t token) bool { return s.has(t.fold) })
	}
	switch {
	case has(f.terms.sections["things named"]):
		return 0
	case has(f.terms.facilities), has(f.terms.sections["houses named"]):
		return document.Organisation
	}
	return document.Name
}

// compounds are the ends of German and Dutch words for what a field holds.
var compounds = []struct {
	end string
	typ document.Type
}{
	{"datum", document.Date}, {"termin", document.Date}, {"nummer", document.Code}, {"nr", document.Code}, {"kennzeichen", document.Code},
	{"telefon", document.Phone}, {"telefoon", document.Phone}, {"anschrift", document.Place}, {"adresse", document.Place}, {"adres", document.Place},
	{"arzt", document.Name}, {"ärztin", document.Name}, {"pfleger", document.Name},
}

func (f *Finder) typeOfCompound(w string) document.Type {
	for _, c := range compounds {
		if strings.HasSuffix(w, c.end) && len(w) > len(c.end)+2 {
			return c.typ
		}
	}
	return 0
}

// publicReach is how far apart the rows below a label of measures may stand, in heights:
// captions are small print.
const publicReach = 8

// publicTokens is the longest measure or code of a table, in tokens: "10.5 - 12.5 g/dL".
const publicTokens = 9

// markPublic marks what stands beside or below a label of measures and public codes: a
// procedure's or a drug's code, the results of a table. Its digits identify nobody.
func (sh *sheet) markPublic(l label) {
	if !l.public || l.ordinary && !l.header {
		return
	}
	row := &sh.rows[sh.toks[l.from].row]
	for k := l.to; k < row.to && !sh.inLabel[k] && (k == l.to || sh.toks[k].gap < wideGap); k++ {
		sh.public[k] = true
	}
	if !l.header {
		return
	}
	left, right := sh.toks[l.from].x0-row.height, sh.columnEnd(l)
	above := row
	for j := sh.toks[l.from].row + 1; j < len(sh.rows) && j <= sh.toks[l.from].row+headedRows; j++ {
		q := &sh.rows[j]
		if !q.upright || q.middle()-above.middle() > publicReach*max(above.height, q.height) {
			return
		}
		from, to := sh.inColumn(q, l, left, right)
		if from < to && (sh.inLabel[from] || to-from > publicTokens) {
			return
		}
		for k := from; k < to; k++ {
			sh.public[k] = true
		}
		if from < to {
			above = q
		}
	}
}
