package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"math"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// DecodeStream decodes a bare image stream that PDFium knows and Go's decoders do
// not, by making it the only image of a document. dict is the rest of the image's
// dictionary: filter, parameters, colour space and bits. The size is the one that was
// judged already; a stream that decodes to another is refused.
func (e *Engine) DecodeStream(dict string, data []byte, w, h int) (img image.Image, err error) {
	b := wrap(dict, data, w, h)
	area := int64(w) * int64(h)
	d, err := Open(context.Background(), bytes.NewReader(b), int64(len(b)), document.Limits{
		Pages: 1, Assets: 2, AssetPixels: area, TotalPixels: math.MaxInt64, UnpackedBytes: 1 << 62, Filters: 2, PageObjects: 1 << 10, TotalObjects: 1 << 10, DrawnPixels: math.MaxInt64, PageDPI: leastDPI}, e)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if len(d.assets) != 2 {
		return nil, reason.Because(reason.ExtractMalformed, errors.New("pdf: wrapped stream is no image"))
	}
	return d.Load(1)
}

// wrap writes the document: one page of one point that draws the image.
func wrap(dict string, data []byte, w, h int) []byte {
	var b bytes.Buffer
	var at []int
	object := func(head string, stream []byte) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s", len(at), head)
		if stream != nil {
			b.WriteString("\nstream\n")
			b.Write(stream)
			b.WriteString("\nendstream")
		}
		b.WriteString("\nendobj\n")
	}
	b.WriteString("%PDF-1.7\n")
	object("<</Type/Catalog/Pages 2 0 R>>", nil)
	object("<</Type/Pages/Kids[3 0 R]/Count 1>>", nil)
	object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 1 1]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>", nil)
	object("<</Length 5>>", []byte("/I Do"))
	object(fmt.Sprintf("<</Type/XObject/Subtype/Image/Width %d/Height %d%s/Length %d>>", w, h, dict, len(data)), data)
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return b.Bytes()
}
