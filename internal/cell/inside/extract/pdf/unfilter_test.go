package pdf

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/hex"
	"strings"
	"testing"

	"blotter/internal/reason"
)

// Filters around the codec hide its size from nobody; what cannot be looked into
// withholds the image and the page that draws it.
func TestDeclaredSizeLiesBehindFilters(t *testing.T) {
	deflate := func(s string) string {
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		z.Write([]byte(s))
		z.Close()
		return b.String()
	}
	big := jpegOf(t, 3000, 2000)
	padded := big[:2] + strings.Repeat("\xff\xe5\xff\xff"+strings.Repeat("x", 0xfffd), 20) + big[2:] // 1.3 MB of metadata
	ascii := make([]byte, ascii85.MaxEncodedLen(len(big)))
	ascii = ascii[:ascii85.Encode(ascii, []byte(big))]
	for name, c := range map[string]struct {
		filter, data string
		want         reason.Code
	}{
		"Flate":            {"[/FlateDecode/DCTDecode]", deflate(big), reason.ExtractPixels},
		"Flate twice":      {"[/FlateDecode/FlateDecode/DCTDecode]", deflate(deflate(big)), reason.ExtractPixels},
		"ASCII 85":         {"[/ASCII85Decode/DCTDecode]", string(ascii) + "~>", reason.ExtractPixels},
		"hexadecimal":      {"[/ASCIIHexDecode/DCTDecode]", hex.EncodeToString([]byte(big[:500])) + "\n" + hex.EncodeToString([]byte(big[500:])) + ">", reason.ExtractPixels},
		"Flate in text":    {"[/ASCIIHexDecode/FlateDecode/DCTDecode]", hex.EncodeToString([]byte(deflate(big))) + ">", reason.ExtractPixels},
		"junk before":      {"/DCTDecode", "junk\xff\x00\xff\x01" + big, reason.ExtractPixels},
		"unknown filter":   {"[/RunLengthDecode/DCTDecode]", "\x80", reason.ExtractEncoding},
		"header far away":  {"[/FlateDecode/DCTDecode]", deflate(padded), reason.ExtractEncoding},
		"broken Flate":     {"[/FlateDecode/DCTDecode]", "no zlib", reason.ExtractEncoding},
		"JPX without size": {"[/FlateDecode/JPXDecode]", deflate("no codestream"), reason.ExtractEncoding},
		"small and true":   {"[/FlateDecode/DCTDecode]", deflate(jpegOf(t, 10, 10)), ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := onePage(box, "q 100 0 0 100 0 0 cm /I Do Q", "/XObject<</I 10 0 R>>", parts{
				10: stream("/Type/XObject/Subtype/Image/Width 10/Height 10/ColorSpace/DeviceGray/BitsPerComponent 8/Filter"+c.filter, c.data)})
			d := open(t, b, roomy)
			for i, it := range d.Assets() {
				if it.Withheld != c.want {
					t.Errorf("asset %d: withheld with %q, want %q", i, it.Withheld, c.want)
				}
			}
			if c.want == "" {
				load(t, d, 1)
			}
		})
	}
}
