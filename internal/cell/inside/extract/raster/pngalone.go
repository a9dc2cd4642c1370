package raster

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"io"
)

// alone writes the PNG that a frame of an animation would be by itself: the file's header
// with the frame's size, the chunks that say what samples mean, and its pixels.
func (w *pngWalk) alone(size image.Point, data []span) (io.Reader, error) {
	var out bytes.Buffer
	out.Write(w.head[:8])
	header := bytes.Clone(w.head[16:29])
	binary.BigEndian.PutUint32(header, uint32(size.X))
	binary.BigEndian.PutUint32(header[4:], uint32(size.Y))
	appendChunk(&out, "IHDR", header)
	for _, s := range w.table {
		b, err := w.bytes(s)
		if err != nil {
			return nil, err
		}
		out.Write(b)
	}
	for _, s := range data {
		b, err := w.bytes(s)
		if err != nil {
			return nil, err
		}
		appendChunk(&out, "IDAT", b)
	}
	appendChunk(&out, "IEND", nil)
	return &out, nil
}

// need notes a chunk that the first image is decoded from. Those that describe it, or are of
// a kind that a decoder may pass over, are left out: they need not be whole.
func (w *pngWalk) need(kind string, s span) {
	const mayBePassed = 0x20 // ISO 15948, 5.4
	switch last := len(w.needed) - 1; {
	case kind[0]&mayBePassed != 0 && kind != "tRNS":
	case w.needed[last].end == s.at:
		w.needed[last].end = s.end
	default:
		w.needed = append(w.needed, s)
	}
}

// essential is the file without what need left out, and with all that the walk did not
// come to.
func (w *pngWalk) essential() io.Reader {
	var out []io.Reader
	for _, s := range append(w.needed[:len(w.needed):len(w.needed)], span{w.at, w.s.end}) {
		out = append(out, io.NewSectionReader(w.r, s.at, s.end-s.at))
	}
	return io.MultiReader(out...)
}

func (w *pngWalk) bytes(s span) ([]byte, error) {
	b := make([]byte, s.end-s.at)
	if _, err := w.r.ReadAt(b, s.at); err != nil {
		return nil, because("PNG", io.ErrUnexpectedEOF)
	}
	return b, nil
}

func appendChunk(out *bytes.Buffer, kind string, data []byte) {
	head := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	out.Write(append(head, kind...))
	out.Write(data)
	sum := crc32.Update(crc32.ChecksumIEEE([]byte(kind)), crc32.IEEETable, data)
	out.Write(binary.BigEndian.AppendUint32(nil, sum))
}
