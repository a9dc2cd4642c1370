package hostile

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"strings"
	"sync"

	"blotter/internal/cell/inside/cfb"
)

// le16, le32, be16 and be32 write numbers as files hold them; those too large wrap, which is
// what lies are made of.
func le16(v ...int) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint16(b, uint16(x))
	}
	return b
}

func le32(v ...int) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	return b
}

func be32(v ...int) (b []byte) {
	for _, x := range v {
		b = binary.BigEndian.AppendUint32(b, uint32(x))
	}
	return b
}

func be16(v ...int) (b []byte) {
	for _, x := range v {
		b = binary.BigEndian.AppendUint16(b, uint16(x))
	}
	return b
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// must is for writers into memory, which cannot fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// mib is how many zeros one block of void holds.
const mib = 1 << 20

// void is a DEFLATE stream of n zeros: blocks of a mebibyte, each as packed as the first,
// so that a bomb of gigabytes is made at once.
func void(n int64) []byte {
	var last bytes.Buffer
	w := must(flate.NewWriter(&last, flate.BestCompression))
	must(w.Write(make([]byte, n%mib)))
	must(0, w.Close())
	return append(bytes.Repeat(block(), int(n/mib)), last.Bytes()...)
}

// block is a mebibyte of zeros, packed, up to the end of a byte.
var block = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	w := must(flate.NewWriter(&b, flate.BestCompression))
	must(w.Write(make([]byte, mib)))
	must(0, w.Flush())
	return b.Bytes()
})

// repeated is a zlib stream of a part again and again, of about so many bytes, made at once
// as void is; its checksum is wrong, which readers of PDF do not mind.
func repeated(part string, size int) []byte {
	n := max(1, mib/len(part))
	var b bytes.Buffer
	w := must(flate.NewWriter(&b, flate.BestCompression))
	must(w.Write([]byte(strings.Repeat(part, n))))
	must(0, w.Flush())
	return join([]byte("\x78\xda"), bytes.Repeat(b.Bytes(), size/(n*len(part))), []byte{3, 0, 0, 0, 0, 0})
}

// sum is the CRC-32 of n zeros.
func sum(n int64) (crc uint32) {
	zeros := make([]byte, mib)
	for ; n > 0; n -= mib {
		crc = crc32.Update(crc, crc32.IEEETable, zeros[:min(n, mib)])
	}
	return crc
}

// squeeze is a zlib stream of n zeros.
func squeeze(n int64) []byte {
	const prime = 65521 // Adler's; its second sum counts the first, which stays 1
	return join([]byte("\x78\xda"), void(n), be32(int(n%prime)<<16|1))
}

func deflate(p []byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	must(w.Write(p))
	must(0, w.Close())
	return b.Bytes()
}

// gzipped is a gzip stream of n zeros.
func gzipped(n int64) []byte {
	return join([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"), void(n), le32(int(sum(n)), int(n)))
}

// part is an entry of an archive: what it holds, or zeros of that size.
type part struct {
	name   string
	body   []byte
	size   int64 // of zeros, where body is nil
	stored bool  // the body is not packed
}

func archive(parts ...part) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, p := range parts {
		if p.body != nil || p.size < mib {
			head := &zip.FileHeader{Name: p.name, Method: zip.Deflate}
			if p.stored {
				head.Method = zip.Store
			}
			must(must(w.CreateHeader(head)).Write(append(p.body, make([]byte, p.size)...)))
			continue
		}
		packed := void(p.size)
		must(must(w.CreateRaw(&zip.FileHeader{Name: p.name, Method: zip.Deflate, CRC32: sum(p.size),
			CompressedSize64: uint64(len(packed)), UncompressedSize64: uint64(p.size)})).Write(packed))
	}
	must(0, w.Close())
	return b.Bytes()
}

// stream is an object of a PDF that has data.
func stream(dict string, data []byte) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", dict, len(data), data)
}

// paper is a PDF of one page, object 3, whose content, object 4, and picture, object 5,
// are given, and more objects from 6 on.
func paper(content, picture string, more ...string) []byte {
	return pdf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		append([]string{
			"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>",
			stream("", []byte(content)), picture,
		}, more...)...)
}

// pdf is a file of objects: 1 is the catalogue, 2 the tree of pages, the others follow.
func pdf(catalogue, pages string, more ...string) []byte {
	b := bytes.NewBufferString("%PDF-1.7\n")
	var at []int
	for i, o := range append([]string{catalogue, pages}, more...) {
		at = append(at, b.Len())
		fmt.Fprintf(b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	table := b.Len()
	fmt.Fprintf(b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, n := range at {
		fmt.Fprintf(b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, table)
	return b.Bytes()
}

const draw = "q 100 0 0 100 0 0 cm /I Do Q"

// pixels is an image of a PDF.
func pixels(w, h int, filters string, data []byte) string {
	return stream(fmt.Sprintf("/Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8/ColorSpace/DeviceGray%s", w, h, filters), data)
}

const pngMark = "\x89PNG\r\n\x1a\n"

func chunk(kind string, data []byte) []byte {
	body := append([]byte(kind), data...)
	return join(be32(len(data)), body, binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(body)))
}

// pngOf is a gray PNG of 8 bits of that declared size, with the chunks that follow.
func pngOf(w, h int, rest ...[]byte) []byte {
	return join([]byte(pngMark), chunk("IHDR", append(be32(w, h), 8, 0, 0, 0, 0)), join(rest...), chunk("IEND", nil))
}

// field is an entry of a TIFF's directory.
type field struct{ tag, kind, count, value int }

// directory is one of a TIFF, and where the next lies.
func directory(next int, fields ...field) []byte {
	b := le16(len(fields))
	for _, f := range fields {
		b = join(b, le16(f.tag, f.kind), le32(f.count, f.value))
	}
	return join(b, le32(next))
}

// grayTIFF lists the fields of a gray image of 8 bits whose only strip is given.
func grayTIFF(w, h, compression, strip, length int) []field {
	return []field{
		{256, 4, 1, w}, {257, 4, 1, h}, {258, 3, 1, 8}, {259, 3, 1, compression}, {262, 3, 1, 1},
		{273, 4, 1, strip}, {277, 3, 1, 1}, {278, 4, 1, h}, {279, 4, 1, length},
	}
}

func tiff(w, h, compression, length int, data []byte) []byte {
	return join([]byte("II*\x00"), le32(8), directory(0, grayTIFF(w, h, compression, 122, length)...), data)
}

func compound(children ...*cfb.Node) []byte {
	return must(cfb.NewStorage("Root Entry", children...).File(64 << 20))
}

// mutate changes a few bytes of a file, others for each seed.
func mutate(whole []byte, seed int) []byte {
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	b := bytes.Clone(whole)
	for range 1 + r.IntN(8) {
		i := r.IntN(len(b))
		switch r.IntN(3) {
		case 0: // a bit
			b[i] ^= 1 << r.IntN(8)
		case 1: // a number
			v := []uint32{0, 1, 0x7fffffff, 0x80000000, 0xffffffff, uint32(len(b)), 0x10000}[r.IntN(7)]
			copy(b[i:], binary.LittleEndian.AppendUint32(nil, v))
		case 2: // bytes from elsewhere
			copy(b[i:min(len(b), i+r.IntN(64))], b[r.IntN(len(b)):])
		}
	}
	return b
}
