package receipt

import (
	"strings"
	"time"
)

// TimeLayout is how an event writes a time: RFC 3339 in UTC with milliseconds.
const TimeLayout = "2006-01-02T15:04:05.000Z"

// FormatTime writes a time as an event holds it.
func FormatTime(t time.Time) string { return t.UTC().Format(TimeLayout) }

// Validate checks what every event must hold, whatever its kind; it fails with
// receipt.malformed. Kinds that a later version adds pass: a verifier proves who said
// something and where it stands, not what it knows of kinds.
func (e Event) Validate() error {
	switch {
	case e.Schema != EventSchema:
		return failf(CodeMalformed, "event: the schema is not %s", EventSchema)
	case e.Sequence < 0 || e.Sequence > maxInteger:
		return failf(CodeMalformed, "event: the sequence number is out of range")
	case !isWord(string(e.Kind)):
		return failf(CodeMalformed, "event: the kind is not of a–z and _")
	case e.Actor == "":
		return failf(CodeMalformed, "event: there is no actor")
	}
	if t, err := time.Parse(TimeLayout, e.Time); err != nil || FormatTime(t) != e.Time {
		return failf(CodeMalformed, "event: the time is not of the form %s", TimeLayout)
	}
	for _, d := range e.digests() {
		if !isDigest(d) {
			return failf(CodeMalformed, "event: a SHA-256 is not 64 lower-case hexadecimal digits")
		}
	}
	return nil
}

// digests lists every digest that the event holds.
func (e Event) digests() []string {
	var all []string
	if e.Input != nil {
		all = append(all, e.Input.SHA256)
	}
	if e.Policy != nil {
		all = append(all, e.Policy.SHA256)
	}
	if e.Code != nil {
		for _, g := range e.Code.Engines {
			all = append(all, g.SHA256)
		}
	}
	for _, a := range e.Assets {
		for _, optional := range []string{a.SHA256, a.BoxesSHA256, a.DerivativeSHA256} {
			if optional != "" {
				all = append(all, optional)
			}
		}
	}
	return all
}

func isWord(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz_") == ""
}

func isDigest(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}
