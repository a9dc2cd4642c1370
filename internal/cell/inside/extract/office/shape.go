package office

import (
	"archive/zip"
	"bytes"
	"errors"

	"blotter/internal/cell/inside/extract/armour"
	"blotter/internal/cell/inside/extract/vml"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// packages lists the packages that shapes hold in base64, if there may be a picture in them;
// most repeat lines and text only. Their bytes count before they are decoded, and they are
// kept: finding one anew costs as much as its whole part.
func (d *Document) packages(text []byte) error {
	for letters := range vml.Packages(text) {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		d.spent.Unpacked += armour.Base64.Most(int64(len(letters)))
		if d.spent.Unpacked > d.lim.UnpackedBytes {
			return reason.Because(reason.ExtractUnpacked, errors.New("office: packages in shapes too large"))
		}
		b := armour.Base64.Decode(letters)
		if len(b) == 0 || d.onlyText(b) {
			continue
		}
		if d.spent.Entries++; d.spent.Entries > d.lim.Entries {
			return tooMany(d.spent.Entries)
		}
		d.inShapes = append(d.inShapes, within{made: b})
	}
	return nil
}

// onlyText reports whether all parts of a package are markup. What is no package is not.
func (d *Document) onlyText(b []byte) bool {
	lim := d.lim
	lim.UnpackedBytes -= d.spent.Unpacked
	parts, _, err := directory(bytes.NewReader(b), int64(len(b)), lim)
	if err != nil {
		return false
	}
	for _, p := range parts {
		if !d.isText(p) {
			return false
		}
	}
	return true
}

// isText reports whether a part is markup and no drawing in it.
func (d *Document) isText(p *zip.File) bool {
	head, err := d.head(p)
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	return err == nil && bytes.HasPrefix(text, []byte("<")) && pictureKind(head) == document.UnknownFormat
}
