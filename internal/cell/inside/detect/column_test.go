package detect

import (
	"testing"

	"blotter/internal/cell/inside/words"
)

func TestColumnsOfInitials(t *testing.T) {
	for _, text := range []string{
		"Test          Result    Units     Tech\nSodium        139       mmol/L    [[JFK]]\nCalcium       9.4       mg/dL     [[QX]]\nAlbumin       4.2       g/dL      [[TLN]]\nFerritin      84        ng/mL     01",
		"Test      Result    Flag\nSodium    139       H\nCalcium   9.4       LL\nAlbumin   4.2       HH\nUrea      31        ABN", // flags
		"TSH     2.1     mIU/L\nAST     24      U/L\nALT     31      U/L\nBUN     16      mg/dL",                                   // tests
	} {
		check(t, text, words.Subject{})
	}
}
