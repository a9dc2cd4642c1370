package bmff

import (
	"bytes"
	"encoding/binary"
	"testing"
)

func read(b []byte) (*File, error) { return Read(bytes.NewReader(b), int64(len(b))) }

func longs(v ...uint32) (b []byte) {
	for _, x := range v {
		b = binary.BigEndian.AppendUint32(b, x)
	}
	return b
}

// Boxes within boxes without end are refused before they take the stack.
func TestBoxesWithinBoxes(t *testing.T) {
	for n, fails := range map[int]bool{boxesDeep: false, boxesDeep + 1: true, 1 << 20: true} {
		nested := make([]byte, 0, 8*n)
		for i := n; i > 0; i-- {
			nested = append(binary.BigEndian.AppendUint32(nested, uint32(8*i)), "mdia"...)
		}
		if _, err := read(wrap("moov", wrap("trak", nested))); (err != nil) != fails {
			t.Errorf("%d boxes: %v", n, err)
		}
	}
}

// Tables of a few bytes cannot ask for samples without end.
func TestSamplesOfAllTracks(t *testing.T) {
	track := func(samples uint32) []byte {
		return wrap("trak", bytes.Join([][]byte{
			wrap("hdlr", append(longs(0, 0), "pict"...)), wrap("stsz", longs(0, 1, samples)),
			wrap("stsc", longs(0, 1, 1, samples, 1)), wrap("stco", longs(0, 1, 0)),
		}, nil))
	}
	for last, fails := range map[uint32]bool{samplesMax / 2: false, samplesMax/2 + 1: true} {
		if _, err := read(wrap("moov", append(track(samplesMax/2), track(last)...))); (err != nil) != fails {
			t.Errorf("%d more: %v", last, err)
		}
	}
}

// An item whose pieces overlap is not put together where it would be longer than the file.
func TestPiecesThatOverlap(t *testing.T) {
	b := wrap("mdat", make([]byte, 92))
	for pieces, fails := range map[int]bool{2: false, 3: true} {
		f := &File{r: bytes.NewReader(b), size: int64(len(b))}
		it := &Item{}
		for range pieces {
			it.extents = append(it.extents, extent{at: 10, length: 50})
		}
		data, err := f.Data(it)
		if (err != nil) != fails || err == nil && len(data) != 50*pieces {
			t.Errorf("%d pieces of 50 bytes in 100: %d bytes, %v", pieces, len(data), err)
		}
	}
}
