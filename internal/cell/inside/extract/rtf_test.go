package extract

import (
	"fmt"
	"slices"
	"testing"
)

// The pictures of a theme are found in RTF as in packages.
func TestThemeInRTF(t *testing.T) {
	const types = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<Override PartName="/theme/theme/themeManager.xml" ContentType="application/vnd.openxmlformats-officedocument.themeManager+xml"/></Types>`
	for name, c := range map[string]struct {
		parts []any
		want  []string
	}{
		"with a picture": {[]any{"[Content_Types].xml", []byte(types), "theme/media/image1.png", gray(t, 4, 3, 7)}, []string{"[1] image 4×3"}},
		"without":        {[]any{"[Content_Types].xml", []byte(types), "theme/theme/theme1.xml", []byte("<a/>")}, nil},
	} {
		doc := fmt.Appendf(nil, `{\rtf1 text{\*\themedata %x}}`, pack(t, c.parts...))
		src, err := openNest(doc, nestLimits)
		if err != nil {
			t.Fatal(err)
		}
		if got := found(src); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
