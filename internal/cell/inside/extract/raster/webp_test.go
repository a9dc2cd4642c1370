package raster

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"testing"

	"blotter/internal/document"
	"blotter/internal/examples"
	"blotter/internal/reason"
)

var (
	chunkOf = examples.WebPChunk
	fileOf  = examples.WebPFile
)

// coloured is a picture of w×h in one of the four colours, or clear where the letter is '-'.
func coloured(w, h int, letter byte) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i, l := range []byte("rgbw") {
		if l == letter {
			c := color.NRGBA{fourColours[3*i], fourColours[3*i+1], fourColours[3*i+2], 255}
			draw.Draw(img, img.Rect, image.NewUniform(c), image.Point{}, draw.Src)
		}
	}
	return img
}

func lossless(img image.Image) []byte { return chunkOf("VP8L", examples.LosslessWebP(img)) }

// lossyGray is the least that a lossy picture may hold: every decision of its decoder
// reads a zero, which gives the gray that nothing predicts.
func lossyGray(w, h int) []byte {
	first, second := make([]byte, 2000), make([]byte, 2000)
	tag := uint32(1<<4) | uint32(len(first))<<5
	b := []byte{byte(tag), byte(tag >> 8), byte(tag >> 16), 0x9d, 0x01, 0x2a}
	b = binary.LittleEndian.AppendUint16(b, uint16(w))
	b = binary.LittleEndian.AppendUint16(b, uint16(h))
	return chunkOf("VP8 ", append(append(b, first...), second...))
}

func put24(v int) []byte { return []byte{byte(v), byte(v >> 8), byte(v >> 16)} }

func extendedOf(flags byte, w, h int) []byte {
	return chunkOf("VP8X", append(append([]byte{flags, 0, 0, 0}, put24(w-1)...), put24(h-1)...))
}

const (
	flagAnimated = 2
	flagExif     = 8
	flagAlpha    = 16
)

// frameOf is a frame of an animation at an even place.
func frameOf(x, y, w, h int, flags byte, chunks ...[]byte) []byte {
	var b []byte
	for _, v := range []int{x / 2, y / 2, w - 1, h - 1, 0} {
		b = append(b, put24(v)...)
	}
	return chunkOf("ANMF", append(append(b, flags), bytes.Join(chunks, nil)...))
}

func TestLosslessWebP(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 37, 11))
	for i := range img.Pix {
		img.Pix[i] = uint8(i * 31)
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	for name, file := range map[string][]byte{
		"plain":    fileOf(lossless(img)),
		"extended": fileOf(extendedOf(flagAlpha, 37, 11), lossless(img)),
	} {
		got, ok := load(t, open(t, file, document.WebP, roomy), 0).(*image.NRGBA)
		if !ok || !bytes.Equal(got.Pix, img.Pix) {
			t.Errorf("%s: the pixels differ", name)
		}
	}
}

func TestLossyWebP(t *testing.T) {
	raw := chunkOf("ALPH", append([]byte{0}, bytes.Repeat([]byte{0}, 20*20)...))
	packed := chunkOf("ALPH", append([]byte{1}, examples.LosslessWebP(coloured(20, 20, 'g'))[5:]...))
	for name, c := range map[string]struct {
		file []byte
		want uint8
	}{
		"opaque":                 {fileOf(lossyGray(20, 20)), 130}, // brightness 128 of 16–235
		"clear":                  {fileOf(extendedOf(flagAlpha, 20, 20), raw, lossyGray(20, 20)), 255},
		"packed alpha":           {fileOf(extendedOf(flagAlpha, 20, 20), packed, lossyGray(20, 20)), 130},
		"alpha said, none there": {fileOf(extendedOf(flagAlpha, 20, 20), lossyGray(20, 20)), 130},
	} {
		img := load(t, open(t, c.file, document.WebP, roomy), 0).(*image.NRGBA)
		for i, v := range img.Pix {
			if d := int(v) - int(c.want); i%4 < 3 && (d > 3 || d < -3) {
				t.Fatalf("%s: channel %d shows %d, want %d", name, i, v, c.want)
			}
		}
	}
}

// Colours of ITU-R BT.601 as they are stored and as they are shown.
func TestStudioColours(t *testing.T) {
	for _, c := range []struct {
		y, cb, cr uint8
		want      color.NRGBA
	}{
		{16, 128, 128, color.NRGBA{0, 0, 0, 255}}, {235, 128, 128, color.NRGBA{255, 255, 255, 255}},
		{81, 90, 240, color.NRGBA{254, 0, 0, 255}}, {145, 54, 34, color.NRGBA{0, 255, 1, 255}}, {41, 240, 110, color.NRGBA{0, 0, 255, 255}},
		{0, 128, 128, color.NRGBA{0, 0, 0, 255}}, {255, 128, 128, color.NRGBA{255, 255, 255, 255}},
	} {
		m := image.NewYCbCr(image.Rect(0, 0, 1, 1), image.YCbCrSubsampleRatio420)
		m.Y[0], m.Cb[0], m.Cr[0] = c.y, c.cb, c.cr
		if got := studioToRGB(m).NRGBAAt(0, 0); got != c.want {
			t.Errorf("%d,%d,%d gave %v, want %v", c.y, c.cb, c.cr, got, c.want)
		}
	}
}

// Each filter's prediction is added by hand.
func TestAlphaFilters(t *testing.T) {
	for filter, want := range [][]byte{
		{1, 2, 3, 4, 5, 6}, {1, 3, 6, 5, 10, 16}, {1, 3, 6, 5, 8, 12}, {1, 3, 6, 5, 12, 21},
	} {
		plane := []byte{1, 2, 3, 4, 5, 6}
		unfilter(plane, 3, byte(filter))
		if !bytes.Equal(plane, want) {
			t.Errorf("filter %d: %v, want %v", filter, plane, want)
		}
	}
}

func TestWebPOrientation(t *testing.T) {
	upright := arrow(32, 16)
	for o := orientation(1); o <= 8; o++ {
		cam := stored(upright, o)
		for _, block := range []string{exif(uint16(o)), exif(uint16(o))[6:]} { // with JPEG's mark and without
			file := fileOf(extendedOf(flagExif, cam.Rect.Dx(), cam.Rect.Dy()), lossless(cam), chunkOf("EXIF", []byte(block)))
			f := open(t, file, document.WebP, roomy)
			near(t, load(t, f, 0), upright)
			if f.NotCovered() != document.Metadata {
				t.Errorf("orientation %d: %v", o, f.NotCovered().Names())
			}
		}
	}
}

// A frame of an animation is the canvas as a viewer shows it.
func TestWebPAnimation(t *testing.T) {
	img := func(w, h int, l byte) []byte { return lossless(coloured(w, h, l)) }
	for name, c := range map[string]struct {
		frames [][]byte
		want   []string
	}{
		"stays":        {[][]byte{frameOf(0, 0, 3, 1, 0, img(3, 1, 'r')), frameOf(2, 0, 1, 1, 0, img(1, 1, 'g'))}, []string{"rrr", "rrg"}},
		"cleared":      {[][]byte{frameOf(0, 0, 2, 1, webpCleared, img(2, 1, 'r')), frameOf(2, 0, 1, 1, 0, img(1, 1, 'g'))}, []string{"rrw", "wwg"}},
		"blended":      {[][]byte{frameOf(0, 0, 3, 1, 0, img(3, 1, 'r')), frameOf(0, 0, 2, 1, 0, img(2, 1, '-'))}, []string{"rrr", "rrr"}},
		"not blended":  {[][]byte{frameOf(0, 0, 3, 1, 0, img(3, 1, 'r')), frameOf(0, 0, 2, 1, webpNoBlending, img(2, 1, '-'))}, []string{"rrr", "wwr"}},
		"one of three": {[][]byte{frameOf(2, 0, 1, 1, 0, img(1, 1, 'b'))}, []string{"wwb"}},
	} {
		t.Run(name, func(t *testing.T) {
			chunks := append([][]byte{extendedOf(flagAnimated, 3, 1), chunkOf("ANIM", make([]byte, 6))}, c.frames...)
			f := open(t, fileOf(chunks...), document.WebP, roomy)
			var got []string
			for i := range f.Assets() {
				got = append(got, letters(t, load(t, f, i)))
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) || f.NotCovered() != 0 {
				t.Errorf("frames %q, want %q; %v", got, c.want, f.NotCovered().Names())
			}
		})
	}
}

func TestHostileWebP(t *testing.T) {
	img := func(w, h int) []byte { return lossless(coloured(w, h, 'r')) }
	whole := fileOf(img(4, 4))
	two := fileOf(extendedOf(flagAnimated, 4, 4), frameOf(0, 0, 4, 4, 0, img(4, 4)), frameOf(0, 0, 4, 4, 0, img(4, 4)))
	giant := bytes.Clone(examples.LosslessWebP(coloured(1, 1, 'r')))
	binary.LittleEndian.PutUint32(giant[1:], 1<<28-1)
	hollow := chunkOf("VP8L", examples.LosslessWebP(coloured(4, 4, 'r'))[:30])
	anim := func(frames ...[]byte) []byte {
		return fileOf(append([][]byte{extendedOf(flagAnimated, 4, 4)}, frames...)...)
	}
	for _, c := range []struct {
		name    string
		file    []byte
		refused reason.Code
		want    string
	}{
		{"cut in the header", whole[:11], reason.ExtractTruncated, ""},
		{"no image", fileOf(chunkOf("ICCP", nil)), reason.ExtractMalformed, ""},
		{"cut in the image", whole[:len(whole)-4], reason.ExtractTruncated, ""},
		{"cut in the second frame", two[:len(two)-40], "", "ok, extract.truncated"},
		{"cut between frames", two[:12+18+(len(two)-30)/2], "", "ok, extract.truncated"},
		{"bit stream without an end", fileOf(hollow), "", "extract.truncated"},
		{"giant, of few bytes", fileOf(chunkOf("VP8L", giant)), "", "extract.pixel_limit"},
		{"giant canvas", fileOf(extendedOf(flagAnimated, 1<<24, 1<<24), frameOf(0, 0, 4, 4, 0, img(4, 4))), "", "extract.pixel_limit"},
		{"canvas of another size", fileOf(extendedOf(0, 5, 4), img(4, 4)), "", "extract.declared_size_differs"},
		{"frame of another size", anim(frameOf(0, 0, 3, 4, 0, img(4, 4))), "", "extract.declared_size_differs"},
		{"frame outside the canvas, and what lies on it", anim(frameOf(2, 0, 4, 4, 0, img(4, 4)), frameOf(0, 0, 4, 4, 0, img(4, 4))), "", "extract.malformed, extract.malformed"},
		{"frame without an image", anim(frameOf(0, 0, 4, 4, 0)), "", "extract.malformed"},
		{"frames without a canvas", fileOf(frameOf(0, 0, 4, 4, 0, img(4, 4))), "", "extract.malformed"},
		{"two canvases", fileOf(extendedOf(0, 4, 4), extendedOf(0, 9, 9), img(4, 4)), "", "extract.malformed"},
		{"no key frame", fileOf(chunkOf("VP8 ", make([]byte, 20))), reason.ExtractMalformed, ""},
		{"lossy of no size", fileOf(lossyGray(0, 0)), "", "extract.malformed"},
		{"alpha cut", fileOf(extendedOf(flagAlpha, 20, 20), chunkOf("ALPH", []byte{0, 1, 2}), lossyGray(20, 20)), "", "extract.truncated"},
		{"alpha of an unknown packing", fileOf(extendedOf(flagAlpha, 20, 20), chunkOf("ALPH", []byte{2, 1, 2}), lossyGray(20, 20)), "", "extract.malformed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := tryOpen(c.file, document.WebP, roomy)
			if reason.Of(err) != c.refused {
				t.Fatalf("refused with %v, want %q", err, c.refused)
			}
			if err == nil && ends(f) != c.want {
				t.Errorf("frames end %s, want %s", ends(f), c.want)
			}
		})
	}
	lim := roomy
	lim.Frames = 1
	if _, err := tryOpen(two, document.WebP, lim); reason.Of(err) != reason.ExtractFrames {
		t.Errorf("two frames of one: %v", err)
	}
}
