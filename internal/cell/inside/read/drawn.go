package read

import (
	"context"
	"image"
	"slices"
	"unicode/utf8"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// A page that a program drew, and whose layer says every word on it, need not be searched
// by the detector: what stands under no word of the layer and is no rule or empty frame is
// found by its contours, and the detector looks there alone. Some lines of the layer are
// still read, and where one says something else, the page is read as a scan is.

// readDrawn reads a page so. It reports false where the page is none of that kind: where
// much on it is unexplained, where it lies on its side, or where its layer is not true.
func (r *Reader) readDrawn(ctx context.Context, v view, layer []words.Word) (words.Page, bool, error) {
	if len(layer) == 0 {
		return words.Page{}, false, nil
	}
	c := v.contours()
	lines := layerLines(layer, c)
	shapes, ok := c.unexplained(layer)
	rest := c.around(shapes, lines, medianHeight(layer))
	if !ok || areaOf(rest) > int(drawnShare*float64(v.w*v.h)) {
		return words.Page{}, false, nil
	}
	regions, err := r.detectIn(v, rest)
	if err == nil {
		regions, err = r.withSidelines(v, regions)
	}
	if err != nil {
		return words.Page{}, false, err
	}
	regions = slices.DeleteFunc(regions, func(g region) bool { return !c.any(g.bounds(v.w, v.h)) })
	claims := append(explain(v, regions, layer), lines...)
	wrong, err := r.wrong(ctx, v, parts(spread(believed(claims), layerSamples)))
	if err != nil || wrong > 0 {
		return words.Page{}, false, err
	}
	layer = withoutDoubtful(layer, claims)
	page, err := r.page(ctx, v, claims, layer, regions)
	widen(page.Unread, shapes)
	return page, true, err
}

// widen lets what stays unread cover the whole of a shape of which it covers a third: the
// words that are seen in a signature end before its last loops.
func widen(unread, shapes []document.Box) {
	for _, s := range shapes {
		last, covered := -1, 0
		for i, u := range unread {
			if n := u.Intersect(s).Area(); n > 0 {
				last, covered = i, covered+n
			}
		}
		if last >= 0 && 3*covered > s.Area() {
			unread[last] = unread[last].Union(s)
		}
	}
}

// believed are the claims that the layer explains.
func believed(claims []*claim) (out []*claim) {
	for _, c := range claims {
		if !c.doubtful {
			out = append(out, c)
		}
	}
	return out
}

// unexplained takes from the contours what stands under words of the layer, rules and
// boxes to tick, and returns the shapes that are left. It reports false where they are too
// many for a page that was drawn.
func (c contours) unexplained(layer []words.Word) (left []document.Box, ok bool) {
	tall := medianHeight(layer)
	for _, w := range layer {
		if plausible(w, tall, max(c.w, c.h)) {
			c.erase(w.Box.Grow(wordHalo+w.Box.H/10, c.w, c.h))
		}
	}
	c.eraseRules(max(ruleLeast, ruleLetters*tall))
	shapes, ok := c.shapes(drawnShapes)
	shapes = c.withoutFrames(shapes, 3*tall)
	return slices.DeleteFunc(shapes, func(b document.Box) bool { return b.W <= speck && b.H <= speck }), ok
}

// around are the parts of the page to search for what shapes are: with paper around them,
// and with the whole of each line of the layer that reaches in, so that none is cut.
func (c contours) around(shapes []document.Box, lines []*claim, tall int) []document.Box {
	parts := make([]document.Box, len(shapes))
	for i, b := range shapes {
		parts[i] = b.Grow(2*max(tall, tileMargin), c.w, c.h)
	}
	parts = merged(parts)
	for i, b := range parts {
		for _, l := range lines {
			if line := l.bounds(c.w, c.h); !line.Intersect(b).Empty() {
				parts[i] = parts[i].Union(line.Grow(tall, c.w, c.h))
			}
		}
	}
	return merged(parts)
}

func areaOf(boxes []document.Box) (n int) {
	for _, b := range boxes {
		n += b.Area()
	}
	return n
}

// plausible reports whether a word can fill its box: a layer that claims half a page for a
// letter explains nothing by it. Words that run up or down, or aslant, explain nothing
// either.
func plausible(w words.Word, tall, long int) bool {
	n := utf8.RuneCountInString(w.Text)
	if w.Vertical || w.Box.H*tallestWord > long || n > 2 && 2*w.Box.H > 3*w.Box.W {
		return false
	}
	return float64(w.Box.W) <= widestLetter*float64(n*max(w.Box.H, tall))
}

func medianHeight(layer []words.Word) int {
	heights := make([]int, len(layer))
	for i, w := range layer {
		heights[i] = w.Box.H
	}
	slices.Sort(heights)
	return heights[len(heights)/2]
}

// withoutFrames erases empty square frames that stand alone, and returns the other shapes.
func (c contours) withoutFrames(shapes []document.Box, most int) (others []document.Box) {
	var frames []document.Box
	for _, b := range shapes {
		if b.W <= most && c.emptyFrame(b) {
			frames = append(frames, b)
		} else {
			others = append(others, b)
		}
	}
	for _, b := range frames {
		if slices.ContainsFunc(frames, func(o document.Box) bool { return beside(b, o) }) {
			others = append(others, b)
		} else {
			c.erase(b)
		}
	}
	return others
}

// beside reports whether two frames stand next to each other, and are not the two sides of
// one frame's line: a row of squares may be digits.
func beside(a, b document.Box) bool {
	near := a.Grow(a.W/2, 1<<30, 1<<30)
	both := a.Intersect(b)
	return !b.Intersect(near).Empty() && both != a && both != b
}

// merged joins boxes that touch, until none do.
func merged(boxes []document.Box) (out []document.Box) {
	for _, b := range boxes {
		for i := 0; i < len(out); i++ {
			if !out[i].Intersect(b).Empty() {
				b = b.Union(out[i])
				out = slices.Delete(out, i, i+1)
				i = -1
			}
		}
		out = append(out, b)
	}
	return out
}

// layerLines are the lines of a layer as regions that its words explain, the largest first:
// words next to each other on one height. Words without contours show nothing to compare.
func layerLines(layer []words.Word, c contours) (out []*claim) {
	shown := slices.DeleteFunc(slices.Clone(layer), func(w words.Word) bool { return w.Vertical || !c.any(w.Box) })
	var line []words.Word
	end := func() {
		if len(line) > 0 {
			out = append(out, lineClaim(line, c.w, c.h))
		}
		line = nil
	}
	for _, w := range arrange(nil, shown, 0, c.w, c.h) {
		if n := len(line); n > 0 && (w.Line != line[n-1].Line || apart(line[n-1].Box, w.Box)) {
			end()
		}
		line = append(line, w)
	}
	end()
	slices.SortStableFunc(out, func(a, b *claim) int { return compare(b.length()*b.height(), a.length()*a.height()) })
	return out
}

// apart reports whether more than two spaces lie between two words.
func apart(a, b document.Box) bool { return b.X-(a.X+a.W) > max(a.H, b.H) }

// lineClaim is a region as the detector would see it: some paper around the words.
func lineClaim(line []words.Word, w, h int) *claim {
	var around document.Box
	for _, x := range line {
		around = around.Union(x.Box)
	}
	q := quadOf(around.Grow(max(2, around.H/6), w, h))
	return &claim{region: region{q, 1}, words: slices.Clone(line)}
}

// detectIn finds regions in parts of a view.
func (r *Reader) detectIn(v view, parts []document.Box) ([]region, error) {
	if len(parts) == 0 {
		return nil, nil
	}
	small := v.scaled(detectScale(v.w, v.h))
	sx, sy := float64(small.w)/float64(v.w), float64(small.h)/float64(v.h)
	var all []tile
	for _, b := range parts {
		at := image.Rect(int(float64(b.X)*sx), int(float64(b.Y)*sy), int(float64(b.X+b.W)*sx)+1, int(float64(b.Y+b.H)*sy)+1)
		all = append(all, tilesOf(at.Intersect(image.Rect(0, 0, small.w, small.h)))...)
	}
	heat, err := r.heatOf(small, all)
	if err != nil {
		return nil, err
	}
	return v.withoutNoise(heat.regionsAt(1/sx, 1/sy)), nil
}
