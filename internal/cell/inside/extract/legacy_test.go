package extract

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"blotter/internal/cell/inside/cfb"
	"blotter/internal/cell/inside/sniff"
	"blotter/internal/document"
)

// blip is a picture as the drawings of old office documents hold it.
func blip(kind, head uint16, before int, data []byte) []byte {
	le := binary.LittleEndian
	b := le.AppendUint16(nil, head)
	b = le.AppendUint16(b, kind)
	b = le.AppendUint32(b, uint32(before+len(data)))
	return append(append(b, make([]byte, before)...), data...)
}

// metafileOf is an EMF of w×h device units that shows one bitmap of a level of gray and
// then whatever else is given.
func metafileOf(w, h int, level byte, after ...byte) []byte {
	le := binary.LittleEndian
	longs := func(b []byte, v ...int) []byte {
		for _, x := range v {
			b = le.AppendUint32(b, uint32(x))
		}
		return b
	}
	stride := (3*w + 3) / 4 * 4
	b := longs(nil, 1, 88, 0, 0, w-1, h-1, 0, 0, 0, 0, 0x464d4520, 0x10000, 0, 0, 0, 0, 0, 0, 960, 960, 254, 254)
	b = longs(b, 81, 80+40+stride*h, 0, 0, w-1, h-1, 0, 0, 0, 0, w, h, 80, 40, 120, stride*h, 0, 0xcc0020, w, h)
	b = longs(b, 40, w, h, 1|24<<16, 0, 0, 0, 0, 0, 0)
	b = append(b, bytes.Repeat([]byte{level}, stride*h)...)
	b = append(b, after...)
	return longs(b, 14, 20, 0, 16, 20)
}

// A document of Word with a picture, one in an envelope, one that cannot be drawn, and
// an object that holds a letter with a picture: one list, which says where each stands.
func TestWordWithAllKinds(t *testing.T) {
	metaHead := func(data []byte) []byte { // as it is, not packed
		b := binary.LittleEndian.AppendUint32(make([]byte, 28), uint32(len(data)))
		return append(append(b, 0xfe, 0xfe), data...)
	}
	drawn, vector := metafileOf(4, 3, 80), metafileOf(5, 2, 90, 2, 0, 0, 0, 8, 0, 0, 0)
	data := slices.Concat(blip(0xf01e, 0x6e00, 17, gray(t, 2, 2, 70)), blip(0xf01a, 0x3d40, 16, metaHead(drawn)), blip(0xf01a, 0x3d40, 16, metaHead(vector)))
	fib := make([]byte, 64)
	copy(fib, "\xec\xa5\xc1\x00")
	object := cfb.NewStorage("_1", cfb.NewStream("\x01Ole", make([]byte, 20)), cfb.NewStream("Package", letter(t, "word/media/a.png", gray(t, 7, 7, 60))))
	root := cfb.NewStorage("Root Entry", cfb.NewStream("WordDocument", fib), cfb.NewStream("Data", data), cfb.NewStorage("ObjectPool", object))
	b, err := root.File(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	format, err := sniff.Sniff(bytes.NewReader(b), int64(len(b)))
	if err != nil || format != document.DOC {
		t.Fatalf("%v, %v", format, err)
	}
	src, err := Open(context.Background(), bytes.NewReader(b), int64(len(b)), format, nestLimits, engines, sniff.Sniff)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	want := []string{"[] image 2×2", "[] image 4×3", "[] image extract.vector_image", "[] image 5×2", "[4 1] image 7×7"}
	if got := found(src); !slices.Equal(got, want) {
		t.Fatalf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for i, level := range map[int]uint8{4: 60, 0: 70, 1: 80, 3: 90} {
		img, err := src.Load(i)
		if err != nil {
			t.Fatal(err)
		}
		if r, g, b, _ := img.At(1, 1).RGBA(); fmt.Sprint(r>>8, g>>8, b>>8) != fmt.Sprint(level, level, level) {
			t.Errorf("asset %d shows %d %d %d, want %d", i+1, r>>8, g>>8, b>>8, level)
		}
	}
	if got := src.NotCovered(); got&document.OfficeText == 0 {
		t.Errorf("not covered: %v", got.Names())
	}
}
