package inside

import (
	"context"
	"errors"
	"math"
	"time"

	"golang.org/x/sys/unix"

	"blotter/internal/cell/inside/extract"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// roomOf is how many bytes one image may take in a cell: what its memory leaves beside
// reading, and beside the operator's classifier, which lies in memory as its file does. A
// cell that only opens documents is judged as one that reads them, so that it tells what
// would become of each. 0, where no memory was set, judges nothing.
func roomOf(s wire.Setup) int64 {
	if s.MemoryBytes == 0 {
		return 0
	}
	taken := int64(wire.ReadingBytes)
	if s.Classifier != nil {
		var st unix.Stat_t
		if err := unix.Fstat(wire.ModelFD, &st); err == nil {
			taken += st.Size
		}
	}
	return max(1, s.MemoryBytes-taken)
}

// fits reports whether an image can be worked on within the cell's memory, by what its
// headers say. The parent's watch is there for those that take more than that.
func (e engines) fits(a extract.Item) bool {
	return e.room == 0 || a.Drawn <= e.room && weight(a) <= e.room-a.Drawn
}

// weight is how many bytes decoding, drawing on and encoding an image takes at most, without
// what is drawn on a page.
func weight(a extract.Item) int64 {
	bytes := int64(wire.PixelBytes)
	switch {
	case a.Kind == document.Page:
		bytes = wire.PagePixelBytes
	case a.Bits > 8:
		bytes = wire.WidePixelBytes
	}
	bytes = max(bytes, int64(a.PixelBytes))
	pixels := int64(a.Width) * int64(a.Height)
	return min(pixels, math.MaxInt64/bytes) * bytes
}

// timed runs one pass over an asset in the time that it may take. An engine that is
// reading looks at ctx between two lines; a decoder does not, and what it may cost is
// bounded by the size of the image.
func (p *pipeline) timed(ctx context.Context, pass func(context.Context) error) error {
	most := time.Duration(p.task.Limits.AssetSeconds) * time.Second
	if most == 0 {
		return pass(ctx)
	}
	limited, cancel := context.WithTimeoutCause(ctx, most, errSlow)
	defer cancel()
	err := pass(limited)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(limited), errSlow) {
		return errSlow
	}
	return err
}

var errSlow = reason.Because(reason.ReadTime, errors.New("inside: an image took longer than it may"))
