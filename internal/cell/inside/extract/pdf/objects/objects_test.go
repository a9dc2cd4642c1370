package objects

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"blotter/internal/reason"
)

var roomy = Limits{UnpackedBytes: 1 << 20, Filters: 5}

func read(t *testing.T, b string) *File {
	t.Helper()
	f, err := Read([]byte(b), roomy)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func deflate(b []byte) string {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	_, _ = w.Write(b)
	_ = w.Close()
	return out.String()
}

func stream(n int, dict, data string) string {
	return fmt.Sprintf("%d 0 obj\n<<%s/Length %d>>\nstream\n%s\nendstream\nendobj\n", n, dict, len(data), data)
}

// Values are written again as what they mean.
func TestValues(t *testing.T) {
	for in, want := range map[string]string{
		"[1 -2.5 +3 .5]":                  "[1 -2.5 +3 .5 ]",
		"(a\\(b\\)(c)\\n\\101\\\r\nd)":    "<612862292863290a4164>",
		"<4 1 4>":                         "<4140>",
		"/A#20B":                          "/A#20B ",
		"<</K/V/N null/R 7 0 R>>":         "<</K /V /N null /R null >>",
		"[true%comment ]\nfalse]":         "[true false ]",
		"<</Odd>>":                        "<<>>",
		"[1 0 R 2]":                       "[null 2 ]",
		strings.Repeat("[", maxNesting+2): "",
		"(never ends":                     "",
		"<</A(":                           "",
		"[1 endobj":                       "",
	} {
		work := 1 << 16
		p := parser{b: []byte(in), work: &work}
		v, err := p.value(0)
		if (err != nil) != (want == "") {
			t.Errorf("%s: %v", in, err)
		}
		if err != nil {
			continue
		}
		var out bytes.Buffer
		f := &File{work: 1 << 16}
		(&writer{f: f, out: &out, deep: maxNesting}).value(&Object{}, v, 0)
		if out.String() != want {
			t.Errorf("%s became %s, want %s", in, out.String(), want)
		}
	}
}

// What an image refers to may stand in an object stream, its parameters too.
func TestObjectStreams(t *testing.T) {
	inner := "[/Indexed/DeviceGray 1<1020>]"
	for name, body := range map[string]string{
		"plain":          stream(5, "/Type/ObjStm/N 1/First 4", "7 0 "+inner),
		"deflated":       stream(5, "/Type/ObjStm/N 1/First 4/Filter/FlateDecode", deflate([]byte("7 0 "+inner))),
		"png rows":       stream(5, "/Type/ObjStm/N 1/First 4/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 33>>", deflate([]byte("\x00"+"7 0 "+inner))),
		"hex and length": stream(5, "/Type/ObjStm/N 1/First 4/Filter[/AHx]", fmt.Sprintf("%x>", "7 0 "+inner)),
	} {
		f := read(t, body+stream(6, "/Subtype/Image/Width 1/Height 1/ColorSpace 7 0 R/BitsPerComponent 8", "x"))
		images := f.Images()
		if len(images) != 1 {
			t.Fatalf("%s: %d images", name, len(images))
		}
		if out := string(f.Carve(images, nil)); !strings.Contains(out, "/DeviceGray 1 <1020>") {
			t.Errorf("%s: the palette is lost in %q", name, out)
		}
	}
}

// A stream may unpack to the limit and no further, stack as many filters as allowed
// and no more.
func TestLimits(t *testing.T) {
	lim := Limits{UnpackedBytes: 50_000, Filters: 2}
	packed := func(n int) string { return stream(4, "/Filter/FlateDecode", deflate(make([]byte, n))) }
	twice := func(n int) string {
		return stream(4, "/Filter[/FlateDecode/FlateDecode]", deflate([]byte(deflate(make([]byte, n)))))
	}
	for name, c := range map[string]struct {
		file string
		want reason.Code
	}{
		"limit-1":                                {packed(49_999), ""},
		"limit":                                  {packed(50_000), ""},
		"limit+1":                                {packed(50_001), reason.ExtractUnpacked},
		"stacked limit":                          {twice(50_000), ""},
		"stacked limit+1":                        {twice(50_001), reason.ExtractUnpacked},
		"three filters":                          {stream(4, "/Filter[/AHx/AHx/AHx]", ""), reason.ExtractFilters},
		"runs":                                   {stream(4, "/Filter/RunLengthDecode", strings.Repeat("\x81a", 400)), reason.ExtractUnpacked},
		"an image's size bounds its last filter": {stream(4, "/Subtype/Image/Filter/FlateDecode", deflate(make([]byte, 60_000))), ""},
		"but not the one before":                 {stream(4, "/Subtype/Image/Filter[/FlateDecode/DCTDecode]", deflate(make([]byte, 60_000))), reason.ExtractUnpacked},
	} {
		if _, err := Read([]byte(c.file), lim); reason.Of(err) != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// Files made to be looked at again and again end soon.
func TestHostileFilesEnd(t *testing.T) {
	runtime.LockOSThread() // whose processor time is asked
	defer runtime.UnlockOSThread()
	many := strings.Builder{}
	for i := range 3000 {
		fmt.Fprintf(&many, "%d 0 obj<</Type/Page/Contents 9 0 R>>endobj ", i+10)
	}
	for name, file := range map[string]string{
		"strings that never end": strings.Repeat("1 0 obj (", 60_000),
		"arrays that never end":  strings.Repeat("1 0 obj [", 60_000),
		"streams without an end": strings.Repeat("1 0 obj<<>>stream ", 30_000),
		"one list for all pages": "9 0 obj[" + strings.Repeat("9 0 R ", 60_000) + "]endobj " + many.String(),
		"lengths in a circle":    strings.Repeat("1 0 obj<</Length 1 0 R>>stream\nendstream ", 10_000),
		"filters of all":         "9 0 obj[" + strings.Repeat("/AHx ", 60_000) + "]endobj " + strings.Repeat("8 0 obj<</Filter 9 0 R>>stream\nendstream endobj ", 8000),
		"comments":               strings.Repeat("1 0 obj<<%", 50_000),
	} {
		began := threadTime(t)
		f, err := Read([]byte(file), roomy)
		if err == nil {
			f.Images()
			_, err = f.Contents(false, 1000, 1000)
		}
		if err != nil && reason.Of(err) == reason.Internal {
			t.Errorf("%s: %v", name, err)
		}
		if took := threadTime(t) - began; took > 20*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

// threadTime is the processor time of this thread so far: other work on the machine hardly
// changes it.
func threadTime(t *testing.T) time.Duration {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A stream of a few bytes cannot ask for a row of gigabytes.
func TestRowsOfPredictorsAreBounded(t *testing.T) {
	row := deflate([]byte("\x02ab\x02\x01\x01"))
	for parms, want := range map[string]string{
		"/Predictor 12/Columns 2": "abbc",
		"/Predictor 12/Columns 16777216/Colors 256/BitsPerComponent 32": "\x02ab\x02\x01\x01",
	} {
		f := read(t, "%PDF-1.7\n"+stream(1, "/Type/EmbeddedFile/Filter/FlateDecode/DecodeParms<<"+parms+">>", row))
		files, err := f.Files()
		if err != nil || len(files) != 1 {
			t.Fatalf("%d files, %v", len(files), err)
		}
		if got, err := f.Unpack(files[0]); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", parms, got, err)
		}
	}
}

// Streams that are each below the limit are not measured for ever.
func TestMeasuringHasAnEnd(t *testing.T) {
	lim := Limits{UnpackedBytes: 1000, Filters: 5}
	packed := deflate(make([]byte, lim.UnpackedBytes))
	for n, want := range map[int]reason.Code{weighed: "", weighed + 1: reason.ExtractUnpacked} {
		b := "%PDF-1.7\n"
		for i := range n {
			b += stream(i+1, "/Filter/FlateDecode", packed)
		}
		if _, err := Read([]byte(b), lim); reason.Of(err) != want {
			t.Errorf("%d streams: %v", n, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(stream(5, "/Type/ObjStm/N 1/First 4", "7 0 [1]") + stream(6, "/Subtype/Image/Width 1/Height 1/SMask 6 0 R/ColorSpace 7 0 R", "x")))
	f.Add([]byte(stream(4, "/Filter[/FlateDecode/LZW/RL/A85/AHx]/DecodeParms[null<</Predictor 15/Columns 3>>]", "x") + "trailer<</Encrypt 9 0 R/ID[(a)(b)]>>%%EOF"))
	f.Add([]byte(stream(4, "/Type/Pattern/PatternType 1", "BI /W 1/H 1 ID x EI") + "9 0 obj<</V 5/R 6/U(" + strings.Repeat("u", 48) + ")/UE(" + strings.Repeat("e", 32) + ")/StmF/A/CF<</A<</CFM/AESV3>>>>>>endobj trailer<</Encrypt 9 0 R>>"))
	f.Add([]byte(drawing("q /I Do /P scn 0 0 9 9 re f BT /F 1 Tf (a) Tj ET /G gs BI /W 1/H 1 ID x EI", "/Subtype/Form/PatternType 1/XStep 1", "/I Do")))
	const image = "/Subtype/Image/Width 9/Height 2/BitsPerComponent 1"
	f.Add([]byte(stream(4, image+"/ColorSpace[/Indexed/DeviceRGB 1 5 0 R]/Decode[0 1]", "abcd") + stream(5, "", "123456")))
	f.Add([]byte(stream(4, image+"/ImageMask true/Filter[/AHx/CCF]/DecodeParms[null<</K -1/Columns 9>>]", "4d9a>")))
	f.Add([]byte(stream(4, image+"/ColorSpace/G/Filter/LZW/DecodeParms<</Predictor 12/BitsPerComponent 1/Columns 9/EarlyChange 0>>", "x")))
	f.Add([]byte(stream(4, image+"/ColorSpace[/DeviceN[/A/B]/DeviceCMYK 5 0 R]/Filter/LZW/DecodeParms<</Predictor 2/Colors 2/BitsPerComponent 4/Columns 9>>", "x") + "trailer<</Root 1 0 R/ID[(a)]>>startxref 9 %%EOF"))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := Read(b, Limits{UnpackedBytes: 1 << 16, Filters: 5})
		if err != nil {
			if reason.Of(err) == reason.Internal {
				t.Error(err)
			}
			return
		}
		for _, d := range file.Drawn(2, 1000, pixelsSaid) {
			if d.Objects < 0 || d.Pixels < 0 || !(d.Area >= 0) || !(d.Page >= 0) {
				t.Errorf("drawn: %+v", d)
			}
		}
		file.Stamps(2, func(int) bool { return true })
		images := file.Images()
		for _, im := range images {
			unpackAll(t, file, im)
			if s, ok := file.Stream(im.Raw); ok {
				_, _ = s.Data()
				if s.Missing() < 0 {
					t.Error("less than nothing is missing")
				}
			}
		}
		if update := file.Update(); update != nil && !bytes.HasSuffix(update, []byte("%%EOF\n")) {
			t.Error("a revision without an end")
		}
		contents, err := file.Contents(true, 1000, 1000)
		if err != nil {
			return
		}
		again, err := Read(file.Carve(images, contents), Limits{UnpackedBytes: 1 << 20, Filters: 5})
		if err != nil {
			return
		}
		if n := len(again.Images()); n > 2*len(images) {
			t.Errorf("%d images carved from %d", n, len(images))
		}
	})
}

// unpackAll unpacks a picture that is simple and not large.
func unpackAll(t *testing.T, file *File, im Image) {
	p := file.Pixels(im)
	if p == nil || p.Width > 1<<12 || p.Height > 1<<8 {
		return
	}
	if p.Palette != nil && (len(p.Palette)%3 != 0 || len(p.Palette) > 3*256) || p.Bits*p.Channels > 24 || p.RowBytes() <= 0 {
		t.Errorf("pixels %+v", p)
	}
	next, err := p.Rows(file.Raw(&file.objects[im.object]))
	row := make([]byte, p.RowBytes())
	for y := 0; y < p.Height && err == nil; y++ {
		err = next(row)
	}
}
