package office

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"

	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// gzipped begins a metafile that was packed before it came into the archive: EMZ and
// WMZ, which office suites write for drawings in VML.
const gzipped = "\x1f\x8b"

// addPacked lists a picture that is packed once more. It is unpacked here to learn its
// size, because what a gzip file says of that is only true below 4 GiB, and may be a lie.
func (d *Document) addPacked(p *zip.File) error {
	data, err := unpack(p, d.lim)
	if err != nil {
		return d.add(picture{part: p}, withheld(document.UnknownFormat, reason.Of(err)))
	}
	left := d.lim.UnpackedBytes - d.spent.Unpacked
	size, err := gunzippedSize(data, left)
	switch {
	case err != nil:
		return d.add(picture{part: p}, withheld(document.UnknownFormat, reason.ExtractMalformed))
	case catalogue.Density(size, int64(len(data))) > int64(d.lim.Ratio):
		return d.add(picture{part: p}, withheld(document.UnknownFormat, reason.ExtractRatio))
	case size > left:
		return reason.Because(reason.ExtractUnpacked, errors.New("office: packed picture too large"))
	}
	d.spent.Unpacked += size
	d.spent.Ratio = max(d.spent.Ratio, catalogue.Density(size, int64(len(data))))
	d.within = append(d.within, within{part: p, picture: true, packed: size})
	return nil
}

// gunzippedSize unpacks to nowhere, and stops one byte beyond most.
func gunzippedSize(data []byte, most int64) (int64, error) {
	in, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return 0, err
	}
	defer in.Close()
	n, err := io.Copy(io.Discard, io.LimitReader(in, most+1))
	if err == nil && n == 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func gunzip(data []byte, size int64) ([]byte, error) {
	in, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, reason.Because(reason.ExtractMalformed, err)
	}
	defer in.Close()
	out := make([]byte, size)
	if _, err := io.ReadFull(in, out); err != nil {
		return nil, reason.Because(reason.ExtractMalformed, err)
	}
	return out, nil
}
