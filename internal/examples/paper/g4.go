package paper

import (
	"image"
	"math/rand/v2"
)

// Bitmap is a bilevel picture: one byte a pixel, 1 is black.
type Bitmap struct {
	Width, Height int
	Pix           []byte
}

// Threshold makes everything darker than level black.
func Threshold(img *image.Gray, level uint8) Bitmap {
	b := Bitmap{img.Rect.Dx(), img.Rect.Dy(), make([]byte, img.Rect.Dx()*img.Rect.Dy())}
	for y := range b.Height {
		for x, v := range img.Pix[y*img.Stride:][:b.Width] {
			if v < level {
				b.Pix[y*b.Width+x] = 1
			}
		}
	}
	return b
}

// Specks adds what a bad line does: n specks of two by two pixels.
func (b Bitmap) Specks(n int, rng *rand.Rand) {
	for range n {
		x, y := rng.IntN(b.Width-1), rng.IntN(b.Height-1)
		for _, at := range []int{0, 1, b.Width, b.Width + 1} {
			b.Pix[y*b.Width+x+at] = 1
		}
	}
}

func (b Bitmap) row(y int) []byte { return b.Pix[y*b.Width:][:b.Width] }

// encodeG4 compresses a bitmap as ITU-T T.6 (MMR, "CCITT group 4") with the end of
// block code, most significant bit first.
func encodeG4(b Bitmap) []byte {
	var out bits
	reference := make([]byte, b.Width)
	for y := range b.Height {
		out.encodeRow(b.row(y), reference)
		reference = b.row(y)
	}
	const endOfLine = "000000000001"
	out.write(endOfLine + endOfLine)
	return out.bytes
}

// encodeRow writes one line by the difference to the line above. a0, a1, a2, b1, b2
// are the changing elements that T.6 names so.
func (o *bits) encodeRow(row, above []byte) {
	vertical := [7]string{"0000010", "000010", "010", "1", "011", "000011", "0000011"} // a1-b1 = -3 … 3
	a0, colour := -1, byte(0)
	for a0 < len(row) {
		a1 := next(row, a0, colour)
		b1 := opposite(above, a0, colour)
		b2 := next(above, b1, 1-colour)
		switch d := a1 - b1; {
		case b2 < a1:
			o.write("0001") // pass
			a0 = b2
		case d >= -3 && d <= 3:
			o.write(vertical[d+3])
			a0, colour = a1, 1-colour
		default:
			a2 := next(row, a1, 1-colour)
			o.write("001") // horizontal
			o.writeRun(a1-max(a0, 0), colour)
			o.writeRun(a2-a1, 1-colour)
			a0 = a2
		}
	}
}

// next finds the first pixel right of x that is not of this colour.
func next(row []byte, x int, colour byte) int {
	for x++; x < len(row) && row[x] == colour; x++ {
	}
	return min(x, len(row))
}

// opposite finds the first changing element right of a0 whose colour is not colour:
// the pixel to its left has it.
func opposite(row []byte, a0 int, colour byte) int {
	for x := a0 + 1; x < len(row); x++ {
		left := byte(0)
		if x > 0 {
			left = row[x-1]
		}
		if row[x] != colour && left == colour {
			return x
		}
	}
	return len(row)
}

func (o *bits) writeRun(n int, colour byte) {
	short, makeUp := whiteRuns[:], whiteMakeUp[:]
	if colour == 1 {
		short, makeUp = blackRuns[:], blackMakeUp[:]
	}
	for ; n >= 2560; n -= 2560 {
		o.write(longMakeUp[len(longMakeUp)-1])
	}
	if n >= 1792 {
		o.write(longMakeUp[(n-1792)/64])
	} else if n >= 64 {
		o.write(makeUp[n/64-1])
	}
	o.write(short[n%64])
}

// bits collects a bit string, most significant bit first.
type bits struct {
	bytes []byte
	used  int // bits used of the last byte; 0 where it is full
}

func (o *bits) write(code string) {
	for _, c := range code {
		if o.used == 0 {
			o.bytes = append(o.bytes, 0)
		}
		if c == '1' {
			o.bytes[len(o.bytes)-1] |= 0x80 >> o.used
		}
		o.used = (o.used + 1) % 8
	}
}
