package detect

import "unicode"

// Recognisers lose spaces: "310WillowBend Drive, Suite4, Bozeman, MT59715". Codes mix
// letters and digits too, so a run is only parted where both sides look like words of
// print: a word with a capital and small letters, a house number, a state's code.

// Shortest words that a run is parted into, in characters: "McAllister" and "LaToya" stay whole.
const (
	gluedHead = 4 // before a capital inside a run
	gluedTail = 3 // from the capital on
)

// longestGlued bounds a run that is parted, in characters: the work grows with its square.
const longestGlued = 48

// seams returns where a run of letters and digits falls into words, in ascending order.
func seams(rs []rune) []int {
	if len(rs) > longestGlued {
		return nil
	}
	var out []int
	start := 0
	for k := 1; k < len(rs); k++ {
		if isSeam(rs[start:k], rs[k:]) {
			out = append(out, k)
			start = k
		}
	}
	return out
}

func isSeam(head, tail []rune) bool {
	last := head[len(head)-1]
	switch {
	case isCapitalised(tail):
		return all(head, unicode.IsDigit) && len(head) <= 6 || isOrdinal(head) ||
			unicode.IsLower(last) && (len(head) >= gluedHead && all(head, unicode.IsLetter) || len(head) >= 2 && all(head, unicode.IsLower))
	case len(tail) <= 2 && unicode.IsUpper(tail[0]): // "withDr", "HunterR"
		return unicode.IsLower(last) && len(head) >= gluedHead && all(head, unicode.IsLetter) && (len(tail) == 1 && string(head) != "Pharm" || gluedShort[string(tail)])
	case all(tail, unicode.IsDigit):
		word := isCapitalised(head) && all(head[1:], unicode.IsLower)
		state := len(head) == 2 && len(tail) == 5 && all(head, unicode.IsUpper)
		return word && len(tail) <= 5 && !isMisreadLetter(tail) || state || gluedBefore[string(head)]
	case all(tail, unicode.IsLower) && len(tail) >= gluedTail: // "1943and"
		return all(head, unicode.IsDigit) && len(head) == 4
	}
	return false
}

// gluedShort are the words of two letters that are parted from the word before.
var gluedShort = map[string]bool{"Dr": true, "Mr": true, "Ms": true, "St": true, "Rd": true, "Ct": true, "Ln": true}

// gluedBefore are the short words that are parted from digits behind them.
var gluedBefore = map[string]bool{
	"on": true, "at": true, "of": true, "from": true, "by": true, "to": true, "is": true, "was": true, "since": true, "until": true, "de": true, "el": true, "le": true,
	"am": true, "vom": true, "DOB": true, "MRN": true, "SSN": true, "Ph": true, "scheduled": true, "dated": true, "seen": true,
	"number": true, "Number": true, "pager": true, "Pager": true, "Tel": true, "Phone": true, "Fax": true, "geb": true, "ext": true, "ID": true, "Acct": true, "Zip": true, "ZIP": true, "NHS": true,
}

// isOrdinal accepts "42nd".
func isOrdinal(rs []rune) bool {
	n := len(rs) - 2
	if n < 1 || !all(rs[:n], unicode.IsDigit) {
		return false
	}
	end := string(rs[n:])
	return end == "st" || end == "nd" || end == "rd" || end == "th"
}

// isMisreadLetter reports whether digits at a word's end were letters: "Apri1", "Bil1".
func isMisreadLetter(digits []rune) bool {
	return len(digits) == 1 && (digits[0] == '1' || digits[0] == '0')
}

// isCapitalised reports whether rs begins like a word: a capital and two small letters.
func isCapitalised(rs []rune) bool {
	return len(rs) >= gluedTail && unicode.IsUpper(rs[0]) && unicode.IsLower(rs[1]) && unicode.IsLower(rs[2])
}

func all(rs []rune, is func(rune) bool) bool {
	for _, r := range rs {
		if !is(r) {
			return false
		}
	}
	return true
}
