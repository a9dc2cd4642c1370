package examples

import "encoding/binary"

// GrayJPEG2000 is JPEG2000 of one component.
func GrayJPEG2000(w, h uint32) []byte { return JPEG2000(w, h, 1) }

// JPEG2000 is a JPEG 2000 codestream (ISO 15444-1 annex A) of n components of 8 bits whose
// only packets are empty: every pixel is 128, half of the range.
func JPEG2000(w, h uint32, n byte) []byte {
	be := binary.BigEndian
	b := append([]byte("\xff\x4f\xff\x51\x00"), 38+3*n, 0, 0) // start; sizes
	for _, v := range []uint32{w, h, 0, 0, max(w, 1), max(h, 1), 0, 0} {
		b = be.AppendUint32(b, v)
	}
	b = append(b, 0, n)
	for range n {
		b = append(b, 7, 1, 1)
	}
	b = append(b, "\xff\x52\x00\x0c\x00\x00\x00\x01\x00\x00\x04\x04\x00\x01"...) // no levels, blocks of 64, reversible
	b = append(b, "\xff\x5c\x00\x04\x40\x40"...)                                 // not quantised
	b = append(b, "\xff\x90\x00\x0a\x00\x00\x00\x00\x00"...)                     // one tile part: its head of 14 bytes, and a packet a component
	b = append(b, 14+n, 0, 1, 0xff, 0x93)
	return append(append(b, make([]byte, n)...), 0xff, 0xd9)
}

// JBIG2 is a JBIG2 file (ITU-T T.88 annex D) of pages of 8×2 pixels, each a generic region
// in the code of group 4: two rows of one white, four black and three white pixels. apart
// says that the heads of all segments come first.
func JBIG2(apart bool, pages int) []byte {
	be := binary.BigEndian
	number := uint32(0)
	var heads, all []byte
	add := func(kind, page byte, data []byte) {
		head := append(be.AppendUint32(nil, number), kind, 0, page)
		head = be.AppendUint32(head, uint32(len(data)))
		number++
		if apart {
			heads, all = append(heads, head...), append(all, data...)
			return
		}
		all = append(append(all, head...), data...)
	}
	for p := 1; p <= min(pages, 255); p++ {
		info := be.AppendUint32(be.AppendUint32(nil, 8), 2)
		add(48, byte(p), append(info, make([]byte, 11)...))
		region := be.AppendUint32(be.AppendUint32(nil, 8), 2)
		region = append(append(region, make([]byte, 9)...), 1) // at the corner; group 4
		// Horizontal mode, white 1, black 4; the rest as above; then three times as above.
		region = append(region, 0b00100011, 0b10111111, 0b00000000, 0b00010000, 0b00000001)
		add(38, byte(p), region)
		add(49, byte(p), nil)
	}
	add(51, 0, nil)
	flags := byte(1)
	if apart {
		flags = 0
	}
	out := be.AppendUint32(append([]byte("\x97JB2\r\n\x1a\n"), flags), uint32(pages))
	return append(append(out, heads...), all...)
}
