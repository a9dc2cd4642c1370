// Package people invents the people of specimens, with what identifies them: names of
// many cultures, addresses, numbers, dates in the spellings of their countries. Nobody
// in it exists; a likeness is chance.
//
// Guarantees: the same people for the same chance; tens of thousands of names and any
// number of numbers; and two halves that share no name, town, street or organisation:
// each word of the pools belongs to the half that its hash says.
//
// Numbers with check digits have right ones, as those of patients do.
package people

import (
	_ "embed"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// Half is one of two disjoint worlds of people.
type Half uint64

// The halves: one to tune a product on, the other to publish its figures by.
const (
	Tune    Half = 0
	Publish Half = 1
)

// String is the name of the half on the command line.
func (h Half) String() string {
	if h == Publish {
		return "publish"
	}
	return "tune"
}

//go:embed given.txt
var givenFile string

//go:embed family.txt
var familyFile string

//go:embed places.txt
var placesFile string

//go:embed streets.txt
var streetsFile string

//go:embed organisations.txt
var organisationsFile string

// owns says to which half a word belongs: case and accents make no difference, and of
// several words the last decides ("de la Torre" goes with "Torre").
func (h Half) owns(word string) bool {
	fold := transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn)))
	folded, _, err := transform.String(fold, word)
	if err != nil {
		folded = word
	}
	parts := strings.Fields(strings.ToLower(folded))
	sum := fnv.New64a()
	sum.Write([]byte(parts[len(parts)-1]))
	return Half(sum.Sum64()>>7%2) == h
}

func (h Half) filter(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !h.owns(w) })
}

// Crowd makes people of one half.
type Crowd struct {
	half          Half
	rng           *rand.Rand
	women, men    map[string][]string // by culture
	families      map[string][]string
	cultures      []string
	towns         map[string][]town
	streets       map[string]pair // by country
	organisations map[string]pair // by language
}

// pair is what names are put together from.
type pair struct{ words, kinds []string }

type town struct{ country, region, post, name string }

// Gather reads the pools of a half. Everything that the crowd makes comes from rng.
func Gather(half Half, rng *rand.Rand) *Crowd {
	c := &Crowd{half: half, rng: rng, women: map[string][]string{}, men: map[string][]string{},
		families: map[string][]string{}, towns: map[string][]town{}}
	for _, f := range rows(givenFile) {
		to := c.women
		if f[1] == "m" {
			to = c.men
		}
		to[f[0]] = half.filter(f[2:])
		if f[1] == "f" {
			c.cultures = append(c.cultures, f[0])
		}
	}
	c.readFamilies()
	for _, f := range rows(placesFile) {
		if half.owns(f[3]) {
			c.towns[f[0]] = append(c.towns[f[0]], town{f[0], f[1], f[2], f[3]})
		}
	}
	c.streets, c.organisations = half.pairs(streetsFile), half.pairs(organisationsFile)
	return c
}

func (c *Crowd) readFamilies() {
	heads := map[string][]string{}
	for _, f := range rows(familyFile) {
		switch f[1] {
		case "+":
			heads[f[0]] = f[2:]
		case "-":
			for _, head := range heads[f[0]] {
				for _, tail := range f[2:] {
					c.families[f[0]] = append(c.families[f[0]], head+tail)
				}
			}
		default:
			c.families[f[0]] = append(c.families[f[0]], f[1:]...)
		}
	}
	for culture := range c.families {
		c.families[culture] = c.half.filter(c.families[culture])
	}
}

// pairs reads lines of words, which are split between the halves, and of kinds, which
// are not.
func (h Half) pairs(file string) map[string]pair {
	out := map[string]pair{}
	for _, f := range rows(file) {
		p := out[f[0]]
		if f[1] == "words" {
			p.words = h.filter(f[2:])
		} else {
			p.kinds = f[2:]
		}
		out[f[0]] = p
	}
	return out
}

// rows splits a pool into lines of fields; "_" in a field is a space.
func rows(file string) [][]string {
	var out [][]string
	for line := range strings.Lines(file) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		for i := range fields {
			if i > 0 {
				fields[i] = strings.ReplaceAll(fields[i], "_", " ")
			}
		}
		out = append(out, fields)
	}
	return out
}

func one[T any](rng *rand.Rand, of []T) T { return of[rng.IntN(len(of))] }
