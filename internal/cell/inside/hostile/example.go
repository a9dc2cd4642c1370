package hostile

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"

	"blotter/internal/cell/inside/cfb"
	"blotter/internal/document"
	"blotter/internal/examples"
)

//go:embed testdata/one.heic
var heic []byte

//go:embed testdata/one.avif
var avif []byte

// Example is the smallest honest document of a format that shows a picture.
func Example(f document.Format) []byte {
	for _, of := range []map[document.Format]func() []byte{simple, flat} {
		if make, ok := of[f]; ok {
			return make()
		}
	}
	if kind, ok := packages[f]; ok {
		return officePackage(kind, part{name: "media/image1.png", body: picture()})
	}
	return openPackage(f, part{name: "Pictures/1.png", body: picture()})
}

// simple are the examples that are no packages.
var simple = map[document.Format]func() []byte{
	document.PDF: func() []byte { return paper(draw, pixels(16, 16, "/Filter/FlateDecode", deflate(slope().Pix))) },
	document.PNG: picture,
	document.JPEG: func() []byte {
		var b bytes.Buffer
		must(0, jpeg.Encode(&b, slope(), nil))
		return b.Bytes()
	},
	document.GIF: func() []byte {
		var b bytes.Buffer
		must(0, gif.Encode(&b, slope(), nil))
		return b.Bytes()
	},
	document.TIFF: func() []byte { return tiff(16, 16, 1, 256, slope().Pix) },
	document.BMP:  bitmapFile,
	document.WebP: func() []byte {
		return examples.WebPFile(examples.WebPChunk("VP8L", examples.LosslessWebP(slope())))
	},
	document.HEIC:     func() []byte { return heic },
	document.AVIF:     func() []byte { return avif },
	document.JPEG2000: func() []byte { return examples.GrayJPEG2000(16, 16) },
	document.JBIG2:    func() []byte { return examples.JBIG2(false, 2) },
	document.ICO: func() []byte {
		p := picture()
		return join(le16(0, 1, 1), []byte{16, 16, 0, 0}, le16(1, 32), le32(len(p), 22), p)
	},
	document.EMF:  func() []byte { return emf(16, 16, stretchDIB(16, 16, bitmap())) },
	document.WMF:  func() []byte { return wmf(16, 16, wmfDIB(bitmap())) },
	document.PICT: pict,
	document.RTF:  func() []byte { return fmt.Appendf(nil, `{\rtf1 word {\pict\pngblip %x}}`, picture()) },
	document.EML:  func() []byte { return letter("image/png", picture()) },
	document.MSG:  func() []byte { return outlook(picture()) },
	document.TNEF: func() []byte {
		p := picture()
		return join([]byte("\x78\x9f\x3e\x22\x01\x00\x02"), le32(0x00069002, 14), make([]byte, 16), []byte{2}, le32(0x0006800f, len(p)), p, le16(0))
	},
	document.CMS: func() []byte { return signed(letter("image/png", picture())) },
	document.DOC: func() []byte {
		return compound(cfb.NewStream("WordDocument", fib()), cfb.NewStream("Data", blip(picture())))
	},
	document.XLS: func() []byte { return compound(cfb.NewStream("Workbook", workbook(blip(picture())))) },
	document.PPT: func() []byte {
		return compound(cfb.NewStream("PowerPoint Document", nil), cfb.NewStream("Pictures", blip(picture())))
	},
	document.LockedOffice: func() []byte {
		return shut(officePackage(packages[document.XLSX], part{name: "media/image1.png", body: picture()}))
	},
	document.OLEObject: func() []byte { return compound(cfb.NewStream("CONTENTS", picture())) },
}

// slope is 16×16 gray pixels, no two rows alike.
func slope() *image.Gray {
	img := image.NewGray(image.Rect(0, 0, 16, 16))
	for i := range img.Pix {
		img.Pix[i] = uint8(i * 7)
	}
	return img
}

func picture() []byte {
	var b bytes.Buffer
	must(0, png.Encode(&b, slope()))
	return b.Bytes()
}

// bitmap is slope as a bitmap without a file's header, 24 bits a pixel.
func bitmap() []byte {
	b := join(le32(40, 16, 16, 1|24<<16), make([]byte, 24))
	for y := 15; y >= 0; y-- {
		for x := range 16 {
			g, _ := slope().At(x, y).(color.Gray)
			b = append(b, g.Y, g.Y, g.Y)
		}
	}
	return b
}

func bitmapFile() []byte {
	b := bitmap()
	return join([]byte("BM"), le32(14+len(b), 0, 54), b)
}

// emf is an enhanced metafile with the given records.
func emf(w, h int, records ...[]byte) []byte {
	head := join(le32(1, 88, 0, 0, w-1, h-1, 0, 0, 100*w, 100*h), []byte(" EMF"), le32(0x10000, 0, 0, 0, 0, 0, 0, 960, 960, 254, 254))
	return join(head, join(records...), emfRecord(14, le32(0, 16, 20)))
}

func emfRecord(kind int, body ...[]byte) []byte {
	b := join(body...)
	b = append(b, make([]byte, -len(b)&3)...)
	return join(le32(kind, 8+len(b)), b)
}

// stretchDIB lays a bitmap of w×h declared pixels over the drawing.
func stretchDIB(w, h int, dib []byte) []byte {
	return emfRecord(81, le32(0, 0, 0, 0, 0, 0, 0, 0, w, h, 80, 40, 120, len(dib)-40, 0, 0xcc0020, w, h), dib)
}

// wmf is a placeable metafile with the given records.
func wmf(w, h int, records ...[]byte) []byte {
	place := join(le32(-1698247209), le16(0, 0, 0, w, h, 96), le32(0), le16(0))
	return join(place, le16(1, 9, 0x300), le32(0), le16(8), le32(0), le16(0), join(records...), le32(3), le16(0))
}

func wmfRecord(kind int, body ...[]byte) []byte {
	b := join(body...)
	b = append(b, make([]byte, len(b)&1)...)
	return join(le32(3+len(b)/2), le16(kind), b)
}

func wmfDIB(dib []byte) []byte {
	return wmfRecord(0xf43, le32(0xcc0020), le16(0, 16, 16, 0, 0, 16, 16, 0, 0), dib)
}

// pict is a drawing of the old Macintosh that holds a bitmap of 16×2 pixels.
func pict() []byte {
	return join(be16(0, 0, 0, 2, 16, 0x0011, 0x02ff, 0x0c00), make([]byte, 24),
		be16(0x90, 2, 0, 0, 2, 16, 0, 0, 2, 16, 0, 0, 2, 16, 0), []byte{0x55, 0x55, 0xaa, 0xaa}, be16(0xff))
}

// letter is a message with one attachment.
func letter(mediaType string, attached []byte) []byte {
	return fmt.Appendf(nil, "From: a@example.org\r\nTo: b@example.org\r\nSubject: x\r\nMIME-Version: 1.0\r\n"+
		"Content-Type: multipart/mixed; boundary=\"b\"\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nword\r\n--b\r\nContent-Type: %s\r\n"+
		"Content-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n\r\n%s\r\n--b--\r\n",
		mediaType, base64.StdEncoding.EncodeToString(attached))
}

// outlook is a message of Outlook with one attachment.
func outlook(attached []byte) []byte {
	return compound(
		cfb.NewStream("__properties_version1.0", make([]byte, 32)),
		cfb.NewStorage("__attach_version1.0_#00000000", cfb.NewStream("__substg1.0_37010102", attached)))
}

// fib begins a document of Word.
func fib() []byte { return join(le16(0xa5ec, 0xc1, 0, 0, 0, 0), make([]byte, 20)) }

// record is one of drawings: version and instance, kind, length.
func record(head, kind int, body ...[]byte) []byte {
	b := join(body...)
	return join(le16(head, kind), le32(len(b)), b)
}

// blip is a PNG as a drawing holds it.
func blip(p []byte) []byte { return record(0x6e00, 0xf01e, make([]byte, 16), []byte{0xff}, p) }

// workbook is a sheet with a drawing.
func workbook(drawing []byte) []byte {
	b := join(le16(0x809, 4, 0x600, 5))
	return join(b, le16(0xeb, len(drawing)), drawing, le16(10, 0))
}

// office is where a package of OOXML keeps its parts, and the type of the main one.
type office struct{ dir, main, mediaType string }

var packages = map[document.Format]office{
	document.DOCX: {"word", "document.xml", "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"},
	document.PPTX: {"ppt", "presentation.xml", "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"},
	document.XPS:  {"Documents", "1.fdseq", "application/vnd.ms-package.xps-fixeddocumentsequence+xml"},
	document.XLSX: {"xl", "workbook.xml", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"},
}

// relations is the head of a part that lists others.
const relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`

// officePackage is a document of OOXML whose main part refers to the first of its parts.
func officePackage(o office, parts ...part) []byte {
	const root = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	all := []part{
		{name: "[Content_Types].xml", body: fmt.Appendf(nil, `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">`+
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="png" ContentType="image/png"/>`+
			`<Override PartName="/%s/%s" ContentType="%s"/></Types>`, o.dir, o.main, o.mediaType)},
		{name: "_rels/.rels", body: fmt.Appendf(nil, `%s<Relationship Id="r1" Type="%sofficeDocument" Target="%s/%s"/></Relationships>`, relations, root, o.dir, o.main)},
		{name: o.dir + "/" + o.main, body: []byte(`<x xmlns="urn:x"/>`)},
		{name: o.dir + "/_rels/" + o.main + ".rels", body: fmt.Appendf(nil, `%s<Relationship Id="r1" Type="%simage" Target="%s"/></Relationships>`, relations, root, parts[0].name)},
	}
	for _, p := range parts {
		p.name = o.dir + "/" + p.name
		all = append(all, p)
	}
	return archive(all...)
}

// openPackage is a document of OpenDocument.
func openPackage(f document.Format, parts ...part) []byte {
	mediaType := f.String()
	if f == document.OpenDocument {
		mediaType += ".graphics"
	}
	return archive(append([]part{
		{name: "mimetype", body: []byte(mediaType)},
		{name: "META-INF/manifest.xml", body: fmt.Appendf(nil, `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">`+
			`<manifest:file-entry manifest:full-path="/" manifest:media-type="%s"/></manifest:manifest>`, mediaType)},
		{name: "content.xml", body: []byte(`<x xmlns="urn:x"/>`)},
	}, parts...)...)
}
