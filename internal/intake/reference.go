package intake

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"blotter/client"
	"blotter/internal/reason"
)

// Bounds of what describes a document.
const (
	maxReference = 64 << 10 // bytes of a JSON reference
	maxHints     = 64 << 10 // bytes of the hints' JSON
	hintsOfAKind = 64       // more names, dates or numbers than one person has
	maxHint      = 256      // bytes of one hint
)

var (
	hintMembers      = []string{"names", "dates", "numbers", "addresses"}
	referenceMembers = append([]string{"source", "sha256", "policy", "lane", "originals", "hints"}, hintMembers...)
)

// parseReference reads the JSON of a client.Reference. A digest that is missing or none
// has the code source.bad_reference, all else api.bad_request.
func parseReference(text []byte) (settings, error) {
	var ref client.Reference
	if err := strictly(text, &ref, referenceMembers); err != nil {
		return settings{}, fault(reason.APIRequest, "body: not the JSON of a reference")
	}
	s := settings{originals: ref.Originals, source: ref.Source}
	for name, v := range map[string]string{"policy": ref.Policy, "lane": ref.Lane} {
		if !setters[name](&s, v) {
			return s, fault(reason.APIRequest, "member "+name+": not a value that it may have")
		}
	}
	if ref.Hints != nil {
		var err error
		if s.hints, err = spell(*ref.Hints); err != nil {
			return s, err
		}
	}
	if !setters["sha256"](&s, ref.SHA256) {
		return s, fault(reason.SourceReference, "member sha256: not 64 lower-case hexadecimal digits")
	}
	if s.source == "" {
		return s, fault(reason.SourceReference, "member source: missing")
	}
	return s, nil
}

// parseHints reads the JSON of client.Hints and returns it in our spelling.
func parseHints(text []byte) ([]byte, error) {
	var h client.Hints
	if err := strictly(text, &h, hintMembers); err != nil {
		return nil, fault(reason.APIRequest, "field hints: not the JSON of hints")
	}
	return spell(h)
}

// spell checks hints and writes them in one spelling; nil where there are none. A hint
// that would be of no use is refused: who sends it relies on it.
func spell(h client.Hints) ([]byte, error) {
	kinds := [][]string{h.Names, h.Dates, h.Numbers, h.Addresses}
	some := false
	for i, list := range kinds {
		some = some || len(list) > 0
		if len(list) > hintsOfAKind || slices.ContainsFunc(list, badHint) {
			return nil, fault(reason.APIRequest, "hints "+hintMembers[i]+": more than 64, or one that is empty, over 256 bytes, or not plain text")
		}
	}
	if slices.ContainsFunc(h.Dates, badDate) {
		return nil, fault(reason.APIRequest, "hints dates: not a date as YYYY-MM-DD")
	}
	if !some {
		return nil, nil
	}
	return json.Marshal(h)
}

func badHint(s string) bool {
	return strings.TrimSpace(s) == "" || len(s) > maxHint || strings.ContainsFunc(s, unicode.IsControl)
}

func badDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err != nil
}

var errNotStrict = errors.New("intake: not the JSON that was expected")

// strictly decodes one JSON object whose members, at every depth, are spelt exactly as
// the names given, none twice: two readers must not be able to see different things in
// it. (encoding/json ignores case, and lets the last of several count.)
func strictly(text []byte, into any, names []string) error {
	if !utf8.Valid(text) || len(bytes.TrimSpace(text)) == 0 || bytes.TrimSpace(text)[0] != '{' {
		return errNotStrict
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return errNotStrict // its words could quote a value
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errNotStrict
	}
	return unambiguous(json.NewDecoder(bytes.NewReader(text)), names, 0)
}

// deepest is how deep a reference nests: object, hints, list.
const deepest = 3

// unambiguous walks over one JSON value.
func unambiguous(d *json.Decoder, names []string, depth int) error {
	t, err := d.Token()
	if err != nil || depth > deepest {
		return errNotStrict
	}
	open, nests := t.(json.Delim)
	if !nests {
		return nil
	}
	seen := map[string]bool{}
	for d.More() {
		if open == '{' {
			name, err := d.Token()
			text, ok := name.(string)
			if err != nil || !ok || seen[text] || !slices.Contains(names, text) {
				return errNotStrict
			}
			seen[text] = true
		}
		if err := unambiguous(d, names, depth+1); err != nil {
			return err
		}
	}
	_, err = d.Token() // what closes it
	return err
}
