package raster

import (
	"errors"
	"fmt"
	"io"
	"math"

	"blotter/internal/reason"
)

// tiffHeaders walks the chain of directories: each is a frame. A chain that leads
// back into itself ends there; one that leads out of the file ends in a frame that is
// withheld as truncated, so that the loss shows.
func tiffHeaders(r io.ReaderAt, size int64, limit int, foreign bool) (headers, error) {
	order, at, err := tiffHead(r)
	if errors.Is(err, errBigTIFF) {
		return headers{frames: []frame{{withheld: reason.ExtractEncoding}}}, nil
	}
	if err != nil {
		return headers{}, because("TIFF header", err)
	}
	var h headers
	seen := map[int64]bool{}
	for at != 0 && !seen[at] {
		if len(h.frames) >= limit {
			return headers{}, reason.Because(reason.ExtractFrames, fmt.Errorf("raster: more than %d frames", limit))
		}
		seen[at] = true
		d, err := readDirectory(r, size, order, at)
		if err != nil {
			if len(h.frames) == 0 {
				return headers{}, because("TIFF directory", err)
			}
			h.frames = append(h.frames, frame{withheld: reason.Of(because("TIFF directory", err))})
			return h, nil
		}
		h.frames = append(h.frames, d.frame(foreign))
		h.more = h.more || d.describes()
		at = d.next
	}
	return h, nil
}

// frame reads the size and judges whether decodeTIFF knows the encoding.
func (d *directory) frame(foreign bool) frame {
	f := frame{
		width: d.number(tagWidth, 0), height: d.number(tagHeight, 0),
		turn: d.orientation(), dpi: d.dpi(), dir: d,
	}
	if f.width > math.MaxInt32 || f.height > math.MaxInt32 || f.width <= 0 || f.height <= 0 {
		return frame{withheld: reason.ExtractMalformed}
	}
	l, err := layoutOf(d)
	if err != nil {
		f.withheld = reason.Of(err)
		return f
	}
	if l.foreign() && !foreign {
		f.withheld = reason.ExtractEncoding
	}
	f.gray = l.gray()
	return f
}

// describes reports whether a directory holds more than pixels: descriptions, names,
// dates, EXIF and GPS blocks, XMP, further images below it.
func (d *directory) describes() bool {
	for _, tag := range []uint16{269, 270, 271, 272, 285, 305, 306, 315, 316, 330, 700, 33432, 33723, 34377, 34665, 34675, 34853, 37724} {
		if d.has(tag) {
			return true
		}
	}
	return false
}
