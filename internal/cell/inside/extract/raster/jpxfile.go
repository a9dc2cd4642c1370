package raster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"blotter/internal/reason"
)

// What the samples of JPEG 2000 mean stands in the boxes around a codestream: a palette,
// which sample is opacity, whether four are inks. A decoder that gets the codestream alone
// takes three for light and makes noise of four.

// jpxHeaderRead bounds the box of headers, bytes: a palette and a colour profile. A profile
// of a press has about a megabyte.
const jpxHeaderRead = 4 << 20

// Colour spaces by number, ISO 15444-1 table I.10 and 15444-2 table M.25.
const (
	jpxInks  = 12
	jpxLight = 16
	jpxGray  = 17
)

// meaning keeps the box of headers that begins at at.
func (w *jpxWalk) meaning(at int64, s span) error {
	if s.end-at > jpxHeaderRead || s.end > w.size || w.header != nil {
		return because("JPEG 2000", fmt.Errorf("headers of %d bytes, or twice", s.end-at))
	}
	b := make([]byte, s.end-at)
	if _, err := w.r.ReadAt(b, at); err != nil && !errors.Is(err, io.EOF) {
		return reason.Because(reason.SourceUnreadable, fmt.Errorf("raster: JPEG 2000: %w", err))
	}
	if bytes.Contains(b, []byte("ihdr")) && bytes.Contains(b, []byte("colr")) { // else it says nothing, and decoders refuse it
		w.header = jpxBox("jp2h", b[s.at-at:])
	}
	return nil
}

// jpxFile is a codestream of some samples a pixel as a file that says what they mean, and
// what a PDF would say of it. Where no header tells, up to two samples are gray, and the last
// of four is opacity where the others are coded as light; else four are inks. The opacity of
// gray is passed over: PDFium has no way to it.
func jpxFile(header, codestream []byte, samples int) (dict string, file []byte) {
	space := jpxLight
	switch {
	case samples <= 2:
		space = jpxGray
	case samples == 4 && !jpxMixed(codestream):
		space = jpxInks
	}
	boxes := bytes.Clone(header)
	if boxes == nil {
		boxes = jpxBox("jp2h", jpxImageHeader(codestream, samples), jpxBox("colr", []byte{1, 0, 0}, be32of(space)))
	}
	dict = "/Filter/JPXDecode"
	if samples == 4 && jpxSpace(boxes, space) != jpxInks && !bytes.Contains(boxes, []byte("pclr")) {
		dict += "/SMaskInData 1"
	}
	return dict, slices.Concat(jpxBox("jP  ", []byte("\r\n\x87\n")), jpxBox("ftyp", []byte("jp2 \x00\x00\x00\x00jp2 ")), boxes, jpxBox("jp2c", codestream))
}

// jpxMixed reports whether the first three samples are coded together, as light is: the
// fifth byte of the COD segment's parameters, ISO 15444-1 A.6.1.
func jpxMixed(codestream []byte) bool {
	at := bytes.Index(codestream, []byte("\xff\x52"))
	return at >= 0 && at+8 < len(codestream) && codestream[at+8] == 1
}

// jpxSpace is the number of the colour space that headers tell, or what is taken for it.
func jpxSpace(header []byte, otherwise int) int {
	at := bytes.Index(header, []byte("colr"))
	if at < 0 || at+11 > len(header) || header[at+4] != 1 {
		return otherwise
	}
	return int(binary.BigEndian.Uint32(header[at+7:]))
}

// jpxImageHeader is the box of an image's size and depth, ISO 15444-1 I.5.3.1, taken from
// the codestream.
func jpxImageHeader(codestream []byte, samples int) []byte {
	u := func(i int) int { return int(binary.BigEndian.Uint32(codestream[i:])) }
	return jpxBox("ihdr", be32of(u(12)-u(20)), be32of(u(8)-u(16)), []byte{0, byte(samples), codestream[42], 7, 1, 0})
}

func jpxBox(kind string, body ...[]byte) []byte {
	b := bytes.Join(body, nil)
	return slices.Concat(be32of(8+len(b)), []byte(kind), b)
}

func be32of(v int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(v)) }
