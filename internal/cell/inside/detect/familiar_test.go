package detect

import (
	"testing"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// denied counts the unknown words with a capital or more that are found in a text.
func denied(text string) int {
	n := 0
	for _, f := range finder().Find([]*words.Page{layout(text, false)}, words.Subject{}).Findings[0] {
		if f.Type == document.Unknown && f.Score >= unknownForeign {
			n++
		}
	}
	return n
}

// TestForeignPagesStay: dictionaries, endings and compounds explain German and French
// nouns, also rare ones.
func TestForeignPagesStay(t *testing.T) {
	for _, text := range []string{
		"Die Patientin wurde wegen einer Verschlechterung der Beschwerden zur Blutdruckmessung und Wundversorgung in die Notaufnahme gebracht und stellte sich zur Nachuntersuchung vor",
		"Le malade est suivi pour une insuffisance rénale, avec une pneumopathie, et le traitement a été poursuivi après la sortie de l'hôpital avec une ordonnance de douze jours",
	} {
		if n := denied(text); n > 0 {
			t.Errorf("%d words denied in %q", n, text)
		}
	}
}

// TestForeignWordsDoNotHideNames: on an English page a capitalised word is no less strange
// for being a word elsewhere.
func TestForeignWordsDoNotHideNames(t *testing.T) {
	text := "The patient was seen this morning after breakfast and was told that Bekleidung would call the clinic later today about the results of the blood test"
	if n := denied(text); n != 1 {
		t.Errorf("%d words denied, want 1", n)
	}
}
