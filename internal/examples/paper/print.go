package paper

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// Leaf is a page of a PDF: a scan that fills it, text in print, or a scan with hidden
// text over it as programs for reading leave it.
type Leaf struct {
	Width, Height float64 // points
	Turn          int     // the page's /Rotate: 0, 90, 180 or 270
	Scan          Scan    // its Data may be empty
	Print         *Sheet  // may be nil
	Hidden        *Sheet  // text that is found and not seen; may be nil
}

// Scan is a JPEG in gray or in colours.
type Scan struct {
	Data          []byte
	Width, Height int
	Gray          bool
}

// Bind writes a PDF with fonts embedded. Text is of Latin-1. title goes into the
// document's information.
func Bind(title string, leaves ...Leaf) ([]byte, error) {
	b := binder{fonts: map[*Typeface]int{}}
	pages := b.file.Add("") // filled in when the kids are known
	var kids []string
	for _, l := range leaves {
		page, err := b.page(l, pages)
		if err != nil {
			return nil, err
		}
		kids = append(kids, fmt.Sprintf("%d 0 R", page))
	}
	b.file.objects[pages-1] = fmt.Appendf(nil, "<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(kids))
	info := b.file.Add("<< /Title (" + pdfEscape(latin1(title)) + ") >>")
	catalogue := b.file.Add(fmt.Sprintf("<< /Type /Catalog /Pages %d 0 R >>", pages))
	return b.file.Bytes(catalogue, info), nil
}

type binder struct {
	file  PDF
	fonts map[*Typeface]int
}

func (b *binder) page(l Leaf, parent int) (int, error) {
	var operators strings.Builder
	var resources string
	if len(l.Scan.Data) > 0 {
		resources = fmt.Sprintf("/XObject << /Im %d 0 R >> ", b.scan(l.Scan))
		fmt.Fprintf(&operators, "q %.2f 0 0 %.2f 0 0 cm /Im Do Q\n", l.Width, l.Height)
	}
	used := map[*Typeface]bool{}
	for _, sheet := range []*Sheet{l.Print, l.Hidden} {
		if sheet == nil {
			continue
		}
		if err := sheet.print(&operators, sheet == l.Hidden, used, b); err != nil {
			return 0, err
		}
	}
	content, err := b.file.Content(operators.String())
	if err != nil {
		return 0, err
	}
	return b.file.Add(fmt.Sprintf("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %.2f %.2f] /Rotate %d /Resources << %s/Font << %s>> >> /Contents %d 0 R >>",
		parent, l.Width, l.Height, l.Turn, resources, b.names(used), content)), nil
}

func (b *binder) scan(s Scan) int {
	colours := "/DeviceRGB"
	if s.Gray {
		colours = "/DeviceGray"
	}
	return b.file.Stream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace %s /BitsPerComponent 8 /Filter /DCTDecode",
		s.Width, s.Height, colours), s.Data)
}

// names lists the fonts of a page in the order of their objects.
func (b *binder) names(used map[*Typeface]bool) string {
	var out strings.Builder
	for n := range b.file.Len() + 1 {
		for t := range used {
			if b.fonts[t] == n {
				fmt.Fprintf(&out, "/F%d %d 0 R ", n, n)
			}
		}
	}
	return out.String()
}

// font embeds a typeface once.
func (b *binder) font(t *Typeface) (int, error) {
	if n, ok := b.fonts[t]; ok {
		return n, nil
	}
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	if _, err := w.Write(t.file); err != nil {
		return 0, err
	}
	if err := w.Close(); err != nil {
		return 0, err
	}
	name := strings.ReplaceAll(t.name, " ", "")
	outlines := b.file.Stream(fmt.Sprintf("/Filter /FlateDecode /Length1 %d", len(t.file)), packed.Bytes())
	descriptor := b.file.Add(fmt.Sprintf("<< /Type /FontDescriptor /FontName /%s /Flags 32 /FontBBox [-200 -300 1200 1000] /ItalicAngle 0 "+
		"/Ascent 900 /Descent -250 /CapHeight 700 /StemV 80 /FontFile2 %d 0 R >>", name, outlines))
	widths := make([]string, 0, 224)
	for r := rune(32); r < 256; r++ {
		advance, _ := t.width(r)
		widths = append(widths, fmt.Sprint(math.Round(advance*1000)))
	}
	b.fonts[t] = b.file.Add(fmt.Sprintf("<< /Type /Font /Subtype /TrueType /BaseFont /%s /FirstChar 32 /LastChar 255 /Widths [%s] "+
		"/Encoding /WinAnsiEncoding /FontDescriptor %d 0 R >>", name, strings.Join(widths, " "), descriptor))
	return b.fonts[t], nil
}

// print writes the sheet's fills, texts and strokes as operators; pictures are left out.
func (s *Sheet) print(out *strings.Builder, hidden bool, used map[*Typeface]bool, b *binder) error {
	if !hidden {
		for _, f := range s.fills {
			r, g, bl, _ := f.ink.RGBA()
			fmt.Fprintf(out, "%.3f %.3f %.3f rg %.2f %.2f %.2f %.2f re f\n", float64(r)/0xffff, float64(g)/0xffff, float64(bl)/0xffff, f.x, s.Height-f.y-f.h, f.w, f.h)
		}
		for _, k := range s.strokes {
			k.print(out, s.Height)
		}
	}
	for _, t := range s.texts {
		font, err := b.font(t.style.Face)
		if err != nil {
			return err
		}
		if err := t.style.Face.covers(t.spans); err != nil {
			return err
		}
		used[t.style.Face] = true
		t.print(out, font, hidden, s.Height)
	}
	return nil
}

func (k stroke) print(out *strings.Builder, height float64) {
	r, g, b, _ := k.ink.RGBA()
	fmt.Fprintf(out, "%.3f %.3f %.3f RG %.2f w 1 J 1 j\n", float64(r)/0xffff, float64(g)/0xffff, float64(b)/0xffff, k.thickness)
	for i, p := range k.points {
		operator := "l"
		if i == 0 {
			operator = "m"
		}
		fmt.Fprintf(out, "%.2f %.2f %s ", p.X, height-p.Y, operator)
	}
	out.WriteString("S\n")
}

func (t textLine) print(out *strings.Builder, font int, hidden bool, height float64) {
	mode := 0
	if hidden {
		mode = 3
	}
	r, g, b := uint32(0), uint32(0), uint32(0)
	if t.style.Ink != nil {
		r, g, b, _ = t.style.Ink.RGBA()
	}
	sin, cos := math.Sincos(-t.style.Turn * math.Pi / 180)
	fmt.Fprintf(out, "BT %.3f %.3f %.3f rg %d Tr %.3f Tc /F%d %.2f Tf %.5f %.5f %.5f %.5f %.2f %.2f Tm [", float64(r)/0xffff, float64(g)/0xffff,
		float64(b)/0xffff, mode, t.style.Tracking, font, t.style.Size, cos, sin, -sin, cos, t.x, height-t.y)
	for i, s := range t.spans {
		if i > 0 && !s.glued {
			out.WriteString("( )")
		}
		t.style.Face.printKerned(out, s.text)
	}
	out.WriteString("] TJ ET\n")
}

// printKerned writes a string as the pieces of a TJ array.
func (t *Typeface) printKerned(out *strings.Builder, text string) {
	previous := rune(-1)
	for _, r := range text {
		if previous >= 0 {
			if kern := t.kern(previous, r); kern != 0 {
				fmt.Fprintf(out, "%.0f", -kern*1000)
			}
		}
		out.WriteString("(" + pdfEscape(latin1(string(r))) + ")")
		previous = r
	}
}

// latin1 writes each character as one byte; what Latin-1 lacks becomes a question mark.
func latin1(s string) string {
	out := make([]byte, 0, utf8.RuneCountInString(s))
	for _, r := range s {
		if r > 0xff {
			r = '?'
		}
		out = append(out, byte(r))
	}
	return string(out)
}
