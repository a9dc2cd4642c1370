package rtf

import (
	"bytes"
	"encoding/binary"
	"errors"

	"blotter/internal/cell/inside/cfb"
	"blotter/internal/reason"
)

// piece is a picture or an object: the bytes of its group.
type piece struct {
	from, to    int // in the document
	digits, raw int64
	picture     bool
	theme       bool
	deep        bool // it lies in too many others
	form        form
}

// form is what a picture says it is.
type form uint8

const (
	unsaid     form = iota
	file            // a file of its own: PNG, JPEG, EMF, WMF, PICT
	bitmap          // a bitmap of Windows without the header of a file
	deviceBits      // pixels of a device, with their measures in control words
	osMetafile      // a metafile of OS/2
)

// describe takes what a control word says of a picture.
func (p *piece) describe(t token) {
	switch t.name {
	case "pngblip", "jpegblip", "emfblip", "wmetafile", "macpict":
		p.form = file
	case "dibitmap":
		p.form = bitmap
	case "wbitmap":
		p.form = deviceBits
	case "pmmetafile":
		p.form = osMetafile
	}
}

// withheld is why a piece cannot be read; "" where it can.
func (p piece) withheld() reason.Code {
	switch {
	case p.deep:
		return reason.ExtractDepth
	case p.form == deviceBits:
		return reason.ExtractEncoding
	case p.form == osMetafile:
		return reason.ExtractVector
	}
	return ""
}

// most is how many bytes Unpack makes of the piece at most.
func (p piece) most() int64 {
	switch n := p.digits/2 + p.raw; {
	case p.picture:
		return n + bitmapHeader
	case p.theme:
		return n
	default:
		return packedSize(n)
	}
}

// packedSize is how large a compound file with one stream of n bytes can be.
func packedSize(n int64) int64 { return n + n/64 + 8<<10 }

// bytes reads the digits and raw bytes that stand in the piece's own group, not in those
// inside it.
func (p piece) bytes(b []byte) []byte {
	out := make([]byte, 0, p.digits/2+p.raw)
	s := scanner{b: b[:p.to], at: p.from}
	inner, half := 0, int8(-1)
	for {
		t := s.next()
		switch {
		case t.kind == end, t.kind == groupCloses && inner == 0:
			return out
		case t.kind == groupOpens:
			inner++
		case t.kind == groupCloses:
			inner--
		case inner > 0:
		case t.kind == raw:
			out, half = append(out, t.bytes(b)...), -1
		case t.kind == digits:
			for _, c := range t.bytes(b) {
				v := values[c]
				switch {
				case v < 0:
				case half < 0:
					half = v
				default:
					out, half = append(out, byte(half)<<4|byte(v)), -1
				}
			}
		}
	}
}

// bitmapHeader is the length of the header that a BMP file has before the bitmap.
const bitmapHeader = 14

// file makes a file of a picture's bytes.
func (p piece) file(b []byte) ([]byte, error) {
	if p.form != bitmap {
		return b, nil
	}
	if len(b) < 16 {
		return nil, reason.Because(reason.ExtractTruncated, errors.New("rtf: bitmap"))
	}
	size, le := int64(binary.LittleEndian.Uint32(b)), binary.LittleEndian
	colours, entry := int64(0), int64(4)
	switch {
	case size == 12:
		entry = 3
		if bits := le.Uint16(b[10:]); bits <= 8 {
			colours = 1 << bits
		}
	case size >= 40 && len(b) >= 40:
		colours = int64(le.Uint32(b[32:]))
		if bits := le.Uint16(b[14:]); colours == 0 && bits <= 8 {
			colours = 1 << bits
		}
		if size == 40 && le.Uint32(b[16:]) == 3 {
			colours += 3 // masks
		}
	default:
		return nil, reason.Because(reason.ExtractMalformed, errors.New("rtf: bitmap header"))
	}
	pixels := bitmapHeader + size + colours*entry
	if pixels > int64(len(b))+bitmapHeader {
		return nil, reason.Because(reason.ExtractTruncated, errors.New("rtf: bitmap"))
	}
	head := append([]byte("BM"), make([]byte, bitmapHeader-2)...)
	le.PutUint32(head[2:], uint32(len(b)+bitmapHeader))
	le.PutUint32(head[10:], uint32(pixels))
	return append(head, b...), nil
}

// object takes an embedded object out of its stream ([MS-OLEDS] 2.2.5): a compound file,
// or the native bytes of an older program. A link has no bytes of its own.
func object(b []byte) ([]byte, error) {
	bad := reason.Because(reason.ExtractMalformed, errors.New("rtf: object"))
	const linked, embedded = 1, 2
	if len(b) < 8 {
		return nil, bad
	}
	le := binary.LittleEndian
	kind, rest := le.Uint32(b[4:]), b[8:]
	var class []byte
	for i := range 3 { // names of class, topic and item
		if len(rest) < 4 || int64(le.Uint32(rest)) > int64(len(rest)-4) {
			return nil, bad
		}
		n := le.Uint32(rest)
		if i == 0 {
			class = bytes.TrimRight(rest[4:4+n], "\x00")
		}
		rest = rest[4+n:]
	}
	switch {
	case kind == linked:
		return nil, reason.Because(reason.SniffEmpty, errors.New("rtf: a link"))
	case kind != embedded || len(rest) < 4:
		return nil, bad
	}
	n := int64(le.Uint32(rest))
	native := rest[4:][:min(n, int64(len(rest)-4))]
	if bytes.EqualFold(class, []byte("Package")) {
		return packaged(native)
	}
	if len(native) == 0 {
		return nil, reason.Because(reason.SniffEmpty, errors.New("rtf: an object without bytes"))
	}
	return native, nil
}

// packaged makes of a package of old an object that holds the same: how such files are
// packed is known where objects are opened.
func packaged(native []byte) ([]byte, error) {
	data := binary.LittleEndian.AppendUint32(nil, uint32(len(native)))
	out, err := cfb.NewStorage("Root Entry", cfb.NewStream("\x01Ole10Native", append(data, native...))).File(packedSize(int64(len(native))))
	if err != nil {
		return nil, reason.Because(reason.ExtractMalformed, err)
	}
	return out, nil
}
