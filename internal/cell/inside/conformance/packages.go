package main

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"image/color"
	"path"
	"strings"

	"blotter/internal/cell/inside/hostile"
	"blotter/internal/document"
)

// smallest are the smallest documents of every format that is opened, with what they show.
// What a lossy codec or a palette left of that is a reference's to say.
func smallest() (out []doc) {
	ramp := func(x, y int) color.Color { return color.Gray{Y: uint8((16*y + x) * 7)} } //nolint:gosec // wraps as the picture does
	for _, f := range document.Opened() {
		want := []picture{shown("picture", 16, 16, ramp)}
		switch f {
		case document.PDF:
			continue // with better examples of its own
		case document.JPEG, document.GIF, document.HEIC, document.AVIF:
			want = nil
		case document.JPEG2000:
			want[0] = shown("picture", 16, 16, func(int, int) color.Color { return color.Gray{Y: 128} })
		case document.JBIG2:
			bar := func(x, _ int) color.Color { return color.Gray{Y: []uint8{255, 0, 0, 0, 0, 255, 255, 255}[x]} }
			want = []picture{shown("page 1", 8, 2, bar), shown("page 2", 8, 2, bar)}
		case document.PICT:
			want[0] = shown("picture", 16, 2, func(x, y int) color.Color { return color.Gray{Y: uint8(255 * ((x + y + 1) & 1))} }) //nolint:gosec // 255 at most
		}
		name := strings.NewReplacer("/", "-", "application-vnd.", "").Replace(f.String())
		out = append(out, doc{name: "generated/smallest-" + name, bytes: hostile.Example(f), want: want})
	}
	return out
}

// holders are an office package and a message with all the given rasters in them.
func holders(rasters []doc) []doc {
	var want []picture
	for _, r := range rasters {
		want = append(want, r.want...)
	}
	return []doc{
		{name: "generated/pictures.docx", bytes: docx(rasters), want: want},
		{name: "generated/pictures.eml", bytes: message(rasters), want: want},
	}
}

// docx is a package of Word whose document refers to each picture.
func docx(pictures []doc) []byte {
	const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	const head = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	var relations strings.Builder
	types := `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ` +
		`ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ` +
		`ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>`
	for _, kind := range []string{"png", "bmp", "gif", "jpeg", "tiff", "webp"} {
		types += fmt.Sprintf(`<Default Extension="%s" ContentType="image/%s"/>`, kind, kind)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	put := func(name string, data []byte) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			panic(err) // memory takes everything
		}
	}
	put("[Content_Types].xml", []byte(types+"</Types>"))
	put("_rels/.rels", fmt.Appendf(nil, `%s<Relationship Id="r" Type="%s/officeDocument" Target="word/document.xml"/></Relationships>`, head, office))
	put("word/document.xml", []byte(`<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"/>`))
	for i, p := range pictures {
		put("word/media/"+path.Base(p.name), p.bytes)
		fmt.Fprintf(&relations, `<Relationship Id="r%d" Type="%s/image" Target="media/%s"/>`, i, office, path.Base(p.name))
	}
	put("word/_rels/document.xml.rels", []byte(head+relations.String()+"</Relationships>"))
	if err := z.Close(); err != nil {
		panic(err) // as above
	}
	return b.Bytes()
}

// message is one with the pictures attached, in rows of 76 digits as mail has them.
func message(pictures []doc) []byte {
	b := []byte("From: a@example.org\r\nTo: b@example.org\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"b\"\r\n\r\n")
	for _, p := range pictures {
		b = append(b, "--b\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n\r\n"...)
		for text := base64.StdEncoding.EncodeToString(p.bytes); text != ""; {
			n := min(76, len(text))
			b, text = append(b, text[:n]+"\r\n"...), text[n:]
		}
		b = append(b, "\r\n"...)
	}
	return append(b, "--b--\r\n"...)
}
