package people

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Person is somebody invented.
type Person struct {
	Given, Middle, Family, Suffix string // Middle and Suffix are often empty
	Female                        bool
	Culture                       string
	Born                          time.Time
}

// homes are the cultures that names in documents of a language mostly come from.
var homes = map[string][]string{
	"en": {"english", "english", "english", "english", "irish", "african_american", "scottish", "welsh"},
	"de": {"german"}, "fr": {"french"}, "es": {"spanish"}, "it": {"italian"}, "nl": {"dutch"}, "pt": {"portuguese"},
}

// Person makes somebody who lives where that language is spoken, born so that they are
// 18 to 97 years old at the given time.
func (c *Crowd) Person(language string, now time.Time) Person {
	culture := one(c.rng, c.cultures)
	if c.rng.IntN(100) < 45 {
		culture = one(c.rng, homes[language])
	}
	p := Person{Culture: culture, Female: c.rng.IntN(2) == 0, Family: c.family(culture)}
	p.Given = c.given(p)
	p.Born = now.AddDate(-18-c.rng.IntN(80), 0, -c.rng.IntN(365))
	if c.rng.IntN(2) == 0 {
		p.Middle = c.given(p)
	}
	if !p.Female && c.rng.IntN(12) == 0 {
		p.Suffix = one(c.rng, []string{"Jr.", "Sr.", "III", "II", "Jr"})
	}
	return p
}

func (c *Crowd) family(culture string) string {
	name := one(c.rng, c.families[culture])
	switch n := c.rng.IntN(100); {
	case n < 7:
		return name + "-" + one(c.rng, c.families[culture])
	case n < 25 && (culture == "spanish" || culture == "portuguese"):
		return name + " " + one(c.rng, c.families[culture])
	}
	return name
}

func (c *Crowd) given(p Person) string {
	if p.Female {
		return one(c.rng, c.women[p.Culture])
	}
	return one(c.rng, c.men[p.Culture])
}

// Relative makes somebody of the patient's family and says what they are, in English:
// "daughter", "husband".
func (c *Crowd) Relative(of Person) (Person, string) {
	relations := []string{"daughter", "sister", "mother", "wife", "aunt", "niece", "granddaughter"}
	r := Person{Culture: of.Culture, Female: c.rng.IntN(2) == 0, Family: of.Family, Born: of.Born}
	if !r.Female {
		relations = []string{"son", "brother", "father", "husband", "uncle", "nephew", "grandson"}
	}
	r.Given = c.given(r)
	if c.rng.IntN(3) == 0 {
		r.Family = c.family(of.Culture)
	}
	return r, one(c.rng, relations)
}

// Full is "Given Family", with the suffix if there is one.
func (p Person) Full() string { return join(p.Given, p.Family, p.Suffix) }

// Formal is Full with the initial of the middle name.
func (p Person) Formal() string { return join(p.Given, initial(p.Middle), p.Family, p.Suffix) }

// Whole is the name with every part spelt out.
func (p Person) Whole() string { return join(p.Given, p.Middle, p.Family, p.Suffix) }

// Listed is "Family, Given M."
func (p Person) Listed() string {
	return join(p.Family+",", p.Given, initial(p.Middle))
}

// Short is "G. Family".
func (p Person) Short() string { return join(initial(p.Given), p.Family) }

// Letters are the initials, without stops: "GF".
func (p Person) Letters() string {
	return strings.NewReplacer(".", "", " ", "").Replace(join(initial(p.Given), initial(p.Middle), initial(p.Family)))
}

// Age is the number of full years at a time.
func (p Person) Age(at time.Time) int {
	years := at.Year() - p.Born.Year()
	if p.Born.AddDate(years, 0, 0).After(at) {
		years--
	}
	return years
}

func initial(name string) string {
	if name == "" {
		return ""
	}
	r, _ := utf8.DecodeRuneInString(name)
	return string(r) + "."
}

func join(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, " ")
}
