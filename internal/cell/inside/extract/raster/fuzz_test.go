package raster

import (
	"bytes"
	"context"
	"image"
	"testing"

	"blotter/internal/document"
	"blotter/internal/examples"
	"blotter/internal/reason"
)

func FuzzGIF(f *testing.F) {
	undo := solid(0, 0, 1, 1, 2)
	undo.dispose, undo.clear = 3, 1
	laced := gifImageOf{w: 1, h: 5, pix: []byte{0, 3, 1, 0, 2}, clear: -1, interlaced: true}
	f.Add(gifOf(2, 1, solid(0, 0, 2, 1, 0), undo, solid(1, 0, 1, 1, 1)))
	f.Add(gifOf(1, 5, laced, solid(2, 1, 1, 1, 1)))
	f.Fuzz(func(t *testing.T, b []byte) { again(t, b, document.GIF) })
}

func FuzzBMP(f *testing.F) {
	f.Add(bmpOf{w: 3, h: 2, bits: 8, used: 4, palette: bgr(4), data: []byte{3, 3, 0, 0, 0, 1, 2, 0}}.bytes())
	f.Add(bmpOf{header: os2Header, w: 3, h: 2, bits: 8, palette: bgr(3), data: []byte{3, 3, 0, 0, 0, 1, 2, 0}}.bytes())
	f.Add(bmpOf{w: 3, h: 2, bits: 8, compression: bmpRLE8, used: 4, palette: bgr(4), data: []byte{1, 1, 0, 2, 1, 1, 1, 2, 0, 1}}.bytes())
	f.Add(bmpOf{w: 3, h: 1, bits: 4, compression: bmpRLE4, used: 4, palette: bgr(4), data: []byte{0, 3, 0x12, 0x10, 0, 1}}.bytes())
	f.Add(bmpOf{header: v4Header, w: 1, h: 1, bits: 32, compression: bmpMasks, masks: []uint32{0xff0000, 0xff00, 0xff, 0xff000000}, data: []byte{1, 2, 3, 4}}.bytes())
	f.Add(bmpOf{w: 1, h: -1, bits: 16, compression: bmpMasks, masks: []uint32{0xf800, 0x07e0, 0x001f}, data: []byte{1, 2, 0, 0}}.bytes())
	f.Fuzz(func(t *testing.T, b []byte) { again(t, b, document.BMP) })
}

func FuzzWebP(f *testing.F) {
	red := examples.LosslessWebP(coloured(3, 2, 'r'))
	f.Add(fileOf(chunkOf("VP8L", red)))
	f.Add(fileOf(lossyGray(3, 2)))
	f.Add(fileOf(extendedOf(flagAlpha|flagExif, 3, 2), chunkOf("ALPH", []byte{4, 1, 2, 3, 4, 5, 6}), lossyGray(3, 2), chunkOf("EXIF", []byte(exif(6)))))
	f.Add(fileOf(extendedOf(flagAlpha, 3, 2), chunkOf("ALPH", append([]byte{1}, red[5:]...)), lossyGray(3, 2)))
	f.Add(fileOf(extendedOf(flagAnimated, 3, 2), frameOf(0, 0, 3, 2, webpCleared, chunkOf("VP8L", red)), frameOf(0, 0, 3, 2, webpNoBlending, lossyGray(3, 2))))
	f.Fuzz(func(t *testing.T, b []byte) { again(t, b, document.WebP) })
}

// again does what exercise does, and loads every frame a second time, from the last to
// the first: what a frame shows must not depend on what was loaded before it.
func again(t *testing.T, b []byte, f document.Format) {
	exercise(t, b, f)
	lim := document.Limits{Assets: 20, Frames: 20, AssetPixels: 1 << 12, TotalPixels: 1 << 16}
	file, err := Open(context.Background(), bytes.NewReader(b), int64(len(b)), f, lim, nil)
	if err != nil {
		return
	}
	first := map[int][]byte{}
	codes := map[int]reason.Code{}
	for i := range file.Assets() {
		img, err := file.Load(i)
		first[i], codes[i] = pixels(img), reason.Of(err)
	}
	for i := len(file.Assets()) - 1; i >= 0; i-- {
		img, err := file.Load(i)
		if !bytes.Equal(pixels(img), first[i]) || reason.Of(err) != codes[i] {
			t.Fatalf("frame %d came out differently, %v", i, err)
		}
	}
}

// pixels are those of what Load returns, which must be opaque.
func pixels(img image.Image) []byte {
	switch m := img.(type) {
	case *image.Gray:
		return m.Pix
	case *image.NRGBA:
		if !m.Opaque() {
			panic("a picture with holes")
		}
		return m.Pix
	}
	return nil
}
