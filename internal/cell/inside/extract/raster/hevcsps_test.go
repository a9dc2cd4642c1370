package raster

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"testing"

	"blotter/internal/cell/inside/extract/raster/bmff"
)

// bitWriter writes what bitReader reads.
type bitWriter struct {
	b []byte
	n int
}

func (w *bitWriter) put(v uint64, n int) {
	for i := n - 1; i >= 0; i-- {
		if w.n%8 == 0 {
			w.b = append(w.b, 0)
		}
		w.b[w.n/8] |= byte(v>>i&1) << (7 - w.n%8)
		w.n++
	}
}

func (w *bitWriter) golomb(v ...uint64) {
	for _, x := range v {
		n := bits.Len64(x + 1)
		w.put(x+1, 2*n-1)
	}
}

func (w *bitWriter) flags(v ...bool) {
	for _, x := range v {
		w.put(uint64(map[bool]int{true: 1}[x]), 1)
	}
}

// kindOfSequence says which of the optional parameters stand before those of the signal.
type kindOfSequence struct {
	layers                                int
	colours444, window, perLayer, scaling bool
	bare, references, long                bool
}

// sequenceOf is a decoder's set-up with the parameters of a sequence; signal writes the end.
func sequenceOf(k kindOfSequence, signal func(w *bitWriter)) []byte {
	w := &bitWriter{}
	w.put(0, 4)
	w.put(uint64(k.layers), 3)
	w.put(1, 1)
	w.put(1<<40|1, 64)
	w.put(90, 32) // in all 88 bits of a profile and 8 of a level
	for range k.layers {
		w.flags(true, true)
	}
	if k.layers > 0 {
		w.put(0, 2*(8-k.layers))
	}
	for range k.layers {
		w.put(0, 64)
		w.put(7, 32)
	}
	w.golomb(0)
	if k.colours444 {
		w.golomb(3)
		w.flags(false)
	} else {
		w.golomb(1)
	}
	w.golomb(640, 426)
	if w.flags(k.window); k.window {
		w.golomb(0, 1, 0, 3)
	}
	w.golomb(0, 0, 4) // orders of 8 bits
	w.flags(k.perLayer)
	n := 1
	if k.perLayer {
		n = k.layers + 1
	}
	for range n {
		w.golomb(4, 2, 5)
	}
	w.golomb(0, 3, 0, 3, 0, 0)
	if w.flags(k.scaling); k.scaling {
		w.flags(true)
		for size, lists := range []int{6, 6, 6, 2} {
			for m := range lists {
				if m%2 == 0 {
					w.flags(false)
					w.golomb(0)
					continue
				}
				w.flags(true)
				for range min(64, 1<<(4+2*size)) {
					w.golomb(3)
				}
				if size > 1 {
					w.golomb(8)
				}
			}
		}
	}
	w.flags(true, true)
	if w.flags(k.bare); k.bare {
		w.put(0x77, 8)
		w.golomb(0, 2)
		w.flags(true)
	}
	if k.references {
		w.golomb(3)
		w.golomb(2, 1) // two before, one behind
		for range 3 {
			w.golomb(0)
			w.flags(true)
		}
		w.flags(true, false) // like the first, for all but one
		w.golomb(0)
		w.flags(true, true, false, false, false, true)
		w.flags(true, false) // like the second, which has three
		w.golomb(0)
		w.flags(true, true, true, true)
	} else {
		w.golomb(0)
	}
	if w.flags(k.long); k.long {
		w.golomb(2)
		w.put(0, 18)
	}
	w.flags(true, true)
	signal(w)
	w.put(1, 1)
	raw := w.b
	var safe []byte // as it travels
	zeros := 0
	for _, c := range raw {
		if zeros == 2 && c <= 3 {
			safe, zeros = append(safe, 3), 0
		}
		if safe = append(safe, c); c == 0 {
			zeros++
		} else {
			zeros = 0
		}
	}
	unit := append([]byte{33 << 1, 1}, safe...)
	config := append(make([]byte, 22), 2, 32, 0, 1, 0, 2, 0x40, 1, 0x80|33, 0, 1)
	return append(binary.BigEndian.AppendUint16(config, uint16(len(unit))), unit...)
}

// What the stream says of its colours is found behind whatever else stands there.
func TestSignalOfHEVC(t *testing.T) {
	signal := func(aspect, full, described bool) func(w *bitWriter) {
		return func(w *bitWriter) {
			w.flags(true)
			if w.flags(aspect); aspect {
				w.put(255, 8)
				w.put(0x00010001, 32)
			}
			w.flags(true, false) // overscan
			w.flags(true)
			w.put(5, 3)
			if w.flags(full, described); described {
				w.put(0x0101, 16)
				w.put(9, 8)
			}
			w.put(0, 40)
		}
	}
	everything := kindOfSequence{layers: 2, colours444: true, window: true, perLayer: true, scaling: true, bare: true, references: true, long: true}
	for name, c := range map[string]struct {
		config []byte
		want   hevcSignal
	}{
		"plain":            {sequenceOf(kindOfSequence{}, signal(false, true, true)), hevcSignal{true, 9}},
		"video":            {sequenceOf(kindOfSequence{}, signal(false, false, true)), hevcSignal{false, 9}},
		"range alone":      {sequenceOf(kindOfSequence{}, signal(true, true, false)), hevcSignal{true, 0}},
		"all before":       {sequenceOf(everything, signal(true, true, true)), hevcSignal{true, 9}},
		"layers, one size": {sequenceOf(kindOfSequence{layers: 3}, signal(false, true, true)), hevcSignal{true, 9}},
		"references":       {sequenceOf(kindOfSequence{references: true}, signal(false, true, true)), hevcSignal{true, 9}},
		"lists":            {sequenceOf(kindOfSequence{scaling: true}, signal(false, true, true)), hevcSignal{true, 9}},
		"nothing said":     {sequenceOf(kindOfSequence{}, func(w *bitWriter) { w.flags(false) }), hevcSignal{}},
		"no signal":        {sequenceOf(kindOfSequence{}, func(w *bitWriter) { w.flags(true, false, false, false); w.put(0, 40) }), hevcSignal{}},
		"no sequence":      {append(make([]byte, 22), 0), hevcSignal{}},
		"nothing":          {nil, hevcSignal{}},
	} {
		if got := signalOf(c.config); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	whole := sequenceOf(everything, signal(true, true, true))
	for n := range len(whole) - 8 { // its end is padding
		if got := signalOf(whole[:n]); got != (hevcSignal{}) {
			t.Errorf("cut after %d bytes: %+v", n, got)
		}
	}
}

// A picture's properties are heard before its stream, and the whole's where it has none.
func TestColoursOfHEIF(t *testing.T) {
	nclx := func(matrix, full byte) bmff.Prop {
		return bmff.Prop{Kind: "colr", Data: []byte{'n', 'c', 'l', 'x', 0, 1, 0, 1, 0, matrix, full}}
	}
	stream := bmff.Prop{Kind: "hvcC", Data: fullRange}
	for name, c := range map[string]struct {
		it, whole []bmff.Prop
		red       float64
		white     float64
	}{
		"nothing":       {nil, nil, 0.299, 235},
		"stream":        {[]bmff.Prop{stream}, nil, 0.299, 255},
		"properties":    {[]bmff.Prop{stream, nclx(1, 0)}, nil, 0.2126, 235},
		"of the whole":  {[]bmff.Prop{stream}, []bmff.Prop{nclx(9, 0x80)}, 0.2627, 255},
		"not of others": {[]bmff.Prop{nclx(1, 0x80)}, []bmff.Prop{nclx(9, 0)}, 0.2126, 255},
	} {
		if l := colours(&bmff.Item{Props: c.it}, &bmff.Item{Props: c.whole}); l.red != c.red || l.white[0] != c.white {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

func FuzzSignalOfHEVC(f *testing.F) {
	f.Add(sequenceOf(kindOfSequence{references: true, scaling: true}, func(w *bitWriter) { w.flags(false) }))
	f.Add(bytes.Repeat([]byte{0xff}, 100))
	f.Fuzz(func(_ *testing.T, b []byte) { signalOf(b) })
}
