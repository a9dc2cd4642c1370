package rtf

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"blotter/internal/cell/inside/cfb"
	"blotter/internal/document"
	"blotter/internal/reason"
)

var roomy = document.Limits{Entries: 100, UnpackedBytes: 1 << 20}

func tryOpen(s string, lim document.Limits) (*Document, error) {
	return Open(context.Background(), strings.NewReader(s), int64(len(s)), lim)
}

// within is one line for each picture and object, with its bytes.
func within(t *testing.T, s string) []string {
	t.Helper()
	d, err := tryOpen(s, roomy)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i, e := range d.Embedded() {
		what := map[bool]string{true: "picture", false: "object"}[e.Picture]
		b, err := d.Unpack(i)
		switch {
		case e.Withheld != "":
			out = append(out, what+" "+string(e.Withheld))
		case err != nil:
			out = append(out, what+" "+string(reason.Of(err)))
		default:
			out = append(out, fmt.Sprintf("%s %q", what, b))
			if int64(len(b)) > e.Size {
				t.Errorf("%d bytes come out of %q, which promised %d", len(b), s, e.Size)
			}
		}
	}
	return out
}

// embed is the stream of an embedded object of a class.
func embed(kind uint32, class, native string) string {
	b := binary.LittleEndian.AppendUint32([]byte("\x01\x05\x00\x00"), kind)
	for _, name := range []string{class + "\x00", "", ""} {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(name))), name...)
	}
	return hex.EncodeToString(append(binary.LittleEndian.AppendUint32(b, uint32(len(native))), native...))
}

// asBytes are the bytes that digits stand for.
func asBytes(digits string) string {
	b, err := hex.DecodeString(digits)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestPicturesAndObjects(t *testing.T) {
	for _, c := range []struct {
		name, doc string
		want      []string
	}{
		{"none", `{\rtf1 no face, bad cafe}`, nil},
		{"digits", "{\\rtf1{\\pict\\pngblip\\picw10 6865\r\n6c6C 6f}}", []string{`picture "hello"`}},
		{"raw bytes", "{\\rtf1{\\pict\\jpegblip\\bin5 {}\\\\{ tail}}", []string{`picture "{}\\\\{"`}},
		{"bin without a number", `{\rtf1{\pict\jpegblip\bin 6869}}`, []string{`picture "hi"`}},
		{"more raw bytes than there are", `{\rtf1{\pict\jpegblip\bin99 hi`, []string{`picture "hi"`}},
		{"groups within", `{\rtf1{\pict{\*\picprop{\sp{\sn a}{\sv 00}}}\pngblip{\*\blipuid 00112233}6869}}`, []string{`picture "hi"`}},
		{"both forms", `{\rtf1{\*\shppict{\pict\pngblip 6869}}{\nonshppict{\pict\wmetafile8 7879}}}`, []string{`picture "hi"`, `picture "xy"`}},
		{"in a header's shape", `{\rtf1{\header{\shp{\*\shpinst{\sp{\sn pib}{\sv {\pict\emfblip 6869}}}}}}}`, []string{`picture "hi"`}},
		{"words between digits", `{\rtf1{\pict\pngblip 68\par 69}}`, []string{`picture "hi"`}},
		{"an odd digit", `{\rtf1{\pict\pngblip 68697}}`, []string{`picture "hi"`}},
		{"no end", `{\rtf1{\pict\pngblip 6869`, []string{`picture "hi"`}},
		{"two in a group", `{\rtf1{\pict\pngblip 6869\pict\pngblip 7879}}`, []string{`picture "hi"`, `picture "xy"`}},
		{"outside any group", `\pict\pngblip 6869`, []string{`picture "hi"`}},
		{"pixels of a device", `{\rtf1{\pict\wbitmap0\wbmbitspixel1 00}}`, []string{"picture extract.unsupported_encoding"}},
		{"of OS/2", `{\rtf1{\pict\pmmetafile1 00}}`, []string{"picture extract.vector_image"}},
		{"object", `{\rtf1{\object\objemb{\*\objclass A}{\*\objdata ` + embed(2, "A", "native") + `}{\result{\pict\pngblip 6869}}}}`,
			[]string{`object "native"`, `picture "hi"`}},
		{"theme", `{\rtf1{\*\themedata 504b` + "\n" + `0304}{\*\colorschememapping 3c3f}{\*\datastore 0105}}`, []string{`object "PK\x03\x04"`}},
		{"theme in raw bytes", "{\\rtf1{\\*\\themedata\\bin4 PK}{}}", []string{`object "PK}{"`}},
		{"object in raw bytes", "{\\rtf1{\\object{\\*\\objdata\\bin35 " + asBytes(embed(2, "A", "native}{\\")) + "}}}", []string{`object "native}{\\"`}},
		{"link", `{\rtf1{\object{\*\objdata ` + embed(1, "A", "") + `}}}`, []string{"object sniff.empty"}},
		{"object without bytes", `{\rtf1{\object{\*\objdata ` + embed(2, "A", "") + `}}}`, []string{"object sniff.empty"}},
		{"object cut", `{\rtf1{\object{\*\objdata 0105000002000000ff`, []string{"object extract.malformed"}},
		{"object of another kind", `{\rtf1{\object{\*\objdata ` + embed(9, "A", "x") + `}}}`, []string{"object extract.malformed"}},
	} {
		if got := within(t, c.doc); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// Each piece within others is looked for in all of them: there is an end to that.
func TestPiecesWithinPieces(t *testing.T) {
	const deep = maxInside + 2
	got := within(t, strings.Repeat(`{\pict\pngblip 6869`, deep)+strings.Repeat("}", deep)+`{\pict\pngblip 7879}`)
	want := append(slices.Repeat([]string{`picture "hi"`}, maxInside), "picture extract.depth_limit", "picture extract.depth_limit", `picture "xy"`)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// A bitmap gets the header that makes it a file.
func TestBitmapsBecomeFiles(t *testing.T) {
	dib := func(size uint32, bits uint16, compression, colours uint32, rest int) []byte {
		b := make([]byte, int(size)+rest)
		le := binary.LittleEndian
		le.PutUint32(b, size)
		if size == 12 {
			le.PutUint16(b[10:], bits)
			return b
		}
		le.PutUint16(b[14:], bits)
		le.PutUint32(b[16:], compression)
		le.PutUint32(b[32:], colours)
		return b
	}
	for _, c := range []struct {
		name   string
		b      []byte
		pixels uint32 // where they begin; 0: refused
	}{
		{"true colour", dib(40, 24, 0, 0, 12), 54},
		{"256 colours", dib(40, 8, 0, 0, 1100), 54 + 1024},
		{"3 colours", dib(40, 8, 0, 3, 100), 54 + 12},
		{"masks", dib(40, 16, 3, 0, 100), 54 + 12},
		{"old", dib(12, 1, 0, 0, 100), 26 + 6},
		{"colours that are not there", dib(40, 8, 0, 0, 10), 0},
		{"colours without end", dib(40, 8, 0, 1<<32-1, 10), 0},
		{"another header", dib(20, 8, 0, 0, 100), 0},
		{"cut", []byte("\x28\x00\x00\x00"), 0},
	} {
		d, err := tryOpen(`{\rtf1{\pict\dibitmap0 `+hex.EncodeToString(c.b)+`}}`, roomy)
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.Unpack(0)
		if c.pixels == 0 {
			if err == nil {
				t.Errorf("%s: passed", c.name)
			}
			continue
		}
		if err != nil || !bytes.Equal(got[14:], c.b) || string(got[:2]) != "BM" || binary.LittleEndian.Uint32(got[10:]) != c.pixels {
			t.Errorf("%s: %x…, %v", c.name, got[:min(len(got), 20)], err)
		}
	}
}

func TestPackagesBecomeObjects(t *testing.T) {
	d, err := tryOpen(`{\rtf1{\object{\*\objdata `+embed(2, "Package", strings.Repeat("packed", 2000))+`}}}`, roomy)
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.Unpack(0)
	if err != nil {
		t.Fatal(err)
	}
	root, err := cfb.Open(bytes.NewReader(b), int64(len(b)), 10)
	if err != nil {
		t.Fatal(err)
	}
	native, err := root.Find("\x01Ole10Native").Bytes(1 << 20)
	if err != nil || int(binary.LittleEndian.Uint32(native)) != len(native)-4 || string(native[4:10]) != "packed" {
		t.Errorf("%d bytes, %v", len(native), err)
	}
}

func TestNotCovered(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want document.NotCovered
	}{
		"text":              {`hello`, 0},
		"properties":        {`{\info{\author A}}`, document.Metadata},
		"comment":           {`{\*\annotation x}`, document.Metadata},
		"shape":             {`{\shp{\*\shpinst}}`, document.OfficeVector},
		"old drawing":       {`{\*\do\dpline}`, document.OfficeVector},
		"link":              {`{\object\objlink}`, document.EmbeddedFiles},
		"picture elsewhere": {`{\field{\*\fldinst {\b INCLUDEPICTURE "http://192.0.2.1/x.png"}}}`, document.ExternalImages},
		"one in pieces":     {`{\field{\*\fldinst {\b INCLUDE}{\rtlch\fs24 PICTURE "http://192.0.2.1/x.png"}}}`, document.ExternalImages},
		"hyperlink":         {`{\field{\*\fldinst HYPERLINK "http://192.0.2.1/x.png"}}`, 0},
	} {
		d, err := tryOpen(`{\rtf1 `+c.body+`}`, roomy)
		if err != nil || d.NotCovered() != c.want|document.OfficeText {
			t.Errorf("%s: %v, %v", name, d.NotCovered().Names(), err)
		}
	}
}

func TestLimits(t *testing.T) {
	two := `{\rtf1{\pict\pngblip 6869}{\pict\pngblip 6869}}`
	for n, want := range map[int]reason.Code{1: reason.ExtractEntries, 2: "", 3: ""} {
		if _, err := tryOpen(two, document.Limits{Entries: n}); reason.Of(err) != want {
			t.Errorf("%d entries: %v", n, err)
		}
	}
	d, err := tryOpen(two, roomy)
	if err != nil {
		t.Fatal(err)
	}
	if c := d.Spent(); c.Entries != 2 || c.Unpacked != 2*(2+bitmapHeader) {
		t.Errorf("spent %+v", c)
	}
	// Groups without end are followed as far as they are remembered.
	deep := strings.Repeat("{", maxOpen+10) + `\pict\pngblip 6869` + strings.Repeat("}", maxOpen+10)
	if got := within(t, deep); len(got) != 1 {
		t.Errorf("deep: %q", got)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	long := strings.Repeat("{}", stepsBetweenLooks)
	if _, err := Open(ctx, strings.NewReader(long), int64(len(long)), roomy); err == nil {
		t.Error("a cancelled reader goes on")
	}
}

// Whatever is cut off, what is left is read.
func TestEveryPrefix(t *testing.T) {
	whole := `{\rtf1{\*\shppict{\pict\dibitmap0 2800000001}}{\object{\*\objdata ` + embed(2, "Package", "x") + `}}{\pict\bin3 a}}}`
	for n := range len(whole) {
		d, err := tryOpen(whole[:n], roomy)
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		for i := range d.Embedded() {
			if _, err := d.Unpack(i); err != nil && reason.Of(err) == reason.Internal {
				t.Fatalf("cut at %d: %v", n, err)
			}
		}
	}
}

func FuzzRTF(f *testing.F) {
	f.Add([]byte(`{\rtf1{\*\shppict{\pict\dibitmap0 2800000001}}{\object{\*\objdata ` + embed(2, "Package", "x") + `}}}`))
	f.Add([]byte("{\\rtf1{\\pict\\jpegblip\\bin5 {}\\\\{ tail}}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := Open(context.Background(), bytes.NewReader(b), int64(len(b)), roomy)
		if err != nil {
			if reason.Of(err) == reason.Internal {
				t.Fatal(err)
			}
			return
		}
		for i, e := range d.Embedded() {
			b, err := d.Unpack(i)
			if reason.Of(err) == reason.Internal || int64(len(b)) > e.Size {
				t.Fatalf("%d bytes of %d, %v", len(b), e.Size, err)
			}
		}
	})
}
