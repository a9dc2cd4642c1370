package sniff

import (
	"io"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// Sniff
func Sniff(r io.ReaderAt, size int64) (document.Format, error) {
	return document.UnknownFormat, reason.Because(reason.SniffUnknown, nil)
}
