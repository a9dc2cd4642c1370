package raster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"

	"blotter/internal/reason"
)

// pngChunksRead bounds how many chunks of a PNG are looked at for what lies beside
// its pixels: encoders write a few dozen to a few thousand. Past it the file is
// taken to hold more than its pixels.
const pngChunksRead = 20_000

const pngSignature = "\x89PNG\r\n\x1a\n"

// pngHeaders walks the chunks. The frames of an animation past the first image are
// listed and withheld: the decoder knows the first alone, and none may vanish.
func pngHeaders(r io.ReaderAt, size int64, frames int) (headers, error) {
	var start [33]byte // signature and a whole IHDR chunk
	if _, err := r.ReadAt(start[:], 0); err != nil {
		return headers{}, because("PNG header", err)
	}
	if string(start[:8]) != pngSignature || string(start[8:16]) != "\x00\x00\x00\x0dIHDR" {
		return headers{}, reason.Because(reason.ExtractMalformed, errors.New("raster: no PNG header"))
	}
	first := frame{turn: 1,
		width:  int(binary.BigEndian.Uint32(start[16:])),
		height: int(binary.BigEndian.Uint32(start[20:])),
		gray:   start[25]&2 == 0, // bit 1 of the colour type: colour is used
	}
	h := headers{frames: []frame{first}}
	w := pngWalk{r: r, size: size, at: 33, limit: frames, h: &h}
	if err := w.run(); err != nil {
		return headers{}, err
	}
	return h, nil
}

// pngWalk goes from chunk to chunk after IHDR.
type pngWalk struct {
	r     io.ReaderAt
	size  int64
	at    int64
	limit int // frames
	h     *headers
	shown bool // IDAT was met
}

func (w *pngWalk) run() error {
	for range pngChunksRead {
		var head [8]byte
		if _, err := w.r.ReadAt(head[:], w.at); err != nil {
			return nil //nolint:nilerr // the decoder, not the walk, says what is missing
		}
		length, kind := int64(binary.BigEndian.Uint32(head[:])), string(head[4:])
		if kind == "IEND" {
			w.h.more = w.h.more || w.at+12 < w.size
			return nil
		}
		if err := w.chunk(kind, length); err != nil {
			return err
		}
		w.at += 12 + length
	}
	w.h.more = true
	return nil
}

func (w *pngWalk) chunk(kind string, length int64) error {
	var b [12]byte
	n := min(length, int64(len(b)))
	if _, err := w.r.ReadAt(b[:n], w.at+8); err != nil {
		return nil //nolint:nilerr // as above
	}
	switch kind {
	case "IDAT":
		w.shown = true
	case "pHYs":
		if n >= 9 && b[8] == 1 { // dots per metre
			w.h.frames[0].dpi = perInch(float64(binary.BigEndian.Uint32(b[:])) * 0.0254)
		}
	case "fcTL":
		if w.shown && n >= 12 {
			return w.animated(int(binary.BigEndian.Uint32(b[4:])), int(binary.BigEndian.Uint32(b[8:])))
		}
	case "tEXt", "zTXt", "iTXt", "eXIf", "iCCP", "caBX":
		w.h.more = true
	}
	return nil
}

func (w *pngWalk) animated(width, height int) error {
	if len(w.h.frames) >= w.limit {
		return reason.Because(reason.ExtractFrames, fmt.Errorf("raster: more than %d frames", w.limit))
	}
	w.h.frames = append(w.h.frames, frame{turn: 1, width: width, height: height, withheld: reason.ExtractEncoding})
	return nil
}

func decodePNG(r io.Reader) (image.Image, error) {
	img, err := png.Decode(r)
	var unsupported png.UnsupportedError
	switch {
	case err == nil:
		return img, nil
	case errors.As(err, &unsupported):
		return nil, reason.Because(reason.ExtractEncoding, err)
	}
	return nil, because("PNG", err)
}

// perInch rounds a resolution; what no scanner or screen has is no resolution.
func perInch(dpi float64) int {
	if !(dpi >= 1 && dpi <= 20_000) {
		return 0
	}
	return int(dpi + 0.5)
}
