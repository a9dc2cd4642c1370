// Package reason is the one table of reason codes: each outcome that an operator,
// an API caller or an auditor sees. Codes are never renamed or reused; a golden file
// guards them. Only codes cross the cell's boundary, label metrics and enter the
// audit log.
package reason

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Code is a stable name such as "extract.pixel_limit".
type Code string

// Number stands for a Code on the wire between cell and parent. Zero is no reason.
type Number uint16

// Class says what a failure calls for.
type Class string

// The classes.
const (
	Transient Class = "transient" // try again, with backoff
	Permanent Class = "permanent" // never try again
	Operator  Class = "operator"  // a person must change something first
)

// Owner is the team that an alert on the code calls.
type Owner string

// The owners (mission line M12).
const (
	OwnerAPI        Owner = "api"
	OwnerDocument   Owner = "document"
	OwnerCompliance Owner = "compliance"
	OwnerOperator   Owner = "operator"
)

// Entry is a line of the table.
type Entry struct {
	Number Number // append-only; the order of the table
	Code   Code
	Class  Class
	Owner  Owner
	HTTP   int    // status of an API answer that carries it
	Exit   int    // exit status of a command that ends with it
	Text   string // what happened and what to do next, for a person; constant
}

// Error carries a code through ordinary error handling.
type Error struct {
	Code Code
	Err  error // may be nil; never shown to a caller, never logged where it could hold a name

	// After is how long the other side asked to be left alone (Retry-After); 0 where it did
	// not say. A new attempt is made no sooner.
	After time.Duration
}

func (e *Error) Error() string {
	if e.Err == nil {
		return string(e.Code)
	}
	return fmt.Sprintf("%s: %v", e.Code, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Because gives err a code. It returns an error even where err is nil.
func Because(code Code, err error) error { return &Error{Code: code, Err: err} }

// After finds how long the other side asked to be left alone; 0 where it did not say.
func After(err error) time.Duration {
	var e *Error
	if errors.As(err, &e) {
		return e.After
	}
	return 0
}

// RetryAfter reads a Retry-After field (RFC 9110, 10.2.3): seconds or a date; 0 for none.
func RetryAfter(field string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(strings.TrimSpace(field)); err == nil {
		return time.Duration(max(0, min(seconds, 1<<31))) * time.Second
	}
	if at, err := time.Parse(time.RFC1123, field); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// Of finds the code of an error; Internal where it has none, "" for nil.
func Of(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}

// Lookup finds a code's entry.
func Lookup(c Code) (Entry, bool) {
	for _, e := range table {
		if e.Code == c {
			return e, true
		}
	}
	return Entry{}, false
}

// Must is Lookup for codes that are in the table by construction; an unknown code
// gives the entry of Internal, because what crossed a boundary may lie.
func Must(c Code) Entry {
	if e, ok := Lookup(c); ok {
		return e
	}
	e, _ := Lookup(Internal)
	return e
}

// NumberOf returns the wire number of a code; that of Internal where it is unknown.
func NumberOf(c Code) Number { return Must(c).Number }

// ByNumber finds the code of a wire number.
func ByNumber(n Number) (Code, bool) {
	for _, e := range table {
		if e.Number == n {
			return e.Code, true
		}
	}
	return "", false
}

// Table returns a copy of all entries in their order.
func Table() []Entry { return append([]Entry(nil), table...) }
