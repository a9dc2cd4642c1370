// Command picture makes docs/before-after.png for the README: the scanned letter of the
// examples and the insurance card, before and after `make demo`.
package main

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"

	"golang.org/x/image/draw"
)

const (
	height = 620 // of each picture, pixels
	gap    = 16
	from   = "out/demo/redacted"
	to     = "docs/before-after.png"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

func run() error {
	var row []image.Image
	for _, name := range []string{
		"0001/asset-0001.original.png", "0001/asset-0001.png", "0002/asset-0001.original.png", "0002/asset-0001.png",
	} {
		img, err := load(filepath.Join(from, name))
		if err != nil {
			return fmt.Errorf("%w (run make demo first)", err)
		}
		row = append(row, scaled(img))
	}
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(f, side(row)); err != nil {
		return err
	}
	return f.Close()
}

func load(path string) (image.Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return png.Decode(f)
}

func scaled(img image.Image) image.Image {
	b := img.Bounds()
	out := image.NewNRGBA(image.Rect(0, 0, b.Dx()*height/b.Dy(), height))
	draw.CatmullRom.Scale(out, out.Bounds(), img, b, draw.Src, nil)
	return out
}

// side puts pictures beside each other on white, with a border so that white paper shows.
func side(row []image.Image) image.Image {
	width := gap
	for _, img := range row {
		width += img.Bounds().Dx() + gap
	}
	out := image.NewNRGBA(image.Rect(0, 0, width, height+2*gap))
	draw.Draw(out, out.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	x := gap
	for _, img := range row {
		at := image.Rect(x, gap, x+img.Bounds().Dx(), gap+height)
		draw.Draw(out, at.Inset(-1), image.NewUniform(color.Gray{0xb0}), image.Point{}, draw.Src)
		draw.Draw(out, at, img, image.Point{}, draw.Src)
		x += img.Bounds().Dx() + gap
	}
	return out
}
