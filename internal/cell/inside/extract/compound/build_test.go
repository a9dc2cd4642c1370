package compound

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"blotter/internal/cell/inside/cfb"
	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/document"
	"blotter/internal/reason"
)

var roomy = document.Limits{Entries: 100, UnpackedBytes: 8 << 20, SourceBytes: 8 << 20, Ratio: 100}

func u16(v ...int) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint16(b, uint16(x))
	}
	return b
}

func u32(v ...int) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	return b
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// record is one of drawings: version and instance, kind, length.
func record(head, kind int, body ...[]byte) []byte {
	b := join(body...)
	return join(u16(head, kind), u32(len(b)), b)
}

// rasterBlip is a picture with one digest.
func rasterBlip(head, kind int, data []byte) []byte {
	return record(head, kind, make([]byte, blipDigest), []byte{0xff}, data)
}

// metaBlip is a packed metafile with two digests.
func metaBlip(head, kind int, data []byte) []byte {
	packed := deflate(data)
	return record(head, kind, make([]byte, 2*blipDigest), u32(len(data)), make([]byte, 24), u32(len(packed)), []byte{0, metaPlain}, packed)
}

func deflate(data []byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// dib is a bitmap of 2×1 pixels without a file's header.
func dib() []byte { return join(u32(40, 2, 1, 1|24<<16), make([]byte, 24), []byte("bgrBGR\x00\x00")) }

// biff is a record of a workbook.
func biff(kind int, body ...[]byte) []byte {
	b := join(body...)
	return join(u16(kind, len(b)), b)
}

func file(t testing.TB, children ...*cfb.Node) []byte {
	t.Helper()
	b, err := cfb.NewStorage("Root Entry", children...).File(64 << 20)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func tryOpen(b []byte, f document.Format, lim document.Limits) (*Document, error) {
	return Open(context.Background(), bytes.NewReader(b), int64(len(b)), f, lim)
}

func open(t testing.TB, b []byte, f document.Format) *Document {
	t.Helper()
	d, err := tryOpen(b, f, roomy)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// handed lists what a document hands out: whether it is a picture, and its bytes or why
// there are none.
func handed(t testing.TB, d *Document) string {
	t.Helper()
	var out []string
	for i, e := range d.Embedded() {
		what := "document"
		if e.Picture {
			what = "picture"
		}
		b, err := d.Unpack(i)
		switch {
		case e.Withheld != "":
			out = append(out, fmt.Sprintf("%s %s", what, e.Withheld))
		case err != nil:
			out = append(out, fmt.Sprintf("%s fails %s", what, reason.Of(err)))
		case bytes.HasPrefix(b, []byte(cfb.Magic)):
			out = append(out, what+" compound file")
		case bytes.HasPrefix(b, []byte("BM")):
			out = append(out, what+" BMP")
		default:
			out = append(out, what+" "+string(b))
		}
	}
	return strings.Join(out, ", ")
}

var _ catalogue.Container = (*Document)(nil)
