package office

import (
	"context"
	"errors"
	"io"

	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/document"
)

func Open(ctx context.Context, r io.ReaderAt, size int64, lim document.Limits) (catalogue.Source, error) {
	return nil, errors.New("office: not built yet")
}
