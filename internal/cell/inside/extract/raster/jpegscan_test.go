package raster

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
)

func kept(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// scansOf is where the codes of each scan lie.
func scansOf(b []byte) (out []span) {
	for i := 0; i+3 < len(b); i++ {
		if b[i] == 0xff && b[i+1] == markSOS {
			from := i + 2 + int(b[i+2])<<8 + int(b[i+3])
			to := from
			for b[to] != 0xff || b[to+1] == 0 || b[to+1] >= 0xd0 && b[to+1] <= 0xd7 {
				to++
			}
			out = append(out, span{int64(from), int64(to)})
		}
	}
	return out
}

// What breaks off within the codes of a scan is noticed wherever it does, though an end mark
// was put behind it.
func TestScansThatBreakOff(t *testing.T) {
	files := map[string][]byte{"gray": jpegOf(t, arrow(40, 30)), "odd": kept(t, "odd.jpg"), "odd, progressive": kept(t, "odd-progressive.jpg"), "inks, progressive": kept(t, "inks-progressive.jpg")}
	for name, b := range files {
		if err := wholeScans(b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		scans := scansOf(b)
		if len(scans) == 0 {
			t.Fatalf("%s: no scans", name)
		}
		for _, s := range scans {
			for at := s.at; at < s.end-1; at++ { // of the last byte perhaps no bit is a code's
				cut := append(bytes.Clone(b[:at]), 0xff, markEOI)
				if err := wholeScans(cut); err == nil {
					t.Errorf("%s: cut at %d of %d to %d passes", name, at, s.at, s.end)
				}
			}
		}
		end := scans[0].at - 10 // before any scan
		if err := wholeScans(append(bytes.Clone(b[:end]), 0xff, markEOI)); err == nil {
			t.Errorf("%s: without scans passes", name)
		}
	}
}

// A picture of few bytes cannot have its blocks gone over without end.
func TestScansAreCounted(t *testing.T) {
	b := kept(t, "odd-progressive.jpg")
	first := scansOf(b)[0] // which tells of each block what no other builds on
	scan := b[bytes.Index(b, []byte{0xff, markSOS}):first.end]
	for n, refused := range map[int]bool{maxScans - 1: false, maxScans: false, maxScans + 1: true} {
		err := wholeScans(append(append(bytes.Clone(b[:first.end]), bytes.Repeat(scan, n-1)...), 0xff, markEOI))
		if (err != nil) != refused || errors.Is(err, errScan) {
			t.Errorf("%d scans: %v", n, err)
		}
	}
}

// With restarts, a piece that is missing between two of them is noticed.
func TestScansWithRestarts(t *testing.T) {
	var one bytes.Buffer
	if err := jpeg.Encode(&one, image.NewGray(image.Rect(0, 0, 8, 8)), nil); err != nil {
		t.Fatal(err)
	}
	b := one.Bytes()
	s := scansOf(b)[0]
	codes, head := b[s.at:s.end], bytes.Clone(b[:s.at])
	at := bytes.Index(head, []byte{0xff, 0xc0})
	head[at+6], head[at+8] = 8, 24 // three blocks
	head = append(append(bytes.Clone(head[:2]), 0xff, 0xdd, 0, 4, 0, 1), head[2:]...)
	build := func(parts ...[]byte) []byte {
		return append(append(bytes.Clone(head), bytes.Join(parts, nil)...), 0xff, markEOI)
	}
	first, second := []byte{0xff, 0xd0}, []byte{0xff, 0xd1}
	for name, c := range map[string]struct {
		b  []byte
		ok bool
	}{
		"whole":           {build(codes, first, codes, second, codes), true},
		"the last is out": {build(codes, first, codes), false},
		"one is out":      {build(codes, first, second, codes), false},
		"no mark":         {build(codes, codes, second, codes), false},
	} {
		if err := wholeScans(c.b); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The foreign decoder is not asked for what breaks off.
func TestForeignJPEGThatBreaksOff(t *testing.T) {
	whole := kept(t, "odd.jpg")
	s := scansOf(whole)[0]
	cut := append(bytes.Clone(whole[:s.at+(s.end-s.at)/2]), 0xff, markEOI)
	for name, c := range map[string]struct {
		b     []byte
		want  reason.Code
		asked bool
	}{"whole": {whole, "", true}, "cut": {cut, reason.ExtractTruncated, false}} {
		r := &recorder{}
		f, err := openWith(c.b, document.JPEG, roomy, r)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Load(0)
		if reason.Of(err) != c.want || (r.data != nil) != c.asked {
			t.Errorf("%s: %v, %d bytes asked", name, err, len(r.data))
		}
	}
}

func FuzzScans(f *testing.F) {
	f.Add(kept(f, "odd.jpg"))
	f.Add(kept(f, "odd-progressive.jpg"))
	f.Fuzz(func(_ *testing.T, b []byte) {
		if len(b) > 1<<16 {
			return
		}
		_ = wholeScans(b)
	})
}
