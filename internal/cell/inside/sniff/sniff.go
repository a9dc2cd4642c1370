// Package sniff tells what a document is from its bytes alone; neither a name nor a
// client's content type is heard. It names far more than blotter opens, so that a
// refusal can say what was refused.
//
// The order of the checks is the answer for files that are several things at once: a
// signature at the very start wins, so a JPEG with an archive or a PDF behind it is a
// JPEG, and nothing behind its end leaves with the pixels. A PDF may have up to
// 1 KiB of junk before its header, but only junk that is no format of its own.
package sniff

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// headBytes is how much of the start is looked at: enough for a tar header, an MPEG
// transport stream's third packet and the junk before a PDF header.
const headBytes = 2048

// Sniff names the format of a document of size bytes. The error is nil for what
// blotter opens (document.Opened). For everything else it carries a reason code
// (sniff.*, extract.encrypted for a message that is encrypted, or
// extract.vector_image for a drawing) and the
// format is named all the same, as far as it is known.
func Sniff(r io.ReaderAt, size int64) (document.Format, error) {
	if size <= 0 {
		return document.Empty, reason.Because(reason.SniffEmpty, errors.New("sniff: no bytes"))
	}
	head := make([]byte, min(size, headBytes))
	if _, err := r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return document.UnknownFormat, reason.Because(reason.SourceUnreadable, err)
	}
	f := binaryFormat(head)
	switch signed, encrypted := cmsKind(head); {
	case f == document.UnknownFormat && signed && encrypted:
		return document.CMS, reason.Because(reason.ExtractEncrypted, errors.New("sniff: an encrypted message"))
	case f == document.UnknownFormat && signed:
		return document.CMS, nil
	case f == document.UnknownFormat && isOpenPGP(head):
		return document.OpenPGP, judge(document.OpenPGP, r, size)
	}
	switch {
	case f == document.ZIP:
		var err error
		if f, err = packageFormat(r, size); err != nil {
			return f, err
		}
	case f == document.OLE:
		return compound(r, size)
	case f == document.UnknownFormat && pdfWithin(head):
		f = document.PDF
	case f == document.UnknownFormat:
		if f = textFormat(head); f != document.UnknownFormat {
			if kind := rootFormat(r, size); kind != document.UnknownFormat {
				f = kind
			}
		}
	}
	return f, judge(f, r, size)
}

// judge refuses what is not opened, and what carries the signature of something that
// is but not its structure.
func judge(f document.Format, r io.ReaderAt, size int64) error {
	if slices.Contains(document.Opened(), f) {
		if err := validate(f, r, size); err != nil {
			return reason.Because(reason.SniffMalformed, fmt.Errorf("sniff: %v: %w", f, err))
		}
	}
	code, err := codeOf(f), error(nil)
	if f == document.PDF {
		code, err = formBehindPDF(r, size)
	}
	if err != nil {
		return reason.Because(reason.SourceUnreadable, err)
	}
	if code == "" {
		return nil
	}
	return reason.Because(code, fmt.Errorf("sniff: %v is not opened", f))
}

// codeOf is empty for what blotter opens.
func codeOf(f document.Format) reason.Code {
	if slices.Contains(document.Opened(), f) {
		return ""
	}
	switch f {
	case document.UnknownFormat:
		return reason.SniffUnknown
	case document.Empty:
		return reason.SniffEmpty
	case document.Video:
		return reason.SniffVideo
	case document.Audio:
		return reason.SniffAudio
	case document.ZIP, document.Archive:
		return reason.SniffArchive
	case document.Script, document.Executable:
		return reason.SniffScript
	case document.HTML, document.MHTML, document.Flash, document.XFA, document.FormData:
		return reason.SniffInteractive
	case document.SVG:
		return reason.ExtractVector
	case document.HL7, document.FHIR, document.Card:
		return reason.SniffRecord
	case document.OpenPGP:
		return reason.ExtractEncrypted
	}
	return reason.SniffUnsupported
}
