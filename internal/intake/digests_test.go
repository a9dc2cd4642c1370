package intake

import (
	"encoding/base64"
	"strings"
	"testing"

	"blotter/internal/document"
)

// emptySum is the SHA-256 of nothing, in base64.
const emptySum = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

func TestDigestFields(t *testing.T) {
	for field, want := range map[string]string{
		"":                             "none",
		"sha-256=:" + emptySum + ":":   "found",
		"  sha-256=:" + emptySum + ":": "found",
		"sha-512=:AAAA:, sha-256=:" + emptySum + ":":                 "found",
		"sha-256=:" + emptySum + ":,\tunixsum=30637":                 "found",
		"sha-256=:" + strings.TrimRight(emptySum, "=") + ":":         "found", // padding may be missing
		"sha-256=:AAAA:, sha-256=:" + emptySum + ":":                 "bad",
		"sha-256=:" + emptySum + ":;a=1;b=\"x\\\"\";c;d=?1;e=tok/en": "found",
		"md5=:AAAA:":                         "none",
		"x=\"quoted, with a comma\"":         "none",
		"sha-256=:" + emptySum:               "bad",
		"sha-256=" + emptySum:                "bad",
		"sha-256":                            "bad",
		"sha-256=:AAAA:":                     "bad",
		"sha-256=:" + emptySum + ":,":        "bad",
		"sha-256=:" + emptySum + ": x":       "bad",
		"SHA-256=:" + emptySum + ":":         "bad",
		"sha-256=:****:":                     "bad",
		"sha-256=30637":                      "bad",
		"a=(1 2)":                            "bad",
		"=1":                                 "bad",
		"a=\"x":                              "bad",
		"a=?2":                               "bad",
		strings.Repeat("a=1,", 1000) + "a=1": "bad",
	} {
		d, found, err := parseDigests(field)
		got := map[bool]string{true: "found", false: "none"}[found]
		if err != nil {
			got = "bad"
		}
		if got != want {
			t.Errorf("%.60q: %s, want %s", field, got, want)
		}
		if want == "found" && d != document.Sum(nil) {
			t.Errorf("%.60q: digest %s", field, d)
		}
	}
}

// Whatever is accepted promises one digest, and promises the same when it is written anew.
func FuzzDigestField(f *testing.F) {
	for _, seed := range []string{"sha-256=:" + emptySum + ":", "sha-512=:AAAA:;a=1, x=\"y\"", "a=?1,b=-1.5,c=*t", ",", "sha-256=:"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, field string) {
		d, found, err := parseDigests(field)
		if err != nil && (found || !d.IsZero()) {
			t.Errorf("%q is refused and promises %s", field, d)
		}
		if err != nil || !found {
			return
		}
		if !strings.Contains(field, "sha-256=:") {
			t.Errorf("%q promises a digest", field)
		}
		again, found, err := parseDigests("sha-256=:" + base64.StdEncoding.EncodeToString(d[:]) + ":")
		if err != nil || !found || again != d {
			t.Errorf("%q: %s, then %s", field, d, again)
		}
	})
}
