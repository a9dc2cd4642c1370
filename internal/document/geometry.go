package document

import "image"

// Box is a rectangle in an asset's own pixels, after orientation: X and Y of the
// top left corner, width and height; all ≥ 0 within the asset.
type Box struct{ X, Y, W, H int }

// Rect returns the box as the standard library's rectangle.
func (b Box) Rect() image.Rectangle { return image.Rect(b.X, b.Y, b.X+b.W, b.Y+b.H) }

// BoxOf returns the box of a rectangle; an empty one gives a zero box.
func BoxOf(r image.Rectangle) Box {
	if r.Empty() {
		return Box{}
	}
	return Box{r.Min.X, r.Min.Y, r.Dx(), r.Dy()}
}

// Empty reports whether the box covers no pixel.
func (b Box) Empty() bool { return b.W <= 0 || b.H <= 0 }

// Area is the number of pixels covered.
func (b Box) Area() int {
	if b.Empty() {
		return 0
	}
	return b.W * b.H
}

// Union is the smallest box around both; an empty one adds nothing.
func (b Box) Union(o Box) Box { return BoxOf(b.Rect().Union(o.Rect())) }

// Intersect is what both cover.
func (b Box) Intersect(o Box) Box { return BoxOf(b.Rect().Intersect(o.Rect())) }

// Grow moves every side outwards by n pixels and clips to width w and height h.
func (b Box) Grow(n, w, h int) Box {
	return BoxOf(b.Rect().Inset(-n).Intersect(image.Rect(0, 0, w, h)))
}

// Turn is how an asset must be turned, clockwise in quarter turns 0–3, for its
// text to stand upright.
type Turn uint8

// ToAsset maps a box of the upright picture, which measures w×h, back into the
// pixels of the asset that was turned by t to become upright.
func (t Turn) ToAsset(b Box, w, h int) Box {
	switch t % 4 {
	case 1: // asset turned clockwise: upright (x,y) came from asset (y, w-1-x)
		return Box{b.Y, w - b.X - b.W, b.H, b.W}
	case 2:
		return Box{w - b.X - b.W, h - b.Y - b.H, b.W, b.H}
	case 3:
		return Box{h - b.Y - b.H, b.X, b.H, b.W}
	}
	return b
}
