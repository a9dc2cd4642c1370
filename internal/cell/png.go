package cell

import (
	"encoding/binary"
	"hash"
	"hash/crc32"

	"blotter/internal/cell/wire"
)

// pngCheck follows the structure of a PNG as its bytes come by, without inflating or
// keeping any: signature, IHDR with the size that was announced, IDATs, IEND, each
// chunk with its right checksum, and nothing else. So no text chunk, profile, time
// stamp or trailing byte passes, whoever wrote the PNG.
type pngCheck struct {
	width, height int
	left          int64 // bytes that may still come

	head  [8]byte // signature or chunk header while it is incomplete
	have  int     // bytes of head
	state pngState
	kind  string // of the chunk that is open
	rest  uint32 // bytes of its body still to come
	body  [13]byte
	sum   hash.Hash32
	data  bool // an IDAT has been seen
}

type pngState uint8

const (
	inSignature pngState = iota
	inHeader             // length and type of a chunk
	inBody
	inChecksum
	atEnd
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// next checks the following bytes; the error carries cell.protocol.
func (c *pngCheck) next(p []byte) error {
	if c.left -= int64(len(p)); c.left < 0 {
		return wire.Violation("a PNG larger than its pixels")
	}
	for len(p) > 0 {
		n, ok := c.step(p)
		if !ok {
			return wire.Violation("a PNG with a structure that we do not write")
		}
		p = p[n:]
	}
	return nil
}

// whole reports whether the PNG has come to its end.
func (c *pngCheck) whole() bool { return c.state == atEnd }

// step takes at least one byte of p and says how many.
func (c *pngCheck) step(p []byte) (int, bool) {
	switch c.state {
	case inBody:
		n := min(len(p), int(min(c.rest, 1<<30)))
		c.sum.Write(p[:n])
		if c.kind == "IHDR" {
			copy(c.body[13-c.rest:], p[:n])
		}
		if c.rest -= uint32(n); c.rest == 0 {
			return n, c.bodyDone()
		}
		return n, true
	case atEnd:
		return 0, false
	}
	want := 8
	if c.state == inChecksum {
		want = 4
	}
	n := copy(c.head[c.have:want], p)
	if c.have += n; c.have < want {
		return n, true
	}
	c.have = 0
	return n, c.headDone()
}

// headDone judges eight bytes of signature or chunk header, or four of a checksum.
func (c *pngCheck) headDone() bool {
	switch c.state {
	case inSignature:
		c.state = inHeader
		return string(c.head[:]) == pngSignature
	case inHeader:
		return c.open(binary.BigEndian.Uint32(c.head[:]), string(c.head[4:]))
	}
	good := binary.BigEndian.Uint32(c.head[:]) == c.sum.Sum32()
	c.state = inHeader
	if c.kind == "IEND" {
		c.state = atEnd
	}
	return good
}

// open begins a chunk: IHDR first and once, then IDATs, then IEND.
func (c *pngCheck) open(size uint32, kind string) bool {
	first := c.kind == ""
	switch kind {
	case "IHDR":
		if !first || size != 13 {
			return false
		}
	case "IDAT":
		if first || size == 0 || size > 1<<31-1 {
			return false
		}
		c.data = true
	case "IEND":
		if !c.data || size != 0 {
			return false
		}
	default:
		return false
	}
	c.kind, c.rest, c.state = kind, size, inBody
	c.sum = crc32.NewIEEE()
	c.sum.Write(c.head[4:])
	if size == 0 {
		c.state = inChecksum
	}
	return true
}

func (c *pngCheck) bodyDone() bool {
	c.state = inChecksum
	return c.kind != "IHDR" || c.headerFits()
}

// headerFits compares IHDR with the asset: its size, and gray of one bit or eight, 8-bit
// RGB or RGBA, without interlacing.
func (c *pngCheck) headerFits() bool {
	w, h := binary.BigEndian.Uint32(c.body[0:]), binary.BigEndian.Uint32(c.body[4:])
	if int64(w) != int64(c.width) || int64(h) != int64(c.height) {
		return false
	}
	depth, colour := c.body[8], c.body[9]
	switch {
	case depth == 1 && colour == 0, depth == 8 && (colour == 0 || colour == 2 || colour == 6):
	default:
		return false
	}
	return c.body[10] == 0 && c.body[11] == 0 && c.body[12] == 0
}
