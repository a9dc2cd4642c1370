package people

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// NHS is a number of the National Health Service; its last digit is a checksum modulo 11.
func (c *Crowd) NHS() string {
	for {
		d := c.shape("900000000")
		sum := 0
		for i := range 9 {
			sum += int(d[i]-'0') * (10 - i)
		}
		if check := (11 - sum%11) % 11; check != 10 {
			return d[:3] + " " + d[3:6] + " " + d[6:] + strconv.Itoa(check)
		}
	}
}

// National is the number by which a country's insurance or registry knows somebody.
func (c *Crowd) National(country string, p Person) string {
	switch country {
	case "de":
		return c.shape("A000000000") // Krankenversichertennummer
	case "fr":
		return c.nir(p)
	case "es":
		return c.dni()
	case "it":
		return c.codiceFiscale(p)
	case "nl":
		return c.bsn()
	case "pt":
		return c.any("200000000", "900 000 000") // número de utente
	case "ca":
		return c.any("0000-000-000-AA", "900 000 000")
	case "au":
		return c.shape("2000 00000 9")
	}
	return c.NHS()
}

func (c *Crowd) nir(p Person) string {
	sex := 1
	if p.Female {
		sex = 2
	}
	n := fmt.Sprintf("%d%02d%02d%02d%s", sex, p.Born.Year()%100, p.Born.Month(), 1+c.rng.IntN(95), c.shape("000000"))
	v, _ := strconv.ParseUint(n, 10, 64)
	return fmt.Sprintf("%s %s %s %s %s %s %02d", n[:1], n[1:3], n[3:5], n[5:7], n[7:10], n[10:], 97-v%97)
}

func (c *Crowd) dni() string {
	n := c.rng.IntN(90000000) + 10000000
	return fmt.Sprintf("%d%s%c", n, one(c.rng, []string{"", "-"}), "TRWAGMYFPDXBNJZSQVHLCKE"[n%23])
}

// codiceFiscale has the right form; its letters follow the name, its check letter is chance.
func (c *Crowd) codiceFiscale(p Person) string {
	day := p.Born.Day()
	if p.Female {
		day += 40
	}
	return consonants(p.Family) + consonants(p.Given) +
		fmt.Sprintf("%02d%c%02d", p.Born.Year()%100, "ABCDEHLMPRST"[p.Born.Month()-1], day) + c.shape("A000A")
}

func consonants(name string) string {
	out := strings.Map(func(r rune) rune {
		if strings.ContainsRune("bcdfghjklmnpqrstvwxyz", r) {
			return r - 32
		}
		return -1
	}, slug(name)) + "XXX"
	return out[:3]
}

func (c *Crowd) bsn() string {
	for {
		d := c.shape("90000000")
		sum := 0
		for i := range 8 {
			sum += int(d[i]-'0') * (9 - i)
		}
		if sum%11 < 10 {
			return d + strconv.Itoa(sum%11)
		}
	}
}

// Phone is a number in one of a country's spellings. American ones are mostly of the
// exchange 555, which nobody has.
func (c *Crowd) Phone(country string) string {
	switch country {
	case "us", "ca":
		return c.any("(900) 555-0000", "(900) 555-0000", "900-555-0000", "900-555-0000", "900.555.0000", "1-900-555-0000",
			"+1 900 555 0000", "900 555 0000", "(900)555-0000", "900555\\0000", "(900) 900-0000", "900-900-0000 x00", "(900) 555-0000 ext. 0000")
	case "gb":
		return c.any("\\01900 900000", "\\020 7\\946 0000", "\\07700 9\\00000", "+44 1900 900000", "(\\01900) 900000")
	case "au":
		return c.any("(\\03) 5\\550 0000", "\\0491 570 000", "+61 3 9000 0000")
	case "de":
		return c.any("\\0900 / 900000", "\\0900-900 00 00", "+49 (\\0) 900 900000", "\\0170 9000000", "\\0900/90 00-00")
	case "fr":
		return c.any("\\01 99 00 00 00", "\\04.90.00.00.00", "+33 6 90 00 00 00", "\\0690000000")
	case "es":
		return c.any("900 00 00 00", "+34 900 000 000", "900 000 000", "900-000-000")
	case "it":
		return c.any("\\090 9000000", "\\0900/900000", "+39 390 9000000", "390 90 00 000")
	case "nl":
		return c.any("\\090-9000000", "\\06-90000000", "+31 90 900 0000", "\\0900 - 90 00 00")
	}
	return c.any("200 000 000", "+351 900 000 000", "90 000 00 00")
}

// Dates picks one spelling of days in a language and returns what writes it, for a
// document that is consistent.
func (c *Crowd) Dates(language string) func(time.Time) string {
	if months := monthNames[language]; months != nil {
		return one(c.rng, foreignDates(language, months))
	}
	layout := one(c.rng, []string{"01/02/2006", "01/02/2006", "1/2/2006", "1/2/06", "01-02-2006", "2006-01-02", "January 2, 2006", "Jan 2, 2006",
		"02-Jan-2006", "02 Jan 2006", "2 January 2006", "01.02.2006", "Jan. 2, 2006", "02JAN2006", "01/02/06", "Mon, Jan 2, 2006"})
	return func(t time.Time) string {
		if strings.Contains(layout, "JAN") {
			return strings.ToUpper(t.Format("02Jan2006"))
		}
		return t.Format(layout)
	}
}

var monthNames = map[string][]string{
	"de": {"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"},
	"fr": {"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"},
	"es": {"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"},
	"it": {"gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre", "ottobre", "novembre", "dicembre"},
	"nl": {"januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober", "november", "december"},
	"pt": {"janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro", "novembro", "dezembro"},
}

func foreignDates(language string, months []string) []func(time.Time) string {
	joint := map[string][2]string{"de": {". ", " "}, "fr": {" ", " "}, "es": {" de ", " de "}, "it": {" ", " "}, "nl": {" ", " "}, "pt": {" de ", " de "}}[language]
	numeric := map[string]string{"de": "02.01.2006", "fr": "02/01/2006", "es": "02/01/2006", "it": "02/01/2006", "nl": "02-01-2006", "pt": "02/01/2006"}[language]
	return []func(time.Time) string{
		func(t time.Time) string { return t.Format(numeric) },
		func(t time.Time) string { return t.Format(numeric) },
		func(t time.Time) string {
			return strconv.Itoa(t.Day()) + joint[0] + months[t.Month()-1] + joint[1] + strconv.Itoa(t.Year())
		},
		func(t time.Time) string { return t.Format(strings.Replace(numeric, "2006", "06", 1)) },
	}
}
