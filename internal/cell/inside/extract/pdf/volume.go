package pdf

import (
	"errors"
	"fmt"
	"slices"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"blotter/internal/cell/inside/extract/mapped"
	"blotter/internal/cell/inside/extract/pdf/objects"
	"blotter/internal/reason"
)

// volume is one document that PDFium holds open: the file itself, or what was carved
// out of it.
type volume struct {
	e       *Engine
	ref     references.FPDF_DOCUMENT
	open    int // index of the page held open, -1 for none
	openRef references.FPDF_PAGE
	changed bool    // objects of the open page are no longer as they were parsed
	objects []int64 // of each page, as they were counted; nil where they are few
}

// openVolume loads a document. data is PDFium's copy afterwards.
func (e *Engine) openVolume(data []byte) (*volume, error) {
	res, err := e.pdf.OpenDocument(&requests.OpenDocument{File: &data})
	if err != nil {
		e.failed(err)
		return nil, openError(err)
	}
	return &volume{e: e, ref: res.Document, open: -1}, nil
}

// openMended loads a document with a revision behind its end, or without one that PDFium
// does not follow.
func (e *Engine) openMended(data, update []byte) (*volume, error) {
	if update == nil {
		return e.openVolume(data)
	}
	v, err := e.openVolume(slices.Concat(data, update))
	if err != nil && !e.broken {
		return e.openVolume(data)
	}
	return v, err
}

// wrong gives a failed call its code and notes a broken engine.
func (e *Engine) wrong(what string, err error) error {
	e.failed(err)
	return reason.Because(reason.ExtractMalformed, fmt.Errorf("pdf: %s: %w", what, err))
}

func (v *volume) pages() (int, error) {
	count, err := v.e.pdf.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: v.ref})
	if err != nil {
		return 0, v.e.wrong("count pages", err)
	}
	return count.PageCount, nil
}

// openPage parses a page and holds it open until another is asked for, because
// documents have hundreds of images on one page.
func (v *volume) openPage(i int) (requests.Page, error) {
	if v.open == i {
		return requests.Page{ByReference: &v.openRef}, nil
	}
	v.closePage()
	v.e.memory.Allow(v.room(i))
	res, err := v.e.pdf.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: v.ref, Index: i})
	if v.e.memory.Allow(mapped.All) {
		v.e.broken = true
		return requests.Page{}, reason.Because(reason.ExtractObjects, errors.New("pdf: a page of more objects than were counted"))
	}
	if err != nil {
		return requests.Page{}, v.e.wrong("load page", err)
	}
	v.open, v.openRef = i, res.Page
	return requests.Page{ByReference: &v.openRef}, nil
}

// What PDFium's memory may grow by while it builds a page: what fonts and streams of
// operators take, and what an object takes at most. Our reader counts the objects, and a
// file may show it others than PDFium: then this stops the page, and the document with it.
const (
	pageBytes   = 160 << 20
	objectBytes = 1 << 10
)

// weigh notes what was counted on each page.
func (v *volume) weigh(pages []objects.Drawn) {
	v.objects = make([]int64, len(pages))
	for i, p := range pages {
		v.objects[i] = p.Objects
	}
}

// room is how many bytes building a page may take.
func (v *volume) room(i int) uint64 {
	if i >= len(v.objects) {
		return pageBytes
	}
	return pageBytes + objectBytes*uint64(v.objects[i])
}

func (v *volume) closePage() {
	if v.open < 0 || v.e.broken {
		return
	}
	v.open, v.changed = -1, false
	if _, err := v.e.pdf.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: v.openRef}); err != nil {
		v.e.failed(err)
	}
}

func (v *volume) close() error {
	v.closePage()
	if _, err := v.e.pdf.FPDF_CloseDocument(&requests.FPDF_CloseDocument{Document: v.ref}); err != nil {
		return fmt.Errorf("pdf: close: %w", err)
	}
	return nil
}
