package inside

import (
	"context"
	"errors"
	"image"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"blotter/internal/cell/inside/detect"
	"blotter/internal/cell/inside/extract"
	"blotter/internal/cell/inside/words"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// slowReader takes its time, on the clock of the test, and gives up when it is told to.
type slowReader struct {
	fakeReader
	reading, looking time.Duration
}

func (r *slowReader) Read(ctx context.Context, img image.Image, layer []words.Word) (words.Page, error) {
	if err := passes(ctx, r.reading); err != nil {
		return words.Page{}, err
	}
	return r.fakeReader.Read(ctx, img, layer)
}

func (r *slowReader) Look(ctx context.Context, img image.Image, turn document.Turn, burned []document.Box, before *words.Page) (words.Page, error) {
	if err := passes(ctx, r.looking); err != nil {
		return words.Page{}, err
	}
	return r.fakeReader.Look(ctx, img, turn, burned, before)
}

func passes(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// An image that takes longer than it may is withheld, in either pass; the time of one pass
// does not count for the other.
func TestSlowImagesAreWithheld(t *testing.T) {
	const most = 4
	for name, c := range map[string]struct {
		reading, looking time.Duration
		want             reason.Code
	}{
		"just in time":   {most*time.Second - 1, most*time.Second - 1, ""},
		"reads too long": {most*time.Second + 1, 0, reason.ReadTime},
		"looks too long": {0, most*time.Second + 1, reason.ReadTime},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &slowReader{fakeReader: fakeReader{page: oneLine()}, reading: c.reading, looking: c.looking}
				got := processLimited(t, engines{reader: r, finder: detect.New()}, wire.Task{}, func(l *document.Limits) { l.AssetSeconds = most })
				if c.want != "" {
					got.withheld(t, c.want)
					return
				}
				if len(got.done) != 1 || got.done[0].Status != document.Redacted {
					t.Errorf("asset ends as %+v", got.done)
				}
			})
		})
	}
}

// Whoever stops the whole is told why, and not that an image was slow.
func TestStopIsNotSlowness(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("stopped")
	p := &pipeline{task: wire.Task{Limits: document.Limits{AssetSeconds: 9}}}
	err := p.timed(ctx, func(ctx context.Context) error {
		cancel(why)
		<-ctx.Done()
		return context.Cause(ctx)
	})
	if !errors.Is(err, why) {
		t.Errorf("%v, want %v", err, why)
	}
}

func TestRoomOfAnImage(t *testing.T) {
	const mp = 1_000_000
	for name, c := range map[string]struct {
		memory int64
		kind   document.AssetKind
		w, h   int
		want   bool
		bits   int
	}{
		"image below": {wire.ReadingBytes + 8*mp, document.Image, 1000, 999, true, 8},
		"image exact": {wire.ReadingBytes + 8*mp, document.Image, 1000, 1000, true, 8},
		"image above": {wire.ReadingBytes + 8*mp, document.Image, 1000, 1001, false, 8},
		"wide exact":  {wire.ReadingBytes + 14*mp, document.Image, 1000, 1000, true, 16},
		"wide above":  {wire.ReadingBytes + 14*mp, document.Image, 1000, 1001, false, 16},
		"page exact":  {wire.ReadingBytes + 18*mp, document.Page, 1000, 1000, true, 8},
		"page above":  {wire.ReadingBytes + 18*mp, document.Page, 1001, 1000, false, 8},
		"no memory":   {100 * mp, document.Frame, 1, 1, false, 8},
		"giant":       {1 << 40, document.Image, 1<<31 - 1, 1<<31 - 1, false, 8},
		"not set":     {0, document.Image, 1<<31 - 1, 1<<31 - 1, true, 8},
		// The default page of the default policy in a cell of the default size.
		"default": {1 << 30, document.Page, 8000, 5000, true, 8},
	} {
		e := engines{room: roomOf(wire.Setup{MemoryBytes: c.memory})}
		if got := e.fits(extract.Item{Bits: c.bits, Asset: document.Asset{Kind: c.kind, Width: c.w, Height: c.h}}); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// What an image takes beyond what is usual, and what is drawn on a page, count.
func TestRoomOfWhatTakesMore(t *testing.T) {
	const mp = 1_000_000
	e := engines{room: 20 * mp}
	image := document.Asset{Kind: document.Image, Width: 1000, Height: 1000}
	page := document.Asset{Kind: document.Page, Width: 1000, Height: 1000}
	for name, c := range map[string]struct {
		item extract.Item
		want bool
	}{
		"costly, exact":     {extract.Item{Asset: image, PixelBytes: 20}, true},
		"costly, above":     {extract.Item{Asset: image, PixelBytes: 21}, false},
		"cheaper than most": {extract.Item{Asset: image, PixelBytes: 1}, true},
		"page, exact":       {extract.Item{Asset: page, Drawn: 2 * mp}, true},
		"page, above":       {extract.Item{Asset: page, Drawn: 2*mp + 1}, false},
		"page, endless":     {extract.Item{Asset: page, Drawn: math.MaxInt64}, false},
	} {
		if got := e.fits(c.item); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
