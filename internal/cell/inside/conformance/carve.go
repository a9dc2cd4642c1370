package main

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"

	"blotter/internal/document"
)

// Carving looks for pictures by how they begin, wherever that is, and knows nothing of
// the document around them. That is what makes it a reference: it cannot overlook what a
// format's rules lead past. It finds more than there is, though: what was deleted, and
// what only looks like a picture.

// scrap is a picture, or a document, that was carved out of others.
type scrap struct {
	format document.Format
	data   []byte // from its first byte to its last, or further where its end is unknown
	inner  bool   // a small copy in the metadata of another picture
	from   string // the part that it was carved out of, and where in it
}

// carve finds pictures in bytes. Those that hold their own length are left behind in one
// step, so that what is a part of them is not found again.
func carve(b []byte) []scrap {
	out := atStart(b)
	if out != nil && out[0].format != document.JPEG && out[0].format != document.PNG {
		return out
	}
	out = nil
	for i := 0; i+44 < len(b); i++ {
		format, length := begins(b[i:])
		if length == 0 {
			out = append(out, of(fmt.Sprintf("@%d", i), inflated(b[i:]))...)
			continue
		}
		if i >= 34 && string(b[i-34:i-30]) == "WMFC" {
			format = document.WMF // that holds the same drawing in the newer dialect
		}
		s := scrap{format: format, data: b[i : i+length], from: fmt.Sprintf("@%d", i)}
		out = append(out, s)
		out = append(out, within(s)...)
		i += length - 1
	}
	return out
}

// of notes what scraps were carved out of.
func of(part string, all []scrap) []scrap {
	for i := range all {
		all[i].from = part + all[i].from
	}
	return all
}

// atStart tells formats whose marks are too short to be looked for everywhere.
func atStart(b []byte) []scrap {
	for _, m := range []struct {
		at     int
		mark   string
		format document.Format
	}{
		{0, "BM", document.BMP}, {0, "II*\x00", document.TIFF}, {0, "MM\x00*", document.TIFF}, {0, "\xff\xd8\xff", document.JPEG},
		{0, "\x89PNG", document.PNG}, {4, "ftyphei", document.HEIC}, {4, "ftypavi", document.AVIF}, {4, "jP  \r\n", document.JPEG2000},
		{0, "\xff\x4f\xff\x51", document.JPEG2000}, {0, "%PDF", document.PDF}, {0, "\x00\x00\x01\x00", document.ICO},
		{0, "\x01\x00\x09\x00\x00", document.WMF}, {0, "II\xbc", document.JPEGXR},
	} {
		if len(b) >= m.at+len(m.mark) && string(b[m.at:m.at+len(m.mark)]) == m.mark && len(b) > 20 {
			return []scrap{{format: m.format, data: b}}
		}
	}
	if head := b[:min(len(b), 1024)]; bytes.Contains(head, []byte("<svg")) {
		return []scrap{{format: document.SVG, data: b}}
	}
	return nil
}

// begins tells the format of a picture that begins here, and its bytes; 0: none does.
func begins(b []byte) (document.Format, int) {
	word := func(at int) int { return int(binary.LittleEndian.Uint32(b[at:])) }
	switch {
	case b[0] == 0xff && b[1] == 0xd8 && b[2] == 0xff:
		return document.JPEG, jpegLength(b)
	case bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n")):
		return document.PNG, pngLength(b)
	case bytes.HasPrefix(b, []byte("GIF8")) && b[5] == 'a' && word(6) != 0:
		return document.GIF, len(b)
	case bytes.HasPrefix(b, []byte("RIFF")) && string(b[8:12]) == "WEBP":
		return document.WebP, min(len(b), 8+word(4))
	case word(0) == 1 && string(b[40:44]) == " EMF" && len(b) >= 52:
		return document.EMF, told(b, word(48), 88)
	case word(0) == 0x9ac6cdd7 && b[4] == 0 && b[5] == 0:
		return document.WMF, told(b, 22+2*word(28), 22+18)
	case word(0) == 40 && b[12] == 1 && b[13] == 0 && b[15] == 0 && word(16) <= 3:
		return document.BMP, dibLength(b)
	}
	return 0, 0
}

// told is the length that a metafile tells of, or all where that is shorter than its head.
func told(b []byte, n, head int) int {
	if n < head {
		return len(b)
	}
	return min(n, len(b))
}

// jpegLength walks the segments to the end marker; 0 where there is no picture.
func jpegLength(b []byte) int {
	frame := false
	for i := 2; i+4 <= len(b) && b[i] == 0xff; {
		kind, n := b[i+1], int(binary.BigEndian.Uint16(b[i+2:]))
		if kind >= 0xc0 && kind <= 0xcf && kind != 0xc4 && kind != 0xc8 && kind != 0xcc {
			frame = true
		}
		i += 2 + n
		if kind != 0xda {
			continue
		}
		for i+1 < len(b) && (b[i] != 0xff || b[i+1] == 0 || b[i+1] >= 0xd0 && b[i+1] <= 0xd7 || b[i+1] == 0xff) {
			i++
		}
		if i+1 >= len(b) {
			break
		}
		if b[i+1] == 0xd9 && frame {
			return i + 2
		}
	}
	if frame {
		return len(b)
	}
	return 0
}

// pngLength walks the chunks.
func pngLength(b []byte) int {
	for i := 8; i+12 <= len(b); {
		n := int(binary.BigEndian.Uint32(b[i:]))
		kind := string(b[i+4 : i+8])
		if n > len(b)-i-12 {
			break
		}
		i += 12 + n
		if kind == "IEND" {
			return i
		}
	}
	return len(b)
}

// dibLength is that of a bitmap without a file's header; 0 for what only begins like one.
func dibLength(b []byte) int {
	w, h := int(int32(binary.LittleEndian.Uint32(b[4:]))), int(int32(binary.LittleEndian.Uint32(b[8:]))) //nolint:gosec // signed as stored
	bits, packed, colours := int(b[14]), int(binary.LittleEndian.Uint32(b[20:])), int(binary.LittleEndian.Uint32(b[32:]))
	if w <= 0 || w > 1<<15 || h == 0 || h > 1<<15 || h < -1<<15 {
		return 0
	}
	switch bits {
	case 1, 4, 8:
		if colours == 0 {
			colours = 1 << bits
		}
	case 16, 24, 32:
	default:
		return 0
	}
	n := (w*bits + 31) / 32 * 4 * max(h, -h)
	if b[16] != 0 && b[16] != 3 {
		n = packed
	}
	if b[16] == 3 {
		n += 12
	}
	if colours > 256 || 40+4*colours+n > len(b) || n <= 0 {
		return 0
	}
	return 40 + 4*colours + n
}

// mostInflated bounds what one stream unpacks to, in bytes.
const mostInflated = 64 << 20

// inflated finds the picture in a zlib stream that begins here.
func inflated(b []byte) []scrap {
	if b[0] != 0x78 || (int(b[0])<<8|int(b[1]))%31 != 0 {
		return nil
	}
	r, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil
	}
	data := make([]byte, 64)
	if n, _ := io.ReadFull(r, data); n < 44 {
		return nil
	}
	if format, n := begins(append(data, make([]byte, 64)...)); n == 0 || format == document.BMP {
		format = drawing(data)
		if format == 0 {
			return nil
		}
	}
	rest, _ := io.ReadAll(io.LimitReader(r, mostInflated)) // as much as is whole
	data = append(data, rest...)
	if format := drawing(data); format != 0 {
		return []scrap{{format: format, data: data}}
	}
	return carve(data)
}

// drawing tells the old metafiles, whose marks are short.
func drawing(b []byte) document.Format {
	switch {
	case bytes.HasPrefix(b, []byte("\x01\x00\x09\x00\x00")):
		return document.WMF
	case string(b[10:14]) == "\x00\x11\x02\xff":
		return document.PICT
	}
	return 0
}

// within finds the small copies that a picture keeps in its metadata.
func within(s scrap) []scrap {
	var out []scrap
	segment := func(b []byte) {
		for i := 0; i+44 < len(b); i++ {
			if f, n := begins(b[i:]); n > 0 && (f == document.JPEG || f == document.PNG) {
				out = append(out, scrap{format: f, data: b[i : i+n], inner: true, from: s.from})
				i += n - 1
			}
		}
	}
	switch b := s.data; s.format {
	case document.JPEG:
		for i := 2; i+4 <= len(b) && b[i] == 0xff && b[i+1] != 0xda; {
			n := int(binary.BigEndian.Uint16(b[i+2:]))
			if b[i+1] >= 0xe0 && b[i+1] <= 0xef {
				segment(b[i+4 : min(len(b), i+2+n)])
			}
			i += 2 + n
		}
	case document.PNG:
		for i := 8; i+12 <= len(b); {
			n := int(binary.BigEndian.Uint32(b[i:]))
			if n > len(b)-i-12 {
				break
			}
			if string(b[i+4:i+8]) != "IDAT" {
				segment(b[i+8 : i+8+n])
			}
			i += 12 + n
		}
	}
	return out
}
