package extract

import (
	"fmt"
	"image/color"
	"strings"
	"testing"
)

// F2: pictures of one bit came out negative where a Decode array turns them round. Every
// codec and colour space that has them is tried with each array, on the page and alone.
func TestOneBitIsNeverNegative(t *testing.T) {
	black, white, green := color.NRGBA{0, 0, 0, 255}, color.NRGBA{255, 255, 255, 255}, color.NRGBA{0, 255, 0, 255}
	rows := strings.Repeat("\x00\xff", 16) // sixteen rows of eight noughts and eight ones
	// Group 4: horizontal mode, no white, eight black; then fifteen rows alike.
	group4 := strings.Repeat("1", 0) + "001 00110101 000101 1" + strings.Repeat("111", 15) + "000000000001000000000001"
	codes := string(packed(strings.ReplaceAll(group4, " ", "")))
	codes = strings.ReplaceAll(codes, "\xff\x00", "\xff") // no JPEG: nothing is stuffed
	jbig2 := "\x00\x00\x00\x00\x30\x00\x01\x00\x00\x00\x13\x00\x00\x00\x10\x00\x00\x00\x10" + strings.Repeat("\x00", 11) +
		"\x00\x00\x00\x01\x26\x00\x01" + string([]byte{0, 0, 0, byte(18 + len(codes))}) + "\x00\x00\x00\x10\x00\x00\x00\x10" + strings.Repeat("\x00", 9) + "\x01" + codes
	for codec, c := range map[string]struct {
		dict, data string
		turned     bool // by the codec's own word
	}{
		"samples":              {"", rows, false},
		"text":                 {"/Filter/ASCIIHexDecode", fmt.Sprintf("%x>", rows), false},
		"group 4":              {"/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns 16/Rows 16>>", codes, false},
		"group 4, black is 1":  {"/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns 16/Rows 16/BlackIs1 true>>", codes, true},
		"group 4, lists of it": {"/Filter[/CCITTFaxDecode]/DecodeParms[<</K -1/Columns 16/BlackIs1 true>>]", codes, true},
		"JBIG2":                {"/Filter/JBIG2Decode", jbig2, false},
	} {
		for space, s := range map[string]struct {
			dict      string
			dark, lit color.NRGBA
		}{
			"gray":             {"/ColorSpace/DeviceGray/BitsPerComponent 1", black, white},
			"calibrated":       {"/ColorSpace[/CalGray<</WhitePoint[.95 1 1.09]>>]/BitsPerComponent 1", black, white},
			"a profile":        {"/ColorSpace[/ICCBased 8 0 R]/BitsPerComponent 1", black, white},
			"a separation":     {"/ColorSpace[/Separation/Ink/DeviceGray 9 0 R]/BitsPerComponent 1", white, black},
			"a palette":        {"/ColorSpace[/Indexed/DeviceRGB 1<00000000ff00>]/BitsPerComponent 1", black, green},
			"a turned palette": {"/ColorSpace[/Indexed/DeviceRGB 1<00ff00000000>]/BitsPerComponent 1", green, black},
			"a stencil":        {"/ImageMask true", black, white},
		} {
			for decode, turned := range map[string]bool{"": false, "/Decode[0 1]": false, "/Decode[1 0]": true} {
				t.Run(codec+", "+space+decode, func(t *testing.T) {
					left, right := s.dark, s.lit
					if c.turned != turned {
						left, right = right, left
					}
					doc := onePicture(16, 16, s.dict+decode+c.dict, c.data, pdfStream("/N 1/Alternate/DeviceGray", "none"), pdfStream("/FunctionType 4/Domain[0 1]/Range[0 1]", "{1 exch sub}"))
					for _, img := range loadAll(t, doc) {
						wantSides(t, img, left, right)
					}
				})
			}
		}
	}
}

// F9: a page of two thousand inline images, no two alike, is its page and its images, and
// one more is over the limit that says so.
func TestThousandsOfInlineImages(t *testing.T) {
	for n, want := range map[int]int{1999: 2000, 2000: 0} {
		var content strings.Builder
		for i := range n {
			fmt.Fprintf(&content, "q 1 0 0 1 %d %d cm BI /W 2/H 1/CS/G/BPC 8/F/AHx ID %04x> EI Q\n", i%50, i/50, i)
		}
		b := strings.Replace(string(onePicture(50, 50, "/ColorSpace/DeviceGray/BitsPerComponent 8", "\x00")), "q 50 0 0 50 0 0 cm /I Do Q", "", 1)
		b = strings.Replace(b, "/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>", "/Contents 7 0 R", 1)
		b = strings.Replace(b, "5 0 obj\n<</Type/XObject/Subtype/Image/Width 50/Height 50/ColorSpace/DeviceGray/BitsPerComponent 8/Length 1>>\nstream\n\x00\nendstream", "5 0 obj\nnull", 1)
		b = strings.Replace(b, "7 0 obj\nnull", "7 0 obj\n"+pdfStream("", content.String()), 1)
		lim := nestLimits
		lim.Assets, lim.SourceBytes = 2000, 25<<20
		src, err := openNest([]byte(b), lim)
		got := 0
		if err == nil {
			got = len(src.Assets())
			if err := src.Close(); err != nil {
				t.Error(err)
			}
		}
		if got != want {
			t.Errorf("%d inline images: %d assets, %v", n, got, err)
		}
	}
}
