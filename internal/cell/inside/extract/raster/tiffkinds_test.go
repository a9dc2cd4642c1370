package raster

import (
	"bytes"
	"compress/lzw"
	"compress/zlib"
	"encoding/binary"
	"image"
	"math"
	"math/bits"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
)

func deflated(b []byte) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	_, _ = w.Write(b) // a buffer takes all
	_ = w.Close()
	return out.Bytes()
}

// kind is a picture with tags in turn, on top of one strip of gray.
func kind(w, h, bits, photometric int, data []byte, kv ...uint32) tiffFrame {
	f := grayFrame(w, h, data)
	f.tags[tagBits], f.tags[tagPhotometric] = uint32(bits), uint32(photometric)
	for i := 0; i < len(kv); i += 2 {
		f.tags[uint16(kv[i])] = kv[i+1]
	}
	return f
}

// shown is the pixels of a frame: gray, or R, G, B, A.
func shown(t *testing.T, file []byte) []byte {
	t.Helper()
	return pixels(load(t, open(t, file, document.TIFF, roomy), 0))
}

// Samples of every width, in both byte orders: each is shown by its share of what its
// bits can hold.
func TestSampleWidths(t *testing.T) {
	for n := 1; n <= 16; n++ {
		most := uint32(1)<<n - 1
		values := []uint32{0, most, most / 2, most - most/4, 1}
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			var row []byte
			if n == 16 {
				for _, v := range values {
					row = order.AppendUint16(row, uint16(v))
				}
			} else {
				text := ""
				for _, v := range values {
					for b := n - 1; b >= 0; b-- {
						text += string('0' + byte(v>>b&1))
					}
				}
				row = bitsOf(text)
			}
			got := shown(t, tiffOf(order, kind(5, 1, n, blackIsZero, row)))
			for i, v := range values {
				if want := int(uint64(v) * 255 / uint64(most)); int(got[i]) < want-1 || int(got[i]) > want+1 {
					t.Errorf("%d bits, %v: %d is shown as %d, want %d", n, order, v, got[i], want)
				}
			}
		}
	}
}

func floats(order binary.AppendByteOrder, values ...float32) (out []byte) {
	for _, v := range values {
		out = order.AppendUint32(out, math.Float32bits(v))
	}
	return out
}

func words16(order binary.AppendByteOrder, values ...uint16) (out []byte) {
	for _, v := range values {
		out = order.AppendUint16(out, v)
	}
	return out
}

// apart lays the bytes of a row of fractions by weight and makes them differences.
func apart(values ...float32) []byte {
	whole := floats(binary.BigEndian, values...)
	out := make([]byte, len(whole))
	for i, b := range whole {
		out[i%4*len(values)+i/4] = b
	}
	for i := len(out) - 1; i > 0; i-- {
		out[i] -= out[i-1]
	}
	return out
}

// What has no range that its bits tell is shown in the range that is there.
func TestMeasuredRanges(t *testing.T) {
	le, be := binary.LittleEndian, binary.BigEndian
	nan := float32(math.NaN())
	for name, c := range map[string]struct {
		order binary.AppendByteOrder
		fr    tiffFrame
		want  []byte
	}{
		"12 bits in 16":       {le, kind(3, 1, 16, blackIsZero, words16(le, 0, 0x800, 0xfff)), []byte{0, 128, 255}},
		"12 in 16, white 0":   {be, kind(3, 1, 16, whiteIsZero, words16(be, 0, 0x800, 0xfff)), []byte{255, 127, 0}},
		"15 bits in 16":       {le, kind(2, 1, 16, blackIsZero, words16(le, 0, 0x7fff)), []byte{0, 127}},
		"all dark":            {le, kind(2, 1, 16, blackIsZero, words16(le, 0, 3)), []byte{0, 3}},
		"32 bits":             {be, kind(2, 1, 32, blackIsZero, []byte{0x80, 0, 0, 0, 0xff, 0, 0, 0}), []byte{128, 255}},
		"24 bits, little":     {le, kind(2, 1, 24, blackIsZero, []byte{9, 9, 0x80, 9, 9, 0xff}), []byte{128, 255}},
		"24 bits, big":        {be, kind(2, 1, 24, blackIsZero, []byte{0x80, 9, 9, 0xff, 9, 9}), []byte{128, 255}},
		"24 bits, colour":     {be, kind(1, 1, 24, rgb, []byte{0x80, 9, 9, 0xff, 9, 9, 0, 0, 0}, tagSamples, 3), []byte{128, 255, 0, 255}},
		"24 bits, signed":     {be, kind(3, 1, 24, blackIsZero, []byte{0xff, 0, 0, 0, 0, 0, 1, 0, 0}, tagFormat, 2), []byte{0, 127, 255}},
		"64 bits":             {le, kind(3, 1, 64, blackIsZero, le.AppendUint64(le.AppendUint64(make([]byte, 8), 1<<63), 1<<64-1)), []byte{0, 128, 255}},
		"64 bits, signed":     {le, kind(3, 1, 64, blackIsZero, le.AppendUint64(le.AppendUint64(make([]byte, 8), 1<<40), 1<<64-1<<40), tagFormat, 2), []byte{127, 255, 0}},
		"signed":              {le, kind(3, 1, 16, blackIsZero, words16(le, 0xfc00, 0, 0x400), tagFormat, 2), []byte{0, 127, 255}},
		"signed bytes":        {le, kind(2, 1, 8, blackIsZero, []byte{0x80, 0x7f}, tagFormat, 2), []byte{0, 255}},
		"fractions of one":    {le, kind(3, 1, 32, blackIsZero, floats(le, 0, 0.5, 1), tagFormat, 3), []byte{0, 127, 255}},
		"fractions, wide":     {be, kind(3, 1, 32, blackIsZero, floats(be, -100, 0, 100), tagFormat, 3), []byte{0, 127, 255}},
		"no numbers":          {le, kind(3, 1, 32, blackIsZero, floats(le, nan, 2, 4), tagFormat, 3), []byte{0, 0, 255}},
		"predictor 3, little": {le, kind(3, 1, 32, blackIsZero, deflated(apart(0, 0.5, 1)), tagFormat, 3, tagCompression, deflate, tagPredictor, 3), []byte{0, 127, 255}},
		"predictor 3, big":    {be, kind(3, 1, 32, blackIsZero, deflated(apart(0, 0.5, 1)), tagFormat, 3, tagCompression, deflate, tagPredictor, 3), []byte{0, 127, 255}},
		"halves":              {le, kind(3, 1, 16, blackIsZero, words16(le, 0, 0x3800, 0x3c00), tagFormat, 3), []byte{0, 127, 255}},
		"24 bits":             {be, kind(2, 1, 24, blackIsZero, []byte{0x3e, 0, 0, 0x3f, 0, 0}, tagFormat, 3), []byte{127, 255}},
		"doubles":             {le, kind(1, 1, 64, blackIsZero, le.AppendUint64(nil, math.Float64bits(1)), tagFormat, 3), []byte{255}},
		"12 bits, colour":     {le, kind(1, 1, 16, rgb, words16(le, 0xfff, 0x800, 0), tagSamples, 3), []byte{255, 128, 0, 255}},
		"16 bits, predictor":  {le, kind(2, 1, 16, blackIsZero, deflated(words16(le, 0xff00, 0xff)), tagCompression, deflate, tagPredictor, 2), []byte{255, 255}},
	} {
		if got := shown(t, tiffOf(c.order, c.fr)); !bytes.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func reversedBits(b []byte) []byte {
	out := make([]byte, len(b))
	for i, v := range b {
		out[i] = bits.Reverse8(v)
	}
	return out
}

// oldLZW packs as writers before TIFF 6.0 did: low bits first.
func oldLZW(b []byte) []byte {
	var out bytes.Buffer
	w := lzw.NewWriter(&out, lzw.LSB, 8)
	_, _ = w.Write(b) // a buffer takes all
	_ = w.Close()
	return out.Bytes()
}

// newLZW packs without looking for runs: a clear code before every other byte.
func newLZW(b []byte) []byte {
	text := ""
	put := func(v int) {
		for i := 8; i >= 0; i-- {
			text += string('0' + byte(v>>i&1))
		}
	}
	for i, v := range b {
		if i%2 == 0 {
			put(256)
		}
		put(int(v))
	}
	put(257)
	return bitsOf(text)
}

func TestPackings(t *testing.T) {
	raw := arrow(40, 30).Pix
	for name, c := range map[string]struct {
		data        []byte
		compression uint32
	}{
		"plain": {raw, plain}, "LZW": {newLZW(raw), lzwPacked}, "old LZW": {oldLZW(raw), lzwPacked},
		"deflate": {deflated(raw), deflate}, "old deflate": {deflated(raw), deflateOld},
	} {
		for _, order := range []uint32{1, 2} {
			data := c.data
			if order == 2 {
				data = reversedBits(data)
			}
			fr := kind(40, 30, 8, blackIsZero, data, tagCompression, c.compression, tagFillOrder, order)
			if got := shown(t, tiffOf(binary.BigEndian, fr)); !bytes.Equal(got, raw) {
				t.Errorf("%s, fill order %d: other pixels", name, order)
			}
			fr.data = data[:len(data)/2]
			if _, err := open(t, tiffOf(binary.BigEndian, fr), document.TIFF, roomy).Load(0); reason.Of(err) != reason.ExtractTruncated {
				t.Errorf("%s, fill order %d, half of it: %v", name, order, err)
			}
		}
	}
}

// uncounted leaves out how many samples a pixel has.
func uncounted(fr tiffFrame) tiffFrame {
	delete(fr.tags, tagSamples)
	return fr
}

// Each colour is given with what it must show.
func TestColourKinds(t *testing.T) {
	four := tiffFrame{data: []byte{1, 5, 2, 6, 3, 7, 128, 255}, tags: kind(2, 1, 8, rgb, nil, tagSamples, 4, tagPlanar, 2, tagExtra, 2).tags}
	four.planes = 4
	table := kind(2, 1, 8, palette, []byte{0, 0xff, 1, 0}, tagSamples, 2, tagExtra, 2)
	table.long = map[uint16][]uint16{tagColorMap: make([]uint16, 768)}
	table.long[tagColorMap][1] = 0xff00
	whitePaper := kind(2, 1, 8, yCbCr, []byte{16, 128, 128, 235, 128, 128}, tagSamples, 3)
	whitePaper.long = map[uint16][]uint16{tagYCbCrSub: {1, 1}}
	whitePaper.ratios = map[uint16][]uint32{tagBlackWhite: {16, 235, 128, 240, 128, 240}}
	shared := kind(3, 2, 8, yCbCr, []byte{0, 255, 76, 76, 85, 255, 255, 0, 255, 0, 128, 128}, tagSamples, 3)
	for name, c := range map[string]struct {
		fr   tiffFrame
		want []byte
	}{
		"planes and alpha":    {four, []byte{128, 128, 129, 255, 5, 6, 7, 255}},
		"premultiplied":       {kind(1, 1, 8, rgb, []byte{10, 20, 30, 100}, tagSamples, 4, tagExtra, 1), []byte{165, 175, 185, 255}},
		"gray and alpha":      {kind(2, 1, 8, blackIsZero, []byte{0, 0, 0, 255}, tagSamples, 2, tagExtra, 2), []byte{255, 0}},
		"gray and what not":   {kind(2, 1, 8, blackIsZero, []byte{9, 0, 8, 255}, tagSamples, 2), []byte{9, 8}},
		"1 bit and alpha":     {kind(2, 1, 1, blackIsZero, []byte{0b01_00_0000}, tagSamples, 2, tagExtra, 2), []byte{0, 255}},
		"colours of 4 bits":   {kind(1, 1, 4, rgb, []byte{0xf8, 0x00}, tagSamples, 3), []byte{255, 136, 0, 255}},
		"colours uncounted":   {uncounted(kind(1, 1, 8, rgb, []byte{1, 2, 3})), []byte{1, 2, 3, 255}},
		"inks uncounted":      {uncounted(kind(1, 1, 8, separated, []byte{0, 255, 255, 0})), []byte{255, 0, 0, 255}},
		"palette and alpha":   {table, []byte{0, 0, 0, 255, 255, 255, 255, 255}},
		"brightness":          {whitePaper, []byte{0, 0, 0, 255, 255, 255, 255, 255}},
		"shared differences":  {shared, []byte{178, 0, 0, 255, 255, 179, 178, 255, 255, 255, 255, 255, 254, 0, 0, 255, 254, 0, 0, 255, 255, 255, 255, 255}},
		"Lab white, red":      {kind(2, 1, 8, cieLab, []byte{255, 0, 0, 138, 81, 70}, tagSamples, 3), []byte{255, 255, 255, 255, 255, 0, 0, 255}},
		"Lab of ICC":          {kind(2, 1, 8, iccLab, []byte{255, 128, 128, 138, 209, 198}, tagSamples, 3), []byte{255, 255, 255, 255, 255, 0, 0, 255}},
		"Lab, 16 bits":        {kind(1, 1, 16, cieLab, words16(binary.LittleEndian, 0xffff, 0, 0), tagSamples, 3), []byte{255, 255, 255, 255}},
		"lightness":           {kind(2, 1, 8, cieLab, []byte{255, 0}), []byte{255, 0}},
		"a mask":              {kind(2, 1, 1, maskOnly, []byte{0b01_000000}), []byte{0, 255}},
		"inks in 16 bits":     {kind(1, 1, 16, separated, words16(binary.LittleEndian, 0, 0xffff, 0xffff, 0), tagSamples, 4), []byte{255, 0, 0, 255}},
		"strips called tiles": {kind(16, 1, 8, blackIsZero, make([]byte, 256), tagTileWidth, 16, tagTileHeight, 16), make([]byte, 16)},
	} {
		t.Run(name, func(t *testing.T) {
			got := shown(t, tiffOf(binary.LittleEndian, c.fr))
			if len(got) != len(c.want) {
				t.Fatalf("%v, want %v", got, c.want)
			}
			for i := range got {
				if d := int(got[i]) - int(c.want[i]); d > 2 || d < -2 {
					t.Fatalf("%v, want %v", got, c.want)
				}
			}
		})
	}
}

// Planes of JPEG are gray streams, one a colour.
func TestJPEGPlanes(t *testing.T) {
	up, down := arrow(16, 16), stored(arrow(16, 16), 3)
	planes := [][]byte{jpegOf(t, up), jpegOf(t, down), jpegOf(t, up)}
	fr := kind(16, 16, 8, rgb, bytes.Join(planes, nil), tagSamples, 3, tagPlanar, 2, tagCompression, jpegPacked)
	fr.parts = []int{len(planes[0]), len(planes[1]), len(planes[2])}
	img := load(t, open(t, tiffOf(binary.LittleEndian, fr), document.TIFF, roomy), 0).(*image.NRGBA)
	if c := img.NRGBAAt(2, 2); c.R > 30 || c.G < 200 || c.B > 30 {
		t.Errorf("upper left is %v, want green", c)
	}
}

// bigTIFF is one gray picture of a row, with offsets of eight bytes.
func bigTIFF(order binary.AppendByteOrder, row []byte) []byte {
	mark := "II+\x00"
	if order == binary.BigEndian {
		mark = "MM\x00+"
	}
	b := order.AppendUint16([]byte(mark), 8)
	b = order.AppendUint64(append(b, 0, 0), uint64(16+len(row)))
	b = append(b, row...)
	tags := [][2]uint64{{tagWidth, uint64(len(row))}, {tagHeight, 1}, {tagBits, 8}, {tagCompression, plain}, {tagPhotometric, blackIsZero},
		{tagStrips, 16}, {tagStripCounts, uint64(len(row))}}
	b = order.AppendUint64(b, uint64(len(tags)))
	for _, t := range tags {
		b = order.AppendUint16(b, uint16(t[0]))
		b = order.AppendUint16(b, 16)
		b = order.AppendUint64(b, 1)
		b = order.AppendUint64(b, t[1])
	}
	return order.AppendUint64(b, 0)
}

func TestBigTIFF(t *testing.T) {
	row := []byte{1, 2, 3, 4, 5}
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		file := bigTIFF(order, row)
		if got := shown(t, file); !bytes.Equal(got, row) {
			t.Errorf("%v: %v", order, got)
		}
		for n := range file[:len(file)-8] {
			if f, err := tryOpen(file[:n], document.TIFF, roomy); err == nil && ends(f) == "ok" {
				t.Fatalf("cut to %d of %d it loads", n, len(file))
			}
		}
	}
	lies := bigTIFF(binary.LittleEndian, row)
	binary.LittleEndian.PutUint64(lies[21:], math.MaxUint64) // the count of entries
	if _, err := tryOpen(lies, document.TIFF, roomy); reason.Of(err) != reason.ExtractMalformed {
		t.Errorf("a directory without an end: %v", err)
	}
}

// Directories below each other, and chains of those that are no pictures, have an end.
func TestDirectoriesWithoutEnd(t *testing.T) {
	le := binary.LittleEndian
	head := le.AppendUint32([]byte("II*\x00"), 8)
	var deep []byte
	for range 1 << 20 {
		deep = le.AppendUint16(le.AppendUint16(le.AppendUint16(deep, 1), tagSubIFDs), 13)
		deep = le.AppendUint32(le.AppendUint32(deep, 1), uint32(8+len(deep)+12))
		deep = le.AppendUint32(deep, 0)
	}
	f := open(t, append(bytes.Clone(head), deep...), document.TIFF, roomy)
	if items := f.Assets(); len(items) != 2 || items[1].Withheld != reason.ExtractMalformed {
		t.Errorf("of directories below each other: %+v", items)
	}
	for n, want := range map[int]reason.Code{subDirectories: "", roomy.Frames + subDirectories: reason.ExtractFrames} {
		b := le.AppendUint16(bytes.Clone(head), 1) // one that the others hang on
		b = le.AppendUint32(le.AppendUint16(le.AppendUint16(b, tagSubIFDs), 13), 1)
		b = le.AppendUint32(le.AppendUint32(b, uint32(len(b)+8)), 0)
		for i := range n {
			next := uint32(0)
			if i < n-1 {
				next = uint32(len(b) + 6)
			}
			b = le.AppendUint32(le.AppendUint16(b, 0), next)
		}
		if _, err := tryOpen(b, document.TIFF, roomy); reason.Of(err) != want {
			t.Errorf("%d directories: %v", n, err)
		}
	}
}

// Directories below others hold pictures too: each is listed, those that say so as
// thumbnails, and none twice.
func TestSubdirectories(t *testing.T) {
	small := grayFrame(1, 1, []byte{7})
	small.tags[tagSubfile] = 1
	b := tiffOf(binary.LittleEndian, grayFrame(2, 1, []byte{1, 2}), small, grayFrame(1, 1, []byte{9}))
	first := binary.LittleEndian.Uint32(b[4:])
	link := first + 2 + 12*uint32(binary.LittleEndian.Uint16(b[first:]))
	second := binary.LittleEndian.Uint32(b[link:])
	secondLink := second + 2 + 12*uint32(binary.LittleEndian.Uint16(b[second:]))
	third := binary.LittleEndian.Uint32(b[secondLink:])
	// The first directory hangs the other two below itself instead of leading to them.
	offsets := uint32(len(b))
	b = binary.LittleEndian.AppendUint32(b, second)
	b = binary.LittleEndian.AppendUint32(b, first) // and itself
	entry := binary.LittleEndian.AppendUint16(nil, tagSubIFDs)
	entry = binary.LittleEndian.AppendUint16(entry, 13)
	entry = binary.LittleEndian.AppendUint32(entry, 2)
	entry = binary.LittleEndian.AppendUint32(entry, offsets)
	copy(b[first+2+12*6:], entry) // in place of samples a pixel, which is 1 anyway
	binary.LittleEndian.PutUint32(b[link:], third)
	binary.LittleEndian.PutUint32(b[secondLink:], 0)
	f := open(t, b, document.TIFF, roomy)
	items := f.Assets()
	if len(items) != 3 || items[0].Kind != document.Frame || items[1].Kind != document.Thumbnail || items[2].Kind != document.Frame {
		t.Fatalf("%+v", items)
	}
	for i, want := range [][]byte{{1, 2}, {7}, {9}} {
		if got := pixels(load(t, f, i)); !bytes.Equal(got, want) {
			t.Errorf("frame %d: %v, want %v", i, got, want)
		}
	}
}
