package office

import (
	"encoding/xml"
	"strings"
	"testing"

	"blotter/internal/reason"
)

// What the decoder would keep is bounded before it keeps it.
func TestWalkIsBounded(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("<a>", n) + strings.Repeat("</a>", n) }
	long := func(n int) string { return "<a b='" + strings.Repeat("b", n) + "'/>" }
	const ahead = 4096 // bytes that the decoder reads at a time
	for name, c := range map[string]struct {
		part string
		want reason.Code
	}{
		"depth below": {deep(maxOpen - 1), ""}, "depth exact": {deep(maxOpen), ""}, "depth above": {deep(maxOpen + 1), reason.ExtractDepth},
		"siblings": {"<a>" + strings.Repeat("<b/>", 2*maxOpen) + "</a>", ""},
		"long":     {long(maxToken - ahead), ""}, "too long": {long(maxToken + 2*ahead), reason.ExtractMalformed},
		"many that are not long": {"<a>" + strings.Repeat(long(maxToken/4), 8) + "</a>", ""},
		"no markup":              {"<a", reason.ExtractMalformed},
	} {
		n := 0
		err := walk(strings.NewReader(c.part), func(xml.StartElement) error { n++; return nil })
		if reason.Of(err) != c.want || n == 0 && c.want == "" {
			t.Errorf("%s: %v after %d elements, want %q", name, err, n, c.want)
		}
	}
}
