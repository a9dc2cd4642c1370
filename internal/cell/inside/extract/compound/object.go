package compound

import (
	"bytes"
	"context"
	"encoding/binary"
	"strings"

	"blotter/internal/cell/inside/cfb"
	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/cell/inside/extract/lock"
	"blotter/internal/document"
)

// Streams of an embedded object, [MS-OLEDS] 2.3 and what programs keep beside.
const (
	native    = "\x01Ole10Native"
	preview   = "\x02OlePres" // and a number
	control   = "\x03OCXNAME"
	linkInfo  = "\x03LinkInfo"
	formula   = "Equation Native"
	contents  = "CONTENTS"
	encrypted = "EncryptedPackage"
	described = "EncryptionInfo"
)

// object goes through what an embedded object holds: a file in one of several envelopes,
// its preview, and further objects.
func (d *Document) object(ctx context.Context, root *cfb.Node) error {
	isControl := root.Find(control) != nil
	for _, n := range root.Children {
		if err := ctx.Err(); err != nil {
			return err
		}
		if n.Storage {
			if err := d.storage(ctx, n); err != nil {
				return err
			}
			continue
		}
		b, err := d.bytes(n)
		if err != nil {
			return err
		}
		switch {
		case is(n, native) && isEquation(b):
			d.extra |= document.OfficeText
		case is(n, native):
			at := nativeData(b)
			d.within(n, int64(at), int64(len(b)-at))
		case is(n, contents) && !isControl && isPhoto(b):
			p := d.picture(n, 0, int64(len(b)), photoed)
			p.Format, p.Size = document.BMP, photoSize(b)
		case is(n, "Package"), is(n, "EmbeddedOdf"), is(n, contents) && !isControl:
			d.within(n, 0, int64(len(b)))
		case is(n, formula):
			d.extra |= document.OfficeText
		case is(n, linkInfo), isControl && is(n, contents), is(n, "PROJECT"): // a link, a control, macros
			d.extra |= document.EmbeddedFiles
		case !d.beside(n, b):
			d.blips(n, b)
		}
	}
	return nil
}

// within adds a document of n bytes at an offset.
func (d *Document) within(src *cfb.Node, at, n int64) {
	if n > 0 {
		d.parts = append(d.parts, part{Embedded: catalogue.Embedded{Size: n}, src: src, at: at, n: n})
	}
}

// nativeData finds where the file begins in the stream of the old object packager: behind
// its length come a label, a file name and a path, each with its end or length. Other
// programs put their data behind the length at once.
func nativeData(b []byte) int {
	const length = 4
	if len(b) < length+2 || binary.LittleEndian.Uint16(b[length:]) != 2 {
		return min(length, len(b))
	}
	at := length + 2
	for range 2 { // label and file name
		n := bytes.IndexByte(b[at:], 0)
		if n < 0 {
			return length
		}
		at += n + 1
	}
	at += 4 // of no known meaning
	if at+4 > len(b) {
		return length
	}
	path := int64(binary.LittleEndian.Uint32(b[at:]))
	at += 4
	if path < 0 || int64(at)+path+4 > int64(len(b)) {
		return length
	}
	at += int(path)
	size := int64(binary.LittleEndian.Uint32(b[at:]))
	if at += 4; size > int64(len(b)-at) {
		return length
	}
	return at
}

// isEquation knows what the equation editor of old Office keeps behind the length: its
// version, 2 or 3, the system, the program and that program's version, and a first record. It
// holds characters alone.
func isEquation(b []byte) bool {
	const length = 4
	if len(b) < length+6 || binary.LittleEndian.Uint32(b) > uint32(len(b)-length) {
		return false
	}
	m := b[length:]
	return (m[0] == 2 || m[0] == 3) && m[1] <= 1 && m[2] <= 1 && m[3] >= 1 && m[3] <= 9 && m[4] < 0x20 && m[5] >= 0x0a && m[5] <= 0x0e
}

// presentation adds the preview of an object, [MS-OLEDS] 2.3.4: what format, for which
// device, how large, then the picture.
func (d *Document) presentation(n *cfb.Node, b []byte) {
	const metafile, bitmap, enhanced = 3, 8, 14
	le := binary.LittleEndian
	if len(b) < 12 {
		return
	}
	at, format := int64(4), uint32(0)
	switch mark := le.Uint32(b); mark {
	case 0xffffffff, 0xfffffffe:
		format = le.Uint32(b[4:])
		at += 4
	default: // none, or one that has a name
		at += int64(mark)
	}
	if at+4 > int64(len(b)) {
		return
	}
	at += max(4, int64(le.Uint32(b[at:]))) // the device, its own length included
	const before, sized = 28, 24           // aspect to size
	if at+before > int64(len(b)) {
		return
	}
	size := min(int64(le.Uint32(b[at+sized:])), int64(len(b))-at-before)
	at += before
	if size <= 0 {
		return
	}
	switch body := b[at : at+size]; format {
	case bitmap:
		d.picture(n, at, size, wrapOf(document.BMP, body)).Format = document.BMP
	case metafile:
		d.picture(n, at, size, plain).Format = document.WMF
	case enhanced:
		d.picture(n, at, size, plain).Format = document.EMF
	}
}

// beside takes the streams that stand beside any document or object: properties with
// their thumbnail, and previews. It reports whether the stream is one of these.
func (d *Document) beside(n *cfb.Node, b []byte) bool {
	f, drawn := map[string]document.Format{"\x03EPRINT": document.EMF, "\x03META": document.WMF, "\x03PRINT": document.WMF,
		"\x03PICT": document.PICT}[strings.ToUpper(n.Name)]
	switch at := mapped(b); {
	case is(n, summary):
		d.extra |= document.Metadata
		d.thumbnail(n, b)
	case len(n.Name) > len(preview) && strings.EqualFold(n.Name[:len(preview)], preview):
		d.presentation(n, b)
	case drawn && len(b) > at:
		d.picture(n, int64(at), int64(len(b)-at), plain).Format = f
	default:
		return false
	}
	return true
}

// mapped is how many bytes stand before a metafile.
func mapped(b []byte) int {
	const mapping = 8
	if len(b) > mapping && bytes.HasPrefix(b[mapping:], []byte("\x01\x00\x09\x00")) {
		return mapping
	}
	return 0
}

// unlock decrypts the package that the file holds; it is a document within.
func (d *Document) unlock(root *cfb.Node) error {
	info, data := root.Find(described), root.Find(encrypted)
	if info == nil || data == nil || data.Size > d.lim.UnpackedBytes {
		return errLocked
	}
	how, err := d.bytes(info)
	if err != nil {
		return err
	}
	b, err := d.bytes(data)
	if err != nil {
		return err
	}
	if b, err = lock.Package(how, b); err != nil {
		return errLocked
	}
	d.parts = append(d.parts, part{Embedded: catalogue.Embedded{Size: int64(len(b))}, src: bytes.NewReader(b), n: int64(len(b))})
	return nil
}

// locked tells a document behind a password.
func (d *Document) locked(root *cfb.Node) error {
	le := binary.LittleEndian
	if root.Find(encrypted) != nil {
		return errLocked
	}
	var fib [12]byte
	if n := root.Find("WordDocument"); n != nil && !n.Storage {
		const flags, lockedFlag = 10, 0x0100
		if got, _ := n.ReadAt(fib[:], 0); got == len(fib) && le.Uint16(fib[flags:])&lockedFlag != 0 {
			return errLocked
		}
	}
	var user [16]byte
	if n := root.Find("Current User"); n != nil && !n.Storage {
		const token, lockedToken = 12, 0xf3d1c4df
		if got, _ := n.ReadAt(user[:], 0); got == len(user) && le.Uint32(user[token:]) == lockedToken {
			return errLocked
		}
	}
	return nil
}

const summary = "\x05SummaryInformation"

// thumbnail adds the picture of a document that its properties hold, [MS-OLEPS] 2.18 and
// property 17 of the summary.
func (d *Document) thumbnail(n *cfb.Node, b []byte) {
	const section, property, clipboard, windows = 44, 17, 0x47, 0xffffffff
	le := binary.LittleEndian
	if len(b) < section+4 {
		return
	}
	base := int64(le.Uint32(b[section:]))
	if base+8 > int64(len(b)) {
		return
	}
	for i := range min(int64(le.Uint32(b[base+4:])), (int64(len(b))-base-8)/8) {
		if le.Uint32(b[base+8+8*i:]) != property {
			continue
		}
		at := base + int64(le.Uint32(b[base+12+8*i:]))
		if at+16 > int64(len(b)) || le.Uint32(b[at:]) != clipboard {
			continue
		}
		size := min(int64(le.Uint32(b[at+4:]))-4, int64(len(b))-at-12)
		mark, body := le.Uint32(b[at+8:]), at+12
		if mark == windows || mark == windows-1 { // a format's number, or on a Macintosh its name
			size, body = size-4, body+4
		}
		if size <= 0 || mark == 0 {
			continue
		}
		skip := int64(mapped(b[body : body+size]))
		p := d.picture(n, body+skip, size-skip, wrapOf(document.BMP, b[body:body+size]))
		p.Format = document.WMF
		if p.wrap == headless {
			p.Format = document.BMP
		}
		return // there is one
	}
}
