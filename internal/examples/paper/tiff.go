package paper

import "encoding/binary"

// FaxDPI is the fine resolution of a group 4 fax machine, dots per inch.
var FaxDPI = [2]uint32{204, 196}

// EncodeTIFF writes one frame for each bitmap: little-endian, one G4 strip each.
func EncodeTIFF(pages []Bitmap) []byte {
	out := []byte{'I', 'I', 42, 0, 0, 0, 0, 0}
	link := 4 // where the offset of the next directory goes
	for i, p := range pages {
		data := encodeG4(p)
		dataAt := len(out)
		out = append(out, data...)
		out = append(out, make([]byte, len(out)%2)...)
		resolutionAt := len(out)
		for _, d := range FaxDPI {
			out = binary.LittleEndian.AppendUint32(out, d)
			out = binary.LittleEndian.AppendUint32(out, 1)
		}
		binary.LittleEndian.PutUint32(out[link:], uint32(len(out)))
		out, link = appendDirectory(out, []tag{
			{254, long, 2}, // one page of several
			{256, long, uint32(p.Width)},
			{257, long, uint32(p.Height)},
			{258, short, 1},
			{259, short, 4}, // CCITT group 4
			{262, short, 0}, // white is zero
			{273, long, uint32(dataAt)},
			{277, short, 1},
			{278, long, uint32(p.Height)},
			{279, long, uint32(len(data))},
			{282, rational, uint32(resolutionAt)},
			{283, rational, uint32(resolutionAt + 8)},
			{296, short, 2}, // per inch
			{297, twoShorts, uint32(i) | uint32(len(pages))<<16},
		})
	}
	return out
}

// The kinds of TIFF value that are used here.
const (
	short     = 3
	long      = 4
	rational  = 5
	twoShorts = 0x100 | short
)

type tag struct {
	id    uint16
	kind  uint16
	value uint32
}

// appendDirectory writes a directory and returns where its link to the next one stands.
func appendDirectory(out []byte, tags []tag) (_ []byte, link int) {
	out = binary.LittleEndian.AppendUint16(out, uint16(len(tags)))
	for _, t := range tags {
		out = binary.LittleEndian.AppendUint16(out, t.id)
		out = binary.LittleEndian.AppendUint16(out, t.kind&0xff)
		out = binary.LittleEndian.AppendUint32(out, 1+uint32(t.kind>>8))
		out = binary.LittleEndian.AppendUint32(out, t.value)
	}
	return binary.LittleEndian.AppendUint32(out, 0), len(out)
}
