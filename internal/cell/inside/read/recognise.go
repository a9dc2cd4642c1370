package read

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// reading is what the recogniser made of one region.
type reading struct {
	region
	words      []word
	confidence float64 // mean probability of all characters, 0–1; 0 where none was seen
	foreign    float64 // share of characters outside Latin script
	inkless    bool    // nothing is written there: the detector erred
}

// word is a recognised word with the part of the page that it covers.
type word struct {
	quad
	text       string
	confidence float64
	foreign    bool
}

// recognise reads regions, several at a time, and returns their readings in the same
// order.
func (r *Reader) recognise(ctx context.Context, v view, regions []region) ([]reading, error) {
	out := make([]reading, len(regions))
	errs := make([]error, r.threads)
	next := make(chan int)
	var wg sync.WaitGroup
	for worker := range r.threads {
		wg.Go(func() {
			for i := range next {
				if errs[worker] == nil {
					out[i], errs[worker] = r.readRegion(v, regions[i])
				}
			}
		})
	}
	err := feed(ctx, next, len(regions))
	wg.Wait()
	for _, e := range append(errs, err) {
		if e != nil {
			return nil, e
		}
	}
	return out, nil
}

// feed sends 0 to n-1 and closes the channel; it stops early where ctx ends.
func feed(ctx context.Context, next chan<- int, n int) error {
	defer close(next)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		next <- i
	}
	return nil
}

// readRegion reads a region along its rows, or, where it is tall, both up and down
// its column, and takes what reads better.
func (r *Reader) readRegion(v view, g region) (reading, error) {
	if g.height() <= tallRatio*g.length() {
		return r.readSurely(v, g)
	}
	up, down := g, g
	up.quad = g.upwards()
	down.quad = up.reversed()
	best, err := r.readSurely(v, up)
	if err != nil {
		return reading{}, err
	}
	other, err := r.readSurely(v, down)
	if err == nil && other.sureness() > best.sureness() {
		best = other
	}
	return best, err
}

// readSurely reads a line, and where the recogniser is in doubt once more a little
// higher and a little lower: now and then a clear line reads badly at one height and
// well at the next.
func (r *Reader) readSurely(v view, g region) (reading, error) {
	best, err := r.readLine(v, g)
	for _, inset := range otherHeights {
		if err != nil || best.inkless || best.sureness() >= sureLine {
			break
		}
		again := g
		again.quad = g.part(0, inset, 1, 1-inset)
		var other reading
		if other, err = r.readLine(v, again); err == nil && other.sureness() > best.sureness() {
			other.region = best.region // what is covered if the line stays unread
			best = other
		}
	}
	return best, err
}

// sureness ranks two ways of reading the same region.
func (g reading) sureness() float64 { return g.confidence * (1 - g.foreign) }

func (r *Reader) readLine(v view, g region) (reading, error) {
	g.quad = v.reach(g.quad)
	whole := v.cut(g.quad)
	out := reading{region: g, inkless: true}
	characters, sum, foreigners := 0, 0.0, 0
	for _, c := range whole.pieces() {
		k := c.ink()
		if k.empty() {
			continue
		}
		out.inkless = false
		glyphs, step, err := r.readCrop(c)
		if err != nil {
			return reading{}, err
		}
		out.words = append(out.words, c.split(glyphs, step, k)...)
		for _, gl := range glyphs {
			characters++
			sum += gl.p
			if foreign(gl.text) {
				foreigners++
			}
		}
	}
	if characters > 0 {
		out.confidence = sum / float64(characters)
		out.foreign = float64(foreigners) / float64(characters)
	}
	return out, nil
}

// readCrop runs the recogniser. step is the width of one time step in crop pixels.
func (r *Reader) readCrop(c crop) (glyphs []glyph, step float64, err error) {
	width := max(c.w, cropNarrow)
	paper := float32(c.paper()[0])*(1/127.5) - 1
	var bad error
	err = r.recognition.Run([]int{1, 3, cropHeight, width},
		func(in []float32) { c.normalise(in, width, paper) },
		func(out []float32, shape []int) {
			if len(shape) != 4 || shape[0] != 1 || shape[1] != len(r.alphabet.characters) || shape[2] != 1 || shape[3] < 1 {
				bad = fmt.Errorf("read: the recogniser gave an output of shape %v", shape)
				return
			}
			step = float64(width) / float64(shape[3])
			glyphs = r.alphabet.decode(out, shape[3])
		})
	if err == nil {
		err = bad
	}
	return glyphs, step, err
}

// split makes words of a line's characters. Time steps tell only roughly where a
// character stands (a box made of them starts 5 to 10 pixels late), so that the
// borders are snapped to the ink: between two words to the edges of the widest gap,
// at the ends of the line to the outermost stroke.
func (c crop) split(glyphs []glyph, step float64, k ink) []word {
	var out []word
	column := func(g glyph) int { return min(c.w, int((float64(g.step)+0.5)*step)) }
	left := k.first(0, c.w)
	begins := k.wordsBegin(glyphs, column)
	for from := 0; from < len(glyphs); {
		to := from + 1
		for to < len(glyphs) && !begins[to] {
			to++
		}
		right, next := k.last(column(glyphs[to-1]), c.w), 0
		if to < len(glyphs) {
			right, next = k.blank(column(glyphs[to-1]), column(glyphs[to]))
			if right == next { // no gap: meet in the middle
				right = (column(glyphs[to-1]) + column(glyphs[to])) / 2
				next = right
			}
		}
		out = append(out, c.word(glyphs[from:to], left, right, k))
		left, from = next, to
	}
	return out
}

// wordsBegin tells before which characters a space stands: where the recogniser gives a
// space some probability, and where it gives it little but the paper says so.
func (k ink) wordsBegin(glyphs []glyph, column func(glyph) int) []bool {
	begins, paper := make([]bool, len(glyphs)), make([]int, len(glyphs))
	var letters []int
	for i := 1; i < len(glyphs); i++ {
		start, end := k.blank(column(glyphs[i-1]), column(glyphs[i]))
		paper[i] = end - start
		if begins[i] = glyphs[i].gap > spaceRatio; !begins[i] {
			letters = append(letters, paper[i])
		}
	}
	if len(letters) == 0 {
		return begins
	}
	slices.Sort(letters)
	between := letters[len(letters)/2]
	wide := max(spaceLeast, int(spaceStretch*float64(between))+spaceMore)
	sure := max(spaceSure, 2*between+8)
	for i := 1; i < len(glyphs); i++ {
		begins[i] = begins[i] || paper[i] >= sure || paper[i] >= wide && glyphs[i].gap > spaceTrace ||
			endsClause(glyphs[i-1], glyphs[i], paper[i])
	}
	return begins
}

// endsClause reports whether a letter follows a punctuation mark as it does behind a
// space: there the recogniser swallows most of the spaces that it swallows.
func endsClause(mark, next glyph, paper int) bool {
	if r, _ := utf8.DecodeRuneInString(next.text); !unicode.IsLetter(r) {
		return false
	}
	return strings.Contains(",;", mark.text) || strings.Contains(":.", mark.text) && paper >= punctuationGap
}

// word makes one word of the columns [left, right), padded by a crop pixel and at
// least one pixel of the page.
func (c crop) word(glyphs []glyph, left, right int, k ink) word {
	pad := 1 + int(math.Ceil(cropRows/max(1, c.quad.height())))
	top, bottom := k.rows(left, right)
	w, h := float64(c.w), float64(cropRows)
	var text strings.Builder
	strange := false
	for _, g := range glyphs {
		text.WriteString(latin(g.text))
		strange = strange || foreign(g.text)
	}
	return word{
		quad: c.quad.part(float64(left-pad)/w, float64(top-pad)/h, float64(right+pad)/w, float64(bottom+pad)/h),
		text: text.String(), confidence: confidence(glyphs), foreign: strange,
	}
}

// words turns readings into words of the page. Lines are numbered later.
func pageWords(readings []reading, w, h int) []words.Word {
	var out []words.Word
	for _, g := range readings {
		for _, x := range g.words {
			out = append(out, words.Word{
				Text: x.text, Box: x.bounds(w, h), Confidence: x.confidence,
				Origin: words.FromPixels, Vertical: !g.upright(),
			})
		}
	}
	return slices.DeleteFunc(out, func(x words.Word) bool { return x.Box == document.Box{} })
}
