package read

import "image"

// tile is a part of a picture that the detector sees at once. Maps of neighbours are
// joined at the edges of their cores; between core and seen lies what the net needs
// around a pixel to judge it.
type tile struct{ seen, core image.Rectangle }

// tiles covers a picture of w×h pixels with the fewest tiles of at most tilePixels.
func tiles(w, h int) []tile {
	nx, ny := 1, 1
	for {
		tw, th := share(w, nx), share(h, ny)
		if roundUp(tw+2*tileMargin, netStride)*roundUp(th+2*tileMargin, netStride) <= tilePixels {
			break
		}
		if tw > th {
			nx++
		} else {
			ny++
		}
	}
	whole := image.Rect(0, 0, w, h)
	out := make([]tile, 0, nx*ny)
	for j := range ny {
		for i := range nx {
			core := image.Rect(i*w/nx, j*h/ny, (i+1)*w/nx, (j+1)*h/ny)
			out = append(out, tile{core.Inset(-tileOverlap).Intersect(whole), core})
		}
	}
	return out
}

// share is the extent of one of n tiles over size pixels, overlap included.
func share(size, n int) int {
	if n == 1 {
		return size
	}
	return (size+n-1)/n + 2*tileOverlap
}

// tilesOf covers a part of a picture.
func tilesOf(part image.Rectangle) []tile {
	out := tiles(part.Dx(), part.Dy())
	for i, t := range out {
		out[i] = tile{t.seen.Add(part.Min), t.core.Add(part.Min)}
	}
	return out
}
