package detect

import (
	"testing"

	"blotter/internal/cell/inside/words"
)

// TestComposedLabels holds labels that no list has.
func TestComposedLabels(t *testing.T) {
	for _, text := range []string{
		"Date of last colonoscopy: [[3/61]]    Units: mg",
		"Fecha de la última mamografía: [[3/61]]",
		"Date du dernier vaccin: [[3/61]]",
		"Name of attending night nurse: [[Qwyst Zpor]]",
		"Nome do último médico: [[Qwyst Zpor]]",
		"Abholungsdatum: [[12.3.]]",
		"Laufzettelnummer: [[A 7712]]",
		"N° de bordereau: [[A 7712]]",
		"Name of study drug: Zporvastatin",
		"No known allergies: none",
		"Number of tablets: 30",
	} {
		check(t, text, words.Subject{})
	}
}

// TestPublicCodesStay holds codes and measures that identify nobody, however long.
func TestPublicCodesStay(t *testing.T) {
	for _, text := range []string{
		"NDC 67877-223-01    CPT: 99213-25    LOINC: 2345-77",
		"Test          Result      Units\nCK            123456      U/L\nFerritin      234567      ng/mL",
		"Patient ID    Result\n[[234567]]        345678",
	} {
		check(t, text, words.Subject{})
	}
}

func TestCaptionsAreNoValues(t *testing.T) {
	for _, text := range []string{
		"17. NAME OF REFERRING PROVIDER\n\n21. DIAGNOSIS OR NATURE OF ILLNESS\n",
		"Vaccine requested: influenza",
		"Collected: 08h15    Time seen: 08:15 am",
		"SSN (last 4): [[6789]]",
	} {
		check(t, text, words.Subject{})
	}
}
