package pdf

import (
	"bytes"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"

	"blotter/internal/document"
)

// xmpMark begins every XMP packet; packets are stored without compression so that
// programs that know no PDF find them.
const xmpMark = "<?xpacket begin"

// beside tells what the document holds apart from pages. data is the whole file.
func (d *Document) beside(data []byte) document.NotCovered {
	var n document.NotCovered
	if bytes.Contains(data, []byte(xmpMark)) {
		n |= document.Metadata
	}
	files, err := d.e.pdf.FPDFDoc_GetAttachmentCount(&requests.FPDFDoc_GetAttachmentCount{Document: d.ref})
	if err != nil {
		n |= document.EmbeddedFiles
	} else {
		d.listed = files.AttachmentCount
	}
	outline, err := d.e.pdf.FPDFBookmark_GetFirstChild(&requests.FPDFBookmark_GetFirstChild{Document: d.ref})
	if err == nil && outline.Bookmark != nil {
		n |= document.Metadata
	}
	for _, tag := range []string{"Title", "Author", "Subject", "Keywords", "Creator", "Producer", "CreationDate", "ModDate"} {
		text, err := d.e.pdf.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: d.ref, Tag: tag})
		if err == nil && text.Value != "" { // an error: no information dictionary
			n |= document.Metadata
		}
	}
	return n
}

// startForm makes form fields drawable. PDFium draws them only for a host that could
// let a person fill them in; nothing here ever does, so the callbacks do nothing. A
// document whose form does not start is rendered without its fields' contents, which
// then leave with no derivative.
func (d *Document) startForm() {
	kind, err := d.e.pdf.FPDF_GetFormType(&requests.FPDF_GetFormType{Document: d.ref})
	if err != nil || kind.FormType == enums.FPDF_FORMTYPE_NONE {
		return
	}
	d.extra |= document.Metadata
	res, err := d.e.pdf.FPDFDOC_InitFormFillEnvironment(&requests.FPDFDOC_InitFormFillEnvironment{
		Document: d.ref,
		FormFillInfo: structs.FPDF_FORMFILLINFO{
			FFI_Invalidate:         func(references.FPDF_PAGE, float64, float64, float64, float64) {},
			FFI_SetCursor:          func(enums.FXCT) {},
			FFI_SetTimer:           func(int, func(int)) int { return 0 },
			FFI_KillTimer:          func(int) {},
			FFI_GetLocalTime:       func() structs.FPDF_SYSTEMTIME { return structs.FPDF_SYSTEMTIME{} }, // output depends on the bytes alone
			FFI_GetPage:            func(references.FPDF_DOCUMENT, int) *references.FPDF_PAGE { return nil },
			FFI_GetRotation:        func(references.FPDF_PAGE) enums.FPDF_PAGE_ROTATION { return 0 },
			FFI_ExecuteNamedAction: func(string) {},
		},
	})
	if err != nil {
		d.e.failed(err)
		return
	}
	d.form = &res.FormHandle
}
