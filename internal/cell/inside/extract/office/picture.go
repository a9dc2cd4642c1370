package office

import (
	"bytes"
	"strings"

	"blotter/internal/document"
)

// starView begins a metafile of StarOffice and its heirs, which keep previews of objects
// so.
const starView = "VCLMTF"

// A PICT has its version behind its size and frame, and as a file 512 bytes before these.
const (
	pictVersion1, pictVersion2 = "\x11\x01\xa0\x00", "\x00\x11\x02\xff\x0c\x00"
	pictApart                  = 512
)

// pictureKind tells a picture from its first bytes; UnknownFormat for all else.
func pictureKind(head []byte) document.Format {
	starts := func(s string) bool { return bytes.HasPrefix(head, []byte(s)) }
	at := func(i int, s string) bool { return len(head) >= i+len(s) && string(head[i:i+len(s)]) == s }
	switch {
	case starts("\x89PNG\r\n\x1a\n"):
		return document.PNG
	case starts("\xff\xd8\xff"):
		return document.JPEG
	case starts("II*\x00"), starts("MM\x00*"), starts("II+\x00"), starts("MM\x00+"):
		return document.TIFF
	case starts("II\xbc\x01"):
		return document.JPEGXR
	case starts("GIF87a"), starts("GIF89a"):
		return document.GIF
	case starts("RIFF") && at(8, "WEBP"):
		return document.WebP
	case starts("\x01\x00\x00\x00") && at(40, " EMF"):
		return document.EMF
	case starts("\xd7\xcd\xc6\x9a"), starts("\x01\x00\x09\x00"), starts("\x02\x00\x09\x00"):
		return document.WMF
	case starts("BM") && at(6, "\x00\x00\x00\x00"):
		return document.BMP
	case starts("\x00\x00\x00\x0cjP  "), starts("\xff\x4f\xff\x51"):
		return document.JPEG2000
	case at(4, "ftyphe"), at(4, "ftypmif"), at(4, "ftypmsf1"), at(4, "ftypmiaf"): // heic and heif, hevc and the rest
		return document.HEIC
	case at(10, pictVersion2), at(pictApart+10, pictVersion2), at(10, pictVersion1):
		return document.PICT
	case at(4, "ftypavif"), at(4, "ftypavis"):
		return document.AVIF
	case starts("\x97JB2\r\n\x1a\n"):
		return document.JBIG2
	case (starts("\x00\x00\x01\x00") || starts("\x00\x00\x02\x00")) && len(head) >= 22 && head[4] > 0 && head[5] == 0 && head[9] == 0:
		return document.ICO
	case bytes.Contains(head, []byte("<svg")):
		return document.SVG
	}
	return document.UnknownFormat
}

// isWithinByLook tells a document within the document by its place and its first bytes.
// Projects of macros and the controls of forms lie in the same container as old documents
// do and are none.
func isWithinByLook(name string, head []byte) bool {
	name = strings.ToLower(name)
	if attachments.MatchString(name) {
		return true
	}
	if programs.MatchString(name) {
		return false
	}
	for _, magic := range []string{"PK\x03\x04", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "%PDF-", "{\\rtf"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	return false
}
