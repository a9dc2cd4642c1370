package lexicon

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns a word in the form in which the lists hold it: lower case, without
// diacritics (the recogniser's alphabet lacks many of them), typographic apostrophes and
// hyphens made plain.
func Fold(s string) string {
	if isPlain(s) {
		return strings.ToLower(s) // returns s itself where nothing changes
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(s) {
		if unicode.Is(unicode.Mn, r) {
			continue
		}
		r = unicode.ToLower(r)
		if t, ok := unfolded[r]; ok {
			b.WriteString(t)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// unfolded are letters that no decomposition turns into plain ones.
var unfolded = map[rune]string{
	'ß': "ss", 'ø': "o", 'æ': "ae", 'œ': "oe", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i", 'ə': "e", 'ħ': "h",
	'’': "'", '‘': "'", 'ʼ': "'", '`': "'", '´': "'", '‐': "-", '‑': "-", '–': "-", '—': "-",
}
