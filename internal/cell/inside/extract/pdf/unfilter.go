package pdf

import (
	"bytes"
	"io"

	"blotter/internal/cell/inside/extract/pdf/objects"
)

// headBytes is how much of an unfiltered stream is looked at for its header. A JPEG's
// frame header may stand behind metadata of 64 KiB a segment; a photograph with a colour
// profile, a thumbnail and edits has about 200 KiB of it.
const headBytes = 1 << 20

// unfilter undoes the filters that stand before an image's codec and returns the first
// headBytes of what the codec gets, or less where the stream breaks off. It reports
// false for a filter that it does not know. Predictors are not undone: they are for
// pixels, and under one no header is found.
func unfilter(raw []byte, filters []string) (head []byte, ok bool) {
	var r io.Reader = bytes.NewReader(raw)
	for _, f := range filters {
		if r = objects.Undo(objects.Name(f), r, true); r == nil {
			return nil, false
		}
	}
	// An error ends the prefix: the header may stand before it.
	head, _ = io.ReadAll(io.LimitReader(r, headBytes))
	return head, true
}
