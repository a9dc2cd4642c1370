package raster

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"slices"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// exifWith is an EXIF block that tells an orientation and holds a small copy.
func exifWith(o uint16, thumbnail []byte, tags ...uint32) string {
	be := binary.BigEndian
	b := []byte("MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01")
	b = append(be.AppendUint16(b, o), 0, 0)
	b = be.AppendUint32(b, uint32(len(b)+4)) // the next directory
	if tags == nil {
		at := uint32(len(b) + 2 + 2*12 + 4)
		tags = []uint32{tagJPEGStream, at, tagJPEGLength, uint32(len(thumbnail))}
	}
	b = be.AppendUint16(b, uint16(len(tags)/2))
	for i := 0; i < len(tags); i += 2 {
		b = be.AppendUint16(b, uint16(tags[i]))
		b = be.AppendUint32(be.AppendUint16(b, 4), 1)
		b = be.AppendUint32(b, tags[i+1])
	}
	return "Exif\x00\x00" + string(append(append(b, 0, 0, 0, 0), thumbnail...))
}

func resource(id uint16, name, data string) string {
	b := binary.BigEndian.AppendUint16([]byte("8BIM"), id)
	b = append(append(b, byte(len(name))), name...)
	b = append(b, make([]byte, (len(name)+1)%2)...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
	return string(append(append(b, data...), make([]byte, len(data)%2)...))
}

// F36: small copies may still show what was burned out of the picture: each is an asset, lying
// as the picture does.
func TestThumbnails(t *testing.T) {
	big, small := jpegOf(t, arrow(64, 32)), arrow(16, 8)
	thumb := jpegOf(t, small)
	raw := ""
	for _, v := range small.Pix {
		raw += string([]byte{v, v, v})
	}
	bare := []uint32{tagWidth, 16, tagHeight, 8, tagBits, 8, tagCompression, plain, tagPhotometric, rgb, tagSamples, 3}
	bare = append(bare, tagStrips, uint32(26+2+8*12+4), tagStripCounts, uint32(len(raw)))
	photoshop := photoshopMark + resource(1005, "x", "0123456789abcdef") + resource(1036, "", string(make([]byte, 28))+string(thumb))
	ps := grayFrame(64, 32, arrow(64, 32).Pix)
	ps.bytes = map[uint16][]byte{tagPhotoshop: []byte(photoshop[len(photoshopMark):])}
	for name, c := range map[string]struct {
		file []byte
		f    document.Format
		lies orientation
	}{
		"EXIF":           {withSegment(big, 0xe1, exifWith(1, thumb)), document.JPEG, 1},
		"EXIF, turned":   {withSegment(big, 0xe1, exifWith(6, thumb)), document.JPEG, 6},
		"EXIF, bare":     {withSegment(big, 0xe1, exifWith(1, []byte(raw), bare...)), document.JPEG, 1},
		"JFIF":           {withSegment(big, 0xe0, "JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x10\x08"+raw), document.JPEG, 1},
		"JFXX, JPEG":     {withSegment(big, 0xe0, "JFXX\x00\x10"+string(thumb)), document.JPEG, 1},
		"JFXX, bare":     {withSegment(big, 0xe0, "JFXX\x00\x13\x10\x08"+raw), document.JPEG, 1},
		"Photoshop":      {withSegment(big, 0xed, photoshop), document.JPEG, 1},
		"WebP":           {fileOf(extendedOf(flagExif, 64, 32), lossless(arrow(64, 32)), chunkOf("EXIF", []byte(exifWith(1, thumb)))), document.WebP, 1},
		"Photoshop TIFF": {tiffOf(binary.LittleEndian, ps), document.TIFF, 1},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, c.file, c.f, roomy)
			items := f.Assets()
			if len(items) != 2 || items[0].Kind != document.Frame || items[1].Kind != document.Thumbnail || items[1].Withheld != "" {
				t.Fatalf("%+v", items)
			}
			near(t, load(t, f, 1), c.lies.upright(small))
			if f.NotCovered() != document.Metadata {
				t.Errorf("not covered: %v", f.NotCovered().Names())
			}
		})
	}
	for name, file := range map[string][]byte{
		"cut":         withSegment(big, 0xe1, exifWith(1, thumb[:len(thumb)-20])),
		"JFIF, short": withSegment(big, 0xe0, "JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x10\x08"+raw[:20]),
	} {
		if items := open(t, file, document.JPEG, roomy).Assets(); len(items) != 2 || items[1].Withheld != reason.ExtractTruncated || items[0].Withheld != "" {
			t.Errorf("%s: %+v", name, items)
		}
	}
}

// F36: what stands behind the end of an image and is one is a frame: the second view of a
// stereo camera, a gain map, the picture that was there before. What is none is told.
func TestImagesBehindTheEnd(t *testing.T) {
	one, two := arrow(32, 16), stored(arrow(32, 16), 3)
	first, second := jpegOf(t, one), withSegment(jpegOf(t, stored(two, 6)), 0xe1, exif(6))
	file := append(append(append(bytes.Clone(first), "between\xff\xd8\xff\x00chance"...), second...), first...)
	f := open(t, file, document.JPEG, roomy)
	if len(f.Assets()) != 3 || f.NotCovered() != document.Metadata {
		t.Fatalf("%+v, %v", f.Assets(), f.NotCovered().Names())
	}
	for i, want := range []*image.Gray{one, two, one} {
		near(t, load(t, f, i), want)
	}
	cut := open(t, file[:len(file)-9], document.JPEG, roomy)
	if got := ends(cut); got != "ok, ok, extract.truncated" {
		t.Errorf("cut in the third: %s", got)
	}
	lim := roomy
	for n, want := range map[int]reason.Code{1: reason.ExtractFrames, 2: reason.ExtractFrames, 3: "", 4: ""} {
		lim.Frames = n
		if _, err := tryOpen(file, document.JPEG, lim); reason.Of(err) != want {
			t.Errorf("three images of %d: %v", n, err)
		}
	}
	starts := append(bytes.Clone(first), bytes.Repeat([]byte{0xff, 0xd8, 0xff}, 10*jpegsTried)...)
	if f := open(t, starts, document.JPEG, roomy); len(f.Assets()) != 1 || f.NotCovered() != document.Metadata {
		t.Errorf("starts without images: %+v", f.Assets())
	}
}

// Kinds of JPEG that are not decoded are named for what they are, by their headers.
func TestOtherKindsOfJPEG(t *testing.T) {
	b := jpegOf(t, arrow(16, 16))
	at := bytes.Index(b, []byte{0xff, 0xc0})
	for name, change := range map[string]func([]byte){
		"12 bits":    func(b []byte) { b[at+1], b[at+4] = 0xc1, 12 },
		"lossless":   func(b []byte) { b[at+1] = 0xc3 },
		"arithmetic": func(b []byte) { b[at+1] = 0xc9 },
	} {
		other := bytes.Clone(b)
		change(other)
		if it := open(t, other, document.JPEG, roomy).Assets()[0]; it.Withheld != reason.ExtractEncoding || it.Width != 16 {
			t.Errorf("%s: %+v", name, it)
		}
	}
}

// A small copy is not looked for to the end of the file.
func TestSmallCopiesAreBounded(t *testing.T) {
	var small bytes.Buffer
	if err := jpeg.Encode(&small, image.NewGray(image.Rect(0, 0, 8, 8)), nil); err != nil {
		t.Fatal(err)
	}
	comment := append([]byte{0xff, markCOM, 0xff, 0xff}, make([]byte, 1<<16-3)...)
	for n, want := range map[int]reason.Code{63: "", 64: reason.ExtractTruncated} {
		b := slices.Concat(small.Bytes()[:2], bytes.Repeat(comment, n), small.Bytes()[2:])
		f := jpegThumbnail(bytes.NewReader(b), span{0, int64(len(b))})
		if len(f) != 1 || f[0].withheld != want {
			t.Errorf("%d bytes: %+v", len(b), f)
		}
	}
}
