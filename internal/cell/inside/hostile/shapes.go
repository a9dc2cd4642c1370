package hostile

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"strings"

	"blotter/internal/cell/inside/cfb"
	"blotter/internal/document"
	"blotter/internal/examples"
)

// deep wraps a file n times.
func deep(n int, core []byte, wrap func([]byte) []byte) []byte {
	for range n {
		core = wrap(core)
	}
	return core
}

func repack(p []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	must(w.Write(p))
	must(0, w.Close())
	return b.Bytes()
}

// nestings are documents within documents, and brackets within brackets.
func nestings() []made {
	attach := func(p []byte) []byte { return letter("message/rfc822", p) }
	embed := func(p []byte) []byte {
		return officePackage(packages[document.DOCX], part{name: "embeddings/1.docx", body: p})
	}
	deepest := func(n int, open, shut string) string { return strings.Repeat(open, n) + strings.Repeat(shut, n) }
	return []made{
		{"20 messages in each other", func() []byte { return deep(20, letter("image/png", picture()), attach) }},
		{"20 messages of Outlook in each other", func() []byte { return deep(20, outlook(picture()), outlook) }},
		{"50 DOCX in each other", func() []byte { return deep(50, embed(picture()), embed) }},
		{"100 archives in each other", func() []byte {
			return deep(100, archive(part{name: "1.png", body: picture()}), func(p []byte) []byte { return archive(part{name: "1.zip", body: p}) })
		}},
		{"DOCX of 1,000 DOCX", func() []byte {
			inner := embed(picture())
			parts := many("embeddings/%d.docx", 1000, 0)
			for i := range parts {
				parts[i].body = inner
			}
			return officePackage(packages[document.DOCX], parts...)
		}},
		{"RTF of a million brackets", func() []byte { return []byte(`{\rtf1 ` + deepest(1_000_000, "{", "}") + "}") }},
		{"RTF of half a million open objects", func() []byte { return []byte(`{\rtf1 ` + strings.Repeat(`{\object{\*\objdata `, 250_000)) }},
		{"message of 5,000 multiparts in each other", func() []byte {
			b := bytes.NewBufferString("From: a@example.org\r\nSubject: x\r\nMIME-Version: 1.0\r\n")
			for i := range 5000 {
				fmt.Fprintf(b, "Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n", i, i)
			}
			return b.Bytes()
		}},
		{"PDF array of a million brackets", func() []byte { return paper(draw, deepest(1_000_000, "[", "]")) }},
		{"PDF dictionary of a million brackets", func() []byte { return paper(draw, deepest(500_000, "<</A", ">>")) }},
		{"PDF content of a million saved states", func() []byte { return paper(strings.Repeat("q ", 1_000_000), pixels(1, 1, "", []byte("x"))) }},
		{"XML of a million elements in each other", func() []byte {
			return officePackage(packages[document.DOCX], part{name: "_rels/x.xml.rels", body: []byte(deepest(1_000_000, "<a>", "</a>"))})
		}},
		{"drawing of 100,000 containers in each other", func() []byte {
			b := make([]byte, 0, 800_000)
			for i := range 100_000 {
				b = append(b, join(le16(0xf, 0xf000), le32(8*(99_999-i)))...)
			}
			return compound(cfb.NewStream("WordDocument", fib()), cfb.NewStream("Data", b))
		}},
		{"compound file of 2,000 storages in each other", func() []byte {
			n := cfb.NewStream("Package", picture())
			for range 2000 {
				n = cfb.NewStorage("a", n)
			}
			return compound(cfb.NewStream("WordDocument", fib()), n)
		}},
		{"HEIF boxes of 100,000 levels", func() []byte {
			b := join(be32(20), []byte("ftypheic\x00\x00\x00\x00mif1"))
			for i := range 100_000 {
				b = append(b, join(be32(8*(100_000-i)), []byte("meta"))...)
			}
			return b
		}},
	}
}

// lies are headers that tell of sizes which are not so.
func lies() []made {
	at := func(f document.Format, off int, v []byte) []byte {
		b := bytes.Clone(Example(f))
		copy(b[off:], v)
		return b
	}
	var out []made
	for _, side := range []int{0, 1, 65_535, 1 << 20, 1<<31 - 1, -1} {
		for _, c := range []made{
			{"PNG", func() []byte { return pngOf(side, side, chunk("IDAT", squeeze(20))) }},
			{"TIFF", func() []byte { return tiff(side, side, 1, 16, make([]byte, 16)) }},
			{"TIFF strip of 4 GiB", func() []byte { return tiff(side, side, 1, -1, make([]byte, 16)) }},
			{"BMP", func() []byte { return at(document.BMP, 18, le32(side, side)) }},
			{"JPEG", func() []byte { return resized(Example(document.JPEG), side) }},
			{"GIF", func() []byte { return at(document.GIF, 6, le16(side, side)) }},
			{"JPEG 2000", func() []byte { return examples.GrayJPEG2000(uint32(side), uint32(side)) }},
			{"EMF", func() []byte {
				return emf(side, side, stretchDIB(side, side, join(le32(40, side, side), bitmap()[12:])))
			}},
			{"WMF", func() []byte { return wmf(side, side, wmfDIB(join(le32(40, side, side), bitmap()[12:]))) }},
			{"PDF image", func() []byte { return paper(draw, pixels(side, side, "/Filter/FlateDecode", squeeze(100))) }},
			{"PDF image in inline form", func() []byte {
				return paper(fmt.Sprintf("BI /W %d /H %d /BPC 8 /CS /G ID xxxx EI", side, side), pixels(1, 1, "", []byte("x")))
			}},
			{"PDF fax", func() []byte {
				return paper(draw, pixels(side, side, fmt.Sprintf("/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns %d/Rows %d>>", side, side), make([]byte, 100)))
			}},
			{"PDF predictor", func() []byte {
				return paper(draw, pixels(4, 4, fmt.Sprintf("/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns %d/Colors 32/BitsPerComponent 16>>", side), squeeze(100)))
			}},
		} {
			out = append(out, made{fmt.Sprintf("%s of %d", c.name, side), c.bytes})
		}
	}
	return append(out,
		made{"PNG chunk of 2 GiB", func() []byte { return join([]byte(pngMark), be32(1<<31-1), []byte("IHDR")) }},
		made{"WebP chunk of 4 GiB", func() []byte { return at(document.WebP, 16, le32(-1)) }},
		made{"icon of 4 GiB", func() []byte { return at(document.ICO, 14, le32(-1)) }},
		made{"EMF record of 4 GiB", func() []byte { return at(document.EMF, 92, le32(-4)) }},
		made{"EMF record of no bytes", func() []byte { return at(document.EMF, 92, le32(0)) }},
		made{"WMF record of no bytes", func() []byte { return at(document.WMF, 40, le32(0)) }},
		made{"RTF binary of 2 GiB", func() []byte { return []byte(`{\rtf1 {\pict\pngblip\bin2147483647 x}}`) }},
		made{"RTF binary of −1", func() []byte { return []byte(`{\rtf1 {\pict\pngblip\bin-1 x}}`) }},
		made{"picture record of 4 GiB", func() []byte {
			return compound(cfb.NewStream("WordDocument", fib()), cfb.NewStream("Data", join(le16(0x6e00, 0xf01e), le32(-1), picture())))
		}},
		made{"compound file with sectors of 2⁶⁵⁵³⁵ bytes", func() []byte { return at(document.DOC, 30, le16(65_535)) }},
		made{"compound file with a table of 4 Gi sectors", func() []byte { return at(document.DOC, 44, le32(-1)) }},
		made{"archive that promises 65,535 entries", func() []byte { return ended(Example(document.DOCX), 8, le16(65_535, 65_535)) }},
		made{"archive whose directory has 4 GiB", func() []byte { return ended(Example(document.DOCX), 12, le32(-2)) }},
		made{"archive entry that claims one byte", func() []byte {
			return central(officePackage(packages[document.DOCX], part{name: "media/image1.png", size: 512 * mib}), 24, le32(1))
		}},
		made{"archive entry that claims 4 GiB", func() []byte { return central(Example(document.DOCX), 24, le32(-2)) }},
		made{"PDF stream whose length is 2³¹", func() []byte {
			return bytes.Replace(Example(document.PDF), []byte("/Length "), []byte("/Length 2147483647 %"), 1)
		}},
		made{"PDF whose table has 10⁹ lines", func() []byte {
			return bytes.Replace(Example(document.PDF), []byte("xref\n0 "), []byte("xref\n0 99999999"), 1)
		}},
		made{"PDF palette of 10⁹ colours", func() []byte {
			return paper(draw, strings.Replace(pixels(4, 4, "", make([]byte, 16)), "/DeviceGray", "[/Indexed/DeviceRGB 1000000000<00>]", 1))
		}},
		made{"HEIC of 2³⁰ pixels a side", func() []byte { return property(heic, be32(1<<30, 1<<30)) }},
		made{"AVIF of 2³⁰ pixels a side", func() []byte { return property(avif, be32(1<<30, 1<<30)) }},
		made{"HEIC of no pixels", func() []byte { return property(heic, be32(0, 0)) }},
	)
}

// resized tells another size in a JPEG's frame header.
func resized(b []byte, side int) []byte {
	b = bytes.Clone(b)
	if at := bytes.Index(b, []byte{0xff, 0xc0}); at >= 0 {
		copy(b[at+5:], be16(side, side))
	}
	return b
}

// ended changes the end record of an archive.
func ended(b []byte, off int, v []byte) []byte {
	copy(b[bytes.LastIndex(b, []byte("PK\x05\x06"))+off:], v)
	return b
}

// central changes the last line of an archive's directory.
func central(b []byte, off int, v []byte) []byte {
	copy(b[bytes.LastIndex(b, []byte("PK\x01\x02"))+off:], v)
	return b
}

// property changes the size that a HEIF file declares.
func property(b, size []byte) []byte {
	b = bytes.Clone(b)
	if at := bytes.Index(b, []byte("ispe")); at >= 0 {
		copy(b[at+8:], size)
	}
	return b
}

// loops are structures that lead back to where one was.
func loops() []made {
	ring := func(f document.Format, off int, v ...int) func() []byte {
		return func() []byte {
			b := bytes.Clone(Example(f))
			for i, x := range v {
				binary.LittleEndian.PutUint32(b[off+4*i:], uint32(x))
			}
			return b
		}
	}
	return []made{
		{"TIFF directory that follows itself", func() []byte { return join([]byte("II*\x00"), le32(8), directory(8, grayTIFF(4, 4, 1, 8, 16)...)) }},
		{"TIFF directories in a ring", func() []byte {
			return join([]byte("II*\x00"), le32(8), directory(122, grayTIFF(4, 4, 1, 8, 16)...), directory(8, grayTIFF(4, 4, 1, 8, 16)...))
		}},
		{"TIFF directory below itself", func() []byte {
			return join([]byte("II*\x00"), le32(8), directory(0, append(grayTIFF(4, 4, 1, 8, 16), field{330, 4, 1, 8})...))
		}},
		{"EXIF directory that is its own thumbnail's", func() []byte {
			exif := join([]byte("Exif\x00\x00II*\x00"), le32(8), directory(8, field{0x8769, 4, 1, 8}))
			return join([]byte{0xff, 0xd8, 0xff, 0xe1}, be16(len(exif)+2), exif, Example(document.JPEG)[2:])
		}},
		{"compound file whose table is its own next", ring(document.DOC, 68, 0, 1<<20)},
		{"compound file whose directory is a ring", func() []byte {
			b := bytes.Clone(Example(document.DOC))
			table := 512 * (1 + int(binary.LittleEndian.Uint32(b[76:])))
			copy(b[table:], le32(0, 1, 2, 3, 4, 5))
			return b
		}},
		{"compound file whose entries are their own children", func() []byte {
			b := bytes.Clone(Example(document.DOC))
			at := 512 * (1 + int(binary.LittleEndian.Uint32(b[48:])))
			for i := range 4 {
				copy(b[at+128*i+68:], le32(0, i, 0))
			}
			return b
		}},
		{"PDF tree of pages that is its own child", func() []byte { return pdf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[2 0 R]/Count 1>>") }},
		{"PDF mask of itself", func() []byte { return paper(draw, pixels(4, 4, "/SMask 5 0 R", make([]byte, 16))) }},
		{"PDF length that is itself", func() []byte {
			return paper(draw, "<</Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray/Length 5 0 R>>\nstream\nx\nendstream")
		}},
		{"PDF colour space of itself", func() []byte {
			return paper(draw, strings.Replace(pixels(4, 4, "", make([]byte, 16)), "/DeviceGray", "6 0 R", 1), "[/Indexed 6 0 R 1<0000>]")
		}},
		{"PDF table that is its own predecessor", func() []byte {
			b := Example(document.PDF)
			at := bytes.LastIndex(b, []byte("xref\n0 "))
			return bytes.Replace(b, []byte("/Root"), fmt.Appendf(nil, "/Prev %d/Root", at), 1)
		}},
		{"PDF names that are their own kids", func() []byte {
			return pdf("<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles 4 0 R>>>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
				"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>", "<</Kids[4 0 R 4 0 R]>>")
		}},
		{"DOCX part related to itself", func() []byte {
			return officePackage(packages[document.DOCX], part{name: "document.xml", body: []byte("<x/>")})
		}},
		{"HEIF item derived from itself", func() []byte {
			return examples.EncodeHEIF("heic", 1, []examples.HEIFItem{{Type: "iden", Tiles: []uint16{1}, Props: []examples.HEIFProp{examples.HEIFSize(16, 16)}}})
		}},
		{"HEIF items derived from each other", func() []byte {
			size := []examples.HEIFProp{examples.HEIFSize(16, 16)}
			return examples.EncodeHEIF("heic", 1, []examples.HEIFItem{{Type: "iden", Tiles: []uint16{2}, Props: size}, {Type: "iden", Tiles: []uint16{1}, Props: size}})
		}},
		{"EMF that ends where it begins", ring(document.EMF, 48, 108, 0)},
	}
}

// overlaps use the same bytes many times.
func overlaps() []made {
	return []made{
		{"archive of 1,000 entries over one", func() []byte { return shared(1000, 4*mib) }},
		{"archive of 9,000 entries over one", func() []byte { return shared(9000, 64<<10) }},
		{"TIFF of 60,000 strips that are one", func() []byte {
			const n = 60_000
			at := 8 + 2 + 9*12 + 4
			fields := []field{
				{256, 4, 1, 4}, {257, 4, 1, n}, {258, 3, 1, 8}, {259, 3, 1, 1}, {262, 3, 1, 1},
				{273, 4, n, at}, {277, 3, 1, 1}, {278, 4, 1, 1}, {279, 4, n, at + 4*n},
			}
			return join([]byte("II*\x00"), le32(8), directory(0, fields...), bytes.Repeat(le32(8), n), bytes.Repeat(le32(4), n))
		}},
		{"icon whose pictures are the icon", func() []byte {
			return join(le16(0, 1, 2), bytes.Repeat(join([]byte{16, 16, 0, 0}, le16(1, 32), le32(38, 0)), 2))
		}},
		{"PDF of 2,000 images that are one stream", func() []byte {
			return paper(strings.Repeat(draw+" ", 2000), pixels(2000, 2000, "/Filter/FlateDecode", squeeze(4_000_000)))
		}},
		{"GIF frames outside their screen", func() []byte {
			b := bytes.Clone(Example(document.GIF))
			if at := bytes.IndexByte(b[13:], 0x2c); at >= 0 {
				copy(b[13+at+1:], le16(65_000, 65_000, 65_000, 65_000))
			}
			return b
		}},
		{"compound file whose streams share sectors", func() []byte {
			big := bytes.Repeat(picture(), 100)
			b := compound(cfb.NewStream("WordDocument", append(fib(), big...)), cfb.NewStream("Data", big))
			dir := 512 * (1 + int(binary.LittleEndian.Uint32(b[48:])))
			copy(b[dir+2*128+116:dir+2*128+120], b[dir+128+116:])
			return b
		}},
	}
}

// shared is an office package with n more lines in its directory for the same entry of
// that many bytes.
func shared(n int, size int64) []byte {
	b := officePackage(packages[document.DOCX], part{name: "media/image1.png", size: size})
	end := bytes.LastIndex(b, []byte("PK\x05\x06"))
	last := bytes.LastIndex(b[:end], []byte("PK\x01\x02"))
	dir := int(binary.LittleEndian.Uint32(b[end+16:]))
	out := append(bytes.Clone(b[:end]), bytes.Repeat(b[last:end], n)...)
	tail := bytes.Clone(b[end:])
	had := int(binary.LittleEndian.Uint16(tail[8:]))
	copy(tail[8:], join(le16(had+n, had+n), le32(len(out)-dir)))
	return append(out, tail...)
}
