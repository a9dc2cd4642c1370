package raster

import (
	"errors"
	"image"
	"image/color"
	"image/draw"

	"blotter/internal/cell/inside/extract/raster/bmff"
	"blotter/internal/reason"
)

// mostLayers bounds how many pictures may be laid over each other. Each is decoded, and is
// no asset that a limit counts.
const mostLayers = 16

// judgeOverlay refuses pictures laid over each other that cannot be decoded, each by itself,
// or are not where the canvas is.
func (w *heifWalk) judgeOverlay(it *bmff.Item, depth int) error {
	_, cw, ch, _, err := w.f.Overlay(it)
	if err != nil {
		return err
	}
	switch width, height := it.Size(); {
	case cw != width || ch != height:
		return reason.Because(reason.ExtractSizeLies, errors.New("raster: overlay of another size"))
	case len(it.Tiles) == 0:
		return errors.New("overlay of nothing")
	case len(it.Tiles) > mostLayers:
		return reason.Because(reason.ExtractEncoding, errors.New("raster: overlay of too many pictures"))
	}
	for _, id := range it.Tiles {
		part := w.f.Item(id)
		if part == nil || part.Type == "grid" || part.Type == "iovl" {
			return reason.Because(reason.ExtractEncoding, errors.New("raster: overlay of what is itself derived"))
		}
		if turns, err := turnsOf(part, 1<<20, 1<<20); err != nil || len(turns) > 0 {
			return reason.Because(reason.ExtractEncoding, errors.New("raster: overlay of turned pictures"))
		}
		if err := w.judge(part, depth+1); err != nil {
			return err
		}
		pw, ph := part.Size()
		if width, height := it.Size(); pw > width || ph > height { // what a limit on the canvas does not bound
			return reason.Because(reason.ExtractEncoding, errors.New("raster: overlay of larger pictures"))
		}
	}
	return nil
}

// overlay lays picture over picture.
func (w *heifWalk) overlay(it *bmff.Item) (image.Image, error) {
	fill, cw, ch, at, err := w.f.Overlay(it)
	if err != nil {
		return nil, because("HEIF", err)
	}
	dst := image.NewNRGBA(image.Rect(0, 0, cw, ch))
	draw.Draw(dst, dst.Rect, image.NewUniform(color.NRGBA64{fill[0], fill[1], fill[2], fill[3]}), image.Point{}, draw.Src)
	for i, id := range it.Tiles {
		img, err := w.withAlpha(w.f.Item(id))
		if err != nil {
			return nil, err
		}
		draw.Draw(dst, img.Bounds().Add(at[i]), img, image.Point{}, draw.Over)
	}
	return dst, nil
}
