package inside

import (
	"image"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// A policy may let a part of a finding stand: the year of a date, the first three digits
// of a ZIP code. What stands is a word of its own, or a part of a word whose letters can
// be told apart in the pixels; in doubt the whole word goes.

// spell finds the letters of the words of which a part may stand.
func (p *pipeline) spell(img image.Image, page *words.Page) {
	page.Letters = map[int][]document.Box{}
	for i, w := range page.Words {
		for _, t := range []document.Type{document.Date, document.Place} {
			from, to := p.stands(page, i, t)
			if from == to || to-from == utf8.RuneCountInString(w.Text) {
				continue
			}
			if boxes := letters(img, page, w); boxes != nil {
				page.Letters[i] = boxes
			}
		}
	}
}

// pieces are the boxes to burn of a finding, its own, which may be wider than its words,
// unless a part of it stands; and the boxes of what stands.
func (p *pipeline) pieces(page *words.Page, f document.Finding) (gone, standing []document.Box) {
	line := -1 // of the word before, if all of it goes
	for i, w := range page.Words {
		if !mostlyUnder(w.Box, f.Box) {
			continue
		}
		from, to := p.stands(page, i, f.Type)
		boxes, whole := page.Letters[i], to-from == utf8.RuneCountInString(w.Text)
		switch {
		case from < to && whole:
			standing, line = append(standing, w.Box), -1
		case from < to && boxes != nil:
			before, behind := p.beside(w.Box, boxes, from, to)
			gone = append(gone, before.Intersect(f.Box), behind.Intersect(f.Box))
			standing, line = append(standing, boxes[from].Union(boxes[to-1])), -1
		case line == w.Line && level(gone[len(gone)-1], w.Box):
			gone[len(gone)-1] = gone[len(gone)-1].Union(w.Box)
		default:
			gone, line = append(gone, w.Box), w.Line
		}
	}
	if len(standing) == 0 {
		return []document.Box{f.Box}, nil
	}
	return gone, standing
}

// level reports whether one box around both is hardly higher than the higher one: on a
// skewed page a long box would reach into the line below.
func level(a, b document.Box) bool { return 4*a.Union(b).H <= 5*max(a.H, b.H) }

// spared reports whether a word that was read again is what the policy let stand, with
// nothing else beside it but burned boxes.
func (a *asset) spared(w document.Box) bool {
	const columns, rows, slack = 24, 6, 3
	if len(a.page.Standing) == 0 {
		return false
	}
	some, open := false, 0
	for i := range columns * rows {
		at := document.Box{X: w.X + w.W*(i%columns)/columns, Y: w.Y + w.H*(i/columns)/rows, W: 1, H: 1}
		in := func(b document.Box) bool { return !at.Intersect(document.BoxOf(b.Rect().Inset(-slack))).Empty() }
		switch onAsset := a.page.ToAsset(at); {
		case slices.ContainsFunc(a.page.Standing, in):
			some = true
		case !slices.ContainsFunc(a.findings, func(f document.Finding) bool { return !f.Box.Intersect(onAsset).Empty() }):
			open++
		}
	}
	return some && 5*open < columns*rows
}

// beside are the parts of a word's box before and behind its letters [from, to). They
// leave room for the padding that follows, but never less than the letters they cover.
func (p *pipeline) beside(word document.Box, letters []document.Box, from, to int) (before, behind document.Box) {
	b, a := word.Rect(), word.Rect()
	b.Max.X, a.Min.X = b.Min.X, a.Max.X
	if from > 0 {
		b.Max.X = max(letters[from-1].Rect().Max.X, letters[from].X-p.task.PaddingPX-1)
	}
	if to < len(letters) {
		a.Min.X = min(letters[to].X, letters[to-1].Rect().Max.X+p.task.PaddingPX+1)
	}
	return document.BoxOf(b), document.BoxOf(a)
}

// stands returns which characters of word i may stand though a finding of type t covers
// it: [from, to), empty for none.
func (p *pipeline) stands(page *words.Page, i int, t document.Type) (from, to int) {
	text := page.Words[i].Text
	switch {
	case t == document.Date && p.task.KeepYear:
		return yearIn(text, time.Now().Year())
	case t == document.Place && p.task.KeepZIP3 && followsState(page, i):
		return regionIn(text)
	}
	return 0, 0
}

// aYear matches one year of the last two centuries between characters that are no digits.
var aYear = regexp.MustCompile(`^(|.*[^0-9])((?:19|20)[0-9]{2})(|[^0-9].*)$`)

// yearIn finds the one year of a word. A year by which someone can be 90 or older is none:
// 45 CFR 164.514(b)(2)(i)(C) wants it gone, as a birth date's. Nor is one of two.
func yearIn(text string, now int) (from, to int) {
	m := aYear.FindStringSubmatchIndex(text)
	if m == nil || aYear.MatchString(text[:m[4]]) {
		return 0, 0
	}
	if year, _ := strconv.Atoi(text[m[4]:m[5]]); year < now-89 {
		return 0, 0
	}
	if !hasLetterOrDigit(text[:m[4]]) && !hasLetterOrDigit(text[m[5]:]) {
		return 0, utf8.RuneCountInString(text) // its punctuation stays with it
	}
	return utf8.RuneCountInString(text[:m[4]]), utf8.RuneCountInString(text[:m[5]])
}

func hasLetterOrDigit(s string) bool { return strings.ContainsFunc(s, isLetterOrDigit) }

// aZIP matches a ZIP code with or without its last four digits.
var aZIP = regexp.MustCompile(`^[^0-9]?([0-9]{3})[0-9]{2}(?:-[0-9]{4})?[.,;)]?$`)

// regionIn finds the first three digits of a ZIP code, where they may stand.
func regionIn(text string) (from, to int) {
	m := aZIP.FindStringSubmatchIndex(text)
	if m == nil || strings.Contains(fewPeople, text[m[2]:m[3]]) {
		return 0, 0
	}
	from = utf8.RuneCountInString(text[:m[2]])
	return from, from + 3
}

// fewPeople lists the first three digits of the 17 regions with 20,000 people or fewer in
// the census of 2000, as the Department of Health and Human Services names them (Guidance
// Regarding Methods for De-identification of Protected Health Information, 26 November
// 2012, question 2.2); 45 CFR 164.514(b)(2)(i)(B)(2) wants these gone.
const fewPeople = "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893"

// followsState reports whether the word before, on the same line, is a state of the USA
// or says that a ZIP code follows. Five digits elsewhere may be the number of a house.
func followsState(page *words.Page, i int) bool {
	if i == 0 || page.Words[i-1].Line != page.Words[i].Line {
		return false
	}
	before := strings.ToLower(strings.TrimFunc(page.Words[i-1].Text, func(c rune) bool { return !isLetterOrDigit(c) }))
	return before != "" && strings.Contains(leadToZIP, " "+before+" ")
}

// leadToZIP are the last words of the states' names, their codes, and words of labels.
const leadToZIP = " alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho" +
	" illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri" +
	" montana nebraska nevada hampshire jersey mexico york carolina dakota ohio oklahoma oregon pennsylvania island" +
	" tennessee texas utah vermont virginia washington wisconsin wyoming columbia rico" +
	" al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv nh nj nm ny nc nd oh ok or pa ri" +
	" sc sd tn tx ut vt va wa wv wi wy dc pr zip zipcode "
