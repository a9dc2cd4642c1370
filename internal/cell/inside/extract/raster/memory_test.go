package raster

import (
	"encoding/binary"
	"runtime"
	"testing"

	"blotter/internal/document"
	"blotter/internal/examples"
)

// A file that claims to be giant costs next to nothing before the limits refuse it,
// whatever it says of itself.
func TestClaimsCostNoMemory(t *testing.T) {
	giant := examples.LosslessWebP(coloured(1, 1, 'r'))
	binary.LittleEndian.PutUint32(giant[1:], 1<<28-1)
	bitmap := bmpOf{w: 1<<31 - 1, h: 1 << 30, bits: 8, compression: bmpRLE8, used: 1<<32 - 1, palette: bgr(4), data: []byte{0, 1}}
	for name, c := range map[string]struct {
		file []byte
		f    document.Format
	}{
		"GIF":           {gifOf(65535, 65535, solid(0, 0, 1, 1, 0)), document.GIF},
		"GIF, far out":  {gifOf(1, 1, solid(65535, 65535, 1, 1, 0), solid(0, 0, 1, 1, 0)), document.GIF},
		"BMP":           {bitmap.bytes(), document.BMP},
		"WebP":          {fileOf(chunkOf("VP8L", giant)), document.WebP},
		"WebP animated": {fileOf(extendedOf(flagAnimated, 1<<24, 1<<24), frameOf(0, 0, 1<<24, 1<<24, 0, chunkOf("VP8L", giant))), document.WebP},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			f, err := tryOpen(c.file, c.f, roomy)
			if err == nil {
				ends(f)
			}
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
				t.Errorf("%d bytes were allocated", n)
			}
		})
	}
}
