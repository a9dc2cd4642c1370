package pdf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// predicted is an image object of 8×4 pixels under a predictor, and the gray values that it
// shows: sample s of pixel x,y is 3x+5y+2s, cut to its bits.
func predicted(t *testing.T, predictor, bits, colours int, packing string) (object, want string) {
	t.Helper()
	mask := 1<<bits - 1
	var data []byte
	for y := range 4 {
		var row, plain []int
		for x := range 8 {
			for s := range colours {
				v := (3*x + 5*y + 2*s) & mask
				plain = append(plain, v)
				if i := len(plain) - 1 - colours; predictor == 2 && i >= 0 {
					v = (v - plain[i]) & mask
				}
				row = append(row, v)
			}
			sum := 0
			for s := range colours {
				sum += []int{299, 587, 114}[s%3] * (plain[len(plain)-colours+s] * 255 / mask)
			}
			if colours == 1 {
				sum = plain[len(plain)-1] * 255 / mask * 1000
			}
			want += fmt.Sprintf("%02x", (sum+500)/1000)
		}
		if predictor >= 10 {
			data = append(data, 0)
		}
		data = append(data, packSamples(row, bits)...)
	}
	body := deflated(t, string(data))
	if packing == "LZWDecode" {
		body = lzwOf(string(data))
	}
	space := map[int]string{1: "DeviceGray", 3: "DeviceRGB"}[colours]
	return stream(fmt.Sprintf("/Type/XObject/Subtype/Image/Width 8/Height 4/ColorSpace/%s/BitsPerComponent %d/Filter/%s/DecodeParms<</Predictor %d/Colors %d/BitsPerComponent %d/Columns 8>>",
		space, bits, packing, predictor, colours, bits), body), want
}

func packSamples(row []int, bits int) []byte {
	text := ""
	for _, v := range row {
		text += fmt.Sprintf("%0*b", bits, v)
	}
	text += strings.Repeat("0", (8-len(text)%8)%8)
	var out []byte
	for ; text != ""; text = text[8:] {
		var v byte
		for _, c := range text[:8] {
			v = v<<1 | byte(c-'0')
		}
		out = append(out, v)
	}
	return out
}

// F4: predictors over samples of 1, 2, 4 and 16 bits aborted the extraction, or made noise.
func TestPredictorsOverSmallSamples(t *testing.T) {
	for _, predictor := range []int{2, 10, 15} {
		for _, bits := range []int{1, 2, 4, 8, 16} {
			for _, colours := range []int{1, 3} {
				for _, packing := range []string{"FlateDecode", "LZWDecode"} {
					object, want := predicted(t, predictor, bits, colours, packing)
					t.Run(fmt.Sprintf("predictor %d, %d×%d bits, %s", predictor, colours, bits, packing), func(t *testing.T) {
						samePicture(t, onePage(box, drawI, "/XObject<</I 10 0 R>>", parts{10: object}), want)
					})
				}
			}
		}
	}
}

// samePicture demands one picture of given gray values, and a page that shows the same.
func samePicture(t *testing.T, b []byte, want string) {
	t.Helper()
	d := open(t, b, roomy)
	if n := len(d.Assets()); n != 2 {
		t.Fatalf("%d assets", n)
	}
	img, page := load(t, d, 1), load(t, d, 0)
	w := img.Bounds().Dx()
	for i := 0; i < len(want); i += 2 {
		x, y := i/2%w, i/2/w
		var v int
		fmt.Sscanf(want[i:i+2], "%x", &v)
		if got := lum(img, x, y); got < v-2 || got > v+2 {
			t.Fatalf("pixel %d,%d is %d, want %d", x, y, got, v)
		}
		px, py := matrix(d.Placements(0)[0].ToPage).apply(float64(x)+.5, float64(y)+.5)
		if got := lum(page, int(px), int(py)); got < v-12 || got > v+12 {
			t.Fatalf("on the page %d,%d is %d, want %d", x, y, got, v)
		}
	}
}

// What is mended stands in the file's last revision, whatever kind of table that has,
// whatever stands before its header, and under its encryption. The encrypted files were made
// by mutool from a document of one page with 8×4 samples of four bits, 3x+5y, in a palette.
func TestMendedFilesOfEveryKind(t *testing.T) {
	object, want := predicted(t, 2, 4, 1, "FlateDecode")
	classic := onePage(box, drawI, "/XObject<</I 10 0 R>>", parts{10: object})
	first, _ := predicted(t, 2, 2, 1, "FlateDecode")
	revised := append(onePage(box, drawI, "/XObject<</I 10 0 R>>", parts{10: rawImage(8, 4, "", strings.Repeat("\x07", 32))}),
		fmt.Sprintf("10 0 obj\n%s\nendobj\n", object)...)
	for name, b := range map[string][]byte{
		"a table":            classic,
		"a stream":           streamTable(classic),
		"behind other bytes": append([]byte("mail says:\r\n\r\n"), classic...),
		"no table":           append(bytes.Clone(classic[:bytes.LastIndex(classic, []byte("xref\n0"))]), "trailer\n<</Root 1 0 R>>\n%%EOF\n"...),
	} {
		t.Run(name, func(t *testing.T) { samePicture(t, b, want) })
	}
	var found []string
	for _, img := range pictures(t, append(revised, "trailer\n<</Root 1 0 R>>\n%%EOF\n"...)) {
		found = append(found, values(img))
	}
	if len(found) != 2 {
		t.Errorf("of two revisions: %q", found)
	}
	if got := pictures(t, onePage(box, "", "", parts{10: first})); len(got) != 1 {
		t.Errorf("%d pictures that no page draws", len(got))
	}
	files, err := filepath.Glob("testdata/predicted/*.pdf")
	if err != nil || len(files) != 3 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	indexes := ""
	for i := range 32 {
		indexes += fmt.Sprintf("%02x", (3*(i%8)+5*(i/8))%16)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(name), func(t *testing.T) { samePicture(t, b, indexes) })
	}
}

// streamTable puts a table that is a stream in the place of a classic one.
func streamTable(classic []byte) []byte {
	at := bytes.LastIndex(classic, []byte("xref\n0"))
	b := bytes.Clone(classic[:at])
	rows := make([]byte, 7)
	for n := 1; n <= 10; n++ {
		i := bytes.Index(b, fmt.Appendf(nil, "\n%d 0 obj", n))
		kind := byte(1)
		if i < 0 {
			kind = 0
		}
		rows = append(binary.BigEndian.AppendUint32(append(rows, kind), uint32(i+1)), 0, 0)
	}
	rows = append(binary.BigEndian.AppendUint32(append(rows, 1), uint32(len(b))), 0, 0)
	start := len(b)
	b = fmt.Appendf(b, "11 0 obj\n%s\nendobj\n", stream("/Type/XRef/Size 12/W[1 4 2]/Root 1 0 R", string(rows)))
	return fmt.Appendf(b, "startxref\n%d\n%%%%EOF\n", start)
}

// A bare codestream of four samples without a colour space was noise; JPEG 2000 that says
// what it is is left alone.
func TestBareCodestreamsOfFourSamples(t *testing.T) {
	b, err := os.ReadFile("../testdata/inks.j2k")
	if err != nil {
		t.Fatal(err)
	}
	d := open(t, onePage(box, drawI, "/XObject<</I 10 0 R>>", parts{10: stream("/Subtype/Image/Width 24/Height 8/Filter/JPXDecode", string(b))}), roomy)
	items := d.Assets()
	if len(items) != 2 || items[1].Format != document.JPEG2000 {
		t.Fatalf("assets %+v", items)
	}
	if it := items[1]; it.Bits != 8 || it.Channels != 4 || it.DPI != 24*72/80+1 { // told without decoding
		t.Errorf("%d bits, %d channels, %d dpi", it.Bits, it.Channels, it.DPI)
	}
	img := load(t, d, 1)
	if black, yellow := lum(img, 20, 6), lum(img, 4, 6); black > 60 || yellow < 200 {
		t.Errorf("black ink is %d, yellow %d", black, yellow)
	}
}

// What is written anew is bounded before it is kept: a quarter of what may be unpacked.
func TestLimitOfMending(t *testing.T) {
	object, _ := predicted(t, 2, 4, 1, "FlateDecode") // 16 bytes
	for limit, want := range map[int64]reason.Code{63: reason.ExtractUnpacked, 64: "", 65: ""} {
		lim := roomy
		lim.UnpackedBytes = limit
		d, err := tryOpen(onePage(box, drawI, "/XObject<</I 10 0 R>>", parts{10: object}), lim)
		if reason.Of(err) != want {
			t.Errorf("of %d bytes: %v, want %q", limit, err, want)
		}
		if err == nil {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
