package raster

import "blotter/internal/document"

// What decoding takes for each pixel, in bytes, where it is more than the image and what it
// is drawn on: each was measured at 23 million pixels, in a cell that did nothing else.
const (
	// celBytes is for a frame of an animation: the canvas, what a frame restores, the frame
	// and its copy. 13 were measured. Pictures laid over each other take no more.
	celBytes = 16
	// pngCelBytes is the same of PNG, whose frames may have 16 bits a channel: 8 bytes more.
	pngCelBytes = 24
	// imageBytes is the image and what it is drawn on.
	imageBytes = 8
	// inkBytes is what turning four inks into colours adds.
	inkBytes = 12
	// coefficientBytes is for a sample of a progressive JPEG, whose coefficients are all kept:
	// four bytes, the sample, and an eighth. 5 and 19 bytes a pixel were measured for one and
	// three samples, 36 for four.
	coefficientBytes = 5
	// waveletBytes is for a sample of a JPEG 2000: four bytes, and four that the wavelets are
	// undone in. A picture of empty packets, which needs the first alone, took 6 bytes a pixel of
	// one sample and 16 of three.
	waveletBytes = 8
)

// movingBytes is the cost of a frame of an animation; 0 where there is but one, which is
// its own canvas.
func movingBytes(frames []frame, f document.Format) int {
	cels := 0
	for _, fr := range frames {
		if fr.cel != nil {
			cels++
		}
	}
	switch {
	case cels < 2:
		return 0
	case f == document.PNG:
		return pngCelBytes
	}
	return celBytes
}

// progressiveBytes is the cost of a progressive JPEG by the components of its frame header:
// an identifier, sampling factors and a table for each.
func progressiveBytes(components []byte) int {
	most, sum := 1, 0
	for i := 1; i < len(components); i += 3 {
		area := int(components[i]>>4) * int(components[i]&15)
		most, sum = max(most, area), sum+area
	}
	cost := imageBytes + (coefficientBytes*sum+most-1)/most
	if len(components) == 4*3 {
		cost += inkBytes
	}
	return cost
}

// WaveletBytes is what decoding a JPEG 2000 of so many samples takes for each pixel.
func WaveletBytes(samples int) int { return imageBytes + waveletBytes*samples }

// JPEGBytes is what decoding a JPEG takes for each pixel where that is more than usual, by
// its headers; 0 where it is not.
func JPEGBytes(b []byte) int {
	f, _ := jpegFrame(b) // what cannot be read costs nothing
	return f.cost
}
