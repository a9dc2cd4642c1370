package redact

import (
	"image/color"
	"image/draw"
	"strings"

	"blotter/internal/document"
)

// Label writes what a box covers into its lower left corner, in black or white, whichever
// stands out from fill, and returns the place that it took: empty where it does not fit.
//
// It takes the largest letters that are no higher than a third of the box and of which
// allowed says that their ink may lie there. Letters are 5 dots high; the smallest dot is
// a pixel.
func Label(img draw.Image, b document.Box, t document.Type, fill document.Colour, allowed func(ink []document.Box) bool) document.Box {
	text := strings.ToUpper(strings.ReplaceAll(t.String(), "_", " "))
	for dot := b.H / (3 * letterRows); dot > 0; dot-- {
		w, h := (len(text)*(letterColumns+1)-1)*dot, letterRows*dot
		at := document.Box{X: b.X + dot, Y: b.Y + b.H - h - dot, W: w, H: h}
		if at.W+2*dot > b.W {
			continue
		}
		if ink := write(text, at, dot); allowed(ink) {
			Burn(img, ink, contrary(fill))
			return at
		}
	}
	return document.Box{}
}

// write returns the dots of a text as boxes.
func write(text string, at document.Box, dot int) []document.Box {
	var out []document.Box
	for n, c := range text {
		if c < 'A' || c > 'Z' {
			continue
		}
		rows := alphabet[c-'A']
		for i := range letterRows * letterColumns {
			if x, y := i%letterColumns, i/letterColumns; rows[y]&(4>>x) != 0 {
				out = append(out, document.Box{X: at.X + (n*(letterColumns+1)+x)*dot, Y: at.Y + y*dot, W: dot, H: dot})
			}
		}
	}
	return out
}

// contrary is black on a light colour and white on a dark one.
func contrary(fill document.Colour) document.Colour {
	if color.GrayModel.Convert(opaque(fill)).(color.Gray).Y > 127 {
		return document.Colour{}
	}
	return document.Colour{R: 255, G: 255, B: 255}
}

// letterColumns and letterRows are the dots of a letter, side by side and one above the
// other.
const letterColumns, letterRows = 3, 5

// alphabet holds A to Z, each row of a letter as three bits. Its own letters need no font
// in the binary and stay legible at one pixel a dot.
var alphabet = [26][letterRows]uint8{
	{2, 5, 7, 5, 5}, {6, 5, 6, 5, 6}, {3, 4, 4, 4, 3}, {6, 5, 5, 5, 6}, {7, 4, 6, 4, 7}, {7, 4, 6, 4, 4}, {3, 4, 5, 5, 3},
	{5, 5, 7, 5, 5}, {7, 2, 2, 2, 7}, {1, 1, 1, 5, 2}, {5, 5, 6, 5, 5}, {4, 4, 4, 4, 7}, {5, 7, 7, 5, 5}, {6, 5, 5, 5, 5},
	{2, 5, 5, 5, 2}, {6, 5, 6, 4, 4}, {2, 5, 5, 6, 3}, {6, 5, 6, 5, 5}, {3, 4, 2, 1, 6}, {7, 2, 2, 2, 2}, {5, 5, 5, 5, 7},
	{5, 5, 5, 5, 2}, {5, 5, 7, 7, 5}, {5, 5, 2, 5, 5}, {5, 5, 2, 2, 2}, {7, 1, 2, 4, 7},
}
