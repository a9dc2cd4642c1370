package read

import (
	"context"
	"image"
	"slices"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// Look searches a derivative for text again, at another scale than Read, and reads
// only what is new or touches a burned box. turn is how the first look turned the
// asset; burned are the boxes that were filled, in the asset's pixels; before is what
// the first look read, nil to take everything for new.
//
// The page holds only the words found now and the regions that stayed unread, in the
// upright frame, without what lies under burned boxes. Errors carry
// read.engine_failed, or are ctx's.
func (r *Reader) Look(ctx context.Context, img image.Image, turn document.Turn, burned []document.Box, before *words.Page) (words.Page, error) {
	page, err := r.look(ctx, img, turn, burned, before)
	return page, because(ctx, err)
}

func (r *Reader) look(ctx context.Context, img image.Image, turn document.Turn, burned []document.Box, before *words.Page) (words.Page, error) {
	p, err := pictureOf(img)
	if err != nil || p.w <= 0 || p.h <= 0 {
		return words.Page{}, err
	}
	v := p.turned(turn)
	regions, err := r.detect(v, lookZoom)
	if err != nil {
		return words.Page{}, err
	}
	gone := make([]document.Box, len(burned))
	for i, b := range burned {
		gone[i] = v.fromAsset(b)
	}
	regions = slices.DeleteFunc(regions, func(g region) bool { return !worthReading(g, gone, before) })
	readings, err := r.recognise(ctx, v, regions)
	if err != nil {
		return words.Page{}, err
	}
	readable, unread := judge(readings, v.w, v.h)
	destroyed := func(b document.Box) bool { return under(quadOf(b), gone) >= lookInside }
	return words.Page{
		Width: v.w, Height: v.h, Turn: v.turn,
		Unread: slices.DeleteFunc(unread, destroyed),
		Words: slices.DeleteFunc(arrange(readable, nil, skew(regions), v.w, v.h),
			func(w words.Word) bool { return destroyed(w.Box) }),
	}, nil
}

// worthReading reports whether a region is neither destroyed nor known from before,
// or reaches out from under a burned box.
func worthReading(g region, burned []document.Box, before *words.Page) bool {
	switch share := under(g.quad, burned); {
	case share >= lookInside:
		return false
	case share > 0 || before == nil:
		return true
	}
	known := slices.Clone(before.Unread)
	for _, w := range before.Words {
		known = append(known, w.Box)
	}
	return under(g.quad, known) < lookKnown
}

// under is the share, 0–1, of a rectangle that lies under boxes, judged on a grid of
// points over its middle: a region is larger than the letters in it.
func under(q quad, boxes []document.Box) float64 {
	const columns, rows = 32, 5
	hit := 0
	for j := range rows {
		for i := range columns {
			p := q.at((float64(i)+0.5)/columns, 0.2+0.6*(float64(j)+0.5)/rows)
			at := image.Pt(int(p.x), int(p.y))
			if slices.ContainsFunc(boxes, func(b document.Box) bool { return at.In(b.Rect()) }) {
				hit++
			}
		}
	}
	return float64(hit) / (columns * rows)
}

func quadOf(b document.Box) quad {
	return quad{point{float64(b.X), float64(b.Y)}, point{float64(b.W), 0}, point{0, float64(b.H)}}
}
