package raster

import (
	"bufio"
	"compress/lzw"
	"errors"
	"fmt"
	"image"
	"io"

	"blotter/internal/reason"
)

// gifCel is where the pixels of one image of a GIF lie.
type gifCel struct {
	r          io.ReaderAt
	at, end    int64 // the pixels' first byte, the file's end
	size       image.Point
	interlaced bool
	palette    []byte // three bytes a colour
	clear      int    // index of the transparent colour; -1: none
}

// decode unpacks the pixels. Every pixel that the headers promise must be there, and
// of a colour that the palette has; what comes after the last is not looked at.
func (g *gifCel) decode() (*image.NRGBA, error) {
	in := bufio.NewReader(io.NewSectionReader(g.r, g.at, g.end-g.at))
	width, err := in.ReadByte()
	if err != nil {
		return nil, because("GIF pixels", err)
	}
	if width < 2 || width > 8 {
		return nil, reason.Because(reason.ExtractMalformed, fmt.Errorf("raster: GIF codes of %d bits", width))
	}
	out := lzw.NewReader(&subBlockReader{in: in}, lzw.LSB, int(width))
	defer out.Close()
	img := image.NewNRGBA(image.Rectangle{Max: g.size})
	row := make([]byte, g.size.X)
	for _, pass := range g.passes() {
		for y := pass.first; y < g.size.Y; y += pass.step {
			if _, err := io.ReadFull(out, row); err != nil {
				return nil, because("GIF pixels", err)
			}
			if err := g.paint(img.Pix[y*img.Stride:], row); err != nil {
				return nil, err
			}
		}
	}
	return img, nil
}

type gifPass struct{ first, step int }

// passes is the order of the rows, GIF89a appendix E.
func (g *gifCel) passes() []gifPass {
	if g.interlaced {
		return []gifPass{{0, 8}, {4, 8}, {2, 4}, {1, 2}}
	}
	return []gifPass{{0, 1}}
}

// paint turns a row of indexes into colours.
func (g *gifCel) paint(dst, row []byte) error {
	for x, v := range row {
		i := 3 * int(v)
		switch {
		case int(v) == g.clear: // stays transparent
		case i+3 > len(g.palette):
			return reason.Because(reason.ExtractMalformed, errors.New("raster: GIF colour outside the palette"))
		default:
			copy(dst[4*x:], []byte{g.palette[i], g.palette[i+1], g.palette[i+2], 0xff})
		}
	}
	return nil
}

// subBlockReader joins the blocks that a GIF cuts its pixels into, up to the empty one.
type subBlockReader struct {
	in   *bufio.Reader
	left int
	over bool
}

func (s *subBlockReader) ReadByte() (byte, error) {
	for s.left == 0 {
		n, err := s.in.ReadByte()
		if err != nil {
			return 0, io.ErrUnexpectedEOF
		}
		if s.over = s.over || n == 0; s.over {
			return 0, io.EOF
		}
		s.left = int(n)
	}
	s.left--
	return s.in.ReadByte()
}

// Read is there for lzw, which calls ReadByte alone.
func (s *subBlockReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	b, err := s.ReadByte()
	if err != nil {
		return 0, err
	}
	p[0] = b
	return 1, nil
}
