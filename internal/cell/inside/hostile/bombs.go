package hostile

import (
	"bytes"
	"compress/lzw"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"strings"

	"blotter/internal/cell/inside/cfb"
	"blotter/internal/document"
	"blotter/internal/examples"
)

// archiveBombs unpack to far more than they weigh, in every container that packs.
func archiveBombs() []made {
	docx := packages[document.DOCX]
	return []made{
		{"DOCX with a picture of 2 GiB", func() []byte { return officePackage(docx, part{name: "media/image1.png", size: 2048 * mib}) }},
		{"DOCX with a main part of 1 GiB", func() []byte { return officePackage(docx, part{name: "document.xml", size: 1024 * mib}) }},
		{"XLSX with 100 pictures of 16 MiB", func() []byte {
			return officePackage(packages[document.XLSX], many("media/image%d.png", 100, 16*mib)...)
		}},
		{"PPTX with 20,000 parts", func() []byte { return officePackage(packages[document.PPTX], many("media/image%d.png", 20_000, 1)...) }},
		{"DOCX with a list of types of 1 GiB", func() []byte {
			return archive(part{name: "[Content_Types].xml", size: 1024 * mib}, part{name: "word/document.xml", body: []byte("<x/>")})
		}},
		{"ODT with a picture of 1 GiB", func() []byte { return openPackage(document.ODT, part{name: "Pictures/1.png", size: 1024 * mib}) }},
		{"ODS with a list of parts of 1 GiB", func() []byte { return archive(part{name: "META-INF/manifest.xml", size: 1024 * mib}) }},
		{"ODP with a mimetype of 1 GiB", func() []byte { return archive(part{name: "mimetype", size: 1024 * mib}) }},
		{"archive of 70,000 entries", func() []byte { return archive(many("%d", 70_000, 0)...) }},
		{"packed EMF of 1 GiB in a DOCX", func() []byte {
			return officePackage(docx, part{name: "media/image1.emz", body: gzipped(1024 * mib)})
		}},
		{"packed EMF within a packed EMF", func() []byte {
			return officePackage(docx, part{name: "media/image1.emz", body: deep(4, gzipped(64*mib), repack)})
		}},
		{"XML of a billion laughs in a DOCX", func() []byte { return officePackage(docx, part{name: "_rels/x.xml.rels", body: laughs()}) }},
		{"DOC with a packed metafile of 1 GiB", func() []byte {
			packed := squeeze(1024 * mib)
			b := record(0x3d40, 0xf01a, make([]byte, 16), le32(1024*mib), make([]byte, 24), le32(len(packed)), []byte{0, 0xfe}, packed)
			return compound(cfb.NewStream("WordDocument", fib()), cfb.NewStream("Data", b))
		}},
		{"MSG whose packed RTF claims 4 GiB", func() []byte {
			rtf := join(le32(100, -1), []byte("LZFu"), le32(0), bytes.Repeat([]byte{0xff, 0, 0}, 10_000))
			return compound(cfb.NewStream("__properties_version1.0", make([]byte, 32)), cfb.NewStream("__substg1.0_10090102", rtf))
		}},
	}
}

// many lists n parts of that many zeros each.
func many(name string, n int, size int64) []part {
	out := make([]part, n)
	for i := range out {
		out[i] = part{name: fmt.Sprintf(name, i+1), size: size}
	}
	return out
}

// laughs is a document whose entities unfold to 10⁹ words.
func laughs() []byte {
	b := bytes.NewBufferString(`<!DOCTYPE r [<!ENTITY a0 "ha">`)
	for i := 1; i < 10; i++ {
		fmt.Fprintf(b, `<!ENTITY a%d "%s">`, i, strings.Repeat(fmt.Sprintf("&a%d;", i-1), 10))
	}
	return append(b.Bytes(), `]><Relationships>&a9;</Relationships>`...)
}

// streamBombs unpack in the streams of a PDF and of images.
func streamBombs() []made {
	flates := func(n int) string { return "/Filter[" + strings.Repeat("/FlateDecode", n) + "]" }
	return []made{
		{"PDF image of 16 pixels, 1 GiB under Flate", func() []byte { return paper(draw, pixels(4, 4, flates(1), squeeze(1024*mib))) }},
		{"PDF image under two Flates", func() []byte { return paper(draw, pixels(4, 4, flates(2), deflate(squeeze(1024*mib)))) }},
		{"PDF image under five Flates", func() []byte { return paper(draw, pixels(4, 4, flates(5), deep(4, squeeze(1024*mib), deflate))) }},
		{"PDF image under 500 Flates", func() []byte { return paper(draw, pixels(4, 4, flates(500), deep(500, []byte("x"), deflate))) }},
		{"PDF image under LZW", func() []byte { return paper(draw, pixels(4, 4, "/Filter/LZWDecode", compress(64*mib))) }},
		{"PDF image under LZW under Flate", func() []byte {
			return paper(draw, pixels(4, 4, "/Filter[/FlateDecode/LZWDecode]", deflate(compress(128*mib))))
		}},
		{"PDF image under run lengths", func() []byte {
			return paper(draw, pixels(4, 4, "/Filter[/FlateDecode/RunLengthDecode]", deflate(bytes.Repeat([]byte{0x81, 0}, 8*mib))))
		}},
		{"PDF page content of 1 GiB", func() []byte {
			return pdf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
				"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R>>", stream("/Filter/FlateDecode", squeeze(1024*mib)))
		}},
		{"PDF object stream of 1 GiB", func() []byte {
			return paper(draw, pixels(1, 1, "", []byte("x")), stream("/Type/ObjStm/N 1000000/First 8/Filter/FlateDecode", squeeze(1024*mib)))
		}},
		{"PDF attachment of 1 GiB", func() []byte {
			return pdf("<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles<</Names[(a)4 0 R]>>>>>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
				"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>", "<</Type/Filespec/F(a.pdf)/EF<</F 5 0 R>>>>", stream("/Type/EmbeddedFile/Filter/FlateDecode", squeeze(1024*mib)))
		}},
		{"PNG of 4×4 pixels, 1 GiB packed", func() []byte { return pngOf(4, 4, chunk("IDAT", squeeze(1024*mib))) }},
		{"PNG of 30,000×30,000 pixels", func() []byte { return pngOf(30_000, 30_000, chunk("IDAT", squeeze(30_000*30_001))) }},
		{"PNG of 6,300×6,300 pixels, 4 inks of 16 bits", func() []byte {
			return join([]byte(pngMark), chunk("IHDR", append(be32(6300, 6300), 16, 6, 0, 0, 0)), chunk("IDAT", squeeze(6300*(6300*8+1))), chunk("IEND", nil))
		}},
		{"PNG with a text of 1 GiB", func() []byte {
			return pngOf(4, 4, chunk("zTXt", join([]byte("k\x00\x00"), squeeze(1024*mib))), chunk("IDAT", squeeze(20)))
		}},
		{"PNG with a profile of 1 GiB", func() []byte {
			return pngOf(4, 4, chunk("iCCP", join([]byte("k\x00\x00"), squeeze(1024*mib))), chunk("IDAT", squeeze(20)))
		}},
		{"TIFF strip of 16 pixels, 1 GiB under Deflate", func() []byte { p := squeeze(1024 * mib); return tiff(4, 4, 8, len(p), p) }},
		{"TIFF of 60,000×60,000 pixels", func() []byte { p := squeeze(64 * mib); return tiff(60_000, 60_000, 8, len(p), p) }},
		{"WebP of 16,000×16,000 pixels", func() []byte {
			img := examples.LosslessWebP(slope())
			binary.LittleEndian.PutUint32(img[1:], 15_999|15_999<<14)
			return examples.WebPFile(examples.WebPChunk("VP8L", img))
		}},
		{"JPEG 2000 of 60,000×60,000 pixels", func() []byte { return examples.GrayJPEG2000(60_000, 60_000) }},
		{"JPEG 2000 of 6,000×6,000 pixels", func() []byte { return examples.GrayJPEG2000(6000, 6000) }},
	}
}

// compress is n zeros under LZW.
func compress(n int) []byte {
	var b bytes.Buffer
	w := lzw.NewWriter(&b, lzw.MSB, 8)
	for range n / mib {
		must(w.Write(make([]byte, mib)))
	}
	must(0, w.Close())
	return b.Bytes()
}

// frameBombs hold many small or empty pictures.
func frameBombs() []made {
	return []made{
		{"GIF of 20,000 frames", func() []byte { return frames(20_000, 1, 1) }},
		{"GIF of 400 frames of 5,000×5,000 pixels", func() []byte { return frames(400, 5000, 5000) }},
		{"APNG of 20,000 frames", func() []byte { return animation(20_000, 4, 4) }},
		{"APNG of 400 frames of 6,000×6,000 pixels", func() []byte { return animation(400, 6000, 6000) }},
		{"APNG that promises 2³¹ frames", func() []byte {
			return pngOf(4, 4, chunk("acTL", be32(1<<31-1, 0)), chunk("IDAT", squeeze(20)))
		}},
		{"TIFF of 30,000 directories", func() []byte { return directories(30_000) }},
		{"WebP of 10,000 frames", func() []byte {
			img := examples.WebPChunk("VP8L", examples.LosslessWebP(slope()))
			parts := [][]byte{examples.WebPChunk("VP8X", append([]byte{2, 0, 0, 0}, 15, 0, 0, 15, 0, 0)), examples.WebPChunk("ANIM", make([]byte, 6))}
			for range 10_000 {
				parts = append(parts, examples.WebPChunk("ANMF", join([]byte{0, 0, 0, 0, 0, 0, 15, 0, 0, 15, 0, 0, 1, 0, 0, 0}, img)))
			}
			return examples.WebPFile(parts...)
		}},
		{"icon of 65,535 pictures", func() []byte {
			return join(le16(0, 1, 65_535), bytes.Repeat(join([]byte{16, 16, 0, 0}, le16(1, 32), le32(100, 22)), 65_535))
		}},
		{"JBIG2 of 250 pages", func() []byte { return examples.JBIG2(false, 250) }},
		{"PDF of 100,000 pages", func() []byte {
			return pdf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids["+strings.Repeat("3 0 R ", 100_000)+"]/Count 100000>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>")
		}},
		{"PDF that promises 2³¹ pages", func() []byte {
			return pdf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 2147483647>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>")
		}},
		{"PDF page of 14,400 inches", func() []byte {
			return pdf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 1036800 1036800]>>")
		}},
		{"JPEG of 3,000 appended JPEGs", func() []byte { return bytes.Repeat(Example(document.JPEG), 3000) }},
		{"RTF of 20,000 pictures", func() []byte {
			return fmt.Appendf(nil, `{\rtf1 %s}`, bytes.Repeat(fmt.Appendf(nil, `{\pict\pngblip %x}`, pngOf(1, 1, chunk("IDAT", deflate([]byte("\x00x"))))), 20_000))
		}},
		{"message of 20,000 attachments", func() []byte {
			return join([]byte("From: a@example.org\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"),
				bytes.Repeat([]byte("--b\r\nContent-Type: image/gif\r\n\r\nGIF89a\r\n"), 20_000), []byte("--b--\r\n"))
		}},
		{"metafile of 500,000 orders", func() []byte { return emf(1000, 1000, bytes.Repeat(emfRecord(43, le32(0, 0, 1000, 1000)), 500_000)) }},
		{"metafile of 300,000 dashed lines", func() []byte {
			pen := join(emfRecord(38, le32(1, 1, 1, 0, 0)), emfRecord(37, le32(1)))
			return emf(1000, 1000, pen, bytes.Repeat(emfRecord(87, make([]byte, 16), le32(2), le16(0, 0, 32000, 9)), 300_000))
		}},
		{"metafile of 12,000,000 letters", func() []byte {
			line := bytes.Repeat([]byte{'x', 0}, 30_000)
			return emf(1000, 1000, bytes.Repeat(emfRecord(84, make([]byte, 16), le32(1, 0, 0, 0, 0, 30_000, 76, 0, 0, 0, 0, 0, 0), line), 400))
		}},
		{"metafile of 10,000 clips", func() []byte {
			var clips [][]byte
			for i := range 10_000 {
				clips = append(clips, emfRecord(59), emfRecord(42, le32(0, 0, 500+i%500, 1000)), emfRecord(60), emfRecord(67, le32(5)), emfRecord(43, le32(0, 0, 1000, 1000)))
			}
			return emf(1000, 1000, clips...)
		}},
		{"metafile of 20,000 bitmaps", func() []byte { return emf(16, 16, bytes.Repeat(stretchDIB(16, 16, bitmap()), 20_000)) }},
	}
}

// frames is a GIF of n frames of one colour.
func frames(n, w, h int) []byte {
	p := color.Palette{color.Black, color.White}
	var one bytes.Buffer
	must(0, gif.EncodeAll(&one, &gif.GIF{Image: []*image.Paletted{image.NewPaletted(image.Rect(0, 0, w, h), p)}, Delay: []int{1}, LoopCount: -1}))
	b := one.Bytes()
	const head = 6 + 7 + 6 // signature, screen, two colours
	return join(b[:head], bytes.Repeat(b[head:len(b)-1], n), []byte{0x3b})
}

// animation is an APNG of n frames, all of them the first one's pixels.
func animation(n, w, h int) []byte {
	data := squeeze(int64(h) * int64(w+1))
	parts := [][]byte{chunk("acTL", be32(n, 0)), chunk("fcTL", join(be32(0, w, h, 0, 0), []byte{0, 1, 0, 1, 0, 0})), chunk("IDAT", data)}
	for i := 1; i < n && len(parts)*len(data) < 16*mib; i++ {
		parts = append(parts, chunk("fcTL", join(be32(2*i-1, w, h, 0, 0), []byte{0, 1, 0, 1, 0, 0})), chunk("fdAT", join(be32(2*i), data)))
	}
	return pngOf(w, h, parts...)
}

// directories is a TIFF of n pages that share their pixels.
func directories(n int) []byte {
	b := join([]byte("II*\x00"), le32(24), make([]byte, 16))
	for i := range n {
		next := 0
		if i < n-1 {
			next = len(b) + 2 + 9*12 + 4
		}
		b = append(b, directory(next, grayTIFF(4, 4, 1, 8, 16)...)...)
	}
	return b
}
