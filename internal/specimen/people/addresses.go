package people

import (
	"strconv"
	"strings"
)

// Address is where somebody lives or works. Region may be empty: a state is no secret,
// what is smaller is.
type Address struct {
	Country  string // ISO 3166, small letters
	Street   string // with the number
	Town     string
	Region   string
	Postcode string
}

// Address makes one in a country.
func (c *Crowd) Address(country string) Address {
	t := one(c.rng, c.towns[country])
	a := Address{Country: country, Town: t.name, Postcode: c.postcode(t), Street: c.street(country)}
	if t.region != "-" {
		a.Region = t.region
	}
	return a
}

func (c *Crowd) postcode(t town) string {
	switch t.country {
	case "us":
		code := t.post + c.shape("00")
		if c.rng.IntN(8) == 0 {
			code += "-" + c.shape("0000")
		}
		return code
	case "gb", "ca":
		if t.country == "ca" {
			return t.post + " " + c.shape("0A0")
		}
		return t.post + " " + c.shape("9AA")
	case "au":
		return t.post + c.shape("00")
	case "nl":
		return t.post + c.shape("00 AA")
	case "pt":
		return t.post + c.shape("00-000")
	}
	return t.post + c.shape("000")
}

func (c *Crowd) street(country string) string {
	pool := c.streets[country]
	number := strconv.Itoa(1 + c.rng.IntN(180))
	switch country {
	case "us", "ca", "au":
		return c.american()
	case "gb":
		return number + " " + one(c.rng, pool.words) + " " + one(c.rng, pool.kinds)
	case "de":
		return c.german(pool) + " " + number + one(c.rng, []string{"", "", "", "a", " b"})
	case "nl":
		return one(c.rng, pool.words) + one(c.rng, pool.kinds) + " " + number + one(c.rng, []string{"", "", "-II", "a"})
	case "fr":
		return number + one(c.rng, []string{" ", ", ", " bis "}) + one(c.rng, pool.kinds) + " " + one(c.rng, pool.words)
	}
	return one(c.rng, pool.kinds) + " " + one(c.rng, pool.words) + one(c.rng, []string{", ", " ", ", n.º "}) + number
}

func (c *Crowd) german(pool pair) string {
	kind := one(c.rng, pool.kinds)
	if kind == "platz" {
		return "Am " + one(c.rng, pool.words) + kind
	}
	return one(c.rng, pool.words) + kind
}

func (c *Crowd) american() string {
	pool := c.streets["us"]
	number := strconv.Itoa(10 + c.rng.IntN(9800))
	switch c.rng.IntN(14) {
	case 0:
		return one(c.rng, []string{"PO Box ", "P.O. Box "}) + number
	case 1:
		return one(c.rng, []string{"RR 2 Box ", "Rural Route 4, Box ", "HC 61 Box "}) + number
	case 2:
		return number + " " + one(c.rng, []string{"N", "S", "E", "W", "NW", "SE"}) + " " + ordinal(2+c.rng.IntN(97)) + " " + one(c.rng, pool.kinds)
	case 3:
		return number + " " + one(c.rng, []string{"County Road ", "State Highway ", "US Hwy ", "FM "}) + strconv.Itoa(10+c.rng.IntN(900))
	}
	street := number + " " + one(c.rng, []string{"", "", "", "N. ", "West ", "E "}) + one(c.rng, pool.words) + " " + one(c.rng, pool.kinds)
	if c.rng.IntN(3) == 0 {
		street += one(c.rng, []string{", Apt ", " Apt. ", " #", ", Unit ", ", Suite ", " Ste "}) + c.any("0A", "90", "900", "9", "A")
	}
	return street
}

func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

// Organisation is the name of a hospital or a practice where a language is spoken.
func (c *Crowd) Organisation(language string) string {
	pool := c.organisations[language]
	name, kind := one(c.rng, pool.words), one(c.rng, pool.kinds)
	switch {
	case strings.HasPrefix(kind, "-"):
		return strings.ReplaceAll(name, " ", "-") + kind
	case language == "en" || language == "nl" || language == "de":
		return name + " " + kind
	}
	return kind + " " + name
}
