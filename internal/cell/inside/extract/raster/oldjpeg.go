package raster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"io"
)

// JPEG as TIFF 6.0 section 22 had it, before Technical Note 2 replaced it: writers read it
// in different ways. Either a whole stream stands somewhere in the file, or its head alone,
// with the strips behind it, or the tables stand apart and the strips hold bare scans.

// oldJPEG decodes the picture of a directory with compression 6 as one stream.
func (p *painter) oldJPEG(d *directory) (image.Image, error) {
	stream, err := oldStream(d, p.l)
	if err != nil {
		return nil, because("TIFF old JPEG", err)
	}
	img, err := p.decodeJPEG(stream, p.l.width, p.l.height)
	if err != nil {
		return nil, err
	}
	p.paste(flatten(img, p.l.gray()), 0, 0)
	return p.image(), nil
}

func oldStream(d *directory, l *layout) ([]byte, error) {
	head, whole, err := interchange(d)
	if err != nil || whole {
		return head, err
	}
	if head == nil {
		if head, err = oldHead(d, l); err != nil {
			return nil, err
		}
		return appendStrips(head, d, l)
	}
	return appendStrips(withRestarts(head, d, l), d, l)
}

// withRestarts has a head say that its strips are restarts, if it does not and there are
// several.
func withRestarts(head []byte, d *directory, l *layout) []byte {
	scan, h, v, said := 0, 0, 0, false
	for at := 2; at+4 <= len(head); {
		n := int(binary.BigEndian.Uint16(head[at+2:]))
		switch m := head[at+1]; {
		case m == 0xff: // fill
			at++
			continue
		case m == markDRI && at+6 <= len(head):
			said = said || binary.BigEndian.Uint16(head[at+4:]) > 0
		case m >= 0xc0 && m <= 0xc2 && at+12 <= len(head):
			h, v = int(head[at+11]>>4), int(head[at+11]&15)
		case m == markSOS:
			scan = at
		}
		at += 2 + n
	}
	if l.down < 2 || said || scan == 0 {
		return head
	}
	out := appendSegment(bytes.Clone(head[:scan]), markDRI, binary.BigEndian.AppendUint16(nil, uint16(restartInterval(d, l, h, v))))
	return append(out, head[scan:]...)
}

// interchange reads the stream that a directory points at; nil where there is none. whole
// says that it has scans and an end.
func interchange(d *directory) (stream []byte, whole bool, err error) {
	at := int64(d.number(tagJPEGStream, 0))
	if at <= 0 || at >= d.size {
		return nil, false, nil
	}
	n := min(int64(d.number(tagJPEGLength, 0)), d.size-at)
	if n <= 0 { // it may be missing
		n = d.size - at
	}
	stream = make([]byte, n)
	if _, err := d.r.ReadAt(stream, at); err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	if len(stream) < 2 || stream[0] != 0xff || stream[1] != markSOI {
		return nil, false, nil
	}
	end := scansBegin(stream)
	if end < 0 {
		return nil, false, nil // tables alone, which stand elsewhere as well
	}
	if end == len(stream) {
		return stream, false, nil
	}
	return stream, true, nil
}

// scansBegin is where the first scan's data begins, -1 where the stream has no scan.
func scansBegin(b []byte) int {
	for at := 2; at+4 <= len(b); {
		if b[at] != 0xff {
			return -1
		}
		if b[at+1] == 0xff { // fill
			at++
			continue
		}
		next := at + 2 + int(binary.BigEndian.Uint16(b[at+2:]))
		if b[at+1] == markSOS && next <= len(b) {
			return next
		}
		at = next
	}
	return -1
}

// appendStrips puts the bare scans behind a head. Each strip starts anew, as behind a
// restart mark, which TIFF leaves out. Some writers begin the first with its scan header,
// which the head has already.
func appendStrips(head []byte, d *directory, l *layout) ([]byte, error) {
	strips, err := l.places(d)
	if err != nil {
		return nil, err
	}
	out, left := bytes.Clone(head), d.size
	for i, s := range strips {
		if left -= s.end - s.at; left < 0 {
			return nil, errors.New("strips that overlap")
		}
		if i > 0 {
			out = append(out, 0xff, 0xd0|byte((i-1)&7))
		}
		data := make([]byte, s.end-s.at)
		if _, err := d.r.ReadAt(data, s.at); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		out = append(out, bytes.TrimSuffix(withoutScanHeader(data), []byte{0xff, markEOI})...)
	}
	return append(out, 0xff, markEOI), nil
}

func withoutScanHeader(strip []byte) []byte {
	if len(strip) < 4 || strip[0] != 0xff || strip[1] != markSOS {
		return strip
	}
	return strip[min(len(strip), 2+int(binary.BigEndian.Uint16(strip[2:]))):]
}

// oldHead makes the head of a stream from tables that stand apart.
func oldHead(d *directory, l *layout) ([]byte, error) {
	colours := l.colours()
	q, err := oldTables(d, tagJPEGQ, colours, false)
	if err != nil {
		return nil, err
	}
	dc, err := oldTables(d, tagJPEGDC, colours, true)
	if err != nil {
		return nil, err
	}
	ac, err := oldTables(d, tagJPEGAC, colours, true)
	if err != nil {
		return nil, err
	}
	h, v := 1, 1
	if l.photometric == yCbCr {
		h, v = 2, 2
		if sub, err := d.numbers(tagYCbCrSub, 2); err == nil && len(sub) == 2 {
			h, v = int(sub[0]&7), int(sub[1]&7)
		}
	}
	out := append([]byte{0xff, markSOI}, colourMarker(l.photometric)...)
	frame := binary.BigEndian.AppendUint16([]byte{8}, uint16(l.height))
	frame = append(binary.BigEndian.AppendUint16(frame, uint16(l.width)), byte(colours))
	scan := []byte{byte(colours)}
	for i := range colours {
		out = appendSegment(out, 0xdb, append([]byte{byte(i)}, q[i]...))
		out = appendSegment(out, 0xc4, append([]byte{byte(i)}, dc[i]...))
		out = appendSegment(out, 0xc4, append([]byte{0x10 | byte(i)}, ac[i]...))
		factors := byte(0x11)
		if i == 0 {
			factors = byte(h<<4 | v)
		}
		frame = append(frame, byte(i+1), factors, byte(i))
		scan = append(scan, byte(i+1), byte(i<<4|i))
	}
	if n := restartInterval(d, l, h, v); n > 0 {
		out = appendSegment(out, markDRI, binary.BigEndian.AppendUint16(nil, uint16(n)))
	}
	out = appendSegment(out, 0xc1, frame) // extended: it may have more than two tables
	return appendSegment(out, markSOS, append(scan, 0, 63, 0)), nil
}

func appendSegment(out []byte, marker byte, data []byte) []byte {
	out = binary.BigEndian.AppendUint16(append(out, 0xff, marker), uint16(len(data)+2))
	return append(out, data...)
}

// restartInterval is how many units stand between restarts: those of a strip where there
// are several.
func restartInterval(d *directory, l *layout, h, v int) int {
	if l.down > 1 && h > 0 && v > 0 {
		return (l.width + 8*h - 1) / (8 * h) * (l.blockH / (8 * v))
	}
	return d.number(tagJPEGRestart, 0)
}

// oldTables reads the tables that a tag points at, one a colour: 64 factors, or how many
// codes there are of each length and what they mean.
func oldTables(d *directory, tag uint16, n int, codes bool) ([][]byte, error) {
	offsets, err := d.numbers(tag, int64(n))
	if err != nil {
		return nil, err
	}
	if len(offsets) < n {
		return nil, errors.New("no tables")
	}
	var out [][]byte
	for _, at := range offsets {
		b := make([]byte, 64)
		if codes {
			b = make([]byte, 16)
		}
		if _, err := d.r.ReadAt(b, int64(min(at, uint64(d.size)))); err != nil {
			return nil, io.ErrUnexpectedEOF
		}
		if codes {
			total := 0
			for _, c := range b {
				total += int(c)
			}
			values := make([]byte, min(total, 256))
			if _, err := d.r.ReadAt(values, int64(at)+16); err != nil {
				return nil, io.ErrUnexpectedEOF
			}
			b = append(b, values...)
		}
		out = append(out, b)
	}
	return out, nil
}
