package intake

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"blotter/client"
	"blotter/internal/reason"
)

func TestHints(t *testing.T) {
	many := `{"names":["` + strings.Repeat(`x","`, hintsOfAKind) + `x"]}`
	for text, want := range map[string]string{
		`{}`:                           "",
		`{"names":[]}`:                 "",
		`{"names":null}`:               "",
		`{"names":["Ann"]}`:            `{"names":["Ann"]}`,
		` {"dates":["1970-01-31"] } `:  `{"dates":["1970-01-31"]}`,
		`{"names":["\u0041nn"]}`:       `{"names":["Ann"]}`,
		`{"names":[""]}`:               "bad",
		`{"names":["a\nb"]}`:           "bad",
		`{"names":"Ann"}`:              "bad",
		`{"names":["Ann"],"names":[]}`: "bad",
		`{"Names":["Ann"]}`:            "bad",
		`{"source":"x"}`:               "bad",
		`{"dates":["1970-02-30"]}`:     "bad",
		`{"names":["` + strings.Repeat("x", maxHint+1) + `"]}`: "bad",
		many:                        "bad",
		`[]`:                        "bad",
		`{} {}`:                     "bad",
		`{"names":[[]]}`:            "bad",
		"{\"names\":[\"\xff\"]}":    "bad",
		strings.Repeat("[", 60_000): "bad",
		`{"names":` + strings.Repeat("[", 60_000): "bad",
	} {
		got, err := parseHints([]byte(text))
		if err != nil {
			got = []byte("bad")
		}
		if string(got) != want {
			t.Errorf("%.60q: %s, %v", text, got, err)
		}
		if p, _ := problemOf(err); err != nil && (reason.Of(err) != reason.APIRequest || strings.Contains(p.Detail, "Ann")) {
			t.Errorf("%.60q: %v", text, p)
		}
	}
}

// A reference that is accepted has one reading: written anew it means the same, and no
// member stands twice in it.
func FuzzReference(f *testing.F) {
	const sum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	for _, seed := range []string{
		`{"source":"file:///a","sha256":"` + sum + `"}`,
		`{"source":"s3://b/c","sha256":"` + sum + `","policy":"p","lane":"bulk","originals":true,"hints":{"names":["x"],"dates":["1970-01-31"]}}`,
		`{"source":"a","source":"b","sha256":"` + sum + `"}`, `{"Source":"a"}`, `[]`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := parseReference(text)
		if err != nil {
			if c := reason.Of(err); c != reason.APIRequest && c != reason.SourceReference {
				t.Errorf("refused with %s", c)
			}
			return
		}
		var hints *client.Hints
		if s.hints != nil {
			if err := json.Unmarshal(s.hints, &hints); err != nil {
				t.Fatal(err)
			}
		}
		again, err := json.Marshal(client.Reference{
			Source: s.source, SHA256: s.sha256.String(), Policy: s.policy, Lane: string(s.lane), Originals: s.originals, Hints: hints,
		})
		if err != nil {
			t.Fatal(err)
		}
		second, err := parseReference(again)
		if err != nil || !bytes.Equal(bytes.Join(s.parts(), []byte{0}), bytes.Join(second.parts(), []byte{0})) || s.sha256 != second.sha256 {
			t.Errorf("%s means %+v, and %s %+v (%v)", text, s, again, second, err)
		}
	})
}
