package inside_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"image"
	"image/jpeg"
	"testing"
)

// Small files of formats that carry more than pixels, written here so that each byte of
// them is known.

// photo encodes a picture as a JPEG, with an EXIF block unless it is nil.
func photo(t *testing.T, img image.Image, exif []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	if exif == nil {
		return b.Bytes()
	}
	head := append([]byte{0xff, 0xd8}, segment(0xe1, exif)...)
	return append(head, b.Bytes()[2:]...)
}

// segment is a marker segment of a JPEG.
func segment(marker byte, body []byte) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(body)+2)), body...)
}

// exif is a block that says how the camera was held, with a thumbnail unless it is nil.
func exif(orientation byte, thumbnail []byte) []byte {
	b := []byte("Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00")
	entry := func(tag, kind uint16, value uint32) {
		b = binary.LittleEndian.AppendUint16(b, tag)
		b = binary.LittleEndian.AppendUint16(b, kind)
		b = binary.LittleEndian.AppendUint32(b, 1)
		b = binary.LittleEndian.AppendUint32(b, value)
	}
	entry(0x112, 3, uint32(orientation))
	if thumbnail == nil || len(thumbnail) > 60<<10 {
		return append(b, 0, 0, 0, 0)
	}
	b = append(b, 26, 0, 0, 0, 2, 0) // a second directory at 26 of 2 entries
	entry(0x201, 4, 56)
	entry(0x202, 4, uint32(len(thumbnail)))
	return append(append(b, 0, 0, 0, 0), thumbnail...)
}

// scanPDF is a page that shows one gray picture at 100 dots per inch, under /Rotate, and
// then content of its own.
func scanPDF(img *image.Gray, quarters int, content string) []byte {
	w, h := img.Rect.Dx()*72/100, img.Rect.Dy()*72/100
	return pdf(
		fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Rotate %d /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> /XObject << /I 6 0 R >> >> >>", w, h, 90*quarters),
		stream("", fmt.Appendf(nil, "q %d 0 0 %d 0 0 cm /I Do Q %s", w, h, content)), grayObject(img))
}

// textPDF is a page of 600 by 300 points that shows text.
func textPDF(content string) []byte {
	return pdf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 300] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
		stream("", []byte(content)), "null")
}

// pdf puts page, content and picture, objects 3, 4 and 6, into a file, and more from 7 on.
func pdf(page, content, picture string, more ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.5\n")
	var at []int
	for n, object := range append([]string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page, content,
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", picture,
	}, more...) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", n+1, object)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, table)
	return b.Bytes()
}

// revised appends a revision that shows another picture.
func revised(doc []byte, img *image.Gray) []byte {
	last := bytes.LastIndex(doc, []byte("startxref\n"))
	var before int
	fmt.Sscan(string(doc[last+len("startxref\n"):]), &before)
	b := bytes.NewBuffer(bytes.Clone(doc))
	object := b.Len()
	fmt.Fprintf(b, "6 0 obj\n%s\nendobj\n", grayObject(img))
	table := b.Len()
	fmt.Fprintf(b, "xref\n6 1\n%010d 00000 n \ntrailer\n<< /Size 7 /Root 1 0 R /Prev %d >>\nstartxref\n%d\n%%%%EOF\n", object, before, table)
	return b.Bytes()
}

func grayObject(img *image.Gray) string {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	z.Write(img.Pix) // into memory: it cannot fail
	z.Close()
	return stream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent 8 /ColorSpace /DeviceGray /Filter /FlateDecode",
		img.Rect.Dx(), img.Rect.Dy()), packed.Bytes())
}

func stream(entries string, body []byte) string {
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", entries, len(body), body)
}
