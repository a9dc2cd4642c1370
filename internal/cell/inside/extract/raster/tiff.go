package raster

import (
	"errors"
	"fmt"
	"io"
	"math"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// subDirectories bounds the directories below one: writers list a few sizes of the same
// picture, or the pages of a stack.
const subDirectories = 1 << 12

// directoriesDeep bounds directories below each other; sizes of a page of a stack lie two
// deep.
const directoriesDeep = 8

// tiffHeaders walks the chain of directories and those below each: every one is a frame,
// in the order in which they are met. A chain that leads back into itself ends there; one
// that leads out of the file ends in a frame that is withheld as truncated, so that the
// loss shows.
func tiffHeaders(r io.ReaderAt, size int64, limit int) (headers, error) {
	f, at, err := openTIFF(r, size)
	if err != nil {
		return headers{}, because("TIFF header", err)
	}
	w := tiffWalk{f: f, limit: limit, seen: map[int64]bool{}}
	if err := w.chain(at, 0); err != nil {
		return headers{}, err
	}
	return w.h, nil
}

type tiffWalk struct {
	f     tiffFile
	limit int // frames
	h     headers
	seen  map[int64]bool
}

// chain lists the directories from offset at on, that many deep below the first. Those
// that are no frames cost as much as the others.
func (w *tiffWalk) chain(at int64, deep int) error {
	for at != 0 && !w.seen[at] {
		if len(w.h.frames) >= w.limit || len(w.seen) >= w.limit+subDirectories {
			return reason.Because(reason.ExtractFrames, fmt.Errorf("raster: more than %d frames", w.limit))
		}
		w.seen[at] = true
		d, err := w.f.directory(at)
		if err != nil {
			if len(w.h.frames) == 0 {
				return because("TIFF directory", err)
			}
			w.h.frames = append(w.h.frames, frame{withheld: reason.Of(because("TIFF directory", err))})
			return nil
		}
		w.add(d, deep > 0)
		if err := w.below(d, deep); err != nil {
			return err
		}
		at = d.next
	}
	return nil
}

// add lists a directory that holds pixels. One below another that holds none, as cameras
// write for their settings, is no frame.
func (w *tiffWalk) add(d *directory, below bool) {
	w.h.more = w.h.more || d.describes()
	if below && !d.has(tagWidth) && !d.has(tagStrips) && !d.has(tagTiles) {
		return
	}
	f := d.frame()
	w.h.frames = append(w.h.frames, f)
	if e, ok := d.tags[tagPhotoshop]; ok && (e.kind == 1 || e.kind == 7) && e.at > 0 && e.count < d.size-e.at {
		w.h.addSmall(photoshopThumbnails(d.r, span{e.at, e.at + e.count}), f.turn)
	}
}

// below lists the directories that hang on one. Those that hang on these are found the
// same way, never the same one twice.
func (w *tiffWalk) below(d *directory, deep int) error {
	offsets, err := d.numbers(tagSubIFDs, subDirectories)
	if err == nil && len(offsets) > 0 && deep >= directoriesDeep {
		err = errors.New("directories below each other")
	}
	if err != nil { // what they hold cannot be found
		w.h.frames = append(w.h.frames, frame{withheld: reason.Of(because("TIFF directory", err))})
		return nil
	}
	for _, at := range offsets {
		if err := w.chain(int64(min(at, math.MaxInt64)), deep+1); err != nil {
			return err
		}
	}
	return nil
}

// frame reads the size and judges whether decodeTIFF knows the encoding.
func (d *directory) frame() frame {
	f := frame{
		width: d.number(tagWidth, 0), height: d.number(tagHeight, 0),
		turn: d.orientation(), dpi: d.dpi(), dir: d,
	}
	if d.number(tagSubfile, 0)&1 != 0 {
		f.kind = document.Thumbnail
	}
	if f.width > math.MaxInt32 || f.height > math.MaxInt32 || f.width <= 0 || f.height <= 0 {
		return frame{kind: f.kind, withheld: reason.ExtractMalformed}
	}
	l, err := layoutOf(d)
	if err != nil {
		f.withheld = reason.Of(err)
		return f
	}
	f.gray = l.gray()
	return f
}

// describes reports whether a directory holds more than pixels: descriptions, names,
// dates, EXIF and GPS blocks, XMP, settings of the program that wrote it.
func (d *directory) describes() bool {
	for _, tag := range []uint16{269, 270, 271, 272, 285, 305, 306, 315, 316, 700, 33432, 33723, 34377, 34665, 34675, 34853, 37724} {
		if d.has(tag) {
			return true
		}
	}
	return false
}
