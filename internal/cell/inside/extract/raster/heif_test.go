package raster

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"strings"
	"testing"

	"blotter/internal/document"
	"blotter/internal/examples"
	"blotter/internal/reason"
)

type (
	heifItem = examples.HEIFItem
	heifProp = examples.HEIFProp
)

var sizeOf = examples.HEIFSize

// gray reads the level that a fake stream asks for: its last byte.
func levelOf(file []byte) byte { return file[len(file)-1] }

// fullRange is a set-up whose stream says that its samples have the full range.
var fullRange = sequenceOf(kindOfSequence{}, func(w *bitWriter) {
	w.flags(true, false, false, true)
	w.put(5, 3)
	w.flags(true, false)
	w.put(0, 40)
})

// still is a picture of one level.
func still(w, h uint32, level byte, props ...heifProp) heifItem {
	return heifItem{Type: "hvc1", Props: append([]heifProp{sizeOf(w, h), {Kind: "hvcC", Data: fullRange}}, props...), Data: []byte{0, 0, level}}
}

func gridOf(rows, columns byte, w, h uint16, tiles ...uint16) heifItem {
	data := binary.BigEndian.AppendUint16([]byte{0, 0, rows - 1, columns - 1}, w)
	return heifItem{Type: "grid", Props: []heifProp{sizeOf(uint32(w), uint32(h))}, Data: binary.BigEndian.AppendUint16(data, h), Tiles: tiles}
}

// overlayOf is a white canvas on which pictures lie, from the second item on.
func overlayOf(w, h uint16, at ...[2]int16) heifItem {
	it := heifItem{Type: "iovl", Props: []heifProp{sizeOf(uint32(w), uint32(h))}, Data: []byte{0, 0, 255, 255, 255, 255, 255, 255, 255, 255}}
	it.Data = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(it.Data, w), h)
	for i, p := range at {
		it.Data = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(it.Data, uint16(p[0])), uint16(p[1]))
		it.Tiles = append(it.Tiles, uint16(2+i))
	}
	return it
}

// levels shows the gray levels of a picture, row by row.
func levels(img image.Image) string {
	var rows []string
	for y := range img.Bounds().Dy() {
		var row []string
		for x := range img.Bounds().Dx() {
			r, _, _, _ := img.At(x, y).RGBA()
			row = append(row, fmt.Sprint(r>>8))
		}
		rows = append(rows, strings.Join(row, " "))
	}
	return strings.Join(rows, "/")
}

// shownAll is how each picture of a file ends or what it shows.
func shownAll(t *testing.T, file []byte, lim document.Limits) ([]string, *File) {
	t.Helper()
	f, err := openWith(file, document.HEIC, lim, &recorder{})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i, it := range f.Assets() {
		s := ""
		if it.Kind == document.Thumbnail {
			s = "thumbnail "
		}
		img, err := f.Load(i)
		if err != nil {
			out = append(out, s+string(reason.Of(err)))
			continue
		}
		out = append(out, s+levels(img))
	}
	return out, f
}

// av1Of is a sequence header that says a size, of up to 256 each, and nothing else.
func av1Of(w, h int) []byte {
	bits := "000 1 1 00000 0111 0111" + fmt.Sprintf("%08b%08b", w-1, h-1)
	head := bitsOf(bits + strings.Repeat("0", 16))
	return append([]byte{1<<3 | 2, byte(len(head))}, head...)
}

func fraction(values ...int32) (out []byte) {
	for _, v := range values {
		out = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(out, uint32(v)), 1)
	}
	return out
}

// What a file lists, in its order, and how each shows.
func TestHEIFItems(t *testing.T) {
	turn := func(kind string, v byte) heifProp { return heifProp{Kind: kind, Data: []byte{v}} }
	cut := func(w, h, x, y int32) heifProp { return heifProp{Kind: "clap", Data: fraction(w, h, x, y)} }
	tiles := []heifItem{gridOf(1, 2, 3, 1, 2, 3), still(2, 2, 10), still(2, 2, 20)}
	turned := func(props ...heifProp) []heifItem {
		g := gridOf(2, 2, 2, 2, 2, 3, 4, 5)
		g.Props = append(g.Props, props...)
		return []heifItem{g, still(1, 1, 1), still(1, 1, 2), still(1, 1, 3), still(1, 1, 4)}
	}
	alpha := still(1, 1, 51, examples.HEIFAlpha())
	alpha.AuxOf = 1
	stray := alpha
	stray.AuxOf = 9
	premultiplied := still(2, 1, 10)
	premultiplied.Premul = 2
	small := still(1, 1, 7)
	small.ThumbOf = 1
	gain := still(1, 1, 9, heifProp{Kind: "auxC", Data: []byte("\x00\x00\x00\x00urn:com:apple:photo:2020:aux:hdrgainmap\x00")})
	gain.AuxOf, gain.Hidden = 1, true
	brighter := heifItem{Type: "tmap", Props: []heifProp{sizeOf(1, 1)}, Data: []byte{0}, Tiles: []uint16{2, 3}}
	round := overlayOf(2, 1, [2]int16{0, 0}) // the opacity of what lies on it
	round.Props, round.AuxOf = append(round.Props, examples.HEIFAlpha()), 2
	tiled := gridOf(1, 1, 2, 1, 4)
	tiled.Props, tiled.AuxOf = append(tiled.Props, examples.HEIFAlpha()), 2
	larger := still(2, 1, 51, examples.HEIFAlpha())
	larger.AuxOf = 1
	for name, c := range map[string]struct {
		primary uint16
		items   []heifItem
		want    []string
	}{
		"one":                    {1, []heifItem{still(2, 1, 30)}, []string{"30 30"}},
		"the primary first":      {2, []heifItem{still(1, 1, 1), still(1, 1, 2)}, []string{"2", "1"}},
		"a grid":                 {1, tiles, []string{"10 10 20"}},
		"turned":                 {1, turned(turn("irot", 1)), []string{"2 4/1 3"}}, // a quarter against the clock
		"turned twice":           {1, turned(turn("irot", 2)), []string{"4 3/2 1"}},
		"mirrored":               {1, turned(turn("imir", 1)), []string{"2 1/4 3"}},
		"upside down":            {1, turned(turn("imir", 0)), []string{"3 4/1 2"}},
		"turned, then cut":       {1, turned(turn("irot", 1), cut(1, 2, 0, 0)), []string{"4/3"}},
		"cut, then turned":       {1, turned(cut(2, 1, 0, 0), turn("irot", 1)), []string{"4/3"}},
		"cut outside":            {1, turned(cut(3, 1, 0, 0)), []string{"extract.malformed"}},
		"opacity":                {1, []heifItem{still(2, 1, 10), alpha}, []string{"206 206"}}, // a fifth of 10 on white
		"opacity of nothing":     {1, []heifItem{still(2, 1, 10), stray}, []string{"10 10", "51"}},
		"opacity twice":          {1, []heifItem{still(2, 1, 10), alpha, alpha}, []string{"206 206", "51"}},
		"opacity that is larger": {1, []heifItem{still(1, 1, 10), larger}, []string{"extract.unsupported_encoding"}},
		"opacity, a grid of one": {1, []heifItem{overlayOf(2, 1, [2]int16{0, 0}), still(2, 1, 10), tiled, overlayOf(2, 1, [2]int16{0, 0})}, []string{"extract.unsupported_encoding", "extract.unsupported_encoding"}},
		"opacity of opacities":   {1, []heifItem{overlayOf(2, 1, [2]int16{0, 0}), still(2, 1, 10), round}, []string{"extract.unsupported_encoding", "extract.unsupported_encoding"}},
		"multiplied by it":       {1, []heifItem{premultiplied, alpha}, []string{"214 214"}},
		"thumbnail, gain map":    {1, []heifItem{still(1, 1, 5), small, gain}, []string{"5", "thumbnail 7", "9"}},
		"brightened":             {1, []heifItem{brighter, still(1, 1, 2), still(1, 1, 3)}, []string{"2", "3"}},
		"another codec":          {1, []heifItem{{Type: "avc1", Props: []heifProp{sizeOf(1, 1)}, Data: []byte{1}}}, []string{"extract.unsupported_encoding"}},
		"laid over each other":   {1, []heifItem{overlayOf(3, 1, [2]int16{0, 0}, [2]int16{2, 0}), still(2, 1, 40), still(2, 1, 60)}, []string{"40 40 60"}},
		"laid over the edge":     {1, []heifItem{overlayOf(3, 1, [2]int16{-1, 0}), still(2, 1, 40)}, []string{"40 255 255"}},
		"larger than the canvas": {1, []heifItem{overlayOf(1, 1, [2]int16{-1, 0}), still(2, 1, 40)}, []string{"extract.unsupported_encoding"}},
		"an overlay of itself":   {1, []heifItem{{Type: "iovl", Props: overlayOf(1, 1).Props, Data: overlayOf(1, 1, [2]int16{0, 0}).Data, Tiles: []uint16{1}}}, []string{"extract.unsupported_encoding"}},
		"places missing":         {1, []heifItem{{Type: "iovl", Props: overlayOf(1, 1).Props, Data: overlayOf(1, 1).Data, Tiles: []uint16{2}}, still(1, 1, 2)}, []string{"extract.truncated"}},
		"an overlay cut off":     {1, []heifItem{{Type: "iovl", Props: []heifProp{sizeOf(1, 1)}, Data: []byte{1}, Tiles: []uint16{2}}, still(1, 1, 2)}, []string{"extract.truncated"}},
		"no size":                {1, []heifItem{{Type: "hvc1", Data: []byte{1}}}, []string{"extract.malformed"}},
		"no data":                {1, []heifItem{{Type: "hvc1", Props: []heifProp{sizeOf(1, 1)}}}, []string{"extract.malformed"}},
		"grid of itself":         {1, []heifItem{gridOf(1, 1, 1, 1, 1), still(1, 1, 1)}, []string{"extract.malformed", "1"}},
		"grid without tiles":     {1, []heifItem{gridOf(2, 2, 2, 2, 2), still(1, 1, 1)}, []string{"extract.malformed"}},
		"tiles too small":        {1, []heifItem{gridOf(1, 1, 2, 2, 2), still(1, 1, 1)}, []string{"extract.malformed"}},
		"a tile in AV1":          {1, []heifItem{{Type: "av01", Props: []heifProp{sizeOf(1, 1)}, Data: append(av1Of(1, 1), 77)}}, []string{"77"}},
		"AV1 of another size":    {1, []heifItem{{Type: "av01", Props: []heifProp{sizeOf(1, 1)}, Data: append(av1Of(2, 1), 77)}}, []string{"extract.declared_size_differs"}},
		"AV1 without a header":   {1, []heifItem{{Type: "av01", Props: []heifProp{sizeOf(1, 1)}, Data: []byte{0x32, 0}}}, []string{"extract.malformed"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, f := shownAll(t, examples.EncodeHEIF("heic", c.primary, c.items), roomy)
			if fmt.Sprint(got) != fmt.Sprint(c.want) || f.NotCovered() != 0 {
				t.Errorf("%q, want %q; %v", got, c.want, f.NotCovered().Names())
			}
		})
	}
	lim := roomy
	lim.Frames = 1
	two := examples.EncodeHEIF("heic", 1, []heifItem{still(1, 1, 1), still(1, 1, 2)})
	if _, err := tryOpen(two, document.HEIC, lim); reason.Of(err) != reason.ExtractFrames {
		t.Errorf("two of one: %v", err)
	}
	if f, err := tryOpen(two, document.HEIC, roomy); err != nil || ends(f) != "extract.unsupported_encoding, extract.unsupported_encoding" {
		t.Errorf("without a decoder: %v", err)
	}
	huge := examples.EncodeHEIF("heic", 1, []heifItem{still(1<<20, 1<<20, 1)})
	if f, err := openWith(huge, document.HEIC, roomy, &recorder{}); err != nil || ends(f) != "extract.pixel_limit" {
		t.Errorf("huge: %v", err)
	}
}

func TestHEIFSequences(t *testing.T) {
	samples := [][]byte{{20}, {2}, {40}} // where the stream says nothing, in the range of video
	hevc := examples.HEIFTrack{Codec: "hvc1", W: 1, H: 1, Samples: samples, Sync: []uint32{1, 3}}
	av1 := examples.HEIFTrack{Codec: "av01", W: 1, H: 1, Samples: samples}
	for name, c := range map[string]struct {
		file []byte
		want []string
	}{
		"HEVC":         {examples.EncodeHEIF("hevc", 0, nil, hevc), []string{"5", "extract.unsupported_encoding", "28"}},
		"AV1, a still": {examples.EncodeHEIF("avif", 1, []heifItem{still(1, 1, 9)}, av1), []string{"9", "40", "40", "40"}},
	} {
		got, _ := shownAll(t, c.file, roomy)
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	cut := examples.EncodeHEIF("avis", 0, nil, av1)
	if got, _ := shownAll(t, cut[:len(cut)-1], roomy); got[2] != "extract.truncated" {
		t.Errorf("cut: %q", got)
	}
	large := examples.EncodeHEIF("avis", 0, nil, examples.HEIFTrack{Codec: "av01", W: 9000, H: 9000, Samples: samples})
	lim := roomy
	lim.AssetPixels, lim.TotalPixels = 1e8, 1e9
	if got, _ := shownAll(t, large, lim); got[0] != "extract.pixel_limit" {
		t.Errorf("more pictures than can be held: %q", got)
	}
}

// Small copies stand in EXIF here too; XMP and EXIF are told.
func TestHEIFMetadata(t *testing.T) {
	block := append([]byte{0, 0, 0, 6}, exifWith(6, jpegOf(t, arrow(16, 8)))...)
	items := []heifItem{still(1, 1, 1), {Type: "Exif", Data: block}, {Type: "mime", Data: []byte("<x/>")}}
	f, err := openWith(examples.EncodeHEIF("heic", 1, items), document.HEIC, roomy, &recorder{})
	if err != nil {
		t.Fatal(err)
	}
	if it := f.Assets(); len(it) != 2 || it[1].Kind != document.Thumbnail || it[1].Width != 16 || f.NotCovered() != document.Metadata {
		t.Errorf("%+v, %v", it, f.NotCovered().Names())
	}
}

// F16: whatever is cut off, no picture shows that is not there.
func TestTruncatedHEIF(t *testing.T) {
	whole := examples.EncodeHEIF("heic", 1, []heifItem{still(1, 1, 1), still(1, 1, 2)})
	for n := range whole {
		f, err := openWith(whole[:n], document.HEIC, roomy, &recorder{})
		if err != nil {
			if code := reason.Of(err); code != reason.ExtractTruncated && code != reason.ExtractMalformed {
				t.Fatalf("cut to %d: %v", n, err)
			}
			continue
		}
		if got := ends(f); !strings.Contains(got, "extract.truncated") {
			t.Fatalf("cut to %d of %d it ends %s", n, len(whole), got)
		}
	}
}

func FuzzHEIF(f *testing.F) {
	f.Add(examples.EncodeHEIF("heic", 1, []heifItem{gridOf(1, 2, 3, 1, 2, 3), still(2, 2, 10), still(2, 2, 20, heifProp{Kind: "irot", Data: []byte{1}})}))
	f.Add(examples.EncodeHEIF("avis", 0, nil, examples.HEIFTrack{Codec: "av01", W: 1, H: 1, Samples: [][]byte{{1}, {2}}, Sync: []uint32{1}}))
	alpha := still(1, 1, 51, examples.HEIFAlpha())
	alpha.AuxOf = 1
	f.Add(examples.EncodeHEIF("mif1", 1, []heifItem{still(2, 1, 10, heifProp{Kind: "clap", Data: fraction(1, 1, 0, 0)}), alpha, {Type: "Exif", Data: bytes.Repeat([]byte{0}, 9)}}))
	f.Fuzz(func(t *testing.T, b []byte) { exerciseWith(t, b, document.HEIC, &recorder{}) })
}
