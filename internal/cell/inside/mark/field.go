package mark

import (
	"image"
	"slices"
	"strings"
	"unicode"

	"blotter/internal/cell/inside/words"
)

// field is a place on the page that asks for a signature: its label, and how far to the
// right of it the line is free of printed words.
type field struct {
	label image.Rectangle
	right int
}

// asks are words that ask for a signature wherever they stand, by their beginning. Each
// is long enough not to begin another word.
var asks = []string{
	"signature", "signatory", "unterschrift", "unterzeichn", "handtekening", "ondertekening", "ondertekend",
	"assinatura", "assinado", "podpis", "underskrift", "allekirjoitus", "firmado", "sottoscri", "signé", "signatur",
}

// asksWhole ask as whole words, unless the sentence goes on behind them: "signed
// estimate" asks for nothing.
var asksWhole = []string{"sign", "signed", "signing", "firma", "firme", "firmato", "gezeichnet", "getekend", "getekent", "sgd"}

// asksBefore ask when "by" (or its like) follows.
var asksBefore = []string{
	"approved", "authorized", "authorised", "authorization", "witnessed", "verified", "attested", "accepted", "certified", "ordered",
	"received", "submitted", "prepared", "reviewed", "released", "administered",
}

// fields finds the labels among a page's words; limit is the page's width.
func fields(ws []words.Word, limit int) []field {
	var out []field
	for i, w := range ws {
		if len(out) == maxFields {
			break
		}
		if span := asking(ws[i:]); span > 0 {
			f := field{label: w.Box.Rect(), right: limit}
			for _, more := range ws[i+1 : i+span] {
				f.label = f.label.Union(more.Box.Rect())
			}
			f.right = freeUntil(f.label, ws, limit)
			out = append(out, f)
		}
	}
	return out
}

// asking is how many of the next words are a label, 0 for none. Words of a label that
// follow what asks ("Signature of patient") are part of it.
func asking(ws []words.Word) int {
	first := bare(ws[0].Text)
	switch {
	case isCross(ws[0].Text), slices.Contains(asksWhole, first) && !goesOn(ws):
		return 1
	case slices.ContainsFunc(asks, func(a string) bool { return strings.HasPrefix(first, a) }):
		return 1
	case slices.Contains(asksBefore, first) && len(ws) > 1 && ws[1].Line == ws[0].Line && bare(ws[1].Text) == "by":
		return 2
	}
	return 0
}

// goesOn reports whether the first word is one of a sentence: another in small letters
// stands on its line, and does not continue a label.
func goesOn(ws []words.Word) bool {
	if len(ws) < 2 || ws[1].Line != ws[0].Line || strings.HasSuffix(ws[0].Text, ":") || ws[1].Box.X-ws[0].Box.X-ws[0].Box.W > 2*ws[0].Box.H {
		return false
	}
	next := bare(ws[1].Text)
	return next != "" && strings.HasPrefix(ws[1].Text, next) && !slices.Contains([]string{"by", "here", "del", "de", "della", "do", "da", "van", "von", "name", "on"}, next)
}

// isCross reports whether a word is the "X____" at which one signs.
func isCross(s string) bool {
	rest := strings.TrimLeft(s, "xX×✗✘")
	return len(s)-len(rest) > 0 && len(rest) >= 2 && strings.Trim(rest, "_.:") == ""
}

func bare(s string) string {
	return strings.TrimFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) })
}

// freeUntil is where the next printed word right of a label begins, after those that are
// set close to it and so belong to it.
func freeUntil(l image.Rectangle, ws []words.Word, limit int) int {
	end := l.Max.X
	for {
		next, to := limit, limit
		for _, w := range ws {
			r := w.Box.Rect()
			sameLine := 2*overlapOf(l.Min.Y, l.Max.Y, r.Min.Y, r.Max.Y) >= min(l.Dy(), r.Dy())
			if w.Confidence >= sureWord && sameLine && r.Min.X > l.Min.X && r.Max.X > end && r.Min.X < next {
				next, to = r.Min.X, r.Max.X
			}
		}
		if next == limit || next-end > l.Dy()*3/2 {
			return next
		}
		end = to
	}
}

func overlapOf(a0, a1, b0, b1 int) int { return max(0, min(a1, b1)-max(a0, b0)) }
