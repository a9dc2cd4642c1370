package objects

import (
	"errors"
	"io"
	"math"

	"blotter/internal/cell/inside/extract/raster/fax"
)

// Stream is an image's stream as its decoder finds it.
type Stream struct {
	// Codec is the last filter where that decodes pixels: DCTDecode, JPXDecode, JBIG2Decode
	// or CCITTFaxDecode; empty for samples as they are.
	Codec Name
	f     *File
	o     *Object
	parms Dict
	stop  int // filters before the codec
}

// codecs are the filters that decode pixels, under each of their names.
var codecs = map[Name]Name{"DCTDecode": "DCTDecode", "DCT": "DCTDecode", "JPXDecode": "JPXDecode", "JBIG2Decode": "JBIG2Decode",
	"CCITTFaxDecode": "CCITTFaxDecode", "CCF": "CCITTFaxDecode"}

// Stream finds the stream of an image by the digest of its bytes; false where no image that
// is an object of its own has it.
func (f *File) Stream(raw [32]byte) (Stream, bool) {
	i, ok := f.streams[raw]
	if !ok {
		return Stream{}, false
	}
	s := Stream{f: f, o: &f.objects[i]}
	names, parms := f.filters(s.o)
	if s.stop = len(names); s.stop > 0 {
		if s.Codec = codecs[names[s.stop-1]]; s.Codec != "" {
			s.stop--
			s.parms = parms[s.stop]
		}
	}
	return s, true
}

// Empty reports that there is nothing in the stream.
func (s Stream) Empty() bool { return s.o.data.to <= s.o.data.from }

// Data is what the codec gets, within the limit on unpacked bytes; false where a filter
// before it is not known.
func (s Stream) Data() ([]byte, bool) {
	if s.stop == 0 {
		return s.f.Raw(s.o), true
	}
	r, ok := s.f.reader(s.o, s.stop)
	if !ok {
		return nil, false
	}
	b, _ := io.ReadAll(io.LimitReader(r, s.f.lim.UnpackedBytes)) // an error ends it
	return b, true
}

// Missing counts the rows that the stream does not hold, of samples as they are or in fax
// codes. It is 0 where that cannot be told: in an unknown colour space, behind an unknown
// filter, over the limit on unpacked bytes, where a fax row is damaged, or where a fax tells
// its end itself.
func (s Stream) Missing() int {
	w, h := s.f.integer(s.o.dict(), s.o.at, "Width", "W"), s.f.integer(s.o.dict(), s.o.at, "Height", "H")
	if w <= 0 || h <= 0 || w > math.MaxInt32 {
		return 0
	}
	if s.Codec != "" {
		return s.missingFax(w, h)
	}
	bits := s.sampleBits()
	r, ok := s.f.reader(s.o, s.stop)
	if bits <= 0 || bits > 16*32 {
		return 0
	}
	row := (int64(w)*int64(bits) + 7) / 8
	if !ok || row > s.f.lim.UnpackedBytes/int64(h) { // more than is unpacked of anything
		return 0
	}
	got, _ := io.Copy(io.Discard, io.LimitReader(r, row*int64(h)))
	return int((row*int64(h) - got) / row)
}

// sampleBits is how many bits a pixel has; 0 where that is not known.
func (s Stream) sampleBits() int {
	d := s.o.dict()
	if v := s.f.get(d, s.o.at, "ImageMask", "IM"); v == word("true") {
		return 1
	}
	return s.f.integer(d, s.o.at, "BitsPerComponent", "BPC") * s.f.channels(s.f.get(d, s.o.at, "ColorSpace", "CS"), s.o.at)
}

// channels is how many samples a pixel has in a colour space, ISO 32000-1 8.6; 0 where that
// is not known.
func (f *File) channels(space any, at int) int {
	kind, list := space, Array(nil)
	if a, ok := space.(Array); ok && len(a) > 0 {
		kind, list = f.resolve(a[0], at), a
	}
	switch kind {
	case Name("DeviceGray"), Name("G"), Name("CalGray"), Name("Indexed"), Name("I"), Name("Separation"):
		return 1
	case Name("DeviceRGB"), Name("RGB"), Name("CalRGB"), Name("Lab"):
		return 3
	case Name("DeviceCMYK"), Name("CMYK"):
		return 4
	}
	if len(list) < 2 {
		return 0
	}
	switch v := f.resolve(list[1], at).(type) {
	case Dict: // ICCBased
		return f.integer(v, at, "N")
	case Array: // DeviceN
		return len(v)
	}
	return 0
}

func (s Stream) missingFax(w, h int) int {
	data, ok := s.Data()
	columns := s.f.integer(s.parms, s.o.at, "Columns")
	if columns == 0 {
		columns = 1728
	}
	if !ok || s.Codec != "CCITTFaxDecode" || columns != w || endsItself(data) {
		return 0
	}
	coding, aligned := fax.Group3, s.f.get(s.parms, s.o.at, "EncodedByteAlign") == word("true")
	switch k, _ := s.f.get(s.parms, s.o.at, "K").(Number); {
	case k != "" && k[0] == '-':
		coding = fax.Group4
	case k != "" && k != "0":
		coding = fax.Group3Two
	case aligned:
		coding = fax.Rows
	}
	if aligned && coding != fax.Rows {
		return 0
	}
	codes, row := fax.NewReader(data, coding, w, false), make([]byte, (w+7)/8)
	for y := range h {
		err := codes.Row(row)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return h - y
		}
		if err != nil {
			return 0
		}
	}
	return 0
}

// endsItself reports that fax codes end in a mark: eleven zeros and a one, twice, or six
// times, within what may stand behind them.
func endsItself(data []byte) bool {
	zeros, marks := 0, 0
	for _, b := range data[max(0, len(data)-16):] {
		for i := 7; i >= 0; i-- {
			if b>>i&1 == 0 {
				zeros++
				continue
			}
			if zeros >= 11 {
				marks++
			}
			zeros = 0
		}
	}
	return marks > 1
}
