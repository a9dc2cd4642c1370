package raster

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"

	"blotter/internal/reason"
)

// Blocks of GIF89a, appendix A.
const (
	gifExtension = 0x21
	gifImage     = 0x2c
	gifTrailer   = 0x3b

	gifControl     = 0xf9 // extension that speaks of the next image
	gifApplication = 0xff
)

// gifHeaders walks the blocks without unpacking a pixel. Every image is a frame. The
// canvas covers the logical screen and every image, also one that reaches beyond the
// screen: viewers differ there, and no pixel may vanish.
func gifHeaders(r io.ReaderAt, size int64, limit int) (headers, error) {
	w := &gifWalk{r: r, size: size, limit: limit, neutral: true}
	w.in = bufio.NewReaderSize(io.NewSectionReader(r, 0, size), 32<<10)
	if err := w.screenDescriptor(); err != nil {
		return headers{}, because("GIF header", err)
	}
	err := w.blocks()
	switch {
	case reason.Of(err) == reason.ExtractFrames:
		return headers{}, err
	case err != nil && len(w.h.frames) == 0:
		return headers{}, because("GIF", err)
	case errors.Is(err, errLastFrame):
	case err != nil: // what is lost must show
		w.h.frames = append(w.h.frames, frame{withheld: reason.Of(because("GIF", err))})
	case len(w.h.frames) == 0:
		return headers{}, reason.Because(reason.ExtractMalformed, errors.New("raster: GIF without an image"))
	}
	for i := range w.h.frames {
		f := &w.h.frames[i]
		f.turn, f.width, f.height, f.gray = 1, w.width, w.height, w.neutral
	}
	return w.h, nil
}

// gifWalk reads block after block.
type gifWalk struct {
	r     io.ReaderAt
	in    *bufio.Reader
	at    int64
	size  int64
	limit int // frames
	h     headers

	width, height int  // of the canvas
	neutral       bool // no palette holds a colour
	palette       []byte
	control       [4]byte // of the next image
}

func (w *gifWalk) read(b []byte) error {
	n, err := io.ReadFull(w.in, b)
	w.at += int64(n)
	if err != nil {
		return io.ErrUnexpectedEOF
	}
	return nil
}

func (w *gifWalk) byte() (byte, error) {
	var b [1]byte
	err := w.read(b[:])
	return b[0], err
}

func (w *gifWalk) screenDescriptor() error {
	var b [13]byte
	if err := w.read(b[:]); err != nil {
		return err
	}
	if s := string(b[:6]); s != "GIF87a" && s != "GIF89a" {
		return errors.New("no signature")
	}
	w.width, w.height = int(binary.LittleEndian.Uint16(b[6:])), int(binary.LittleEndian.Uint16(b[8:]))
	var err error
	w.palette, err = w.colours(b[10])
	return err
}

// colours reads a palette where the flags say that there is one.
func (w *gifWalk) colours(flags byte) ([]byte, error) {
	if flags&0x80 == 0 {
		return nil, nil
	}
	p := make([]byte, 3<<(flags&7+1))
	if err := w.read(p); err != nil {
		return nil, err
	}
	for i := 0; i < len(p); i += 3 {
		if p[i] != p[i+1] || p[i] != p[i+2] {
			w.neutral = false
		}
	}
	return p, nil
}

func (w *gifWalk) blocks() error {
	for {
		kind, err := w.byte()
		if err != nil {
			return err
		}
		switch kind {
		case gifTrailer:
			w.h.more = w.h.more || w.at < w.size
			return nil
		case gifExtension:
			err = w.extension()
		case gifImage:
			err = w.image()
		case 0: // stray end marks, which some writers leave
		default:
			err = fmt.Errorf("block of kind %#x", kind)
		}
		if err != nil {
			return err
		}
	}
}

// extension keeps what speaks of the next image. Comments, texts and what programs
// left is data beside the pixels, but for the count of repetitions.
func (w *gifWalk) extension() error {
	label, err := w.byte()
	if err != nil {
		return err
	}
	first, err := w.subBlocks()
	switch {
	case err != nil:
		return err
	case label == gifControl && len(first) >= 4:
		copy(w.control[:], first)
	case label == gifApplication && (string(first) == "NETSCAPE2.0" || string(first) == "ANIMEXTS1.0"):
	default:
		w.h.more = true
	}
	return nil
}

// subBlocks skips a chain of blocks and returns the first.
func (w *gifWalk) subBlocks() (first []byte, err error) {
	for {
		n, err := w.byte()
		if err != nil || n == 0 {
			return first, err
		}
		if first == nil {
			first = make([]byte, n)
			if err := w.read(first); err != nil {
				return nil, err
			}
			continue
		}
		skipped, err := w.in.Discard(int(n))
		w.at += int64(skipped)
		if err != nil {
			return nil, io.ErrUnexpectedEOF
		}
	}
}

// image reads a descriptor and skips the pixels.
func (w *gifWalk) image() error {
	if len(w.h.frames) >= w.limit {
		return reason.Because(reason.ExtractFrames, fmt.Errorf("raster: more than %d frames", w.limit))
	}
	var b [9]byte
	if err := w.read(b[:]); err != nil {
		return err
	}
	local, err := w.colours(b[8])
	if err != nil {
		return err
	}
	x, y := int(binary.LittleEndian.Uint16(b[:])), int(binary.LittleEndian.Uint16(b[2:]))
	size := image.Pt(int(binary.LittleEndian.Uint16(b[4:])), int(binary.LittleEndian.Uint16(b[6:])))
	g := gifCel{r: w.r, at: w.at, end: w.size, size: size, interlaced: b[8]&0x40 != 0, palette: local, clear: -1}
	if local == nil {
		g.palette = w.palette
	}
	if w.control[0]&1 != 0 {
		g.clear = int(w.control[3])
	}
	w.add(g, image.Rectangle{Max: size}.Add(image.Pt(x, y)))
	w.control = [4]byte{}
	if _, err = w.byte(); err == nil { // the width of the first code
		_, err = w.subBlocks()
	}
	if err != nil { // the file ends in this frame
		w.h.frames[len(w.h.frames)-1].withheld = reason.Of(because("GIF", err))
		return errLastFrame
	}
	return nil
}

// errLastFrame ends the walk where what is lost is told by the last frame listed.
var errLastFrame = errors.New("the file ends within a frame")

// add lists a frame and widens the canvas to it.
func (w *gifWalk) add(g gifCel, at image.Rectangle) {
	w.width, w.height = max(w.width, at.Max.X), max(w.height, at.Max.Y)
	c := &cel{at: at, decode: g.decode}
	switch w.control[0] >> 2 & 7 {
	case 2:
		c.ends = cleared
	case 3, 4: // 4: a mistake of early encoders that viewers follow
		c.ends = undone
	}
	f := frame{cel: c}
	switch {
	case at.Empty():
		f.withheld = reason.ExtractMalformed
	case g.palette == nil:
		f.withheld = reason.ExtractMalformed
	}
	w.h.frames = append(w.h.frames, f)
}
