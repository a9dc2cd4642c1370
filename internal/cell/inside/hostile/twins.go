package hostile

import (
	"bytes"
	"strings"

	"blotter/internal/cell/inside/cfb"
	"blotter/internal/document"
)

// polyglots are two kinds of file at once.
func polyglots() []made {
	both := func(a, b document.Format) func() []byte {
		return func() []byte { return join(Example(a), Example(b)) }
	}
	return []made{
		{"JPEG and DOCX", both(document.JPEG, document.DOCX)},
		{"JPEG and archive", func() []byte {
			return join(Example(document.JPEG), archive(part{name: "a.js", body: []byte("alert(1)")}))
		}},
		{"PNG and archive", func() []byte { return join(picture(), archive(part{name: "a.png", body: picture()})) }},
		{"PNG and PDF", both(document.PNG, document.PDF)},
		{"PDF and DOCX", both(document.PDF, document.DOCX)},
		{"PDF in a JPEG's comment", func() []byte {
			p := Example(document.PDF)
			return join([]byte{0xff, 0xd8, 0xff, 0xfe}, be16(len(p)+2), p, Example(document.JPEG)[2:])
		}},
		{"PDF behind 1,000 bytes of an archive", func() []byte {
			return join(archive(part{name: "x", body: bytes.Repeat([]byte("x"), 800)}), Example(document.PDF))
		}},
		{"GIF and JavaScript", func() []byte {
			return join([]byte("GIF89a=1;/*"), make([]byte, 20), Example(document.GIF)[6:], []byte("*/alert(1)//"))
		}},
		{"GIF and PHP", func() []byte { return join(Example(document.GIF), []byte("<?php system($_GET['c']); ?>")) }},
		{"BMP and JavaScript", func() []byte { return join([]byte("BM=1;/*"), Example(document.BMP)[7:], []byte("*/alert(1)")) }},
		{"PNG and HTML", func() []byte {
			return pngOf(16, 16, chunk("tEXt", []byte("k\x00<script>alert(1)</script>")), chunk("IDAT", deflate(make([]byte, 17*16))))
		}},
		{"TIFF and PDF", both(document.TIFF, document.PDF)},
		{"RTF and archive", both(document.RTF, document.DOCX)},
		{"DOC and DOCX", both(document.DOC, document.DOCX)},
		{"message and PDF", both(document.EML, document.PDF)},
		{"shell script and PDF", func() []byte { return join([]byte("#!/bin/sh\nexit\n"), Example(document.PDF)) }},
		{"program and PDF", func() []byte { return join([]byte("MZ"), make([]byte, 200), Example(document.PDF)) }},
		{"WebP and archive", both(document.WebP, document.ODT)},
		{"DOCX that is also ODT", func() []byte {
			return archive(part{name: "mimetype", body: []byte(document.ODT.String())},
				part{name: "[Content_Types].xml", body: []byte(`<Types><Override PartName="/word/document.xml" ContentType="` + packages[document.DOCX].mediaType + `"/></Types>`)},
				part{name: "word/document.xml", body: []byte("<x/>")}, part{name: "Pictures/1.png", body: picture()})
		}},
		{"compound file that is Word, Excel and PowerPoint", func() []byte {
			return compound(cfb.NewStream("WordDocument", fib()), cfb.NewStream("Workbook", workbook(blip(picture()))), cfb.NewStream("PowerPoint Document", nil))
		}},
	}
}

// disguises call a file what it is not.
func disguises() []made {
	docx := packages[document.DOCX]
	within := func(name string, body []byte) func() []byte {
		return func() []byte { return officePackage(docx, part{name: name, body: body}) }
	}
	out := []made{
		{"SVG called a PNG", within("media/image1.png", []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`))},
		{"program called a PNG", within("media/image1.png", append([]byte("MZ"), make([]byte, 500)...))},
		{"PDF called a PNG", within("media/image1.png", Example(document.PDF))},
		{"DOCX called a PNG", within("media/image1.png", Example(document.DOCX))},
		{"part outside its package", within("../../../etc/passwd.png", picture())},
		{"part with an absolute name", within("//etc/passwd.png", picture())},
		{"two parts of one name", func() []byte {
			return officePackage(docx, part{name: "media/image1.png", body: picture()}, part{name: "media/image1.png", body: Example(document.PDF)})
		}},
		{"part name of 60,000 bytes", within(strings.Repeat("a", 60_000)+".png", picture())},
		{"program sent as a PNG", func() []byte { return letter("image/png", append([]byte("\x7fELF"), make([]byte, 500)...)) }},
		{"bomb sent as text", func() []byte { return letter("text/plain", archive(part{name: "x", size: 64 * mib})) }},
		{"attachment in no known encoding", func() []byte {
			return bytes.Replace(Example(document.EML), []byte("base64"), []byte("x-own\x00"), 1)
		}},
		{"message whose boundary is empty", func() []byte { return bytes.Replace(Example(document.EML), []byte(`"b"`), []byte(`""`), 1) }},
		{"PDF stream that is no JPEG", func() []byte { return paper(draw, pixels(16, 16, "/Filter/DCTDecode", picture())) }},
		{"PDF stream that is no JPEG 2000", func() []byte { return paper(draw, pixels(16, 16, "/Filter/JPXDecode", Example(document.JPEG))) }},
		{"PDF stream that is no JBIG2", func() []byte { return paper(draw, pixels(16, 16, "/Filter/JBIG2Decode", make([]byte, 500))) }},
		{"signature of Excel, document of Word", func() []byte { return compound(cfb.NewStream("Workbook", fib())) }},
		{"empty file", func() []byte { return nil }},
		{"a byte", func() []byte { return []byte{0} }},
		{"16 MiB of zeros", func() []byte { return make([]byte, 16*mib) }},
		{"16 MiB of one line", func() []byte { return bytes.Repeat([]byte("a"), 16*mib) }},
	}
	for _, f := range document.Opened() { // the first bytes of each format, then noise
		out = append(out, made{f.String() + " by its first 16 bytes", func() []byte {
			b := Example(f)
			return mutate(join(b[:16], bytes.Repeat([]byte{0xa5, 0x5a, 0xff, 0x00}, 1000)), int(f))
		}})
	}
	return out
}
