package examples

import "encoding/binary"

// withExif puts an Exif segment behind the start of a JPEG: orientation 6 (turn by 90°
// clockwise to see it upright), a camera, a date and a place, as a phone writes them.
// The place is a spot in open water.
func withExif(jpeg []byte) []byte {
	const soi = 2
	body := append([]byte("Exif\x00\x00"), phoneExif()...)
	out := append([]byte(nil), jpeg[:soi]...)
	out = append(out, 0xff, 0xe1)
	out = binary.BigEndian.AppendUint16(out, uint16(len(body)+2))
	out = append(out, body...)
	return append(out, jpeg[soi:]...)
}

// exifEntry is a directory entry whose value is ready as bytes.
type exifEntry struct {
	id    uint16
	kind  uint16
	count uint32
	value []byte
}

func phoneExif() []byte {
	gps := []exifEntry{
		{1, 2, 2, []byte("N\x00")},
		{2, 5, 3, rationals(47, 1, 52, 1, 1230, 100)},
		{3, 2, 2, []byte("W\x00")},
		{4, 5, 3, rationals(114, 1, 6, 1, 4510, 100)},
	}
	main := []exifEntry{
		{0x010f, 2, 8, []byte("Phoneco\x00")},
		{0x0110, 2, 8, []byte("Model 5\x00")},
		{0x0112, 3, 1, []byte{0, 6}},
		{0x0132, 2, 20, []byte("2024:03:12 08:14:55\x00")},
		{0x8825, 4, 1, nil}, // offset of the place, filled in below
	}
	const header = 8
	at := uint32(header + exifSize(main))
	main[len(main)-1].value = binary.BigEndian.AppendUint32(nil, at)
	out := []byte{'M', 'M', 0, 42, 0, 0, 0, header}
	out = appendExif(out, main)
	return appendExif(out, gps)
}

// exifSize is the size of a directory together with the values that do not fit in it.
func exifSize(entries []exifEntry) int {
	n := 2 + 12*len(entries) + 4
	for _, e := range entries {
		if len(e.value) > 4 {
			n += len(e.value) + len(e.value)%2
		}
	}
	return n
}

func appendExif(out []byte, entries []exifEntry) []byte {
	apart := len(out) + 2 + 12*len(entries) + 4
	var values []byte
	out = binary.BigEndian.AppendUint16(out, uint16(len(entries)))
	for _, e := range entries {
		out = binary.BigEndian.AppendUint16(out, e.id)
		out = binary.BigEndian.AppendUint16(out, e.kind)
		out = binary.BigEndian.AppendUint32(out, e.count)
		if len(e.value) <= 4 {
			out = append(out, append(e.value, make([]byte, 4-len(e.value))...)...)
			continue
		}
		out = binary.BigEndian.AppendUint32(out, uint32(apart+len(values)))
		values = append(values, e.value...)
		values = append(values, make([]byte, len(e.value)%2)...)
	}
	out = binary.BigEndian.AppendUint32(out, 0)
	return append(out, values...)
}

func rationals(parts ...uint32) []byte {
	var out []byte
	for _, p := range parts {
		out = binary.BigEndian.AppendUint32(out, p)
	}
	return out
}
