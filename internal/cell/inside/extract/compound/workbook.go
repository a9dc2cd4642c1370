package compound

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"blotter/internal/cell/inside/cfb"
	"blotter/internal/cell/inside/extract/lock"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// Records of a workbook, [MS-XLS] 2.3.
const (
	xlsFilePass     = 0x002f
	xlsContinue     = 0x003c
	xlsImage        = 0x007f
	xlsBackground   = 0x00e9
	xlsDrawingGroup = 0x00eb
	xlsDrawing      = 0x00ec
	xlsBegin        = 0x0809
	xlsHeaderFooter = 0x0866
	xlsFill         = 0x1066

	xlsFrame = 14 // bytes before the drawing in a record of pictures in headers and footers
	xlsChart = 0x0020
)

// joined is data that a workbook cuts into records: pieces of a stream read as one.
type joined struct {
	src    io.ReaderAt
	pieces []piece
	size   int64
}

type piece struct{ off, at, n int64 } // offset in what is joined, offset in the stream, bytes

func (j *joined) add(at, n int64) {
	if n > 0 {
		j.pieces = append(j.pieces, piece{j.size, at, n})
		j.size += n
	}
}

// ReadAt implements io.ReaderAt.
func (j *joined) ReadAt(b []byte, off int64) (done int, err error) {
	if off < 0 {
		return 0, errors.New("compound: negative offset")
	}
	i, _ := slices.BinarySearchFunc(j.pieces, off, func(p piece, off int64) int {
		if p.off+p.n <= off {
			return -1
		}
		return 1
	})
	for ; done < len(b) && i < len(j.pieces); i++ {
		p := j.pieces[i]
		want := b[done:min(int64(len(b)), int64(done)+p.off+p.n-off)]
		n, err := j.src.ReadAt(want, p.at+off-p.off)
		done, off = done+n, off+int64(n)
		if n < len(want) {
			return done, err
		}
	}
	if done < len(b) {
		return done, io.EOF
	}
	return done, nil
}

// from reads what is joined out of the whole stream.
func (j *joined) from(b []byte) []byte {
	out := make([]byte, 0, j.size)
	for _, p := range j.pieces {
		out = append(out, b[p.at:p.at+p.n]...)
	}
	return out
}

// workbook walks the records of Excel and joins those that hold drawings and pictures.
func (d *Document) workbook(n *cfb.Node) error {
	b, err := d.bytes(n)
	if err != nil {
		return err
	}
	var src io.ReaderAt = n
	if pass := filePass(b); pass != nil {
		if b, err = lock.Workbook(b, pass); err != nil {
			return errLocked
		}
		src = bytes.NewReader(b)
	}
	channel := map[uint16]*joined{xlsDrawingGroup: {src: src}, xlsDrawing: {src: src}, xlsHeaderFooter: {src: src}}
	all := []*joined{channel[xlsDrawingGroup], channel[xlsDrawing], channel[xlsHeaderFooter]}
	var images []*joined
	var last *joined
	for at := int64(0); at+4 <= int64(len(b)) && len(all)+len(images) <= d.lim.Entries+3; {
		kind, size := binary.LittleEndian.Uint16(b[at:]), int64(binary.LittleEndian.Uint16(b[at+2:]))
		from := at + 4
		at = min(from+size, int64(len(b)))
		body := b[from:at]
		switch kind {
		case xlsContinue:
			if last != nil {
				last.add(from, int64(len(body)))
			}
			continue
		case xlsBegin:
			if len(body) >= 4 && binary.LittleEndian.Uint16(body[2:]) == xlsChart {
				d.extra |= document.OfficeVector
			}
			last = nil
		case xlsDrawingGroup, xlsDrawing:
			last = channel[kind]
			last.add(from, int64(len(body)))
		case xlsHeaderFooter:
			last = channel[kind]
			last.add(from+xlsFrame, int64(len(body))-xlsFrame)
		case xlsFill, xlsImage, xlsBackground:
			last = &joined{src: src}
			last.add(from, int64(len(body)))
			if kind == xlsFill {
				all = append(all, last)
			} else {
				images = append(images, last)
			}
		default:
			last = nil
		}
	}
	if len(all)+len(images) > d.lim.Entries+3 {
		return tooMany()
	}
	for _, j := range all {
		d.blips(j, j.from(b))
	}
	for _, j := range images {
		d.sheetImage(j, j.from(b))
	}
	return nil
}

// passWithin is among how many records that which says how a workbook is encrypted stands:
// behind its beginning and what protects it from being written.
const passWithin = 8

// filePass is the body of the record that says how a workbook is encrypted; nil where it is
// not, and empty where it stands where no program heeds it.
func filePass(b []byte) []byte {
	for at, n := 0, 0; at+4 <= len(b); n++ {
		kind, size := binary.LittleEndian.Uint16(b[at:]), int(binary.LittleEndian.Uint16(b[at+2:]))
		end := min(at+4+size, len(b))
		switch {
		case kind == xlsFilePass && n < passWithin:
			return b[at+4 : end : end]
		case kind == xlsFilePass:
			return []byte{}
		}
		at = end
	}
	return nil
}

var errLocked = reason.Because(reason.ExtractEncrypted, errors.New("compound: behind a password"))

// sheetImage adds the picture of an IMDATA or BKHIM record: kind, surroundings, length,
// then a bitmap without its file's header, or a metafile behind eight bytes.
func (d *Document) sheetImage(src io.ReaderAt, b []byte) {
	const head, mapping = 8, 8
	if len(b) <= head {
		return
	}
	body, at := b[head:], int64(head)
	switch {
	case wrapOf(document.BMP, body) == headless:
		d.picture(src, at, int64(len(body)), headless)
	case len(body) > mapping && bytes.HasPrefix(body[mapping:], []byte("\x01\x00\x09\x00")):
		d.picture(src, at+mapping, int64(len(body))-mapping, plain).Format = document.WMF
	default:
		d.picture(src, at, int64(len(body)), plain)
	}
}
