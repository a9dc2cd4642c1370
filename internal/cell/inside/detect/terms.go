package detect

import (
	"embed"
	"strings"

	"blotter/internal/cell/inside/detect/lexicon"
)

//go:embed data
var data embed.FS

// set holds folded words or phrases.
type set map[string]struct{}

func (s set) has(w string) bool { _, ok := s[w]; return ok }

// hasAlike reports whether a word is in the set as a reader may have read it: "0p" for "op".
func (s set) hasAlike(w string) bool {
	if s.has(w) {
		return true
	}
	key := labelKey(w)
	for known := range s {
		if len(known) > 1 && labelKey(known) == key {
			return true
		}
	}
	return false
}

// terms are the word lists that we wrote ourselves: data/*.txt, one section a set. They
// are plain text so that someone who knows medicine and no Go can extend them.
type terms struct {
	sections map[string]set

	titles, credentials, kin, particles  set // around names
	eponyms, eponymHeads                 set // Parkinson …; disease, sign, catheter …
	notNames                             set // capitalised words of records that are no names
	nameIntro, nameStop                  set // words that a name follows; words that end a labelled name
	personVerbs                          set // what people do: "denies", "was"
	clinical, units                      set // what "deny by default" lets pass, beside the lexicon
	foreign, foreignEndings              set // words of other languages that the lexicon lacks
	months, weekdays                     set
	stateFirsts                          set // the first words of stateNames
	beforePlace, stateCodes, stateNames  set
	streetWords, streetHeads, facilities set
	facilityLead                         set
	observed                             []set // as observedSets names them
	codesKept                            set   // B12, COVID, T4: letters and digits that name no one
}

func loadTerms() terms {
	sections := map[string]set{}
	files, err := data.ReadDir("data")
	if err != nil {
		panic("detect: " + err.Error()) // an embedded directory is always there
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), ".txt") {
			addSections(sections, mustRead(f.Name()))
		}
	}
	addLabelWords(sections["clinical"])
	s := func(name string) set {
		if sections[name] == nil {
			panic("detect: no section " + name)
		}
		return sections[name]
	}
	firsts := set{}
	for name := range s("state names") {
		first, _, _ := strings.Cut(name, " ")
		firsts[first] = struct{}{}
	}
	observed := make([]set, 0, len(observedSets))
	for _, name := range observedSets {
		observed = append(observed, s(name))
	}
	return terms{
		stateFirsts: firsts,
		observed:    observed,
		sections:    sections,
		titles:      s("titles"), credentials: s("credentials"), kin: s("kin"), particles: s("particles"),
		eponyms: s("eponyms"), eponymHeads: s("eponym heads"), notNames: s("not names"),
		nameIntro: s("name introductions"), nameStop: s("name stops"), personVerbs: s("person verbs"),
		clinical: s("clinical"), units: s("units"), months: s("months"), weekdays: s("weekdays"),
		foreign: s("foreign words"), foreignEndings: s("foreign endings"),
		beforePlace: s("before a place"), stateCodes: s("state codes"), stateNames: s("state names"),
		streetWords: s("street words"), streetHeads: s("street heads"), facilities: s("facilities"),
		facilityLead: s("facility leads"), codesKept: s("codes kept"),
	}
}

// addLabelWords makes the words of labels vocabulary: forms are full of them.
func addLabelWords(vocabulary set) {
	for line := range strings.Lines(mustRead("labels.tsv")) {
		_, list, _ := strings.Cut(line, "\t")
		for _, w := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' }) {
			vocabulary[lexicon.Fold(w)] = struct{}{}
		}
	}
}

func mustRead(name string) string {
	b, err := data.ReadFile("data/" + name)
	if err != nil {
		panic("detect: " + err.Error())
	}
	return string(b)
}

// addSections reads "[name]" headings, "#" comments, and words: separated by spaces, or
// by commas on lines that have one (phrases).
func addSections(into map[string]set, text string) {
	var current set
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "#")
		switch {
		case line == "":
		case line[0] == '[':
			name := strings.Trim(line, "[]")
			if into[name] == nil {
				into[name] = set{}
			}
			current = into[name]
		case strings.Contains(line, ","):
			for _, w := range strings.Split(line, ",") {
				if w = strings.Join(strings.Fields(w), " "); w != "" {
					current[lexicon.Fold(w)] = struct{}{}
				}
			}
		default:
			for _, w := range strings.Fields(line) {
				current[lexicon.Fold(w)] = struct{}{}
			}
		}
	}
}
