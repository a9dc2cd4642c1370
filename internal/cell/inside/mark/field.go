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
	label  image.Rectangle
	height int // of one of the label's lines
	right  int
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

// asksAlone ask where they are all of the label.
var asksAlone = []string{"witness", "zeuge", "zeugin", "getuige", "testigo", "testimone", "testemunha", "témoin"}

// fields finds the labels among a page's words; limit is the page's width.
func fields(ws []words.Word, limit int) []field {
	var out []field
	for i := range ws {
		if len(out) == maxFields {
			break
		}
		span := asking(ws[i:])
		from, to := run(ws, i, i+span)
		if span == 0 || !labels(ws, i, from, to) {
			continue
		}
		if mayBePrinted(bare(ws[i].Text)) && follows(ws, i+span) {
			continue
		}
		f := field{label: ws[i].Box.Rect(), height: ws[i].Box.H}
		for _, more := range ws[from : i+span] {
			f.label = f.label.Union(more.Box.Rect())
		}
		f.label = withHere(f.label, ws)
		f.right = freeUntil(f.label, ws, limit)
		out = append(out, f)
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
	case slices.Contains(asksAlone, first):
		return 1
	}
	return 0
}

// mayBePrinted reports whether what a word asks for is as often printed as signed.
func mayBePrinted(w string) bool {
	return slices.Contains(asksBefore, w) || slices.Contains(asksAlone, w)
}

const (
	// mostBefore is how many words of a label stand before the one that asks: "Parent or
	// guardian signature". Before a verb stands one: "Please sign".
	mostBefore, mostBeforeVerb = 3, 1
	// mostOfLabel is how many words a label has at most, "Signature of person authorized
	// to give consent for patient" being a long one. What is longer is a sentence that
	// speaks of signing.
	mostOfLabel = 9
)

// labels reports whether the words from one to another can be a label in which the i-th
// asks: one near the start of a short run.
func labels(ws []words.Word, i, from, to int) bool {
	first, most := bare(ws[i].Text), mostBefore
	if slices.Contains(asksWhole, first) {
		most = mostBeforeVerb
	}
	if slices.Contains(asksAlone, first) {
		return to-from == 1
	}
	return i-from <= most && to-from <= mostOfLabel
}

// run widens a range of words to the run they stand in, which ends at a wide gap, at a
// colon and at a drawn line.
func run(ws []words.Word, from, to int) (int, int) {
	for from > 0 && joined(ws[from-1], ws[from]) {
		from--
	}
	for to > from && to < len(ws) && joined(ws[to-1], ws[to]) {
		to++
	}
	return from, to
}

// joined reports whether a word goes on in the run of the one before it. Doubtful words
// may be the signature itself.
func joined(a, b words.Word) bool {
	return a.Line == b.Line && b.Box.X-a.Box.X-a.Box.W <= 3*max(a.Box.H, b.Box.H)/2 &&
		min(a.Confidence, b.Confidence) >= doubtfulWord && !strings.HasSuffix(a.Text, ":") && !strings.Contains(a.Text+b.Text, "__")
}

// doubtfulWord is the confidence below which a word may be no word at all.
const doubtfulWord = 0.7

// follows reports whether a printed word follows at once behind a label, before the i-th.
func follows(ws []words.Word, i int) bool {
	if i >= len(ws) {
		return false
	}
	a, b := ws[i-1], ws[i]
	return a.Line == b.Line && b.Confidence >= sureWord && bare(b.Text) != "" && b.Box.X-a.Box.X-a.Box.W <= 2*a.Box.H
}

// withHere adds the second line of a "Sign / here" to its label.
func withHere(l image.Rectangle, ws []words.Word) image.Rectangle {
	for _, w := range ws {
		r := w.Box.Rect()
		if bare(w.Text) == "here" && abs(r.Min.X-l.Min.X) <= l.Dy() && r.Min.Y > l.Min.Y && r.Min.Y-l.Max.Y <= l.Dy() {
			return l.Union(r)
		}
	}
	return l
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
