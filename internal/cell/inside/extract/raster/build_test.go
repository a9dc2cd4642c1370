package raster

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"sort"
	"testing"

	"blotter/internal/document"
)

var roomy = document.Limits{Assets: 100, Frames: 100, AssetPixels: 1e6, TotalPixels: 1e7}

// arrow is a picture that no turn or mirroring maps to itself: a light field, dark in
// its upper left quarter and middling along its top.
func arrow(w, h int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			switch {
			case x < w/2 && y < h/2:
				img.SetGray(x, y, color.Gray{10})
			case y < h/4:
				img.SetGray(x, y, color.Gray{120})
			default:
				img.SetGray(x, y, color.Gray{240})
			}
		}
	}
	return img
}

func pngOf(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegOf(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// withChunk puts a chunk behind IHDR. Its checksum is not made: readers of such
// chunks that matter here do not look at it.
func withChunk(b []byte, kind, data string) []byte {
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	chunk = append(append(append(chunk, kind...), data...), 0, 0, 0, 0)
	return append(append(append([]byte(nil), b[:33]...), chunk...), b[33:]...)
}

// withSegment puts a segment behind a JPEG's start.
func withSegment(b []byte, marker byte, data string) []byte {
	n := len(data) + 2
	seg := append([]byte{0xff, marker, byte(n >> 8), byte(n)}, data...)
	return append(append(append([]byte(nil), b[:2]...), seg...), b[2:]...)
}

// exif is the smallest block that tells an orientation.
func exif(o uint16) string {
	b := []byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01")
	b = binary.BigEndian.AppendUint16(b, o)
	return string(append(b, 0, 0, 0, 0, 0, 0))
}

// tiffFrame is what tiffOf writes as one directory.
type tiffFrame struct {
	tags map[uint16]uint32 // one LONG each
	long map[uint16][]uint16
	data []byte // of all strips

	ratios  map[uint16][]uint32 // numerators, over one each
	bytes   map[uint16][]byte   // type 7
	offsets map[uint16][]uint32
	planes  int   // strips of the same length; 0: one
	parts   []int // the length of each strip, where they differ
}

func grayFrame(w, h int, pix []byte) tiffFrame {
	return tiffFrame{data: pix, tags: map[uint16]uint32{tagWidth: uint32(w), tagHeight: uint32(h), tagBits: 8,
		tagCompression: plain, tagPhotometric: blackIsZero, tagSamples: 1, tagRowsPer: uint32(h)}}
}

// tiffOf writes a TIFF with a directory for each frame, each behind its strip.
func tiffOf(order binary.AppendByteOrder, frames ...tiffFrame) []byte {
	mark := "II*\x00"
	if order == binary.BigEndian {
		mark = "MM\x00*"
	}
	b := append([]byte(mark), 0, 0, 0, 0)
	link := 4 // where the offset of the next directory goes
	put := func(at int, v uint32) { copy(b[at:], order.AppendUint32(nil, v)) }
	for _, f := range frames {
		strip := len(b)
		b = append(b, f.data...)
		for range f.planes {
			f.parts = append(f.parts, len(f.data)/f.planes)
		}
		long, counts := map[uint16]int{}, map[uint16]int{}
		kinds := map[uint16]uint16{}
		lay := func(tag, kind uint16, n int, values []byte) {
			b = append(b, make([]byte, len(b)%2)...)
			long[tag], kinds[tag], counts[tag] = len(b), kind, n
			b = append(b, values...)
		}
		for tag, values := range f.long {
			lay(tag, 3, len(values), words16(order, values...))
		}
		for tag, values := range f.ratios {
			var raw []byte
			for _, v := range values {
				raw = order.AppendUint32(order.AppendUint32(raw, v), 1)
			}
			lay(tag, 5, len(values), raw)
		}
		for tag, values := range f.bytes {
			lay(tag, 7, len(values), values)
		}
		for tag, values := range f.offsets {
			var raw []byte
			for _, v := range values {
				raw = order.AppendUint32(raw, v)
			}
			lay(tag, 4, len(values), raw)
		}
		tags := map[uint16]uint32{tagStrips: uint32(strip), tagStripCounts: uint32(len(f.data))}
		if f.parts != nil {
			var offsets, lengths []byte
			for _, n := range f.parts {
				offsets, lengths = order.AppendUint32(offsets, uint32(strip)), order.AppendUint32(lengths, uint32(n))
				strip += n
			}
			tags = map[uint16]uint32{}
			lay(tagStrips, 4, len(f.parts), offsets)
			lay(tagStripCounts, 4, len(f.parts), lengths)
		}
		b = append(b, make([]byte, len(b)%2)...)
		for tag, v := range f.tags {
			tags[tag] = v
		}
		for tag := range long { // instead of the usual
			delete(tags, tag)
		}
		put(link, uint32(len(b)))
		b = order.AppendUint16(b, uint16(len(sortedTags(tags, long))))
		for _, tag := range sortedTags(tags, long) {
			b = order.AppendUint16(b, tag)
			if at, ok := long[tag]; ok {
				b = order.AppendUint16(b, kinds[tag])
				b = order.AppendUint32(b, uint32(counts[tag]))
				if n := counts[tag] * int(kindSizes[kinds[tag]]); n <= 4 {
					b = append(append(b, b[at:at+n]...), make([]byte, 4-n)...)
				} else {
					b = order.AppendUint32(b, uint32(at))
				}
				continue
			}
			b = order.AppendUint16(b, 4)
			b = order.AppendUint32(b, 1)
			b = order.AppendUint32(b, tags[tag])
		}
		link = len(b)
		b = append(b, 0, 0, 0, 0)
	}
	return b
}

func sortedTags(tags map[uint16]uint32, long map[uint16]int) []uint16 {
	var out []uint16
	for tag := range tags {
		out = append(out, tag)
	}
	for tag := range long {
		out = append(out, tag)
	}
	sort.Slice(out, func(i, j int) bool { return out[i] < out[j] })
	return out
}

// bitsOf writes bits given as text, most significant first.
func bitsOf(text string) []byte {
	var out []byte
	n := 0
	for _, c := range text {
		if c != '0' && c != '1' {
			continue
		}
		if n%8 == 0 {
			out = append(out, 0)
		}
		if c == '1' {
			out[n/8] |= 1 << (7 - n%8)
		}
		n++
	}
	return out
}
