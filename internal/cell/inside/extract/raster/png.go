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
// taken to hold more than its pixels, and an animation is cut there, which shows.
const pngChunksRead = 20_000

const pngSignature = "\x89PNG\r\n\x1a\n"

// pngHeaders walks the chunks. The first image of an animation may be one of its frames,
// or a still that viewers of animations never show; every one is listed.
func pngHeaders(r io.ReaderAt, s span, frames int) (headers, error) {
	var start [33]byte // signature and a whole IHDR chunk
	if s.end-s.at < int64(len(start)) {
		return headers{}, because("PNG header", io.ErrUnexpectedEOF)
	}
	if _, err := r.ReadAt(start[:], s.at); err != nil {
		return headers{}, because("PNG header", err)
	}
	if string(start[:8]) != pngSignature || string(start[8:16]) != "\x00\x00\x00\x0dIHDR" {
		return headers{}, reason.Because(reason.ExtractMalformed, errors.New("raster: no PNG header"))
	}
	w := &pngWalk{r: r, s: s, at: s.at + 33, limit: frames, turn: 1, head: start, needed: []span{{s.at, s.at + 33}}}
	w.first = frame{
		width:  int(binary.BigEndian.Uint32(start[16:])),
		height: int(binary.BigEndian.Uint32(start[20:])),
		bits:   int(start[24]), samples: map[byte]int{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[start[25]],
		gray: start[25]&2 == 0, // bit 1 of the colour type: colour is used
	}
	w.first.load = w.decodeFirst
	if err := w.run(); err != nil {
		return headers{}, err
	}
	return w.finish(), nil
}

// decodeFirst decodes the first image. Whatever the decoder says of a file without an end,
// it is cut off.
func (w *pngWalk) decodeFirst() (image.Image, error) {
	img, err := decodePNG(w.essential())
	if err != nil && !w.whole && !w.endless {
		return nil, reason.Because(reason.ExtractTruncated, err)
	}
	return img, err
}

// pngWalk goes from chunk to chunk after IHDR.
type pngWalk struct {
	r     io.ReaderAt
	s     span // of the file
	at    int64
	limit int      // frames
	head  [33]byte // signature and IHDR

	first   frame
	inAnim  bool // the first image is the first frame of the animation
	shown   bool // IDAT was met
	frames  []*pngCel
	said    int    // frames of the animation, as it says itself
	needed  []span // what the first image is decoded from
	table   []span // chunks that every frame needs: palette and transparency
	turn    orientation
	dpi     int
	small   []frame
	more    bool
	whole   bool // IEND was met
	endless bool // more chunks than are looked at
}

func (w *pngWalk) run() error {
	for range pngChunksRead {
		var head [8]byte
		if w.at > w.s.end-8 {
			return nil
		}
		if _, err := w.r.ReadAt(head[:], w.at); err != nil {
			return nil //nolint:nilerr // the decoder, not the walk, says what is missing
		}
		length, kind := int64(binary.BigEndian.Uint32(head[:])), string(head[4:])
		if kind == "IEND" {
			w.whole = true
			w.more = w.more || w.at+12 < w.s.end
			return nil
		}
		if w.at+12+length > w.s.end {
			return nil
		}
		if err := w.chunk(kind, span{w.at + 8, w.at + 8 + length}); err != nil {
			return err
		}
		w.need(kind, span{w.at, w.at + 12 + length})
		w.at += 12 + length
	}
	w.more, w.endless = true, true
	return nil
}

func (w *pngWalk) chunk(kind string, s span) error {
	var b [26]byte
	n := min(s.end-s.at, int64(len(b)))
	if _, err := w.r.ReadAt(b[:n], s.at); err != nil {
		return nil //nolint:nilerr // as above
	}
	switch kind {
	case "IDAT":
		w.shown = true
	case "PLTE", "tRNS":
		w.table = append(w.table, span{s.at - 8, s.end + 4})
	case "pHYs":
		if n >= 9 && b[8] == 1 { // dots per metre
			w.dpi = perInch(float64(binary.BigEndian.Uint32(b[:])) * 0.0254)
		}
	case "acTL":
		if n >= 8 {
			w.said = int(binary.BigEndian.Uint32(b[:]))
		}
	case "fcTL":
		return w.control(b[:n])
	case "fdAT":
		if i := len(w.frames) - 1; i >= 0 && n >= 4 {
			w.frames[i].data = append(w.frames[i].data, span{s.at + 4, s.end})
		}
	case "eXIf":
		w.more = true
		if e := readExif(w.r, s); e.turn != 0 {
			w.turn, w.small = e.turn, e.small
		}
	case "tEXt", "zTXt", "iTXt", "iCCP", "caBX":
		w.more = true
	}
	return nil
}

// control begins a frame of the animation. The one before the first image is that image.
func (w *pngWalk) control(b []byte) error {
	if len(w.frames) >= w.limit {
		return reason.Because(reason.ExtractFrames, fmt.Errorf("raster: more than %d frames", w.limit))
	}
	c := &pngCel{w: w, first: !w.shown}
	w.inAnim = w.inAnim || c.first
	if len(b) == 26 {
		u := func(i int) int { return int(binary.BigEndian.Uint32(b[i:])) }
		c.at = image.Rect(0, 0, u(4), u(8)).Add(image.Pt(u(12), u(16)))
		c.dispose, c.over = b[24], b[25] == 1
	}
	w.frames = append(w.frames, c)
	return nil
}

// finish lists the frames. What an animation says it has and has not is a frame that is
// withheld, so that the loss shows.
func (w *pngWalk) finish() headers {
	w.first.turn, w.first.dpi = w.turn, w.dpi
	h := headers{more: w.more}
	if len(w.frames) == 0 || !w.inAnim {
		h.frames = append(h.frames, w.first)
	}
	canvas := image.Rect(0, 0, w.first.width, w.first.height)
	for _, c := range w.frames {
		f := frame{turn: w.turn, dpi: w.dpi, gray: w.first.gray, width: w.first.width, height: w.first.height, cel: c.cel()}
		if c.at.Empty() || !c.at.In(canvas) || c.first && c.at != canvas {
			f.withheld = reason.ExtractMalformed
		}
		h.frames = append(h.frames, f)
	}
	if len(w.frames) > 0 && (len(w.frames) < w.said || !w.whole) {
		h.frames = append(h.frames, frame{turn: w.turn, withheld: reason.ExtractTruncated})
	}
	h.addSmall(w.small, w.turn)
	return h
}

// pngCel is one frame of an animation.
type pngCel struct {
	w       *pngWalk
	at      image.Rectangle
	dispose byte
	over    bool // blended with what is below
	first   bool // its pixels are the first image's
	data    []span
}

func (c *pngCel) cel() *cel {
	out := &cel{at: c.at, overwrite: !c.over, decode: c.decode}
	switch c.dispose {
	case 1:
		out.ends = cleared
	case 2:
		out.ends = undone
	}
	return out
}

func (c *pngCel) decode() (*image.NRGBA, error) {
	img, err := c.pixels()
	if err != nil {
		return nil, err
	}
	if img.Bounds() != (image.Rectangle{Max: c.at.Size()}) {
		return nil, reason.Because(reason.ExtractSizeLies, errors.New("raster: PNG frame of another size"))
	}
	return toNRGBA(img), nil
}

// pixels decodes the frame as the file that it would be alone.
func (c *pngCel) pixels() (image.Image, error) {
	if c.first {
		return c.w.first.load()
	}
	out, err := c.w.alone(c.at.Size(), c.data)
	if err != nil {
		return nil, err
	}
	return decodePNG(out)
}

func decodePNG(r io.Reader) (image.Image, error) {
	img, err := png.Decode(r)
	var unsupported png.UnsupportedError
	switch {
	case err == nil:
		return useRange(img), nil
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
