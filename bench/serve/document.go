package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
)

// digits are 0 to 9 in 5 by 7 dots; a line's dots are its bits, the leftmost the highest.
var digits = [10][7]uint8{
	{14, 17, 19, 21, 25, 17, 14}, {4, 12, 4, 4, 4, 4, 14}, {14, 17, 1, 2, 4, 8, 31}, {31, 2, 4, 2, 1, 17, 14}, {2, 6, 10, 18, 31, 2, 2},
	{31, 16, 30, 1, 1, 17, 14}, {6, 8, 16, 30, 17, 17, 14}, {31, 1, 2, 4, 8, 8, 8}, {14, 17, 17, 14, 17, 17, 14}, {14, 17, 17, 15, 1, 2, 12},
}

const dot = 4 // pixels a side

// small makes the n-th small document: a PNG of 240 by 64 pixels that shows an
// eight-digit number, so that no two are alike and each has something to read.
func small(n int) []byte {
	img := image.NewGray(image.Rect(0, 0, 240, 64))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	for place := 7; place >= 0; place-- {
		draw(img, 16+place*6*dot, digits[n%10])
		n /= 10
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic("the memory cannot be written: " + err.Error())
	}
	return b.Bytes()
}

func draw(img *image.Gray, left int, digit [7]uint8) {
	for y := range 7 * dot {
		for x := range 5 * dot {
			if digit[y/dot]>>(4-x/dot)&1 == 1 {
				img.SetGray(left+x, 18+y, color.Gray{})
			}
		}
	}
}
