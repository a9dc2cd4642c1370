package raster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"blotter/internal/reason"
)

// errScan says that the codes of a scan break off, or are none.
var errScan = fmt.Errorf("JPEG scan: %w", io.ErrUnexpectedEOF)

// maxScans bounds how often a JPEG goes over its blocks, which takes a few bytes and much
// time. libjpeg-turbo's own tools give up after 500; writers make ten.
const maxScans = 500

// wholeScans reads every code of a JPEG without making pixels of any: libjpeg, which decodes
// some kinds in place of Go's decoder, fills up what is missing with gray and calls it a
// picture (ITU-T T.81, F.2 and G.2). Nil where each block of each component is there.
func wholeScans(b []byte) error {
	c := scanCheck{b: b}
	for scans := 0; ; {
		m, body, err := c.segment()
		switch {
		case err != nil:
			return err
		case m == markEOI:
			return c.complete()
		case m >= 0xc0 && m <= 0xc2:
			err = c.frame(body, m == 0xc2)
		case m == 0xc4:
			err = c.tables(body)
		case m == 0xdd && len(body) >= 2:
			c.interval = int(binary.BigEndian.Uint16(body))
		case m == markSOS:
			if scans++; scans > maxScans {
				return errors.New("JPEG of too many scans")
			}
			err = c.scan(body)
		}
		if err != nil {
			return err
		}
	}
}

// JPEGStream judges a JPEG as a PDF holds it. The error is extract.truncated where its codes
// break off before its end mark, and extract.unsupported_encoding where its sampling makes
// libjpeg give black.
func JPEGStream(b []byte) error {
	f, err := jpegFrame(b)
	if err == nil && f.fractional {
		return reason.Because(reason.ExtractEncoding, errors.New("raster: JPEG of fractional sampling"))
	}
	if err := wholeScans(b); errors.Is(err, io.ErrUnexpectedEOF) {
		return because("JPEG", err)
	}
	return nil
}

// scanCheck is where the walk stands.
type scanCheck struct {
	b           []byte
	at          int
	progressive bool
	parts       []scanPart
	across      int // blocks of the finest component in a unit of all
	down        int
	w, h        int
	codes       [2][4]*scanCodes
	interval    int // units between restarts
	bits        uint
	left        int // bits in it
	ends        int // blocks that hold nothing more in this scan
}

// scanPart is a component.
type scanPart struct {
	name     byte
	h, v     int
	wide     int      // blocks in a row, those of whole units
	w, hgt   int      // blocks that hold something of the picture
	known    []uint64 // of each block, which coefficients are not zero; of progressive ones
	seen     bool
	dc, ac   *scanCodes
	from, to int // coefficients of this scan
	before   int // bits of them that are known
}

// segment reads the next marker and what belongs to it.
func (c *scanCheck) segment() (m byte, body []byte, err error) {
	for ; c.at+1 < len(c.b); c.at++ {
		m = c.b[c.at+1]
		if c.b[c.at] != 0xff || m == 0 || m == 0xff {
			continue
		}
		c.at += 2
		if m == markEOI || m == markSOI || m == 1 || m >= 0xd0 && m <= 0xd7 {
			return m, nil, nil
		}
		if c.at+2 > len(c.b) {
			break
		}
		n := int(binary.BigEndian.Uint16(c.b[c.at:]))
		if n < 2 || c.at+n > len(c.b) {
			break
		}
		body = c.b[c.at+2 : c.at+n]
		c.at += n
		return m, body, nil
	}
	return 0, nil, errScan
}

var errScanHead = errors.New("JPEG scan without its headers")

func (c *scanCheck) frame(body []byte, progressive bool) error {
	if len(body) < 6 || len(body) < 6+3*int(body[5]) || c.parts != nil || body[5] == 0 || body[5] > 4 {
		return errScanHead
	}
	c.progressive = progressive
	c.h, c.w = int(binary.BigEndian.Uint16(body[1:])), int(binary.BigEndian.Uint16(body[3:]))
	for i := range int(body[5]) {
		p := scanPart{name: body[6+3*i], h: int(body[7+3*i] >> 4), v: int(body[7+3*i] & 15)}
		if p.h == 0 || p.v == 0 || p.h > 4 || p.v > 4 {
			return errScanHead
		}
		c.across, c.down = max(c.across, p.h), max(c.down, p.v)
		c.parts = append(c.parts, p)
	}
	const most = 1 << 28 // pixels; the limit on an asset was judged before, and is lower
	if c.w*c.h > most {
		return errScanHead
	}
	for i := range c.parts {
		p := &c.parts[i]
		p.wide = c.units(c.w, c.across) * p.h
		p.w, p.hgt = (c.w*p.h+8*c.across-1)/(8*c.across), (c.h*p.v+8*c.down-1)/(8*c.down)
		if progressive {
			p.known = make([]uint64, p.wide*c.units(c.h, c.down)*p.v)
		}
	}
	return nil
}

// units is how many units of so many blocks a length takes.
func (c *scanCheck) units(n, blocks int) int { return (n + 8*blocks - 1) / (8 * blocks) }

// complete asks that each component was in a scan.
func (c *scanCheck) complete() error {
	for _, p := range c.parts {
		if !p.seen {
			return errScan
		}
	}
	return nil
}

// scanCodes are the codes of one table: for each length the first code, and its values.
type scanCodes struct {
	counts [16]int
	values []byte
}

func (c *scanCheck) tables(body []byte) error {
	for len(body) > 0 {
		if len(body) < 17 || body[0]>>4 > 1 || body[0]&15 > 3 {
			return errScanHead
		}
		t, sum := &scanCodes{}, 0
		for i := range t.counts {
			t.counts[i] = int(body[1+i])
			sum += t.counts[i]
		}
		if len(body) < 17+sum {
			return errScanHead
		}
		t.values = body[17 : 17+sum]
		c.codes[body[0]>>4][body[0]&15] = t
		body = body[17+sum:]
	}
	return nil
}

func (c *scanCheck) scan(body []byte) error {
	if len(body) < 1 || len(body) < 4+2*int(body[0]) || body[0] == 0 {
		return errScanHead
	}
	n := int(body[0])
	rest := body[1+2*n:]
	var parts []*scanPart
	for i := range n {
		for k := range c.parts {
			if p := &c.parts[k]; p.name == body[1+2*i] {
				p.dc, p.ac = c.codes[0][body[2+2*i]>>4&3], c.codes[1][body[2+2*i]&3]
				p.from, p.to, p.before = int(rest[0]), min(int(rest[1]), 63), int(rest[2]>>4)
				p.seen = p.seen || p.from == 0
				parts = append(parts, p)
				break
			}
		}
	}
	if len(parts) != n || n > 4 {
		return errScanHead
	}
	c.left, c.ends = 0, 0
	if n == 1 {
		p := parts[0]
		return c.each(p.w*p.hgt, func(i int) error { return c.block(p, i/p.w*p.wide+i%p.w) })
	}
	wide := c.units(c.w, c.across)
	return c.each(wide*c.units(c.h, c.down), func(i int) error {
		for _, p := range parts {
			for k := range p.h * p.v {
				if err := c.block(p, (i/wide*p.v+k/p.h)*p.wide+i%wide*p.h+k%p.h); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// each goes through the units of a scan, and over the marks between them.
func (c *scanCheck) each(units int, read func(i int) error) error {
	for i := range units {
		if c.interval > 0 && i > 0 && i%c.interval == 0 {
			m, _, err := c.segment()
			if err != nil || m < 0xd0 || m > 0xd7 {
				return errScan
			}
			c.left, c.ends = 0, 0
		}
		if err := read(i); err != nil {
			return err
		}
	}
	return nil
}

// take reads n bits. A marker ends them.
func (c *scanCheck) take(n int) (uint, error) {
	for c.left < n {
		if c.at >= len(c.b) || c.b[c.at] == 0xff && (c.at+1 >= len(c.b) || c.b[c.at+1] != 0) {
			return 0, errScan
		}
		c.bits = c.bits<<8 | uint(c.b[c.at])
		if c.b[c.at] == 0xff {
			c.at++
		}
		c.at++
		c.left += 8
	}
	c.left -= n
	return c.bits >> c.left & (1<<n - 1), nil
}

func (c *scanCheck) skip(n int) error {
	_, err := c.take(n)
	return err
}

// code reads a value by its code.
func (c *scanCheck) code(t *scanCodes) (byte, error) {
	if t == nil {
		return 0, errScanHead
	}
	code, first, index := 0, 0, 0
	for _, n := range t.counts {
		bit, err := c.take(1)
		if err != nil {
			return 0, err
		}
		code |= int(bit)
		if code >= first && code-first < n {
			return t.values[index+code-first], nil
		}
		index += n
		first = (first + n) << 1
		code <<= 1
	}
	return 0, errScan
}

// block reads what a scan tells of one block.
func (c *scanCheck) block(p *scanPart, i int) error {
	switch {
	case !c.progressive:
		if err := c.first(p); err != nil {
			return err
		}
		return c.rest(p, i, 1, 63)
	case p.from == 0 && p.before == 0:
		return c.first(p)
	case p.from == 0:
		return c.skip(1)
	case p.before == 0:
		return c.rest(p, i, p.from, p.to)
	}
	return c.refine(p, i)
}

// first reads the mean of a block.
func (c *scanCheck) first(p *scanPart) error {
	n, err := c.code(p.dc)
	if err != nil {
		return err
	}
	return c.skip(int(n & 15))
}

// rest reads the other coefficients.
func (c *scanCheck) rest(p *scanPart, i, from, to int) error {
	if c.ends > 0 {
		c.ends--
		return nil
	}
	for k := from; k <= to; k++ {
		v, err := c.code(p.ac)
		if err != nil {
			return err
		}
		run, n := int(v>>4), int(v&15)
		if n > 0 {
			if k += run; k > 63 {
				return errScan
			}
			if c.progressive {
				p.known[i] |= 1 << k
			}
			if err := c.skip(n); err != nil {
				return err
			}
			continue
		}
		const zeros = 15
		if run == zeros {
			k += zeros
			continue
		}
		if !c.progressive {
			return nil
		}
		more, err := c.take(run)
		c.ends = 1<<run + int(more) - 1
		return err
	}
	return nil
}

// refine reads one more bit of the coefficients that are known, and new ones between them.
func (c *scanCheck) refine(p *scanPart, i int) error {
	k := p.from
	for ; k <= p.to && c.ends == 0; k++ {
		v, err := c.code(p.ac)
		if err != nil {
			return err
		}
		const zeros = 15
		run, n := int(v>>4), int(v&15)
		if n == 0 && run < zeros {
			more, err := c.take(run)
			if err != nil {
				return err
			}
			c.ends = 1<<run + int(more)
			break
		}
		if n > 0 {
			if err := c.skip(1); err != nil {
				return err
			}
		}
		if k, err = c.pass(p, i, k, run); err != nil {
			return err
		}
		if n > 0 && k <= 63 {
			p.known[i] |= 1 << k
		}
	}
	if c.ends > 0 {
		if _, err := c.pass(p, i, k, 64); err != nil {
			return err
		}
		c.ends--
	}
	return nil
}

// pass goes over a run of coefficients that are zero, reads a bit of each that is not, and
// returns where it stands.
func (c *scanCheck) pass(p *scanPart, i, k, run int) (int, error) {
	for ; k <= p.to; k++ {
		if p.known[i]>>k&1 == 1 {
			if err := c.skip(1); err != nil {
				return k, err
			}
			continue
		}
		if run == 0 {
			return k, nil
		}
		run--
	}
	return k, nil
}
