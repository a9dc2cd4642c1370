package pdf

import (
	"math"

	"github.com/klippa-app/go-pdfium/requests"

	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/cell/inside/extract/pdf/objects"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// drawings judges pages by what they draw, before PDFium builds any of it.
type drawings struct {
	pages   []objects.Drawn
	lim     document.Limits
	objects int64 // of the pages that were let pass
	pixels  int64
	kept    bool // some page was not
}

// judge says why a page is not opened; "" where it is. unit is the size of its user unit in
// points.
func (s *drawings) judge(page int, unit float64) reason.Code {
	p := s.pages[page]
	pixels := p.Pixels + s.covered(p, unit)
	switch {
	case p.Objects > s.lim.PageObjects, p.Objects > s.lim.TotalObjects-s.objects:
		s.kept = true
		return reason.ExtractObjects
	case pixels > s.lim.DrawnPixels-s.pixels:
		s.kept = true
		return reason.ExtractDrawn
	}
	s.objects += p.Objects
	s.pixels += pixels
	return ""
}

// covered is how many pixels the page covers at the size at which it is rendered.
func (s *drawings) covered(p objects.Drawn, unit float64) int64 {
	if p.Page <= 0 {
		return 0
	}
	scale := unit * float64(s.lim.PageDPI) / 72
	scale = math.Min(scale*scale, float64(s.lim.AssetPixels)/p.Page)
	if n := p.Area * scale; n < math.MaxInt64/4 {
		return int64(n)
	}
	return math.MaxInt64 / 4 // a box without bounds makes no number
}

// unit is the size of a page's user unit in points.
func (d *Document) unit(page int) float64 {
	if u, ok := d.units[page]; ok {
		return u
	}
	return 1
}

// decodes is how many pixels a stream decodes to: those that its codec tells of, where
// that has a size of its own; none where it withholds its page, so that it never is.
func (d *Document) decodes(raw []byte, filters []string, w, h, bits int) int64 {
	p := picture{w: w, h: h, bits: bits}
	p.inspect(raw, filters)
	if p.format == document.JBIG2 || p.format == document.CCITT {
		p.bits = 1
	}
	n := int64(max(0, p.w)) * int64(max(0, p.h))
	if n > d.lim.AssetPixels && !p.light(d.lim.AssetPixels) {
		return 0
	}
	return n
}

// size fills in how large a page is that is not opened. PDFium tells it from the page's
// dictionary; where it does not, the size stays unknown.
func (d *Document) size(i int, item *catalogue.Item) {
	res, err := d.e.pdf.FPDF_GetPageSizeByIndex(&requests.FPDF_GetPageSizeByIndex{Document: d.ref, Index: i})
	if err != nil {
		d.e.failed(err)
		return
	}
	wide, high := res.Width*d.unit(i), res.Height*d.unit(i)
	if !(wide > 0 && high > 0 && wide < 1e6 && high < 1e6) {
		return
	}
	dpi := fitDPI(wide, high, d.lim)
	item.DPI, item.Width, item.Height = int(dpi), pixels(wide, dpi), pixels(high, dpi)
}
