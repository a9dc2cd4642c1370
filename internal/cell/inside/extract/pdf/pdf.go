package pdf

import (
	"context"
	"errors"
	"io"

	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/document"
)

type Engine struct{}

func Start(cacheDir string) (*Engine, error) { return &Engine{}, nil }
func (e *Engine) Close() error               { return nil }
func Open(ctx context.Context, r io.ReaderAt, size int64, lim document.Limits, e *Engine) (catalogue.Source, error) {
	return nil, errors.New("pdf: not built yet")
}
