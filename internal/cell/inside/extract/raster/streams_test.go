package raster

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"strings"
	"testing"

	"blotter/internal/document"
	"blotter/internal/examples"
	"blotter/internal/reason"
)

// recorder stands for PDFium: it remembers what it was given and shows white.
type recorder struct {
	dict string
	data []byte
}

func (r *recorder) DecodeStream(dict string, data []byte, w, h int) (image.Image, error) {
	r.dict, r.data = dict, data
	if w == 0 || h == 0 {
		return nil, errors.New("no size")
	}
	return image.NewGray(image.Rect(0, 0, w, h)), nil
}

// DecodeHEVC shows the level of the last byte.
func (r *recorder) DecodeHEVC(file []byte, w, h int) (image.Image, error) {
	r.data = file
	m := image.NewYCbCr(image.Rect(0, 0, w, h), image.YCbCrSubsampleRatio420)
	for i := range m.Y {
		m.Y[i] = levelOf(file)
	}
	for i := range m.Cb {
		m.Cb[i], m.Cr[i] = 128, 128
	}
	return m, nil
}

// DecodeAV1 does the same.
func (r *recorder) DecodeAV1(file []byte, w, h, n int) ([]*image.RGBA, error) {
	r.data = file
	out := make([]*image.RGBA, n)
	for i := range out {
		out[i] = image.NewRGBA(image.Rect(0, 0, w, h))
		for k := range out[i].Pix {
			out[i].Pix[k] = levelOf(file)
			if k%4 == 3 {
				out[i].Pix[k] = 0xff
			}
		}
	}
	return out, nil
}

func openWith(b []byte, f document.Format, lim document.Limits, foreign Foreign) (*File, error) {
	return Open(context.Background(), bytes.NewReader(b), int64(len(b)), f, lim, foreign)
}

func TestJPEG2000(t *testing.T) {
	stream := examples.GrayJPEG2000(30, 20)
	box := func(kind, data string) string {
		return string(binary.BigEndian.AppendUint32(nil, uint32(8+len(data)))) + kind + data
	}
	file := box("jP  ", "\r\n\x87\n") + box("ftyp", "jp2 \x00\x00\x00\x00jp2 ") + box("jp2h", "")
	long := "\x00\x00\x00\x01jp2c" + string(binary.BigEndian.AppendUint64(nil, uint64(16+len(stream)))) + string(stream)
	last := "\x00\x00\x00\x00jp2c" + string(stream)
	endless := bytes.Clone(stream) // its tile part says no length
	binary.BigEndian.PutUint32(endless[bytes.Index(endless, []byte("\xff\x90"))+6:], 0)
	for name, c := range map[string]struct {
		file string
		want string
		more document.NotCovered
	}{
		"bare":                     {string(stream), "ok", 0},
		"bare, with a tail":        {string(stream) + "tail", "ok", document.Metadata},
		"boxes":                    {file + box("jp2c", string(stream)), "ok", 0},
		"boxes, XML":               {file + box("xml ", "<a/>") + box("jp2c", string(stream)), "ok", document.Metadata},
		"a long length":            {file + long, "ok", 0},
		"up to the end":            {file + last, "ok", 0},
		"two":                      {file + box("jp2c", string(stream)) + long, "ok, ok", 0},
		"length left out":          {string(endless), "ok", 0},
		"length left out, cut":     {string(endless[:len(endless)-1]), "extract.truncated", 0},
		"cut":                      {string(stream[:len(stream)-1]), "extract.truncated", 0},
		"cut in the head":          {file + box("jp2c", string(stream))[:40], "extract.truncated", 0},
		"no codestream in the box": {file + box("jp2c", strings.Repeat("x", 60)), "extract.malformed", 0},
		"no height":                {string(examples.GrayJPEG2000(30, 0)), "extract.malformed", 0},
		"huge":                     {string(examples.GrayJPEG2000(1<<30, 1<<30)), "extract.pixel_limit", 0},
	} {
		r := &recorder{}
		f, err := openWith([]byte(c.file), document.JPEG2000, roomy, r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := ends(f); got != c.want || f.NotCovered() != c.more {
			t.Errorf("%s: %s, %v", name, got, f.NotCovered().Names())
		}
		if strings.HasPrefix(c.want, "ok") && (f.Assets()[0].Width != 30 || f.Assets()[0].Height != 20 || !bytes.Contains(r.data, stream[:40]) || r.dict != "/Filter/JPXDecode") {
			t.Errorf("%s: %+v, given as %s", name, f.Assets()[0], r.dict)
		}
	}
	if f, err := tryOpen(stream, document.JPEG2000, roomy); err != nil || ends(f) != string(reason.ExtractEncoding) {
		t.Errorf("without a decoder: %v", err)
	}
	if _, err := tryOpen([]byte(file), document.JPEG2000, roomy); reason.Of(err) != reason.ExtractMalformed {
		t.Errorf("without a codestream: %v", err)
	}
	lim := roomy
	lim.Frames = 1
	if _, err := tryOpen([]byte(file+long+long), document.JPEG2000, lim); reason.Of(err) != reason.ExtractFrames {
		t.Errorf("two of one: %v", err)
	}
}

func TestJBIG2(t *testing.T) {
	whole := examples.JBIG2(false, 2)
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"in sequence":     {whole, "ok, ok"},
		"heads first":     {examples.JBIG2(true, 2), "ok, ok"},
		"cut at the end":  {whole[:len(whole)-11], "ok, ok"}, // the mark of the end alone
		"cut before that": {whole[:len(whole)-12], "ok, extract.truncated, extract.truncated"},
		"no page":         {examples.JBIG2(false, 0), ""},
	} {
		r := &recorder{}
		f, err := openWith(c.file, document.JBIG2, roomy, r)
		if c.want == "" {
			if reason.Of(err) != reason.ExtractMalformed {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := ends(f); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if it := f.Assets()[0]; it.Width != 8 || it.Height != 2 {
			t.Errorf("%s: %+v", name, it)
		}
		// What stands in a file for page 2 is page 1 to a PDF, whose streams have no
		// marks of an end.
		if c.want == "ok, ok" && (bytes.Contains(r.data, []byte{jbig2PageEnd, 0, 1}) || !bytes.Contains(r.data, []byte{jbig2PageInfo, 0, 1})) {
			t.Errorf("%s: page 2 was given as %x", name, r.data)
		}
	}
	lim := roomy
	lim.Frames = 1
	if _, err := tryOpen(whole, document.JBIG2, lim); reason.Of(err) != reason.ExtractFrames {
		t.Errorf("two of one: %v", err)
	}
	unknown := bytes.Clone(whole)
	binary.BigEndian.PutUint32(unknown[bytes.Index(unknown, []byte{jbig2PageInfo, 0, 1})+3:], jbig2UnknownSize)
	if _, err := tryOpen(unknown, document.JBIG2, roomy); reason.Of(err) != reason.ExtractEncoding {
		t.Errorf("a segment of unknown length: %v", err)
	}
}

func FuzzJPEG2000(f *testing.F) {
	f.Add(examples.GrayJPEG2000(3, 2))
	f.Add([]byte("\x00\x00\x00\x0cjP  \r\n\x87\n\x00\x00\x00\x00jp2c" + string(examples.GrayJPEG2000(3, 2))))
	f.Fuzz(func(t *testing.T, b []byte) { exerciseWith(t, b, document.JPEG2000, &recorder{}) })
}

// A segment is never as long as its head says where the file ends before.
func TestJBIG2SegmentThatIsCutOff(t *testing.T) {
	b := examples.JBIG2(true, 1)
	binary.BigEndian.PutUint32(b[13+11+7:], 1<<32-2) // of the second
	f, err := openWith(b, document.JBIG2, roomy, &recorder{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Assets() {
		if _, err := f.Load(i); reason.Of(err) != reason.ExtractTruncated {
			t.Errorf("frame %d: %v", i+1, err)
		}
	}
}

func FuzzJBIG2(f *testing.F) {
	f.Add(examples.JBIG2(false, 2))
	f.Add(examples.JBIG2(true, 1))
	f.Fuzz(func(t *testing.T, b []byte) {
		exerciseWith(t, b, document.JBIG2, &recorder{})
		if err := JBIG2Stream(b); reason.Of(err) == reason.Internal {
			t.Error(err)
		}
	})
}
