package paper

import (
	"blotter/internal/truth"
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
)

// PDF collects numbered objects; the catalogue must be added last.
type PDF struct {
	objects [][]byte
}

// Add takes the body of an object and returns its number.
func (f *PDF) Add(body string) int {
	f.objects = append(f.objects, []byte(body))
	return len(f.objects)
}

// Len is the number of objects so far.
func (f *PDF) Len() int { return len(f.objects) }

// Stream adds a stream whose data is already encoded as the dictionary says.
func (f *PDF) Stream(dictionary string, data []byte) int {
	head := fmt.Sprintf("<< %s /Length %d >>\nstream\n", dictionary, len(data))
	return f.Add(head + string(data) + "\nendstream")
}

// Content adds a compressed stream of page operators.
func (f *PDF) Content(operators string) (int, error) {
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	if _, err := w.Write([]byte(operators)); err != nil {
		return 0, err
	}
	if err := w.Close(); err != nil {
		return 0, err
	}
	return f.Stream("/Filter /FlateDecode", packed.Bytes()), nil
}

// Bytes writes the file, with a cross-reference table.
func (f *PDF) Bytes(catalogue, info int) []byte {
	var out bytes.Buffer
	out.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(f.objects))
	for i, body := range f.objects {
		offsets[i] = out.Len()
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	xref := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n",
		len(offsets)+1, catalogue, info, xref)
	return out.Bytes()
}

// Operators writes a sheet as PDF page content with the standard fonts F1 (Helvetica)
// and F2 (Helvetica-Bold), and says where each word lies, in points.
func (s *Sheet) Operators() (string, []truth.Word) {
	var out strings.Builder
	var words []truth.Word
	for _, f := range s.fills {
		r, g, b, _ := f.ink.RGBA()
		fmt.Fprintf(&out, "%.3f %.3f %.3f rg %.2f %.2f %.2f %.2f re f\n", float64(r)/0xffff, float64(g)/0xffff,
			float64(b)/0xffff, f.x, s.Height-f.y-f.h, f.w, f.h)
	}
	out.WriteString("0 g\n")
	for _, t := range s.texts {
		line, placed := t.place()
		name := "F1"
		if t.style.Face == Bold {
			name = "F2"
		}
		fmt.Fprintf(&out, "BT /%s %.1f Tf %.2f %.2f Td (%s) Tj ET\n", name, t.style.Size, t.x, s.Height-t.y, pdfEscape(line))
		words = append(words, placed...)
	}
	return out.String(), words
}

// place joins a line's words with single spaces and places each by the font's widths.
func (t textLine) place() (string, []truth.Word) {
	widths := &helvetica
	if t.style.Face == Bold {
		widths = &helveticaBold
	}
	line, words := "", make([]truth.Word, 0, len(t.spans))
	for i, s := range t.spans {
		if i > 0 && !s.glued {
			line += " "
		}
		x0 := t.x + widths.measure(line)*t.style.Size
		line += s.text
		x1 := t.x + widths.measure(line)*t.style.Size
		top, bottom := t.y-0.72*t.style.Size, t.y // capital height of Helvetica: 718/1000
		if strings.ContainsAny(s.text, "gjpqy,;Q()") {
			bottom += 0.21 * t.style.Size // descender: 207/1000
		}
		words = append(words, s.word(truth.Rect(x0, top, x1, bottom)))
	}
	return line, words
}

func pdfEscape(s string) string {
	return strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(s)
}

// fontWidths holds the advance of the characters 32–126, in thousandths of the size.
type fontWidths [95]int

// measure is the width of s at size 1; the examples' PDF text is ASCII.
func (w *fontWidths) measure(s string) float64 {
	sum := 0
	for _, c := range []byte(s) {
		sum += w[c-' ']
	}
	return float64(sum) / 1000
}

// The widths come from Adobe's font metrics of the standard 14 fonts.
var (
	helvetica = fontWidths{
		278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
		556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
		1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
		667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
		333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
		556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
	}
	helveticaBold = fontWidths{
		278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278,
		556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611,
		975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778,
		667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556,
		333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611,
		611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
	}
)
