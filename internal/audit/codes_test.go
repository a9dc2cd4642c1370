package audit_test

import (
	"testing"

	"blotter/internal/audit"
	"blotter/internal/reason"
	"blotter/receipt"
)

// Package receipt stands alone and repeats its codes; they must be those of the table.
func TestCodesOfReceiptsStandInTheTable(t *testing.T) {
	for _, code := range []string{
		receipt.CodeMalformed, receipt.CodeSignature, receipt.CodeUntrusted, receipt.CodeInclusion,
		receipt.CodeCheckpoint, receipt.CodeMismatch, receipt.CodeInconsistent,
	} {
		if _, ok := reason.Lookup(reason.Code(code)); !ok {
			t.Errorf("%s is not in the table of reasons", code)
		}
		if got := reason.Of(audit.Coded(&receipt.Error{Code: code})); got != reason.Code(code) {
			t.Errorf("%s became %s", code, got)
		}
	}
}
