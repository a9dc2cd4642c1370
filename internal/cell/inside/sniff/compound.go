package sniff

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"blotter/internal/cell/inside/cfb"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// locked is the stream of an office package behind a password, [MS-OFFCRYPTO] 1.3.2.
const locked = "EncryptedPackage"

// managed is the stream of a document of rights management, 1.3.4.
const managed = "\x09DRMContent"

// compoundKinds tell what a compound file is by an entry of its root, in their order of
// precedence: [MS-DOC] 2.1, [MS-XLS] 2.1.2, [MS-PPT] 2.1, [MS-OXMSG] 2.2, and what
// Visio and Publisher write. The rest are those of objects ([MS-OLEDS] 2.3).
var compoundKinds = []struct {
	entry string
	f     document.Format
}{
	{"WordDocument", document.DOC},
	{"Workbook", document.XLS}, {"Book", document.XLS},
	{"PowerPoint Document", document.PPT},
	{"__properties_version1.0", document.MSG},
	{"VisioDocument", document.Visio},
	{"Quill", document.Publisher},
	{"\x01Ole10Native", document.OLEObject}, {"Package", document.OLEObject}, {"CONTENTS", document.OLEObject},
	{"EmbeddedOdf", document.OLEObject}, {"Equation Native", document.OLEObject}, {"\x03EPRINT", document.OLEObject},
	{"\x03META", document.OLEObject}, {"\x02OlePres000", document.OLEObject}, {"\x01Ole", document.OLEObject},
	{"\x03OCXNAME", document.OLEObject}, {"PROJECT", document.OLEObject}, // a control, a project of macros
}

// compound names a compound file. One whose directory cannot be read is malformed.
func compound(r io.ReaderAt, size int64) (document.Format, error) {
	root, err := cfb.Open(r, size, maxEntries)
	switch {
	case errors.Is(err, cfb.ErrEntries), errors.Is(err, cfb.ErrMalformed), errors.Is(err, io.ErrUnexpectedEOF):
		return document.OLE, reason.Because(reason.SniffMalformed, fmt.Errorf("sniff: compound file: %w", err))
	case err != nil:
		return document.OLE, reason.Because(reason.SourceUnreadable, err)
	case root.Find(locked) != nil:
		return document.LockedOffice, nil // extraction tries the one password that is nobody's
	case root.Find(managed) != nil:
		return document.OLE, reason.Because(reason.ExtractEncrypted, errors.New("sniff: a document that a server of rights opens"))
	}
	f := document.OLE
	if len(root.Children) == 0 { // an object that holds nothing
		f = document.OLEObject
	}
	for _, k := range slices.Backward(compoundKinds) {
		if root.Find(k.entry) != nil {
			f = k.f
		}
	}
	return f, judge(f, r, size)
}
