package main

import (
	"embed"
	"math/rand/v2"
	"strings"
	"unicode"

	"blotter/internal/cell/inside/detect"
	"blotter/internal/cell/inside/detect/lexicon"
)

//go:embed templates
var files embed.FS

// writer makes pages up. It is one stream of chance: the same seed writes the same pages.
type writer struct {
	*rand.Rand
	templates          [][]string // by file, one template a string
	given, famous      []string
	surnames, worded   []string // worded are family names that are also ordinary words
	givenWords, cities []string
	states             []string
	vocab              vocabulary
	noises             []string // templates that name nobody
}

// fewestBearers is the number of births from which a given name is drawn.
const fewestBearers = 500

func newWriter(r *rand.Rand, f *detect.Finder) (*writer, error) {
	w := &writer{Rand: r, vocab: newVocabulary(f), states: strings.Fields("AL AZ CA CO FL GA IL IN KY MA MD MI MN MO NC NJ NY OH OR PA TN TX VA WA WI")}
	names, err := files.ReadDir("templates")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		b, err := files.ReadFile("templates/" + name.Name())
		if err != nil {
			return nil, err
		}
		templates := strings.Split(strings.TrimSpace(string(b)), "\n---\n")
		if name.Name() == "noise.txt" {
			w.noises = templates
		} else {
			w.templates = append(w.templates, templates)
		}
	}
	lex, err := lexicon.Open()
	if err != nil {
		return nil, err
	}
	for word, e := range lex.All() {
		w.deal(word, e)
		w.vocab.learnWord(word, e)
	}
	return w, nil
}

// deal puts one word of the lexicon into the lists that it is drawn from.
func (w *writer) deal(word string, e lexicon.Entry) {
	common := e.Has(lexicon.Common)
	if e.Has(lexicon.USPlace|lexicon.City) && len(word) > 3 && !(common && !strings.Contains(word, " ")) {
		w.cities = append(w.cities, capitalised(word))
	}
	if len(word) < 2 || strings.ContainsAny(word, " .") {
		return
	}
	switch name := capitalised(word); {
	case common && e.Births() >= 20_000:
		w.givenWords = append(w.givenWords, name)
	case common && e.Has(lexicon.Surname):
		w.worded = append(w.worded, name)
	case common:
	case e.Births() >= 50_000:
		w.famous = append(w.famous, name)
	case e.Births() >= fewestBearers || e.Has(lexicon.Given):
		w.given = append(w.given, name)
	}
	if e.Has(lexicon.Surname) && !common {
		w.surnames = append(w.surnames, capitalised(word))
	}
}

// capitalised writes the first letter, and that behind a hyphen or an apostrophe, as a
// capital.
func capitalised(s string) string {
	up := true
	return strings.Map(func(r rune) rune {
		if up {
			r = unicode.ToUpper(r)
		}
		up = r == ' ' || r == '-' || r == '\''
		return r
	}, s)
}

func (w *writer) pick(list ...string) string { return list[w.IntN(len(list))] }

// page writes one page of one to five templates.
func (w *writer) page() page {
	var rows [][]glyph
	kind := w.templates[w.IntN(len(w.templates))]
	for range 1 + w.IntN(4) {
		if w.IntN(3) == 0 {
			kind = w.templates[w.IntN(len(w.templates))]
		}
		rows = append(rows, w.fill(kind[w.IntN(len(kind))])...)
		rows = append(rows, nil)
		if w.IntN(2) == 0 {
			rows = append(rows, w.fill(w.noises[w.IntN(len(w.noises))])...)
			rows = append(rows, nil)
		}
	}
	switch w.IntN(12) {
	case 0, 1:
		recase(rows, unicode.ToUpper)
	case 2:
		recase(rows, unicode.ToLower)
	case 3, 4:
		plain(rows)
	}
	p := layOut(rows, w.IntN(2) == 0)
	switch w.IntN(6) {
	case 0:
		return w.damage(p, 30)
	case 1, 2:
		return w.damage(p, 90)
	}
	return p
}

// fill writes a template: <a|b> is one of several, {{slot}} a value.
func (w *writer) fill(template string) [][]glyph {
	var rows [][]glyph
	for line := range strings.SplitSeq(template, "\n") {
		rows = append(rows, w.wrap(w.fillLine(line))...)
	}
	return rows
}

func (w *writer) fillLine(line string) []glyph {
	var out []glyph
	put := func(s string, class uint8) {
		for _, r := range s {
			out = append(out, glyph{r, class})
		}
	}
	for line != "" {
		switch a, b := strings.Index(line, "{{"), strings.IndexByte(line, '<'); {
		case b >= 0 && (a < 0 || b < a) && strings.Contains(line[b:], ">") && isChoice(line[b:]):
			put(line[:b], 0)
			choice, rest, _ := strings.Cut(line[b+1:], ">")
			line = w.pick(strings.Split(choice, "|")...) + rest
		case a >= 0:
			put(line[:a], 0)
			slot, rest, _ := strings.Cut(line[a+2:], "}}")
			value, class := w.slot(slot)
			put(value, class)
			line = rest
		default:
			put(line, 0)
			line = ""
		}
	}
	return out
}

// isChoice tells "<a|b>" from "<name@example.com>".
func isChoice(s string) bool {
	return strings.Contains(s[:strings.IndexByte(s, '>')], "|")
}

// wrap breaks running text into lines of a length that differs from page to page. Lines
// with cells stay.
func (w *writer) wrap(line []glyph) [][]glyph {
	width := 60 + w.IntN(60)
	var rows [][]glyph
	for len(line) > width && !hasCells(line) {
		cut := width
		for cut > 0 && line[cut].r != ' ' {
			cut--
		}
		if cut == 0 {
			break
		}
		rows = append(rows, line[:cut])
		line = line[cut+1:]
	}
	return append(rows, line)
}

func hasCells(line []glyph) bool {
	for i := 2; i < len(line); i++ {
		if line[i].r == ' ' && line[i-1].r == ' ' && line[i-2].r == ' ' {
			return true
		}
	}
	return false
}
