package receipt

import (
	"errors"
	"fmt"
)

// Codes of what can be wrong with a receipt. They stand in blotter's table of reasons
// (docs/reasons.md) and never change.
const (
	CodeMalformed    = "receipt.malformed"
	CodeSignature    = "receipt.bad_signature"
	CodeUntrusted    = "receipt.untrusted_key"
	CodeInclusion    = "receipt.not_in_log"
	CodeCheckpoint   = "receipt.bad_checkpoint"
	CodeMismatch     = "receipt.file_differs"
	CodeInconsistent = "receipt.log_forked"
)

// Error is every error of this package: a stable code and what was wrong, for a person.
type Error struct {
	Code string
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %v", e.Code, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf finds the code of an error of this package; "" where it is none.
func CodeOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func failf(code, format string, args ...any) error {
	return &Error{Code: code, Err: fmt.Errorf(format, args...)}
}
