package examples

import (
	"encoding/binary"
	"image"
	"image/color"
)

// EncodeWebP writes a lossless WebP of one picture: the plainest that the format knows
// (RFC 9649), each channel of each pixel as eight bits.
func EncodeWebP(img image.Image) []byte {
	return WebPFile(WebPChunk("VP8L", LosslessWebP(img)))
}

// WebPFile wraps chunks into a file.
func WebPFile(chunks ...[]byte) []byte {
	body := []byte("WEBP")
	for _, c := range chunks {
		body = append(body, c...)
	}
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

// WebPChunk wraps data into a chunk, padded to an even length.
func WebPChunk(kind string, data []byte) []byte {
	out := append(binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(data))), data...)
	return append(out, make([]byte, len(data)%2)...)
}

// LosslessWebP is the bit stream of a VP8L chunk.
func LosslessWebP(img image.Image) []byte {
	b := img.Bounds()
	w := bitWriter{out: []byte{0x2f}}
	w.low(uint32(b.Dx()-1), 14)
	w.low(uint32(b.Dy()-1), 14)
	w.low(1, 1) // alpha is used
	w.low(0, 3) // version
	w.low(0, 3) // no transform, no colour cache, one group of codes
	for range 4 {
		w.eightBitCode() // green, red, blue, alpha
	}
	w.low(1, 1) // distances: a code of one symbol,
	w.low(0, 3) // the number 0, in one bit
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			for _, v := range []uint8{c.G, c.R, c.B, c.A} {
				w.high(v)
			}
		}
	}
	return w.out
}

// bitWriter fills bytes from their lowest bit.
type bitWriter struct {
	out  []byte
	used uint // bits of the last byte; 0: it is full
}

func (w *bitWriter) bit(v uint32) {
	if w.used == 0 {
		w.out = append(w.out, 0)
	}
	w.out[len(w.out)-1] |= byte(v&1) << w.used
	w.used = (w.used + 1) % 8
}

// low writes a number, its lowest bit first.
func (w *bitWriter) low(v uint32, bits int) {
	for i := range bits {
		w.bit(v >> i)
	}
}

// high writes a symbol of eight bits as prefix codes are written, highest bit first.
func (w *bitWriter) high(v uint8) {
	for i := 7; i >= 0; i-- {
		w.bit(uint32(v >> i))
	}
}

// eightBitCode describes a prefix code in which each of the symbols 0–255 is written in
// eight bits and no other symbol exists: all code lengths are 8, and since that is
// the only length, it takes no bits to say so 256 times.
func (w *bitWriter) eightBitCode() {
	w.low(0, 1)    // no simple code
	w.low(12-4, 4) // twelve code lengths of code lengths: that of 8 comes last
	w.low(0, 3*11)
	w.low(1, 3)
	w.low(1, 1)       // not all symbols are listed,
	w.low(3, 3)       // but a number of 2 + 2·3 bits
	w.low(256-2, 2*4) // and two more
}
