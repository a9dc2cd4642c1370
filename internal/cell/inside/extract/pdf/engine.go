// Package pdf opens PDF files with PDFium, which runs as WebAssembly: a flaw in it
// stays inside the sandbox of the interpreter, which has no files, no network and
// bounded memory. Pages are rendered as people see them; every embedded image is an
// asset of its own, because pages crop, cover, turn and scale what images hold.
package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"blotter/internal/cell/inside/extract/mapped"
)

// memoryPages bounds PDFium's memory: pages of 64 KiB, so 768 MiB. An asset at the
// default limit of 40 megapixels needs about 120 MB decoded, 160 MB as a bitmap and
// the same again while PDFium converts between them.
const memoryPages = 12_288

// startTimeout bounds the wait for the one instance; it is there at once.
const startTimeout = 30 * time.Second

// Engine is one started PDFium.
type Engine struct {
	pool  pdfium.Pool
	pdf   pdfium.Pdfium
	cache wazero.CompilationCache
	// memory is the instance's.
	memory *mapped.Ceiling
	// broken is set once a call left the sandbox in the middle of its work; what its
	// memory holds then is not to be trusted.
	broken  bool
	renewed int // how often the instance was replaced
}

// Start loads PDFium, from the compilation cache where it is warm (about 0.1 s), else
// by compiling it (about 3 s) and filling the cache where it can be written. It makes
// its one instance at once and mounts no directory. A call can only be stopped by
// ending the process: the interpreter's own way costs a factor of 2 to 8.
func Start(cacheDir string) (engine *Engine, err error) {
	defer func() {
		if p := recover(); p != nil {
			engine, err = nil, fmt.Errorf("pdf: start PDFium: %v", p)
		}
	}()
	cache, err := wazero.NewCompilationCacheWithDir(cacheDir)
	if err != nil {
		return nil, fmt.Errorf("pdf: compilation cache: %w", err)
	}
	runtime := wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
		WithMemoryLimitPages(memoryPages).
		WithCompilationCache(cache)
	ctx, memory := mapped.Ceilinged(context.Background())
	pool, err := webassembly.Init(webassembly.Config{
		Context: ctx,
		MinIdle: 1, MaxIdle: 1, MaxTotal: 1,
		RuntimeConfig: runtime,
		FSConfig:      wazero.NewFSConfig(), // the default would mount the host's /
		Stdout:        io.Discard,
		Stderr:        io.Discard, // PDFium's messages quote the document
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("pdf: start PDFium: %w", err), cache.Close(context.Background()))
	}
	e := &Engine{pool: pool, cache: cache, memory: memory}
	if e.pdf, err = pool.GetInstance(startTimeout); err != nil {
		return nil, errors.Join(fmt.Errorf("pdf: PDFium instance: %w", err), e.Close())
	}
	return e, nil
}

// Close frees PDFium's memory.
func (e *Engine) Close() error {
	return errors.Join(e.pool.Close(), e.cache.Close(context.Background()))
}

// renew replaces an instance that a document broke. Inside a locked cell it is never
// needed: a cell ends with its document.
func (e *Engine) renew() error {
	if !e.broken {
		return nil
	}
	if err := e.pdf.Kill(); err != nil {
		return fmt.Errorf("pdf: drop PDFium instance: %w", err)
	}
	pdf, err := e.pool.GetInstance(startTimeout)
	if err != nil {
		return fmt.Errorf("pdf: PDFium instance: %w", err)
	}
	e.pdf, e.broken = pdf, false
	e.renewed++
	return nil
}

// failed notes an error of a call. PDFium's own refusals are plain errors; one that
// wraps another comes from the interpreter: a trap, memory used up, an exit.
func (e *Engine) failed(err error) {
	if err != nil && errors.Unwrap(err) != nil {
		e.broken = true
	}
}
