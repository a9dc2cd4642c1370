// Package prose holds what specimens say besides the people in them: clinical sentences
// of several specialties and languages with gaps for names and numbers, drugs,
// laboratory tests, diagnoses, and diseases called after somebody, which must stay.
//
// Sentences are split between the halves line by line, so that none stands in both;
// drugs, tests and diagnoses are the same everywhere, as they are in clinics.
package prose

import (
	_ "embed"
	"slices"
	"strings"

	"blotter/internal/specimen/people"
)

//go:embed sentences.txt
var sentencesFile string

//go:embed foreign.txt
var foreignFile string

//go:embed lists.txt
var listsFile string

// Book is the prose of one half.
type Book struct {
	parts map[string][]string // "cardiology history", "de"
	lists map[string][]string
}

// Open reads the prose of a half.
func Open(half people.Half) *Book {
	b := &Book{parts: map[string][]string{}, lists: map[string][]string{}}
	all := map[string][]string{}
	for _, line := range lines(sentencesFile) {
		words := strings.SplitN(line, " ", 3)
		all[words[0]+" "+words[1]] = append(all[words[0]+" "+words[1]], words[2])
	}
	for _, line := range lines(foreignFile) {
		language, sentence, _ := strings.Cut(line, " ")
		all[language] = append(all[language], sentence)
	}
	for part, sentences := range all {
		for i, s := range sentences {
			if people.Half(i%2) == half {
				b.parts[part] = append(b.parts[part], s)
			}
		}
	}
	for _, line := range lines(listsFile) {
		name, entries, _ := strings.Cut(line, " ")
		b.lists[name] = strings.Split(entries, "|")
	}
	return b
}

func lines(file string) []string {
	var out []string
	for line := range strings.Lines(file) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			out = append(out, line)
		}
	}
	return out
}

// Specialties lists those that have sentences of their own, in order of the alphabet.
func (b *Book) Specialties() []string {
	var out []string
	for part := range b.parts {
		specialty, _, english := strings.Cut(part, " ")
		if english && specialty != "any" && !slices.Contains(out, specialty) {
			out = append(out, specialty)
		}
	}
	slices.Sort(out)
	return out
}

// Part returns the sentences of a specialty's part ("history", "exam", "plan") with
// those that serve every specialty.
func (b *Book) Part(specialty, part string) []string {
	return append(slices.Clone(b.parts["any "+part]), b.parts[specialty+" "+part]...)
}

// Letter returns the sentences of a letter in another language, in their order.
func (b *Book) Letter(language string) []string { return b.parts[language] }

// List returns the entries of a list: "drug", "eponym", "complaint", "specialty"; and
// with fields between semicolons "lab", "diagnosis", "service".
func (b *Book) List(name string) []string { return b.lists[name] }
