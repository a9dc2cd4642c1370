package raster

import "image"

// orientation is the value of the EXIF and TIFF tag 274, 1–8: where the stored first
// row and first column lie on the upright picture. Anything else means 1.
type orientation uint8

// swaps reports whether width and height change places.
func (o orientation) swaps() bool { return o >= 5 && o <= 8 }

// size is that of the upright picture for one stored as w×h.
func (o orientation) size(w, h int) (int, int) {
	if o.swaps() {
		return h, w
	}
	return w, h
}

// stored returns where pixel (x, y) of the upright picture stands in one stored as
// w×h.
func (o orientation) stored(x, y, w, h int) (int, int) {
	switch o {
	case 2: // mirrored left to right
		return w - 1 - x, y
	case 3: // upside down
		return w - 1 - x, h - 1 - y
	case 4: // mirrored top to bottom
		return x, h - 1 - y
	case 5: // transposed
		return y, x
	case 6: // must be turned clockwise
		return y, h - 1 - x
	case 7: // transposed along the other diagonal
		return w - 1 - y, h - 1 - x
	case 8: // must be turned counter-clockwise
		return w - 1 - y, x
	}
	return x, y
}

// upright returns img with the orientation applied; img itself where nothing
// changes. img is what flatten returns, with its origin at (0, 0).
func (o orientation) upright(img image.Image) image.Image {
	if o < 2 || o > 8 {
		return img
	}
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	uw, uh := o.size(w, h)
	switch src := img.(type) {
	case *image.Gray:
		dst := image.NewGray(image.Rect(0, 0, uw, uh))
		for y := range uh {
			for x := range uw {
				sx, sy := o.stored(x, y, w, h)
				dst.Pix[y*dst.Stride+x] = src.Pix[sy*src.Stride+sx]
			}
		}
		return dst
	case *image.NRGBA:
		dst := image.NewNRGBA(image.Rect(0, 0, uw, uh))
		for y := range uh {
			for x := range uw {
				sx, sy := o.stored(x, y, w, h)
				copy(dst.Pix[y*dst.Stride+4*x:][:4], src.Pix[sy*src.Stride+4*sx:])
			}
		}
		return dst
	}
	return img
}
