package compound

import (
	"encoding/binary"

	"blotter/internal/cell/inside/cfb"
	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/reason"
)

// pptObject is a record that holds an embedded object, control or macro project as a
// compound file; its instance says whether it is packed ([MS-PPT] 2.10.34).
const pptObject = 0x1011

// slides walks the outermost records of PowerPoint and looks for pictures.
func (d *Document) slides(n *cfb.Node) error {
	b, err := d.bytes(n)
	if err != nil {
		return err
	}
	for at := int64(0); at+recordHeader <= int64(len(b)) && !d.full(); {
		head, size := binary.LittleEndian.Uint32(b[at:]), int64(binary.LittleEndian.Uint32(b[at+4:]))
		at += recordHeader
		left := int64(len(b)) - at
		if head>>16 == pptObject {
			d.slideObject(n, b[at:at+min(size, left)], at, head&0xfff0 != 0, size > left)
		}
		if size > left {
			break
		}
		at += size
	}
	d.blips(n, b)
	return nil
}

// slideObject adds an object; packed ones begin with their unpacked length.
func (d *Document) slideObject(n *cfb.Node, b []byte, at int64, packed, short bool) {
	p := part{src: n, at: at, n: int64(len(b))}
	p.Embedded = catalogue.Embedded{Size: p.n}
	switch {
	case short, packed && len(b) < 4:
		p.Withheld = reason.ExtractTruncated
	case packed:
		p.Size = int64(binary.LittleEndian.Uint32(b))
		p.at, p.n, p.wrap = at+4, p.n-4, deflated
	}
	d.parts = append(d.parts, p)
}
