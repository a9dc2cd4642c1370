// Package read finds the text of a page and reads it: where a detector sees text, a
// recogniser or the container's own text layer says which, as words with boxes.
//
// It guarantees that every region in which the detector sees text is explained by
// words, or listed as unread: nothing that was seen is passed over in silence. A
// word's box covers the word's ink.
//
// Where a layer explains all that is drawn on a page, but for rules and empty frames, the
// detector is not asked: there is nothing left that could be text. What shows no more than
// grain, where a pixel says nothing of the next, is no text either.
//
// Pages come turned any way by quarters and are read upright. The recogniser knows
// Latin script; Chinese, which it knows too, is listed as unread, because nothing
// behind it can judge it. Handwriting is read as far as the recogniser is sure of it.
// Words live in memory only; nothing here logs.
package read

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"

	"blotter/internal/cell/inside/onnx"
	"blotter/internal/cell/inside/onnx/rewrite"
	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// Models are the engines, pinned by digest (package engine): the path of ONNX
// Runtime's library, which may be a descriptor's (/proc/self/fd/N), and the bytes of
// three ONNX models and of the dictionary. Threads is how many threads read one page;
// zero means one.
type Models struct {
	Library                                   string
	Detection, Recognition, Angle, Dictionary []byte
	Threads                                   int
}

// Reader reads pages, one at a time.
type Reader struct {
	runtime                       *onnx.Runtime
	detection, recognition, angle *onnx.Session
	alphabet                      alphabet
	threads                       int
}

// Load makes a Reader. Later calls open no file and start no process. The error
// carries cell.engines_missing.
func Load(m Models) (*Reader, error) {
	r := &Reader{alphabet: newAlphabet(m.Dictionary), threads: max(1, m.Threads)}
	if err := r.load(m); err != nil {
		r.Close()
		return nil, reason.Because(reason.CellEngines, err)
	}
	return r, nil
}

func (r *Reader) load(m Models) (err error) {
	if r.runtime, err = onnx.Open(m.Library); err != nil {
		return err
	}
	// Lines are read side by side, each on one thread: two threads on one line gain
	// little, two lines on two threads almost double the speed.
	for _, s := range []struct {
		name    string
		model   []byte
		rewrite func([]byte) ([]byte, error)
		threads int
		into    **onnx.Session
	}{
		{"detection", m.Detection, rewrite.Model, r.threads, &r.detection},
		{"recognition", m.Recognition, rewrite.Scores, 1, &r.recognition},
		{"angle", m.Angle, rewrite.Model, 1, &r.angle},
	} {
		short, err := s.rewrite(s.model)
		if err != nil {
			return fmt.Errorf("read: %s model: %w", s.name, err)
		}
		if *s.into, err = r.runtime.Session(short, s.threads); err != nil {
			return fmt.Errorf("read: %s model: %w", s.name, err)
		}
	}
	r.runtime.Settle()
	return nil
}

// Close releases the engines; no call may be under way. It never fails.
func (r *Reader) Close() error {
	for _, s := range []*onnx.Session{r.detection, r.recognition, r.angle} {
		if s != nil {
			s.Close()
		}
	}
	if r.runtime != nil {
		r.runtime.Close()
	}
	return nil
}

// Read finds and reads the text of an image, an *image.Gray or an opaque
// *image.NRGBA whose bounds start at the origin. layer holds the words that the
// container itself says are shown, in the image's pixels, or nil; they are checked
// against a sample of the pixels, against all where the sample differs anywhere, and
// believed where they say the same. Errors carry
// read.engine_failed, or are ctx's.
func (r *Reader) Read(ctx context.Context, img image.Image, layer []words.Word) (words.Page, error) {
	page, err := r.read(ctx, img, layer)
	return page, because(ctx, err)
}

func (r *Reader) read(ctx context.Context, img image.Image, layer []words.Word) (words.Page, error) {
	p, err := pictureOf(img)
	if err != nil || p.w <= 0 || p.h <= 0 {
		return words.Page{}, errors.Join(err)
	}
	if page, ok, err := r.readDrawn(ctx, p.turned(0), turnLayer(layer, p.turned(0))); ok || err != nil {
		return page, err
	}
	v, regions, err := r.stand(ctx, p)
	if err != nil {
		return words.Page{}, err
	}
	layer = turnLayer(layer, v)
	claims := explain(v, regions, layer)
	if layer, err = r.check(ctx, v, claims, layer); err != nil {
		return words.Page{}, err
	}
	over, err := r.readOver(ctx, v, regions)
	if err != nil {
		return words.Page{}, err
	}
	return r.page(ctx, v, claims, layer, regions, over...)
}

// page reads what the layer does not say, and puts all together; more was read already.
func (r *Reader) page(ctx context.Context, v view, claims []*claim, layer []words.Word, regions []region, more ...reading) (words.Page, error) {
	readings, err := r.readDoubtful(ctx, v, claims)
	if err != nil {
		return words.Page{}, err
	}
	readings = slices.DeleteFunc(readings, v.tickBox)
	readable, unread := judge(append(readings, more...), v.w, v.h)
	return words.Page{
		Width: v.w, Height: v.h, Turn: v.turn, Unread: unread,
		Words: closeUp(arrange(readable, layer, skew(regions), v.w, v.h)),
	}, nil
}

// stand finds the picture's text and turns the view upright. A page that was not is
// searched again: the detector sees more in upright text.
func (r *Reader) stand(ctx context.Context, p picture) (view, []region, error) {
	v := p.turned(0)
	regions, err := r.detect(v, 1)
	if err != nil {
		return v, nil, err
	}
	turn, err := r.upright(ctx, v, regions)
	if err == nil && turn != 0 {
		v = p.turned(turn)
		regions, err = r.detect(v, 1)
	}
	if err == nil {
		regions, err = r.withSidelines(v, regions)
	}
	return v, regions, err
}

// because gives an engine's failure its code; the end of ctx stays what it is.
func because(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	return reason.Because(reason.ReadFailed, err)
}

// fromAsset maps a box of the asset into the upright view.
func (v view) fromAsset(b document.Box) document.Box {
	return (4 - v.turn).ToAsset(b, v.picture.w, v.picture.h)
}
