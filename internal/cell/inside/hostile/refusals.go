package hostile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"blotter/internal/cell/inside/cfb"
	"blotter/internal/document"
	"blotter/internal/examples"
	"blotter/internal/policy"
	"blotter/internal/reason"
)

// Refusal is a file that its headers alone refuse, or every picture of it.
type Refusal struct {
	File
	Want reason.Code
}

// RefusedWithin is the processor time that refusing such a file may take.
const RefusedWithin = 100 * time.Millisecond

// full is how large a document may be, so that what reads more than a header shows.
const full = 25 * mib

// over is a side in pixels that no limit lets in, and that still fits 16 bits without a
// sign.
const over = 30_000

// Refusals lists files that must be refused before anything of them is decoded, nearly
// all as large as a document may be.
func Refusals() []Refusal {
	var out []Refusal
	for _, group := range []struct {
		kind  string
		files []refused
	}{
		{"too many pixels", tooLarge()}, {"too many", tooMany()}, {"unpacks too far", tooPacked()},
		{"behind a password", locked()}, {"not for blotter", foreign()},
	} {
		for _, r := range group.files {
			out = append(out, Refusal{File{group.kind, r.name, r.bytes}, r.want})
		}
	}
	return out
}

// refused is a file of a group, and why it is refused.
type refused struct {
	want  reason.Code
	name  string
	bytes func() []byte
}

// noise is n bytes that look like nothing: no marker, no signature, no line.
func noise(n int) []byte {
	b := make([]byte, n)
	x := uint32(2463534242)
	for i := range b {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		b[i] = byte(x>>24) | 0x80
		if b[i] == 0xff {
			b[i] = 0xfe
		}
	}
	return b
}

// filled puts noise behind a file, up to what a document may have.
func filled(b []byte) []byte { return append(b, noise(full-len(b))...) }

// tooLarge are pictures of more pixels than an image may have.
func tooLarge() []refused {
	all := func(name string, make func() []byte) refused { return refused{reason.ExtractPixels, name, make} }
	at := func(f document.Format, off int, v ...[]byte) func() []byte {
		return func() []byte {
			b := bytes.Clone(Example(f))
			copy(b[off:], join(v...))
			return b
		}
	}
	packed := func() []byte { return pngOf(over, over, chunk("IDAT", noise(full/2))) }
	return []refused{
		all("PNG", func() []byte { return pngOf(over, over, chunk("IDAT", noise(full-100))) }),
		all("PNG of 8 KiB chunks", func() []byte {
			return pngOf(over, over, bytes.Repeat(chunk("IDAT", noise(8<<10)), full/(8<<10)-10))
		}),
		all("JPEG", func() []byte {
			b := resized(Example(document.JPEG), over)
			return join(b[:len(b)-2], noise(full-len(b)), b[len(b)-2:])
		}),
		all("GIF of one frame", func() []byte {
			b := at(document.GIF, 6, le16(over, over))()
			frame := bytes.IndexByte(b[13+3<<(1+b[10]&7):], 0x2c) + 13 + 3<<(1+b[10]&7)
			copy(b[frame+1:], le16(0, 0, over, over))
			block := join([]byte{255}, noise(255))
			return join(b[:frame+11], bytes.Repeat(block, (full-len(b))/len(block)), []byte{0, 0x3b})
		}),
		all("TIFF of one strip", func() []byte { return tiff(60_000, 60_000, 5, full-200, noise(full-200)) }),
		all("TIFF of 60,000 strips", func() []byte { return strips(60_000) }),
		all("BMP", func() []byte { b := wideBitmap(); return join([]byte("BM"), le32(14+len(b), 0, 14+48), b) }),
		all("WebP", func() []byte {
			img := examples.LosslessWebP(slope())
			binary.LittleEndian.PutUint32(img[1:], 15_999|15_999<<14)
			return examples.WebPFile(examples.WebPChunk("VP8L", append(img, noise(full-len(img)-64)...)))
		}),
		all("HEIC", func() []byte { return filled(property(heic, be32(over, over))) }),
		all("AVIF", func() []byte { return filled(property(avif, be32(over, over))) }),
		all("JPEG 2000", func() []byte { return filled(examples.GrayJPEG2000(60_000, 60_000)) }),
		all("JBIG2", func() []byte { return resizedJBIG2(examples.JBIG2(false, 2), 60_000) }),
		all("icon of a PNG", func() []byte {
			p := packed()
			return join(le16(0, 1, 1), []byte{0, 0, 0, 0}, le16(1, 32), le32(len(p), 22), p)
		}),
		all("EMF with a bitmap", func() []byte { return emf(wide, wide, stretchDIB(wide, wide, wideBitmap())) }),
		all("WMF with a bitmap", func() []byte { return wmf(wide, wide, wmfDIB(wideBitmap())) }),
		all("DOCX with a PNG", func() []byte {
			return officePackage(packages[document.DOCX], part{name: "media/image1.png", body: packed()})
		}),
		all("message with a PNG", func() []byte { return letter("image/png", packed()) }),
		all("RTF with a PNG", func() []byte { return fmt.Appendf(nil, `{\rtf1 {\pict\pngblip %x}}`, packed()[:full/2-100]) }),
		all("DOC with a PNG", func() []byte {
			return compound(cfb.NewStream("WordDocument", fib()), cfb.NewStream("Data", blip(packed())))
		}),
		all("Outlook message with a PNG", func() []byte { return outlook(packed()) }),
		all("PDF page of 14,400 points", func() []byte {
			return pdf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
				"<</Type/Page/Parent 2 0 R/MediaBox[0 0 14400 14400]>>", stream("", noise(full-1000)))
		}),
	}
}

// strips is a TIFF of 60,000 rows of 60,000 pixels, each a strip of its own.
func strips(n int) []byte {
	at := 8 + 2 + 9*12 + 4
	each := (full - at - 8*n) / n
	offsets := make([]byte, 0, 4*n)
	for i := range n {
		offsets = append(offsets, le32(at+8*n+i*each)...)
	}
	return join([]byte("II*\x00"), le32(8), directory(0,
		field{256, 4, 1, 60_000}, field{257, 4, 1, n}, field{258, 3, 1, 8}, field{259, 3, 1, 5}, field{262, 3, 1, 1},
		field{273, 4, n, at}, field{277, 3, 1, 1}, field{278, 4, 1, 1}, field{279, 4, n, at + 4*n},
	), offsets, bytes.Repeat(le32(each), n), noise(n*each))
}

// resizedJBIG2 tells another size on each page of a JBIG2 file.
func resizedJBIG2(b []byte, side int) []byte {
	const info = 48 // the type of a segment that tells of a page; its number before, a page and its length behind
	for i := 0; i+19 < len(b); i++ {
		if b[i+4] == info && binary.BigEndian.Uint32(b[i+7:]) == 19 {
			copy(b[i+11:], be32(side, side))
		}
	}
	return b
}

// wide is a side of a bitmap that has its pixels and nearly fills a document.
const wide = 14_000

// wideBitmap is a bitmap of two colours without a file's header.
func wideBitmap() []byte {
	return join(le32(40, wide, wide, 1|1<<16), make([]byte, 24), le32(0, 0xffffff), noise((wide+31)/32*4*wide))
}

// jbig2Pages is a JBIG2 file of n pages on which nothing stands.
func jbig2Pages(n int) []byte {
	b := join([]byte("\x97JB2\r\n\x1a\n\x01"), be32(n))
	for i := range n {
		b = append(append(b, be32(i)...), 48|0x40, 0) // of a page that is told by four bytes
		b = append(append(b, be32(i+1, 19, 16, 16, 0, 0)...), 0, 0, 0)
	}
	return b
}

// tooMany hold more frames, pages, pictures or entries than a document may.
func tooMany() []refused {
	l := policy.Default().Limits
	few := func(n int) []byte { return frames(n, 1, 1) }
	return []refused{
		{reason.ExtractFrames, "GIF of one frame too many", func() []byte { return few(l.Frames + 1) }},
		{reason.ExtractFrames, "GIF of a million frames", func() []byte { return few(full / 21) }},
		{reason.ExtractFrames, "APNG", func() []byte { return animation(l.Frames+1, 64, 64) }},
		{reason.ExtractFrames, "APNG of 200,000 frames", func() []byte { return animation(200_000, 4, 4) }},
		{reason.ExtractFrames, "TIFF of one page too many", func() []byte { return directories(l.Frames + 1) }},
		{reason.ExtractFrames, "TIFF of 220,000 pages", func() []byte { return directories(full / 114) }},
		{reason.ExtractFrames, "TIFF of 100,000 pages below one", func() []byte { return below(100_000) }},
		{reason.ExtractFrames, "WebP of 300,000 frames", func() []byte { return movingWebP(300_000) }},
		{reason.ExtractFrames, "JBIG2 of 800,000 pages", func() []byte { return jbig2Pages(800_000) }},
		{reason.ExtractFrames, "HEIC of 501 items", func() []byte {
			items := make([]examples.HEIFItem, l.Frames+1)
			for i := range items {
				items[i] = examples.HEIFItem{Type: "hvc1", Data: []byte("x"), Props: []examples.HEIFProp{examples.HEIFSize(16, 16)}}
			}
			return examples.EncodeHEIF("heic", 1, items)
		}},
		{reason.ExtractPages, "PDF of one page too many, 25 MiB of pictures", func() []byte { return pages(l.Pages+1, full/(l.Pages+1)-200) }},
		{reason.ExtractPages, "PDF of 100,000 pages, one dictionary each", func() []byte { return pages(100_000, 0) }},
		{reason.ExtractAssets, "PDF of 2,001 pictures", func() []byte { return pictures(l.Assets + 1) }},
		{reason.ExtractEntries, "DOCX of one part too many", func() []byte {
			return officePackage(packages[document.DOCX], many("media/image%d.png", l.Entries-3, 2000)...)
		}},
		{reason.ExtractEntries, "PPTX of 60,000 parts", func() []byte { return officePackage(packages[document.PPTX], many("media/image%d.png", 60_000, 1)...) }},
		{reason.ExtractEntries, "message of 300,000 attachments", func() []byte {
			return join([]byte("From: a@example.org\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"),
				bytes.Repeat([]byte("--b\r\nContent-Type: image/gif\r\n\r\nGIF89a\r\n"), 300_000), []byte("--b--\r\n"))
		}},
		{reason.ExtractEntries, "RTF of 100,000 pictures", func() []byte {
			return fmt.Appendf(nil, `{\rtf1 %s}`, bytes.Repeat(fmt.Appendf(nil, `{\pict\pngblip %x}`, pngOf(1, 1, chunk("IDAT", deflate([]byte("\x00x"))))), 100_000))
		}},
	}
}

// pages is a PDF of n pages, each with a picture of so many bytes.
func pages(n, size int) []byte {
	var kids strings.Builder
	objects := make([]string, 0, 2*n)
	for i := range n {
		fmt.Fprintf(&kids, "%d 0 R ", 3+2*i)
		objects = append(objects, fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents %d 0 R>>", 4+2*i), stream("", noise(size)))
	}
	return pdf("<</Type/Catalog/Pages 2 0 R>>", fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", kids.String(), n), objects...)
}

// pictures is a PDF of one page with n pictures, which together fill a document.
func pictures(n int) []byte {
	var names, draws strings.Builder
	var more []string
	for i := range n - 1 {
		fmt.Fprintf(&names, "/I%d %d 0 R", i, 6+i)
		fmt.Fprintf(&draws, "/I%d Do ", i)
		more = append(more, pixels(64, 64, "", join(be32(i), noise(64*64-4))))
	}
	return pdf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", append([]string{
		fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</XObject<</I 5 0 R%s>>>>>>", names.String()),
		stream("", []byte(draws.String())), pixels(1, 1, "", []byte("x")),
	}, more...)...)
}

// below is a TIFF of one page with n pages below it.
func below(n int) []byte {
	const head = 8 + 2 + 10*12 + 4
	const each = 2 + 9*12 + 4
	lies := make([]byte, 0, 4*n)
	for i := range n {
		lies = append(lies, le32(head+4*n+i*each)...)
	}
	return join([]byte("II*\x00"), le32(8), directory(0, append(grayTIFF(1, 1, 1, 0, 1), field{330, 4, n, head})...), lies,
		bytes.Repeat(directory(0, grayTIFF(1, 1, 1, 0, 1)...), n))
}

// movingWebP is an animation of n small frames.
func movingWebP(n int) []byte {
	img := examples.WebPChunk("VP8L", examples.LosslessWebP(slope())[:64])
	one := examples.WebPChunk("ANMF", join([]byte{0, 0, 0, 0, 0, 0, 15, 0, 0, 15, 0, 0, 1, 0, 0, 0}, img))
	return examples.WebPFile(examples.WebPChunk("VP8X", append([]byte{2, 0, 0, 0}, 15, 0, 0, 15, 0, 0)),
		examples.WebPChunk("ANIM", make([]byte, 6)), bytes.Repeat(one, min(n, full/len(one)-1)))
}

// tooPacked promise more bytes than may be unpacked, or stack too many filters.
func tooPacked() []refused {
	l := policy.Default().Limits
	return []refused{
		{reason.ExtractUnpacked, "DOCX that promises a byte too many", func() []byte {
			return officePackage(packages[document.DOCX], part{name: "media/image1.png", size: l.UnpackedBytes - 1})
		}},
		{reason.ExtractUnpacked, "archive of 9,000 entries over one", func() []byte { return shared(9000, 64<<10) }},
		{reason.ExtractRatio, "DOCX with a picture that packs 1000:1", func() []byte {
			return officePackage(packages[document.DOCX], part{name: "media/image1.png", body: append(picture(), make([]byte, 16*mib)...)})
		}},
		{reason.ExtractFilters, "PDF picture under one filter too many", func() []byte {
			return paper(draw, pixels(4, 4, "/Filter["+strings.Repeat("/ASCIIHexDecode", l.Filters+1)+"]", noise(full-2000)))
		}},
	}
}

// locked need a password.
func locked() []refused {
	var out []refused
	for _, c := range []struct {
		name  string
		bytes func() []byte
	}{
		{"PDF", func() []byte {
			key := strings.Repeat("7f", 32)
			b := pages(20, full/20-1000)
			return bytes.Replace(b, []byte("/Root"), fmt.Appendf(nil, "/ID[<00><00>]/Encrypt<</Filter/Standard/V 1/R 2/O<%s>/U<%s>/P -4>>/Root", key, key), 1)
		}},
		{"DOCX", func() []byte {
			return compound(cfb.NewStream("EncryptionInfo", make([]byte, 200)), cfb.NewStream("EncryptedPackage", noise(full-mib)))
		}},
		{"DOC", func() []byte {
			return compound(cfb.NewStream("WordDocument", join(le16(0xa5ec, 0xc1, 0, 0, 0, 0x100), make([]byte, 20), noise(full-mib))))
		}},
		{"XLS", func() []byte {
			return compound(cfb.NewStream("Workbook", join(le16(0x809, 4, 0x600, 5), le16(0x2f, 2, 1), noise(full-mib))))
		}},
		{"PPT", func() []byte {
			return compound(cfb.NewStream("PowerPoint Document", noise(full-mib)), cfb.NewStream("Current User", join(le16(0, 0xff6), le32(20, 20, 0xf3d1c4df))))
		}},
		{"ODT", func() []byte {
			return archive(part{name: "mimetype", body: []byte(document.ODT.String())}, part{name: "META-INF/manifest.xml", body: []byte(
				`<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>`)},
				part{name: "content.xml", body: noise(full - mib)})
		}},
	} {
		out = append(out, refused{reason.ExtractEncrypted, c.name, c.bytes})
	}
	return out
}

// foreign belong to other programs: each begins as such a file does and goes on for as
// long as a document may.
func foreign() []refused {
	var out []refused
	for _, c := range []struct {
		want reason.Code
		name string
		head string
	}{
		{reason.SniffVideo, "MP4", "\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2"}, {reason.SniffVideo, "Matroska", "\x1aE\xdf\xa3"},
		{reason.SniffVideo, "AVI", "RIFF\x00\x00\x90\x01AVI LIST"}, {reason.SniffVideo, "MPEG", "\x00\x00\x01\xba"},
		{reason.SniffAudio, "MP3", "ID3\x04"}, {reason.SniffAudio, "WAV", "RIFF\x00\x00\x90\x01WAVEfmt "},
		{reason.SniffArchive, "gzip", "\x1f\x8b\x08"}, {reason.SniffArchive, "7z", "7z\xbc\xaf\x27\x1c"}, {reason.SniffArchive, "RAR", "Rar!\x1a\x07\x01\x00"},
		{reason.SniffArchive, "tar", strings.Repeat("a", 257) + "ustar\x00"},
		{reason.SniffScript, "shell script", "#!/bin/sh\n"}, {reason.SniffScript, "program", "\x7fELF\x02\x01\x01"}, {reason.SniffScript, "PHP", "<?php echo 1;"},
		{reason.SniffInteractive, "HTML", "<!DOCTYPE html><html>"}, {reason.ExtractVector, "SVG", `<svg xmlns="http://www.w3.org/2000/svg">`},
		{reason.SniffUnsupported, "DICOM", strings.Repeat("\x00", 128) + "DICM"}, {reason.SniffUnsupported, "Photoshop", "8BPS\x00\x01"},
		{reason.SniffUnsupported, "JPEG XL", "\xff\x0a"},
	} {
		out = append(out, refused{c.want, c.name, func() []byte {
			b := filled([]byte(c.head))
			if strings.HasPrefix(c.head, "<") || strings.HasPrefix(c.head, "#") { // text, which holds no noise
				copy(b[len(c.head):], bytes.Repeat([]byte("<a> word </a>\n"), full/14))
			}
			return b
		}})
	}
	return append(out,
		refused{reason.SniffUnsupported, "plain text", func() []byte { return bytes.Repeat([]byte("some words, "), full/12) }},
		refused{reason.SniffUnsupported, "XML", func() []byte {
			return join([]byte("<?xml version=\"1.0\"?><a>"), bytes.Repeat([]byte("<b>x</b>"), full/8-10))
		}},
		refused{reason.SniffUnknown, "noise", func() []byte { return noise(full) }},
		refused{reason.SniffArchive, "ZIP of photos", func() []byte { return archive(part{name: "1.jpg", body: noise(full - mib)}) }},
		refused{reason.SniffArchive, "ZIP of 65,000 entries", func() []byte { return archive(many("%d", 65_000, 100)...) }},
		refused{reason.SniffMalformed, "cut PNG", func() []byte { return join([]byte(pngMark), noise(full-8)) }},
	)
}
