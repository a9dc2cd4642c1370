package detect

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// misread are letters that readers take for digits, and the digits they were.
var misread = strings.NewReplacer("O", "0", "o", "0", "Q", "0", "D", "0", "l", "1", "I", "1", "|", "1", "S", "5", "s", "5", "B", "8", "Z", "2")

var digitRun = regexp.MustCompile(`[0-9]+`)

// numbers reads the numbers of a text, misread digits corrected.
func numbers(s string) []int {
	var out []int
	for _, n := range digitRun.FindAllString(misread.Replace(s), -1) {
		if v, err := strconv.Atoi(n); err == nil {
			out = append(out, v)
		}
	}
	return out
}

func digitsOnly(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}

func hasTrueDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// formNames are forms that are printed with their numbers: public, and on every copy.
var formNames = regexp.MustCompile(`^(?:CMS|HCFA|UB|OCR|HHS|DHHS|SSA|VA|IRS|FDA|OMB|ICD|CPT|DSM|ISO|COVID|SARS)-[0-9A-Z\-]+$`)

// isHyphenedCode accepts letters and digits with hyphens that are no public form.
func isHyphenedCode(s string) bool { return digitsBetween(4, 40)(s) && !formNames.MatchString(s) }

// isDate accepts day, month and year in the orders in which people write them.
func isDate(s string) bool {
	n := numbers(s)
	if len(n) != 3 || digitsIn(s) < 3 || strings.Contains(s, "-") && strings.Contains(s, ".") { // "1.5 - 38.5" is a range
		return false
	}
	a, b, c := n[0], n[1], n[2]
	if a > 31 {
		return a >= 1850 && a < 2150 && b >= 1 && c >= 1 && b <= 31 && c <= 31 && (b <= 12 || c <= 12)
	}
	return a >= 1 && b >= 1 && b <= 31 && (a <= 12 || b <= 12) && (c < 100 || c >= 1850 && c < 2150)
}

// isSpacedDate wants a day and a month in one of both orders: "12 31 1956".
func isSpacedDate(s string) bool {
	n := numbers(s)
	return len(n) == 3 && (n[0] <= 12 || n[1] <= 12)
}

// dayAndMonth refuses what only looks like a day before a month: "2 mar" needs a day
// between 1 and 31, "20 may be" is running text.
func dayAndMonth(s string) bool {
	n := numbers(strings.ToLower(firstField(s)))
	if len(n) == 0 || n[0] < 1 || n[0] > 31 || !hasTrueDigit(s) {
		return false
	}
	if i := strings.Index(s, "may"); i > 0 { // the verb is written small
		return digitsIn(s[i:]) > 0
	}
	return true
}

func firstField(s string) string {
	i := strings.IndexFunc(s, unicode.IsDigit)
	if i < 0 {
		return s
	}
	j := i
	for j < len(s) && s[j] >= '0' && s[j] <= '9' {
		j++
	}
	return s[i:j]
}

// isOver89 reads an age that Safe Harbor wants gone.
func isOver89(s string) bool {
	n := numbers(s)
	return len(n) > 0 && n[0] >= 90 && n[0] <= 125
}

func mostlyDigits(least int) func(string) bool {
	return func(s string) bool { return digitsIn(s) >= least }
}

func digitsBetween(least, most int) func(string) bool {
	return func(s string) bool { n := digitsIn(s); return n >= least && n <= most }
}

func isIP(s string) bool {
	for _, n := range numbers(s) {
		if n > 255 {
			return false
		}
	}
	return true
}

// isSpacedIP tells an IPv6 address from a column of times: four colons and a letter.
func isSpacedIP(s string) bool {
	return strings.Count(s, ":") >= 4 && strings.ContainsAny(strings.ToLower(s), "abcdef")
}

// isEmail wants a letter right behind the "@", or a domain with a dot.
func isEmail(s string) bool {
	_, domain, _ := strings.Cut(s, "@")
	domain = strings.TrimSpace(domain)
	return strings.IndexFunc(domain, unicode.IsLetter) == 0 || strings.Contains(domain, ".") && strings.IndexFunc(domain, unicode.IsLetter) > 0
}

// isMixedCode accepts capitals and digits mixed as no word, dose or ICD code mixes them.
func isMixedCode(s string) bool {
	digits, changes := digitsIn(s), 0
	for i := 1; i < len(s); i++ {
		if (s[i] <= '9') != (s[i-1] <= '9') {
			changes++
		}
	}
	return digits >= 2 && digits < len(s) && (changes >= 2 || digits >= 4)
}

// luhn is the checksum of card numbers and, behind 80840, of NPIs.
func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		n := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return sum%10 == 0
}

func isNPI(s string) bool { d := digitsOnly(s); return len(d) == 10 && luhn("80840"+d) }

// isDEA checks the last digit: the first, third and fifth plus twice the others.
func isDEA(s string) bool {
	d := digitsOnly(s)
	if len(d) < 7 {
		return false
	}
	d = d[len(d)-7:]
	v := func(i int) int { return int(d[i] - '0') }
	return (v(0)+v(2)+v(4)+2*(v(1)+v(3)+v(5)))%10 == v(6)
}

// isNHS checks the last digit of a British NHS number, modulo 11.
func isNHS(s string) bool {
	d := digitsOnly(s)
	if len(d) != 10 {
		return false
	}
	sum := 0
	for i := range 9 {
		sum += int(d[i]-'0') * (10 - i)
	}
	return (11-sum%11)%11 == int(d[9]-'0')
}

// isVIN accepts 17 capitals and digits that have both; the check digit is American only.
func isVIN(s string) bool {
	n := digitsIn(s)
	return n >= 3 && n < len(s)
}
