package detect

import (
	"regexp"
	"strings"

	"blotter/internal/document"
)

// Forms give a number room: brackets and strokes are printed, the digits written between
// them, or every digit has a box of its own. A reader then reports pieces with gaps that
// no pattern reaches over.

// spreadGap is the widest space inside such a number, in heights.
const spreadGap = 5

// spreadForm is how the pieces read once they are put together.
type spreadForm struct {
	typ   document.Type
	score float64
	re    *regexp.Regexp
	valid func(string) bool
}

var spreadForms = []spreadForm{
	{document.Phone, 0.8, regexp.MustCompile(`^(?:\+?1-?)?(?:\([0-9]{3}\)[-/.]?[0-9]{3}[-.]?[0-9]{4}|[0-9]{3}[-/.][0-9]{3}[-.][0-9]{4})$`), nil},
	{document.Date, 0.85, regexp.MustCompile(`^[0-9]{1,2}([/.\-|])[0-9]{1,2}[/.\-|](?:[0-9]{4}|[0-9]{2})$`), isDate},
	{document.SSN, 0.85, regexp.MustCompile(`^[0-9]{3}-[0-9]{2}-[0-9]{4}$`), nil},
}

// spreadTokens bounds the pieces of one number: ten digits, each in its box, the box's
// lines read as strokes.
const spreadTokens = 24

// spread finds telephone numbers, dates and social security numbers in pieces, and
// numbers and names of one character a box.
func (f *Finder) spread(sh *sheet) []span {
	var out []span
	for _, r := range sh.rows {
		for i := r.from; i < r.to; {
			if s, ok := f.boxed(sh, i); ok {
				out = append(out, s)
				i = s.to
			} else if s, ok := sh.pieces(i); ok {
				out = append(out, s)
				i = s.to
			} else {
				i++
			}
		}
	}
	return out
}

// isPiece reports whether a token may be part of a number in pieces.
func isPiece(t *token) bool {
	return t.kind == number || t.kind == sign && strings.Contains("()-/.|+–", t.text)
}

// pieces finds the longest of the forms that begins with token i.
func (sh *sheet) pieces(i int) (span, bool) {
	if !isPiece(&sh.toks[i]) || i > 0 && sh.toks[i].gap == 0 {
		return span{}, false
	}
	var best span
	text := ""
	for k := i; k < sh.rows[sh.toks[i].row].to && k < i+spreadTokens && len(text) < 20; k++ {
		t := &sh.toks[k]
		if !isPiece(t) || k > i && t.gap >= spreadGap || t.text == "." && t.gap == 0 && !sh.goesOnWide(k) {
			break // a decimal point: the columns of a table are no number in pieces
		}
		text += strings.ReplaceAll(t.text, "–", "-")
		if len(text) < 6 {
			continue
		}
		for _, p := range spreadForms {
			if p.re.MatchString(text) && (p.valid == nil || p.valid(text)) && !sh.goesOn(k) {
				best = span{i, k + 1, p.typ, p.score, document.ByPattern}
			}
		}
	}
	return best, best.to > 0
}

// goesOn reports whether token k is glued to more of a number: "1/2/19.5".
func (sh *sheet) goesOn(k int) bool {
	return k+1 < len(sh.toks) && sh.toks[k+1].gap == 0 && sh.toks[k+1].kind != sign
}

// goesOnWide reports whether a space follows token k.
func (sh *sheet) goesOnWide(k int) bool {
	return k+1 < len(sh.toks) && sh.toks[k+1].gap > 0
}

// Characters from which a run of boxes is a number, or a word.
const (
	boxedDigits  = 6
	boxedLetters = 4
)

// boxed finds single characters at an even pitch. A scale that counts up ("0 1 2 3 …") is
// none, nor are letters that spell a word.
func (f *Finder) boxed(sh *sheet, i int) (span, bool) {
	var text strings.Builder
	row := &sh.rows[sh.toks[i].row]
	pitch, last, to := 0, -1, i
	counts := true
	for k := i; k < row.to && k < i+2*spreadTokens; k++ {
		t := &sh.toks[k]
		if t.kind == sign {
			if !strings.Contains("|[]", t.text) {
				break
			}
			continue
		}
		if len([]rune(t.text)) != 1 || !sh.inBox(k) {
			break
		}
		if last >= 0 {
			step := t.x0 - sh.toks[last].x0
			if step > spreadGap*row.height || pitch > 0 && abs(step-pitch)*5 > pitch*2 {
				break
			}
			if pitch == 0 {
				pitch = step
			}
			counts = counts && t.text[0] == sh.toks[last].text[0]+1
		}
		last, to = k, k+1
		text.WriteString(t.text)
	}
	s := text.String()
	n := len([]rune(s))
	switch {
	case counts:
		return span{}, false
	case digitsIn(s) >= boxedDigits:
		return span{i, to, document.Code, 0.7, document.ByPattern}, true
	case n >= boxedLetters && digitsIn(s) == 0:
		t := f.newToken(s, 0)
		return span{i, to, document.Name, 0.6, document.ByName}, t.entry.IsName() || !f.isVocabulary(&t) && variety(s) >= n-1
	}
	return span{}, false
}

// variety counts the different characters of s: answers in boxes ("Y N Y N") have few.
func variety(s string) int {
	seen := map[rune]bool{}
	for _, r := range s {
		seen[r] = true
	}
	return len(seen)
}

// inBox reports whether no other letter or digit touches token k.
func (sh *sheet) inBox(k int) bool {
	return (sh.toks[k].gap > 0 || k > 0 && sh.toks[k-1].kind == sign) && (k+1 == len(sh.toks) || sh.toks[k+1].gap > 0 || sh.toks[k+1].kind == sign)
}
