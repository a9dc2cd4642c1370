package raster

import (
	"bytes"
	"encoding/binary"
)

// hevcSignal is what an HEVC stream says of its samples: how brightness and differences go
// together (ITU-T H.273, 8.3) and whether they have the full range; known only where it does.
type hevcSignal struct {
	full   bool
	matrix uint8 // 0 where it does not say
}

// signalOf reads it from the parameters of the sequence that stand in a decoder's set-up
// (ISO 14496-15 8.3.3.1).
func signalOf(config []byte) hevcSignal {
	const head, sequence = 23, 33
	if len(config) < head {
		return hevcSignal{}
	}
	for rest := config[head:]; len(rest) >= 3; {
		kind, n := rest[0]&0x3f, int(binary.BigEndian.Uint16(rest[1:]))
		rest = rest[3:]
		for ; n > 0 && len(rest) >= 2; n-- {
			size := int(binary.BigEndian.Uint16(rest))
			if rest = rest[2:]; size > len(rest) {
				return hevcSignal{}
			}
			if kind == sequence && size > 2 {
				return sequenceSignal(rest[2:size])
			}
			rest = rest[size:]
		}
	}
	return hevcSignal{}
}

// sequenceSignal walks the parameters of a sequence (ITU-T H.265, 7.3.2.2) to where they tell
// of the signal, E.2.1. What runs out tells nothing.
func sequenceSignal(b []byte) hevcSignal {
	r := &bitReader{b: bytes.ReplaceAll(b, []byte{0, 0, 3}, []byte{0, 0})} // bytes against false starts
	r.take(4)
	layers := int(r.take(3))
	r.take(1)
	hevcProfile(r, layers)
	r.golomb()
	if r.golomb() == 3 {
		r.take(1)
	}
	r.golombs(2) // width and height
	if r.flag() {
		r.golombs(4)
	}
	r.golombs(2)
	order := int(min(r.golomb(), 12)) + 4 // bits of the order of a picture
	for n := layers; n >= 0; n-- {
		if n == layers && !r.flag() {
			n = 0
		}
		r.golombs(3)
	}
	r.golombs(6)
	if scaled := r.flag(); scaled {
		if listed := r.flag(); listed {
			hevcScaling(r)
		}
	}
	r.take(2)
	if r.flag() { // samples without a code
		r.take(8)
		r.golombs(2)
		r.take(1)
	}
	hevcReferences(r)
	if r.flag() {
		for n := min(r.golomb(), 32); n > 0; n-- {
			r.take(order + 1)
		}
	}
	r.take(2)
	var s hevcSignal
	if !r.flag() {
		return s
	}
	const extended = 255
	if r.flag() && r.take(8) == extended {
		r.take(32)
	}
	if r.flag() {
		r.take(1)
	}
	if r.flag() {
		r.take(3)
		s.full = r.flag()
		if r.flag() {
			r.take(16)
			s.matrix = uint8(r.take(8))
		}
	}
	if r.short {
		return hevcSignal{}
	}
	return s
}

func (r *bitReader) golombs(n int) {
	for range n {
		r.golomb()
	}
}

// hevcProfile passes over profiles and levels, 7.3.3.
func hevcProfile(r *bitReader, layers int) {
	const profile, level = 88, 8
	skip := func(bits int) { r.at += bits }
	skip(profile + level)
	var has [8][2]bool
	for i := range layers {
		has[i] = [2]bool{r.flag(), r.flag()}
	}
	if layers > 0 {
		skip(2 * (8 - layers))
	}
	for i := range layers {
		if has[i][0] {
			skip(profile)
		}
		if has[i][1] {
			skip(level)
		}
	}
}

// hevcScaling passes over lists of factors, 7.3.4.
func hevcScaling(r *bitReader) {
	for size := range 4 {
		step := 1
		if size == 3 {
			step = 3
		}
		for m := 0; m < 6; m += step {
			if !r.flag() {
				r.golomb()
				continue
			}
			n := min(64, 1<<(4+2*size))
			if size > 1 {
				n++
			}
			r.golombs(n)
		}
	}
}

// hevcReferences passes over the sets of pictures that others build on, 7.3.7.
func hevcReferences(r *bitReader) {
	const mostSets, mostPictures = 64, 16
	before := uint32(0) // pictures of the set before
	for i := range min(r.golomb(), mostSets) {
		if i > 0 && r.flag() {
			r.take(1)
			r.golomb()
			n := uint32(0)
			for range before + 1 {
				used := r.flag()
				if !used {
					used = r.flag() // by pictures after this one
				}
				if used {
					n++
				}
			}
			before = n
			continue
		}
		before = min(r.golomb(), mostPictures) + min(r.golomb(), mostPictures)
		for range before {
			r.golomb()
			r.take(1)
		}
	}
}
