package people

import (
	"fmt"
	"strconv"
	"strings"
)

// shape fills a pattern: 0 is a digit, 9 a digit that is not zero, A a capital letter,
// a a small one, X either letter or digit. Everything behind a backslash stays.
func (c *Crowd) shape(pattern string) string {
	const letters = "ABCDEFGHJKLMNPRSTUVWXYZ"
	var out strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '0':
			out.WriteByte('0' + byte(c.rng.IntN(10)))
		case '9':
			out.WriteByte('1' + byte(c.rng.IntN(9)))
		case 'A':
			out.WriteByte(letters[c.rng.IntN(len(letters))])
		case 'a':
			out.WriteByte(letters[c.rng.IntN(len(letters))] + 32)
		case 'X':
			out.WriteByte((letters + "23456789")[c.rng.IntN(len(letters)+8)])
		case '\\':
			i++
			out.WriteByte(pattern[i])
		default:
			out.WriteByte(pattern[i])
		}
	}
	return out.String()
}

// any fills one of several patterns.
func (c *Crowd) any(patterns ...string) string { return c.shape(one(c.rng, patterns)) }

// MRN is a number of a patient's record, in one of many houses' forms.
func (c *Crowd) MRN() string {
	if c.half == Tune {
		return c.any("00000000", "900000", "9000000", "AA-000000", "A0000000", "00-00-00", "9000-000-0", "AAA000000", "0000000000", "M900000", "900 00 00", "AAAA-0000000")
	}
	return c.any("00000000", "900000", "9000000", "AA000000", "000-000-000", "E0000000", "A-00000", "0000-00000", "900000000", "AAX-00000", "A00 000 000", "AA/00/00000")
}

// Code is any other unique code: an accession, a visit, a specimen, a claim.
func (c *Crowd) Code() string {
	if c.half == Tune {
		return c.any("00-0000000", "A00-00000", "AA-0000-00000", "S00-0000", "000000000", "AA00000000", "X00X0X", "AAA/00/0000")
	}
	return c.any("00.000.000", "AX-000000", "A0000000", "0000-AA-0000", "AA:0000000", "00000000-00", "XX0XX0X", "S-00-00000")
}

// SSN is a social security number of an area that was never given out, or one half hidden.
func (c *Crowd) SSN() string {
	return c.any("9\\00-00-0000", "9\\00-00-0000", "9\\00 00 0000", "666-00-0000", "9\\0000-0000")
}

// MemberID is what a health plan calls its member.
func (c *Crowd) MemberID() string {
	if c.half == Tune {
		return c.any("AAA000000000", "AAA 000 000 000", "000000000", "W000000000", "A000-000-00", "0000000000 01", "AA00000000")
	}
	return c.any("AAA00A00000", "XAA 0000 00000", "00000000000", "H00000000", "0000-00000-00", "R00000000", "AAAA-000000-A")
}

// MBI is a Medicare number in its published form: letters S, L, O, I, B, Z are not used.
func (c *Crowd) MBI() string {
	const letters = "ACDEFGHJKMNPQRTUVWXY"
	letter := func() string { return string(letters[c.rng.IntN(len(letters))]) }
	either := func() string {
		if c.rng.IntN(2) == 0 {
			return letter()
		}
		return c.shape("0")
	}
	first := c.shape("9") + letter() + either() + c.shape("0")
	second, third := letter()+either()+c.shape("0"), letter()+letter()+c.shape("00")
	return strings.Join([]string{first, second, third}, one(c.rng, []string{"-", "-", ""}))
}

// Group is the number of a group in a health plan.
func (c *Crowd) Group() string {
	return c.any("00000", "000000", "00000-A", "AAA000", "0000000", "A00000-000", "AA-0000")
}

// Account is an account or invoice number.
func (c *Crowd) Account() string {
	if c.half == Tune {
		return c.any("0000-0000-00", "A000000", "900000000", "00-000000-0", "ACX00000", "INV-000000")
	}
	return c.any("000000-00", "AA 000000", "9000000000", "0000.0000.0", "PX-00000", "00/000000")
}

// NPI is a national provider identifier: its last digit is Luhn's behind the prefix 80840.
func (c *Crowd) NPI() string {
	body := "1" + c.shape("00000000")
	for d := range 10 {
		if luhn("80840" + body + strconv.Itoa(d)) {
			return body + strconv.Itoa(d)
		}
	}
	return body
}

func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			d = d * 2
			d = d/10 + d%10
		}
		sum += d
	}
	return sum%10 == 0
}

// DEA is a registration number of somebody who prescribes; its last digit is a checksum.
func (c *Crowd) DEA(family string) string {
	d := c.shape("000000")
	n := func(i int) int { return int(d[i] - '0') }
	check := (n(0) + n(2) + n(4) + 2*(n(1)+n(3)+n(5))) % 10
	initial := "X"
	if family != "" && family[0] < 0x80 {
		initial = strings.ToUpper(family[:1])
	}
	return one(c.rng, []string{"A", "B", "F", "M"}) + initial + d + strconv.Itoa(check)
}

// Licence is a licence of a state: of a driver, a nurse or a physician.
func (c *Crowd) Licence() string {
	if c.half == Tune {
		return c.any("A0000000", "AA-00000", "000000000", "RN000000", "A000-0000-0000", "PA-00000")
	}
	return c.any("AA000000", "A-000-000-000", "00AAA0000", "0000000", "ME 00000", "00-000-0000")
}

// VIN is a vehicle's number, with the check digit of ISO 3779 as North America uses it.
func (c *Crowd) VIN() string {
	const values = "0123456789.ABCDEFGH..JKLMN.P.R..STUVWXYZ"
	weights := []int{8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2}
	vin := []byte(c.any("1AA", "2AA", "3AA", "5AA", "JAA", "WAA") + c.shape("XX00X") + "0" + c.shape("XX000000"))
	sum := 0
	for i, b := range vin {
		sum += strings.IndexByte(values, b) % 10 * weights[i]
	}
	vin[8] = "0123456789X"[sum%11]
	return string(vin)
}

// Plate is a number plate.
func (c *Crowd) Plate() string {
	return c.any("AAA 0000", "0AAA000", "AAA-000", "00-A000", "AA 00000", "000 AAA")
}

// Serial is the serial number of a device.
func (c *Crowd) Serial() string {
	if c.half == Tune {
		return c.any("SN0000000", "AAA000000A", "0000-0000", "PJX000000S", "00AA00000", "A00000000000")
	}
	return c.any("AA-00000-00", "00000000", "XA00000000", "000000AAA", "LOT00A0000", "AX0000X")
}

// URL is a page of somebody.
func (c *Crowd) URL(p Person) string {
	host := one(c.rng, []string{"example.org", "mychart.example.com", "portal.example.net", "records.example.org"})
	path := one(c.rng, []string{"/p/" + c.shape("XXXXXX"), "/users/" + slug(p.Family), "/patient?id=" + c.shape("000000"), "/" + slug(p.Given) + "." + slug(p.Family)})
	return one(c.rng, []string{"https://", "www.", "http://www.", ""}) + host + path
}

// IP is an address of version 4 or 6, of the blocks kept for documents and private nets.
func (c *Crowd) IP() string {
	if c.rng.IntN(4) == 0 {
		return fmt.Sprintf("2001:db8:%x:%x::%x", c.rng.IntN(65536), c.rng.IntN(65536), 1+c.rng.IntN(4095))
	}
	return fmt.Sprintf("%s%d.%d", one(c.rng, []string{"10.24.", "192.168.", "172.16.", "203.0."}), c.rng.IntN(256), 1+c.rng.IntN(254))
}

// Email is somebody's address, at a domain kept for documents or one that sounds common.
func (c *Crowd) Email(p Person) string {
	g, f := slug(p.Given), slug(p.Family)
	name := one(c.rng, []string{g + "." + f, g[:1] + f, f + "_" + g, g + c.shape("00"), f + c.shape("000"), g + f, f + "." + g[:1]})
	return name + "@" + one(c.rng, []string{"example.com", "example.org", "mail.example.net", "inbox.example", "postfach.example", "webmail.example.com"})
}

// slug is a name as it stands in addresses: small letters a–z only.
func slug(name string) string {
	fold := strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "é", "e", "è", "e", "ñ", "n", "ç", "c", "á", "a", "í", "i", "ó", "o", "ú", "u", "ø", "o", "å", "a")
	s := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, fold.Replace(strings.ToLower(name)))
	if s == "" {
		return "user"
	}
	return s
}
