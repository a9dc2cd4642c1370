package raster

import (
	"errors"
	"image"
	"image/draw"

	"blotter/internal/reason"
)

// disposal is what becomes of a cel when the next one comes.
type disposal uint8

const (
	stays   disposal = iota // it is drawn upon
	cleared                 // its place becomes transparent again
	undone                  // its place shows what was there before
)

// cel is one drawing of an animation: it changes a part of the canvas. The frame that
// a viewer shows, and that is the asset, is the whole canvas after it.
type cel struct {
	at        image.Rectangle // on the canvas
	ends      disposal
	overwrite bool // transparent pixels replace what is below them too
	decode    func() (*image.NRGBA, error)
}

// canvas plays an animation forward. Its pixels are opaque at all times: a cel over
// transparency over white is the same as a cel over white, because laying over is
// associative.
type canvas struct {
	cels   []frame
	pix    *image.RGBA // nil before the first cel
	next   int         // the cel to be drawn
	before *image.RGBA // what the last cel covered, where it will be undone
	failed error       // of the last cel that was drawn: what comes after lies on it
}

// show returns the canvas after cel i, for the caller to keep. Going forward draws each
// cel once; going back starts anew. After the last cel the canvas is given away. One
// cel that fills the canvas alone is the picture, and may have transparent pixels.
func (c *canvas) show(i, width, height int) (*image.NRGBA, error) {
	if only := c.cels[0].cel; len(c.cels) == 1 && only.at == image.Rect(0, 0, width, height) {
		return only.decode()
	}
	if c.pix == nil || i < c.next-1 || c.failed != nil && i < c.next {
		*c = canvas{cels: c.cels, pix: image.NewRGBA(image.Rect(0, 0, width, height))}
		draw.Draw(c.pix, c.pix.Rect, image.White, image.Point{}, draw.Src)
	}
	for c.next <= i && c.failed == nil {
		c.failed = c.advance()
	}
	if c.failed != nil {
		c.before = nil
		return nil, c.failed
	}
	shown := &image.NRGBA{Pix: c.pix.Pix, Stride: c.pix.Stride, Rect: c.pix.Rect}
	if i == len(c.cels)-1 {
		c.pix, c.before, c.next = nil, nil, 0
		return shown, nil
	}
	shown.Pix = append([]byte(nil), shown.Pix...)
	return shown, nil
}

// advance draws the next cel.
func (c *canvas) advance() error {
	f := c.cels[c.next]
	if f.withheld != "" {
		return reason.Because(f.withheld, errors.New("raster: a frame of the animation is withheld"))
	}
	if c.next > 0 {
		c.dispose(c.cels[c.next-1].cel)
	}
	img, err := f.cel.decode()
	if err != nil {
		return err
	}
	if f.cel.ends == undone {
		c.before = image.NewRGBA(f.cel.at)
		draw.Draw(c.before, f.cel.at, c.pix, f.cel.at.Min, draw.Src)
	}
	if f.cel.overwrite {
		draw.Draw(c.pix, f.cel.at, image.White, image.Point{}, draw.Src)
	}
	draw.Draw(c.pix, f.cel.at, img, image.Point{}, draw.Over)
	c.next++
	return nil
}

func (c *canvas) dispose(last *cel) {
	switch last.ends {
	case cleared:
		draw.Draw(c.pix, last.at, image.White, image.Point{}, draw.Src)
	case undone:
		draw.Draw(c.pix, last.at, c.before, last.at.Min, draw.Src)
		c.before = nil
	}
}
