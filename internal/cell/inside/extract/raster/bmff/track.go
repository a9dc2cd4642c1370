package bmff

import (
	"errors"
	"io"
)

// Track is a sequence of pictures.
type Track struct {
	Codec         string // hvc1, hev1, av01, …
	Width, Height int
	Props         []Prop // of the description of samples: hvcC, av1C, colr, …
	Auxiliary     bool   // opacity or depth of another track
	Samples       []Sample
}

// Sample is one picture of a track.
type Sample struct {
	At, Length int64
	Sync       bool // it needs no other
}

// movie reads the tracks of pictures, ISO 14496-12 8. Others are data beside them.
func (f *File) movie(body []byte) error {
	return boxes(body, func(kind string, b []byte) error {
		if kind != "trak" {
			f.More = f.More || kind == "udta" || kind == "meta"
			return nil
		}
		t := trackReader{f: f}
		if err := t.read(b, 0); err != nil {
			return err
		}
		if t.handler != "pict" && t.handler != "auxv" && t.handler != "vide" {
			f.More = true
			return nil
		}
		t.Auxiliary = t.handler == "auxv"
		if err := t.places(); err != nil {
			return err
		}
		f.Tracks = append(f.Tracks, t.Track)
		return nil
	})
}

// trackReader gathers the tables of a track.
type trackReader struct {
	Track
	f       *File
	handler string
	sizes   []uint32
	one     uint32 // size of every sample, 0 where they differ
	count   uint32
	chunks  []uint64
	runs    [][2]uint32 // first chunk, samples a chunk
	sync    map[uint32]bool
}

// read walks the boxes that hold boxes, and the tables in them.
func (t *trackReader) read(b []byte, deep int) error {
	if deep > boxesDeep {
		return errors.New("bmff: boxes within boxes")
	}
	return boxes(b, func(kind string, b []byte) error {
		v := fields{b: b}
		switch kind {
		case "mdia", "minf", "stbl":
			return t.read(b, deep+1)
		case "hdlr":
			v.take(8)
			t.handler = string(v.take(4))
		case "stsd":
			v.take(8)
			return boxes(v.b, t.description)
		case "stsz":
			v.full()
			t.one, t.count = uint32(v.number(4)), uint32(v.number(4))
			if t.one == 0 {
				for range min(t.count, samplesMax) {
					t.sizes = append(t.sizes, uint32(v.number(4)))
					if v.short {
						return io.ErrUnexpectedEOF
					}
				}
			}
		case "stco", "co64":
			v.full()
			for n := v.number(4); n > 0 && !v.short && len(t.chunks) < samplesMax; n-- {
				width := 4
				if kind == "co64" {
					width = 8
				}
				t.chunks = append(t.chunks, v.number(width))
			}
		case "stsc":
			v.full()
			for n := v.number(4); n > 0 && !v.short && len(t.runs) < samplesMax; n-- {
				t.runs = append(t.runs, [2]uint32{uint32(v.number(4)), uint32(v.number(4))})
				v.number(4)
			}
		case "stss":
			v.full()
			t.sync = map[uint32]bool{}
			for n := v.number(4); n > 0 && !v.short && len(t.sync) < samplesMax; n-- {
				t.sync[uint32(v.number(4))] = true
			}
		}
		return nil
	})
}

// description reads the first sample entry, ISO 14496-12 12.1.3.
func (t *trackReader) description(kind string, b []byte) error {
	if t.Codec != "" || len(b) < 78 {
		return nil
	}
	v := fields{b: b[24:]}
	t.Codec = kind
	t.Width, t.Height = int(v.number(2)), int(v.number(2))
	return boxes(b[78:], func(kind string, b []byte) error {
		t.Props = append(t.Props, Prop{kind, b})
		return nil
	})
}

// places lays the samples into their chunks.
func (t *trackReader) places() error {
	n := uint32(len(t.sizes))
	if t.one > 0 {
		n = t.count
	}
	if n > samplesMax-t.f.samples {
		return errors.New("bmff: more samples than a file may have")
	}
	t.f.samples += n
	if n > 0 && (len(t.runs) == 0 || len(t.chunks) == 0) {
		return errors.New("bmff: samples without chunks")
	}
	run, sample := 0, uint32(0)
	for c := 0; c < len(t.chunks) && sample < n; c++ {
		for run+1 < len(t.runs) && uint32(c+1) >= t.runs[run+1][0] {
			run++
		}
		at := int64(t.chunks[c])
		for k := uint32(0); k < t.runs[run][1] && sample < n; k++ {
			length := t.one
			if length == 0 {
				length = t.sizes[sample]
			}
			sample++
			t.Samples = append(t.Samples, Sample{At: at, Length: int64(length), Sync: t.sync == nil || t.sync[sample]})
			at += int64(length)
		}
	}
	if sample < n {
		return errors.New("bmff: samples outside the chunks")
	}
	return nil
}

// Within reports whether a sample's data lies in the file.
func (f *File) Within(s Sample) bool {
	return s.At >= 0 && s.Length > 0 && s.At <= f.size-s.Length
}

// SampleData reads a sample.
func (f *File) SampleData(s Sample) ([]byte, error) {
	if !f.Within(s) {
		return nil, io.ErrUnexpectedEOF
	}
	b := make([]byte, s.Length)
	if _, err := f.r.ReadAt(b, s.At); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b, nil
}
