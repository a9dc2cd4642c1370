package pdf

import (
	"fmt"

	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/cell/inside/extract/pdf/objects"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// attached are the files that the document carries.
type attached struct {
	file  *objects.File // kept only where there are any: it holds the whole document
	files []objects.Attached
}

// attach lists the files within. beside told whether PDFium knows of more than those.
func (d *Document) attach(file *objects.File) error {
	files, err := file.Files()
	if err != nil {
		return err
	}
	if len(files) > d.lim.Entries {
		return reason.Because(reason.ExtractEntries, fmt.Errorf("pdf: %d attached files", len(files)))
	}
	if len(files) > 0 {
		d.attached = attached{file, files}
	}
	if d.listed > len(files) || file.Exhausted() {
		d.extra |= document.EmbeddedFiles
	}
	return nil
}

// Embedded lists the files that the document carries.
func (d *Document) Embedded() []catalogue.Embedded {
	out := make([]catalogue.Embedded, len(d.attached.files))
	for i, a := range d.attached.files {
		if out[i].Size = a.Size; a.Opaque {
			out[i].Withheld = reason.ExtractEncoding
		}
	}
	return out
}

// Unpack returns one of them.
func (d *Document) Unpack(i int) ([]byte, error) {
	return d.attached.file.Unpack(d.attached.files[i])
}

// Spent counts them. What the document's own streams unpack to is bounded for each
// document by itself.
func (d *Document) Spent() catalogue.Cost {
	c := catalogue.Cost{Entries: len(d.attached.files)}
	for _, a := range d.attached.files {
		c.Unpacked += a.Size
	}
	return c
}
