package raster

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"slices"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// parted is a JPEG taken apart: its tables by their number, its bare scan, its head.
type parted struct {
	q, dc, ac map[byte][]byte
	head      []byte // up to the scan
	scan      []byte
}

func part(t testing.TB, b []byte) parted {
	t.Helper()
	p := parted{q: map[byte][]byte{}, dc: map[byte][]byte{}, ac: map[byte][]byte{}}
	for at := 2; at < len(b); {
		n := int(binary.BigEndian.Uint16(b[at+2:]))
		data := b[at+4 : at+2+n]
		switch b[at+1] {
		case 0xdb:
			for ; len(data) > 0; data = data[65:] {
				p.q[data[0]] = data[1:65]
			}
		case 0xc4:
			for len(data) > 0 {
				total := 17
				for _, c := range data[1:17] {
					total += int(c)
				}
				into := p.dc
				if data[0]>>4 == 1 {
					into = p.ac
				}
				into[data[0]&15] = data[1:total]
				data = data[total:]
			}
		case 0xda:
			p.head, p.scan = b[:at+2+n], b[at+2+n:len(b)-2]
			return p
		}
		at += 2 + n
	}
	t.Fatal("no scan")
	return p
}

// Strips that are all the whole file would be put together to more than any memory holds.
func TestOldJPEGStripsThatOverlap(t *testing.T) {
	const height = 4
	b := tiffOf(binary.LittleEndian, grayFrame(1, height, make([]byte, height)))
	f, at, err := openTIFF(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	d, err := f.directory(at)
	if err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	whole := int64(len(b))
	for range height {
		b = le.AppendUint32(b, 0)
	}
	for range height {
		b = le.AppendUint32(b, uint32(whole))
	}
	d.r, d.size = bytes.NewReader(b), int64(len(b))
	for tag, from := range map[uint16]int64{tagStrips: whole, tagStripCounts: whole + 4*height} {
		d.tags[tag] = entry{kind: 4, count: height, at: from}
	}
	l := &layout{across: 1, planes: 1, offsetsTag: tagStrips, countTag: tagStripCounts}
	for l.down = 1; l.down <= height; l.down++ {
		out, err := appendStrips(nil, d, l)
		if (err == nil) != (int64(l.down)*whole <= d.size) {
			t.Errorf("%d strips: %d bytes, %v", l.down, len(out), err)
		}
	}
}

// Tiles may share their bytes, as blank ones do, but not all of them the whole file.
func TestBlocksThatOverlap(t *testing.T) {
	const large = 1 << 20
	le := binary.LittleEndian
	b := make([]byte, large)
	for n, fails := range map[int]bool{blockBytes / large: false, blockBytes/large + 1: true} {
		offsets, counts := make([]byte, 4*n), []byte(nil)
		for range n {
			counts = le.AppendUint32(counts, large)
		}
		file := slices.Concat(b, offsets, counts)
		d := &directory{tiffFile: tiffFile{r: bytes.NewReader(file), size: int64(len(file)), order: le}, tags: map[uint16]entry{
			tagTiles: {kind: 4, count: int64(n), at: large}, tagTileCounts: {kind: 4, count: int64(n), at: large + int64(len(offsets))},
		}}
		l := &layout{across: n, down: 1, planes: 1, offsetsTag: tagTiles, countTag: tagTileCounts}
		if _, err := l.places(d); (err != nil) != fails {
			t.Errorf("%d tiles: %v", n, err)
		}
	}
}

func rainbow(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetNRGBA(x, y, color.NRGBA{uint8(x * 255 / w), uint8(y * 255 / h), 128, 255})
		}
	}
	return img
}

// Writers of JPEG before Technical Note 2 did it in three ways; all show the same.
func TestOldJPEG(t *testing.T) {
	want := rainbow(32, 16)
	b := jpegOf(t, want)
	p := part(t, b)
	base := func(data []byte, kv ...uint32) tiffFrame {
		return kind(32, 16, 8, yCbCr, data, append([]uint32{tagSamples, 3, tagCompression, jpegOld}, kv...)...)
	}
	const at = 8 // where tiffOf puts the first frame's data
	var tables []byte
	var offsets [3][]uint32
	put := func(i int, b []byte) {
		offsets[i] = append(offsets[i], uint32(at+len(p.scan)+len(tables)))
		tables = append(tables, b...)
	}
	for _, n := range []byte{0, 1, 1} {
		put(0, p.q[n])
		put(1, p.dc[n])
		put(2, p.ac[n])
	}
	bare := base(append(bytes.Clone(p.scan), tables...))
	scanned := base(append(append(p.head[len(p.head)-14:len(p.head):len(p.head)], p.scan...), tables...))
	bare.offsets = map[uint16][]uint32{tagJPEGQ: offsets[0], tagJPEGDC: offsets[1], tagJPEGAC: offsets[2], tagStripCounts: {uint32(len(p.scan))}}
	scanned.offsets = map[uint16][]uint32{tagStripCounts: {uint32(14 + len(p.scan))}}
	for tag := range bare.offsets {
		if tag != tagStripCounts {
			for _, at := range bare.offsets[tag] {
				scanned.offsets[tag] = append(scanned.offsets[tag], at+14)
			}
		}
	}
	behind := base(append(bytes.Clone(p.scan), p.head...), tagJPEGStream, uint32(at+len(p.scan)), tagJPEGLength, uint32(len(p.head)), tagStripCounts, uint32(len(p.scan)))
	for name, fr := range map[string]tiffFrame{
		"a whole stream":      base(b, tagJPEGStream, at, tagJPEGLength, uint32(len(b))),
		"without its length":  base(b, tagJPEGStream, at),
		"a head and a strip":  behind,
		"tables and a strip":  bare,
		"a scan header":       scanned,
		"strip with its head": base(b, tagJPEGStream, at, tagJPEGLength, uint32(len(b)), tagStrips, uint32(at+len(p.head)), tagStripCounts, uint32(len(p.scan))),
	} {
		t.Run(name, func(t *testing.T) {
			near(t, load(t, open(t, tiffOf(binary.LittleEndian, fr), document.TIFF, roomy), 0), want)
		})
	}
	cut := base(b[:len(b)-30], tagJPEGStream, at)
	if _, err := open(t, tiffOf(binary.LittleEndian, cut), document.TIFF, roomy).Load(0); reason.Of(err) == "" {
		t.Error("a stream that was cut loads")
	}
	if _, err := open(t, tiffOf(binary.LittleEndian, base(p.scan)), document.TIFF, roomy).Load(0); reason.Of(err) != reason.ExtractMalformed {
		t.Errorf("without tables: %v", err)
	}
}

// Strips begin anew as behind a restart mark, which the file leaves out.
func TestOldJPEGStrips(t *testing.T) {
	want := rainbow(32, 32)
	first, second := part(t, jpegOf(t, want.SubImage(image.Rect(0, 0, 32, 16)))), part(t, jpegOf(t, want.SubImage(image.Rect(0, 16, 32, 32))))
	data := append(bytes.Clone(first.scan), second.scan...)
	var offsets [3][]uint32
	for _, n := range []byte{0, 1, 1} {
		for i, b := range [][]byte{first.q[n], first.dc[n], first.ac[n]} {
			offsets[i] = append(offsets[i], uint32(8+len(data)))
			data = append(data, b...)
		}
	}
	fr := kind(32, 32, 8, yCbCr, data, tagSamples, 3, tagCompression, jpegOld, tagRowsPer, 16)
	fr.parts = []int{len(first.scan), len(second.scan)}
	fr.offsets = map[uint16][]uint32{tagJPEGQ: offsets[0], tagJPEGDC: offsets[1], tagJPEGAC: offsets[2]}
	near(t, load(t, open(t, tiffOf(binary.BigEndian, fr), document.TIFF, roomy), 0), want)

	// A head may say nothing of restarts. Its height is that of the whole.
	head := bytes.Clone(first.head)
	sof := bytes.Index(head, []byte{0xff, 0xc0})
	binary.BigEndian.PutUint16(head[sof+5:], 32)
	fr = kind(32, 32, 8, yCbCr, append(append(bytes.Clone(first.scan), second.scan...), head...), tagSamples, 3, tagCompression, jpegOld, tagRowsPer, 16,
		tagJPEGStream, uint32(8+len(first.scan)+len(second.scan)), tagJPEGLength, uint32(len(head)))
	fr.parts = []int{len(first.scan), len(second.scan)}
	near(t, load(t, open(t, tiffOf(binary.BigEndian, fr), document.TIFF, roomy), 0), want)
}
