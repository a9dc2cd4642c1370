package raster

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"runtime"
	"testing"

	"github.com/klauspost/compress/zstd"

	"blotter/internal/document"
	"blotter/internal/examples"
	"blotter/internal/reason"
)

func zstdOf(t testing.TB, b []byte, o ...zstd.EOption) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil, o...)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll(b, nil)
}

// ZSTD is one more way to pack rows: with differences, in strips, cut off.
func TestZSTDInTIFF(t *testing.T) {
	little := binary.LittleEndian
	if got := shown(t, tiffOf(little, kind(3, 2, 8, blackIsZero, zstdOf(t, []byte{1, 2, 3, 4, 5, 6}), tagCompression, zstdPacked))); !bytes.Equal(got, []byte{1, 2, 3, 4, 5, 6}) {
		t.Errorf("plain: %v", got)
	}
	if got := shown(t, tiffOf(little, kind(3, 1, 8, blackIsZero, zstdOf(t, []byte{1, 2, 3}), tagCompression, zstdPacked, tagPredictor, 2))); !bytes.Equal(got, []byte{1, 3, 6}) {
		t.Errorf("differences: %v", got)
	}
	strips := [][]byte{zstdOf(t, []byte{1, 2, 3}), zstdOf(t, []byte{4, 5, 6})}
	two := kind(3, 2, 8, blackIsZero, bytes.Join(strips, nil), tagCompression, zstdPacked, tagRowsPer, 1)
	two.parts = []int{len(strips[0]), len(strips[1])}
	if got := shown(t, tiffOf(little, two)); !bytes.Equal(got, []byte{1, 2, 3, 4, 5, 6}) {
		t.Errorf("strips: %v", got)
	}
	whole := zstdOf(t, []byte{1, 2, 3, 4, 5, 6})
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"rows missing": {zstdOf(t, []byte{1, 2, 3, 4, 5}), "extract.truncated"}, "cut": {whole[:len(whole)-5], "extract.truncated"},
		"another packing": {[]byte("no such frame"), "extract.malformed"},
	} {
		if got := ends(open(t, tiffOf(little, kind(3, 2, 8, blackIsZero, c.data, tagCompression, zstdPacked)), document.TIFF, roomy)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// A frame of ZSTD says how much of what it unpacked must be kept; that is bounded.
func TestWindowOfZSTD(t *testing.T) {
	for exponent, want := range map[byte]string{16: "ok", 17: "extract.malformed"} { // 2^(10+16) is 64 MiB
		frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, exponent << 3, 0x19, 0, 0, 1, 2, 3} // a header and one block of three bytes as they are
		if got := ends(open(t, tiffOf(binary.LittleEndian, kind(3, 1, 8, blackIsZero, frame, tagCompression, zstdPacked)), document.TIFF, roomy)); got != want {
			t.Errorf("a window of 2^%d: %s, want %s", exponent+10, got, want)
		}
	}
}

// Room for the window is made once, however many strips say that they need it.
func TestWindowOfZSTDIsMadeOnce(t *testing.T) {
	const strips, window = 20, 64 << 20
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 16 << 3, 0x19, 0, 0, 1, 2, 3}
	fr := kind(3, strips, 8, blackIsZero, bytes.Repeat(frame, strips), tagCompression, zstdPacked, tagRowsPer, 1)
	for range strips {
		fr.parts = append(fr.parts, len(frame))
	}
	f := open(t, tiffOf(binary.LittleEndian, fr), document.TIFF, roomy)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	img, err := f.Load(0)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; err != nil || got > 3*window {
		t.Errorf("%d bytes for %d strips, %v", got, strips, err)
	}
	if m, ok := img.(*image.Gray); !ok || !bytes.Equal(m.Pix, bytes.Repeat([]byte{1, 2, 3}, strips)) {
		t.Errorf("%v", img)
	}
}

// A block of WebP is a picture of its own, which must have the size of its place.
func TestWebPInTIFF(t *testing.T) {
	picture := func(w, h int) []byte {
		img := image.NewNRGBA(image.Rect(0, 0, w, h))
		for i := range w * h {
			img.Set(i%w, i/w, color.NRGBA{uint8(10 * i), 20, 30, 255})
		}
		return examples.WebPFile(examples.WebPChunk("VP8L", examples.LosslessWebP(img)))
	}
	page := func(w, h int, data []byte, kv ...uint32) tiffFrame {
		return kind(w, h, 8, rgb, data, append([]uint32{tagSamples, 3, tagCompression, webpPacked}, kv...)...)
	}
	if got := shown(t, tiffOf(binary.LittleEndian, page(2, 1, picture(2, 1)))); !bytes.Equal(got, []byte{0, 20, 30, 255, 10, 20, 30, 255}) {
		t.Errorf("%v", got)
	}
	strips := [][]byte{picture(2, 2), picture(2, 2)} // the last is as high as the first
	three := page(2, 3, bytes.Join(strips, nil), tagRowsPer, 2)
	three.parts = []int{len(strips[0]), len(strips[1])}
	if got := shown(t, tiffOf(binary.LittleEndian, three)); len(got) != 24 || got[16] != 0 || got[20] != 10 || got[12] != 30 {
		t.Errorf("strips: %v", got)
	}
	for name, c := range map[string]struct {
		fr   tiffFrame
		want reason.Code
	}{
		"wider":   {page(2, 1, picture(3, 1)), reason.ExtractSizeLies},
		"higher":  {page(2, 1, picture(2, 2)), reason.ExtractSizeLies},
		"lower":   {page(2, 2, picture(2, 1)), reason.ExtractSizeLies},
		"cut":     {page(2, 1, picture(2, 1)[:30]), reason.ExtractTruncated},
		"noise":   {page(2, 1, []byte("RIFF of another kind")), reason.ExtractMalformed},
		"gray":    {kind(2, 1, 8, blackIsZero, picture(2, 1), tagCompression, webpPacked), reason.ExtractEncoding},
		"16 bits": {kind(2, 1, 16, rgb, picture(2, 1), tagSamples, 3, tagCompression, webpPacked), reason.ExtractEncoding},
	} {
		if got := ends(open(t, tiffOf(binary.LittleEndian, c.fr), document.TIFF, roomy)); got != string(c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
