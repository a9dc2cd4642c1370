package vml

import (
	"slices"
	"strings"
	"testing"
)

func TestPackages(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                  nil,
		`<v:shape o:gfxdata="UEsD"/>`:       {"UEsD"},
		`<v:shape o:gfxdata = 'UEsD&#xA;B'`: {"UEsD\nB"},
		`gfxdata="a" gfxdata="b"`:           {"a", "b"},
		`gfxdata gfxdata= gfxdata=x gfxdata="" gfxdata="a`: {""},
		"gfxdata='a": nil,
		"gfxdata=":   nil,
		"gfxdata":    nil,
	} {
		var got []string
		for v := range Packages([]byte(text)) {
			got = append(got, string(v))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for range Packages([]byte(strings.Repeat("gfxdata='a'", 3))) {
		break
	}
}
