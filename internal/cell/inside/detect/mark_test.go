package detect

import (
	"testing"

	"blotter/internal/cell/inside/words"
)

// TestMarks: the initials of those who did something, where their place tells.
func TestMarks(t *testing.T) {
	for _, text := range []string{
		"Tech: [[KT]]",
		"Drawn by [[JQ]]",
		"0p: [[YYB]]", "COIl. [[OM]]", // as readers misread Op and coll.
		"Sonographer [[R.B.]]",
		"RECEIVED\n[[P.H.H.]]",
		"Test          Result    Units     Lab\nSodium        139       mmol/L    [[RB]]\nPotassium     4.2       mmol/L    [[KJC]]\nGlucose       104       mg/dL     01",
	} {
		check(t, text, words.Subject{})
	}
}

// TestNoMarks: flags, abbreviations and credentials in the same places.
func TestNoMarks(t *testing.T) {
	for _, text := range []string{
		"Sodium        139       H\nPotassium     4.2       LOW\nGlucose       104       NEG",
		"Sodium   139   mEq\nChloride   101   WNL",
		"administered by RN", "seen by PT and OT",
		"N/V and SOB",
		"Frequency\nP.R.N.", "Diet          N.P.O.", "U.S.A.",
	} {
		check(t, text, words.Subject{})
	}
}
