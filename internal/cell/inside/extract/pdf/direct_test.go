package pdf

import (
	"bytes"
	"compress/lzw"
	"encoding/ascii85"
	"encoding/hex"
	"fmt"
	"image"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"blotter/internal/document"
)

// What is unpacked here has to be what PDFium makes of it, pixel by pixel, in every simple
// form; what is not simple, or damaged, has to be left to PDFium.
func TestDirectIsWhatPDFiumMakes(t *testing.T) {
	const w, h = 21, 9
	random := noise(w * h * 3)
	bits := func(n int) string { return random[:(w*n+7)/8*h] }
	colours := "<" + hex.EncodeToString([]byte(noise(3*16))) + ">"
	full := "/DeviceRGB 15" + colours
	gray := fmt.Sprintf("/BitsPerComponent 1/ColorSpace/DeviceGray/DecodeParms<</K -1/Columns %d", w)
	for name, c := range map[string]struct {
		dict, data string
		direct     bool
	}{
		"gray of 1 bit":            {"/BitsPerComponent 1/ColorSpace/DeviceGray", bits(1), true},
		"gray of 2 bits":           {"/BitsPerComponent 2/ColorSpace/DeviceGray", bits(2), true},
		"gray of 4 bits":           {"/BitsPerComponent 4/ColorSpace/DeviceGray", bits(4), true},
		"gray of 8 bits":           {"/BitsPerComponent 8/ColorSpace/DeviceGray", bits(8), true},
		"the range as it is":       {"/BitsPerComponent 8/ColorSpace/DeviceGray/Decode[0 1]", bits(8), true},
		"negative of 1 bit":        {"/BitsPerComponent 1/ColorSpace/DeviceGray/Decode[1 0]", bits(1), true},
		"negative of 8 bits":       {"/BitsPerComponent 8/ColorSpace/DeviceGray/Decode[1 0]", bits(8), false},
		"half the range":           {"/BitsPerComponent 1/ColorSpace/DeviceGray/Decode[0 .5]", bits(1), false},
		"gray with a curve, 1 bit": {"/BitsPerComponent 1/ColorSpace[/CalGray<</WhitePoint[1 1 1]/Gamma 2.2>>]", bits(1), true},
		"gray with a curve":        {"/BitsPerComponent 8/ColorSpace[/CalGray<</WhitePoint[1 1 1]/Gamma 2.2>>]", bits(8), false},
		"colour":                   {"/BitsPerComponent 8/ColorSpace/DeviceRGB", bits(24), true},
		"colour of 4 bits":         {"/BitsPerComponent 4/ColorSpace/DeviceRGB", bits(12), false},
		"inks":                     {"/BitsPerComponent 8/ColorSpace/DeviceCMYK", noise(w * h * 4), false},
		"colour without any":       {"/BitsPerComponent 8/ColorSpace/DeviceRGB", string(bytes.Repeat([]byte("\x11\x11\x11\xf0\xf0\xf0"), w*h/2+1)), true},
		"palette of 2":             {"/BitsPerComponent 1/ColorSpace[/Indexed/DeviceRGB 1<ff000000ff00>]", bits(1), true},
		"black and white palette":  {"/BitsPerComponent 1/ColorSpace[/Indexed/DeviceRGB 1<ffffff000000>]", bits(1), true},
		"palette of 16":            {"/BitsPerComponent 4/ColorSpace[/Indexed" + full + "]", bits(4), true},
		"palette in 2 bits":        {"/BitsPerComponent 2/ColorSpace[/Indexed" + full + "]", bits(2), true},
		"palette of grays":         {"/BitsPerComponent 2/ColorSpace[/Indexed/DeviceGray 3<20ff8000>]", bits(2), true},
		"palette in a stream":      {"/BitsPerComponent 2/ColorSpace[/Indexed/DeviceRGB 3 11 0 R]", bits(2), true},
		"index past the palette":   {"/BitsPerComponent 4/ColorSpace[/Indexed/DeviceRGB 3" + colours + "]", bits(4), false},
		"palette turned round":     {"/BitsPerComponent 1/ColorSpace[/Indexed/DeviceRGB 1<ff000000ff00>]/Decode[1 0]", bits(1), false},
		"palette that is cut":      {"/BitsPerComponent 4/ColorSpace[/Indexed/DeviceRGB 15<001122>]", bits(4), false},
		"stencil":                  {"/ImageMask true/BitsPerComponent 1", bits(1), true},
		"stencil turned round":     {"/ImageMask true/BitsPerComponent 1/Decode[1 0]", bits(1), true},
		"stencil of nothing":       {"/ImageMask true/BitsPerComponent 1", string(bytes.Repeat([]byte{0xff}, 3*h)), false},
		"flate":                    {"/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/FlateDecode", deflated(t, bits(24)), true},
		"flate, cut":               {"/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/FlateDecode", deflated(t, bits(24))[:300], false},
		"too few rows":             {"/BitsPerComponent 8/ColorSpace/DeviceRGB", bits(24)[:300], false},
		"too many rows":            {"/BitsPerComponent 8/ColorSpace/DeviceRGB", bits(24) + "more", true},
		"flate of flate in text": {"/BitsPerComponent 1/ColorSpace/DeviceGray/Filter[/ASCIIHexDecode/FlateDecode/FlateDecode]",
			hex.EncodeToString([]byte(deflated(t, deflated(t, bits(1))))) + ">", true},
		"base 85":   {"/BitsPerComponent 8/ColorSpace/DeviceGray/Filter[/ASCII85Decode]", base85(bits(8)), true},
		"LZW":       {"/BitsPerComponent 8/ColorSpace/DeviceGray/Filter[/LZWDecode]/DecodeParms[<</EarlyChange 0>>]", packed(bits(8)), true},
		"predictor": {fmt.Sprintf("/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/FlateDecode/DecodeParms<</Predictor 15/Colors 3/Columns %d>>", w), deflated(t, filtered(bits(24), 3*w)), true},
		"predictor of 1 bit": {fmt.Sprintf("/BitsPerComponent 1/ColorSpace/DeviceGray/Filter/FlateDecode/DecodeParms<</Predictor 12/BitsPerComponent 1/Columns %d>>", w),
			deflated(t, filtered(bits(1), (w+7)/8)), true},
		"predictor of another width": {fmt.Sprintf("/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/FlateDecode/DecodeParms<</Predictor 15/Colors 3/Columns %d>>", w+1), deflated(t, filtered(bits(24), 3*w)), false},
		"predictor of TIFF":          {fmt.Sprintf("/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/FlateDecode/DecodeParms<</Predictor 2/Colors 3/Columns %d>>", w), deflated(t, bits(24)), false},
		"fax":                        {gray + ">>/Filter/CCITTFaxDecode", faxCodes(h), true},
		"fax, black is 1":            {gray + "/BlackIs1 true>>/Filter/CCITTFaxDecode", faxCodes(h), true},
		"fax of that many rows":      {gray + fmt.Sprintf("/Rows %d>>/Filter/CCITTFaxDecode", h), faxCodes(h), true},
		"fax in one dimension":       {strings.Replace(gray, "K -1", "K 0", 1) + ">>/Filter/CCITTFaxDecode", coded(strings.Repeat(runs, h)), true},
		"fax with marks":             {strings.Replace(gray, "K -1", "EndOfLine true", 1) + ">>/Filter/CCITTFaxDecode", coded(strings.Repeat(mark+runs, h)), true},
		"fax in both":                {strings.Replace(gray, "K -1", "K 4", 1) + ">>/Filter/CCITTFaxDecode", coded(mark + "1" + runs + strings.Repeat(mark+"0"+"011"+"011"+"1", h-1)), true},
		"fax, cut":                   {gray + ">>/Filter/CCITTFaxDecode", faxCodes(h - 2), false},
		"fax at bytes":               {gray + "/EncodedByteAlign true>>/Filter/CCITTFaxDecode", faxCodes(h), false},
		"fax stencil":                {fmt.Sprintf("/ImageMask true/BitsPerComponent 1/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns %d>>", w), faxCodes(h), true},
		"fax of a palette":           {fmt.Sprintf("/BitsPerComponent 1/ColorSpace[/Indexed/DeviceRGB 1<ffffff000000>]/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns %d>>", w), faxCodes(h), true},
	} {
		t.Run(name, func(t *testing.T) {
			b := onePage(box, drawI, "/XObject<</I 10 0 R>>", parts{
				10: stream(fmt.Sprintf("/Type/XObject/Subtype/Image/Width %d/Height %d%s", w, h, c.dict), c.data),
				11: stream("", "\x01\x02\x03\xff\x80\x00\x77\x77\x77\xff\xff\xff"),
			})
			d := open(t, b, roomy)
			a := d.assets[1]
			if a.image.own == nil && c.direct {
				t.Fatal("left to PDFium")
			}
			if a.image.own != nil {
				if img, err := d.direct(a); (img != nil) != c.direct || err != nil {
					t.Fatalf("unpacked %v, %v", img != nil, err)
				}
			}
			got, gotErr := d.Load(1)
			d.assets[1].image.own = nil
			s := d.streams[a.image.raw]
			s.stencil = false
			d.streams[a.image.raw] = s
			want, err := d.Load(1)
			if (gotErr == nil) != (err == nil) || !reflect.DeepEqual(got, want) {
				t.Errorf("got %T, %v\n%v\nwant %T, %v\n%v", got, gotErr, pix(got), want, err, pix(want))
			}
		})
	}
}

// An image that is a stencil is black where it paints, however PDFium has to decode it.
func TestStencilWithoutDrawing(t *testing.T) {
	b := onePage(box, drawI, "/XObject<</I 10 0 R>>", parts{
		10: stream("/Type/XObject/Subtype/Image/ImageMask true/Width 8/Height 1/BitsPerComponent 1/Filter/FlateDecode/DecodeParms<</Predictor 2>>", deflated(t, "\xa5"))})
	d := open(t, b, roomy)
	if d.assets[1].image.own != nil || d.Assets()[1].Kind != document.Image {
		t.Fatal("not left to PDFium")
	}
	_, obj, err := d.find(d.assets[1])
	if err != nil {
		t.Fatal(err)
	}
	img, err := d.stencil(obj)
	if err != nil || img == nil {
		t.Fatal(img, err)
	}
	raw := d.assets[1].image.raw
	s := d.streams[raw]
	s.stencil = false
	d.streams[raw] = s
	if got, want := values(img), values(load(t, d, 1)); got != want || got != "ffff000000ffff00" {
		t.Errorf("the stencil is %s, drawn %s", got, want)
	}
}

func pix(img image.Image) []byte {
	switch m := img.(type) {
	case *image.Gray:
		return m.Pix
	case *image.NRGBA:
		return m.Pix
	}
	return nil
}

func noise(n int) string {
	b := make([]byte, n)
	rng := rand.NewChaCha8([32]byte{7})
	_, _ = rng.Read(b)
	return string(b)
}

func packed(s string) string {
	var b bytes.Buffer
	z := lzw.NewWriter(&b, lzw.MSB, 8)
	_, _ = z.Write([]byte(s))
	_ = z.Close()
	return b.String()
}

func base85(s string) string {
	var b bytes.Buffer
	z := ascii85.NewEncoder(&b)
	_, _ = z.Write([]byte(s))
	_ = z.Close()
	return b.String() + "~>"
}

// filtered puts the number of each of PNG's row filters before a row in turn.
func filtered(s string, width int) string {
	var out string
	for i := 0; len(s) >= width; i, s = i+1, s[width:] {
		out += string(rune(i%5)) + s[:width]
	}
	return out
}

const (
	runs = "1000" + "11" + "101010" // 3 white, 2 black, 16 white
	mark = "000000000001"           // the end of a line
)

// faxCodes are rows of T.6: 3 white, 2 black, the rest white, in every other row one further
// to the right.
func faxCodes(rows int) string {
	codes := "001" + "1000" + "11" + "1" // horizontal, 3 white, 2 black; the rest as above
	for i := 1; i < rows; i++ {
		codes += []string{"1" + "1" + "1", "011" + "011" + "1"}[i%2] // level; one to the right
	}
	return coded(codes)
}

// coded packs bits, ones behind them.
func coded(bits string) string {
	var out []byte
	for bits += "1111111"; len(bits) >= 8; bits = bits[8:] {
		v, _ := strconv.ParseUint(bits[:8], 2, 8)
		out = append(out, byte(v))
	}
	return string(out)
}
