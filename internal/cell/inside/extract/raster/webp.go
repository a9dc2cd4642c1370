package raster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"

	"blotter/internal/reason"
)

// webpChunksRead bounds how many chunks of a WebP are looked at; a file has a few, an
// animation one for each frame.
const webpChunksRead = 200_000

// Flags of a WebP animation's frame.
const (
	webpCleared    = 1
	webpNoBlending = 2
)

// webpHeaders walks the chunks. Sizes come from the bit streams themselves; a canvas
// that says otherwise lies. What a file promises beyond its end is a frame that is
// withheld as truncated, so that the loss shows.
func webpHeaders(r io.ReaderAt, size int64, limit int) (headers, error) {
	var head [12]byte
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return headers{}, because("WebP header", io.ErrUnexpectedEOF)
	}
	if string(head[:4]) != "RIFF" || string(head[8:]) != "WEBP" {
		return headers{}, reason.Because(reason.ExtractMalformed, errors.New("raster: no WebP header"))
	}
	end := int64(binary.LittleEndian.Uint32(head[4:])) + 8
	w := &webpWalk{r: r, size: size, limit: limit, turn: 1}
	w.h.more = end+end%2 < size
	err := w.chunks(12, min(end, size), w.chunk)
	if err == nil && end > size+1 { // the last byte may be padding
		err = io.ErrUnexpectedEOF
	}
	if err == nil && len(w.still.data) > 0 {
		err = w.addStill()
	}
	switch {
	case reason.Of(err) == reason.ExtractFrames:
		return headers{}, err
	case err == nil && len(w.h.frames) == 0:
		return headers{}, because("WebP", errors.New("no image"))
	case err != nil && len(w.h.frames) == 0 && w.width == 0:
		return headers{}, because("WebP", err)
	case err != nil:
		w.h.frames = append(w.h.frames, frame{withheld: reason.Of(because("WebP", err))})
	}
	w.finish()
	return w.h, nil
}

// webpWalk reads chunk after chunk.
type webpWalk struct {
	r     io.ReaderAt
	size  int64
	limit int // frames
	h     headers

	width, height int // of the canvas; 0 where no VP8X chunk gave it
	animated      bool
	turn          orientation
	dpi           int
	small         []frame // thumbnails
	still         webpCel
}

// span is a part of the file.
type span struct{ at, end int64 }

// chunks calls f for every chunk between two offsets. One that reaches beyond the end
// is truncated.
func (w *webpWalk) chunks(at, end int64, f func(kind string, s span) error) error {
	for range webpChunksRead {
		if at >= end {
			return nil
		}
		var head [8]byte
		if _, err := w.r.ReadAt(head[:], at); err != nil {
			return io.ErrUnexpectedEOF
		}
		s := span{at + 8, at + 8 + int64(binary.LittleEndian.Uint32(head[4:]))}
		if s.end > end {
			return io.ErrUnexpectedEOF
		}
		if err := f(string(head[:4]), s); err != nil {
			return err
		}
		at = s.end + (s.end-s.at)%2
	}
	return fmt.Errorf("more than %d chunks", webpChunksRead)
}

// bytes reads the first n of a chunk, which must be there.
func (w *webpWalk) bytes(s span, n int64) ([]byte, error) {
	if s.end-s.at < n {
		return nil, errors.New("chunk too short")
	}
	b := make([]byte, n)
	if _, err := w.r.ReadAt(b, s.at); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	return b, nil
}

func (w *webpWalk) chunk(kind string, s span) error {
	switch kind {
	case "VP8X":
		return w.extended(s)
	case "ANMF":
		return w.animation(s)
	case "VP8 ", "VP8L", "ALPH":
		if !w.animated {
			return w.still.add(kind, s)
		}
	case "EXIF":
		w.h.more = true
		return w.exif(s)
	case "ANIM":
	default: // profiles, XMP, what nobody knows
		w.h.more = true
	}
	return nil
}

// extended reads the canvas. A file that names it twice is damaged.
func (w *webpWalk) extended(s span) error {
	b, err := w.bytes(s, 10)
	if err != nil {
		return err
	}
	if w.width != 0 {
		return errors.New("a second canvas")
	}
	w.animated = b[0]&2 != 0
	w.width, w.height = uint24(b[4:])+1, uint24(b[7:])+1
	return nil
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

// exif finds orientation, resolution and small copies. Some writers put JPEG's mark before
// the block.
func (w *webpWalk) exif(s span) error {
	if b, err := w.bytes(s, min(s.end-s.at, 6)); err == nil && string(b) == "Exif\x00\x00" {
		s.at += 6
	}
	if e := readExif(w.r, s); e.turn != 0 {
		w.turn, w.dpi, w.small = e.turn, e.dpi, e.small
	}
	return nil
}

// addStill lists the one image of a file that is no animation.
func (w *webpWalk) addStill() error {
	c := &w.still
	if err := c.measure(w); err != nil {
		return err
	}
	f := frame{cel: &cel{at: image.Rectangle{Max: c.size}, decode: c.decode}}
	if w.width != 0 && c.size != image.Pt(w.width, w.height) {
		f.withheld = reason.ExtractSizeLies
	}
	w.width, w.height = c.size.X, c.size.Y
	w.h.frames = append(w.h.frames, f)
	return nil
}

// animation lists a frame of an animation. One that reaches beyond the canvas is
// damaged, as the format's description says.
func (w *webpWalk) animation(s span) error {
	if len(w.h.frames) >= w.limit {
		return reason.Because(reason.ExtractFrames, fmt.Errorf("raster: more than %d frames", w.limit))
	}
	b, err := w.bytes(s, 16)
	if err != nil {
		return err
	}
	w.animated = true
	at := image.Rect(0, 0, uint24(b[6:])+1, uint24(b[9:])+1).Add(image.Pt(2*uint24(b), 2*uint24(b[3:])))
	inner := &webpCel{r: w.r}
	c := &cel{at: at, decode: inner.decode, overwrite: b[15]&webpNoBlending != 0}
	if b[15]&webpCleared != 0 {
		c.ends = cleared
	}
	f := frame{cel: c}
	err = w.chunks(s.at+16, s.end, inner.add)
	if err == nil {
		err = inner.measure(w)
	}
	switch {
	case err != nil:
		f.withheld = reason.Of(because("WebP frame", err))
	case inner.size != at.Size():
		f.withheld = reason.ExtractSizeLies
	case !at.In(image.Rect(0, 0, w.width, w.height)):
		f.withheld = reason.ExtractMalformed
	}
	w.h.frames = append(w.h.frames, f)
	return nil
}

// finish gives every frame what the whole file says.
func (w *webpWalk) finish() {
	for i := range w.h.frames {
		f := &w.h.frames[i]
		f.width, f.height, f.turn, f.dpi = w.width, w.height, w.turn, w.dpi
	}
	w.h.addSmall(w.small, w.turn)
}
