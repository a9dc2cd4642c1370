package objects

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"strconv"

	"blotter/internal/reason"
)

// PDFium decodes two kinds of image to noise without an error: samples under TIFF's predictor
// whose differences are no whole bytes, and bare JPEG 2000 of four samples and more without a
// colour space. Both are written anew, and the file is given to PDFium with a revision behind
// its end in which they stand.

// mended is the share of the limit on unpacked bytes that images written anew may take: they
// stand in memory three times while PDFium takes the file over.
const mended = 4

// mend finds those images. The error is extract.unpacked_limit.
func (f *File) mend() error {
	left := f.lim.UnpackedBytes / mended
	for i := range f.objects {
		o := &f.objects[i]
		if !o.stream || !f.isImage(o) {
			continue
		}
		names, parms := f.filters(o)
		if len(names) == 0 {
			continue
		}
		last := len(names) - 1
		switch d := maps.Clone(o.dict()); {
		case f.odd(parms[last], o.at):
			data, err := f.unpack(o)
			if left -= int64(len(data)); err == nil && left < 0 {
				err = reason.Because(reason.ExtractUnpacked, errors.New("objects: images to be written anew are too large"))
			}
			if err != nil {
				return err
			}
			if len(data) > 0 {
				for _, k := range []Name{"Filter", "F", "DecodeParms", "DP"} {
					delete(d, k)
				}
				o.value, o.mended = d, data
			}
		case last == 0 && names[0] == "JPXDecode" && d["ColorSpace"] == nil:
			if space := bareSpace(f.Raw(o)); space != "" {
				d["ColorSpace"] = space
				o.value, o.mended = d, f.Raw(o)
			}
		}
	}
	return nil
}

// odd reports TIFF's predictor over samples that are no bytes, except single bits.
func (f *File) odd(parms Dict, at int) bool {
	bits, colours := f.integer(parms, at, "BitsPerComponent"), f.integer(parms, at, "Colors")
	return f.integer(parms, at, "Predictor") == 2 && (bits == 2 || bits == 4 || bits == 1 && colours > 1)
}

// bareSpace is the colour space of a codestream that is no file: light where the first three
// of its samples are coded together, else inks; empty for three samples and fewer.
func bareSpace(b []byte) Name {
	const count = 40 // where the number of samples stands, ISO 15444-1 A.5.1
	if !bytes.HasPrefix(b, []byte("\xff\x4f\xff\x51")) || len(b) < count+2 || binary.BigEndian.Uint16(b[count:]) < 4 {
		return ""
	}
	if at := bytes.Index(b, []byte("\xff\x52")); binary.BigEndian.Uint16(b[count:]) == 4 && at > 0 && at+8 < len(b) && b[at+8] == 0 {
		return "DeviceCMYK"
	}
	return "DeviceRGB"
}

// Update is what to append to the file so that its last revision has the images that were
// mended; nil for none.
func (f *File) Update() []byte {
	u := update{f: f, from: len(f.data), head: max(0, bytes.Index(f.data[:min(len(f.data), 1024)], []byte("%PDF-")))}
	for i := range f.objects {
		o := &f.objects[i]
		if versions := f.versions[o.Num]; o.mended != nil && versions[len(versions)-1] == i {
			u.add(o)
		}
	}
	if len(u.at) == 0 {
		return nil
	}
	u.finish()
	return u.out.Bytes()
}

// update is a revision being written. Offsets count from where the header stands.
type update struct {
	f          *File
	from, head int
	out        bytes.Buffer
	at         []entry
}

type entry struct {
	Ref
	offset int
}

func (u *update) offset() int { return u.from + u.out.Len() - u.head }

func (u *update) writer() *writer {
	return &writer{f: u.f, out: &u.out, number: func(i int) int { return u.f.objects[i].Num }, deep: maxNesting, sealed: true}
}

func (u *update) add(o *Object) {
	data := o.mended
	if l := u.f.lock; l != nil {
		data = l.seal(l.streams, o.Ref, data)
	}
	d := maps.Clone(o.dict())
	d["Length"] = Number(strconv.Itoa(len(data)))
	u.out.WriteString("\n")
	u.at = append(u.at, entry{o.Ref, u.offset()})
	fmt.Fprintf(&u.out, "%d %d obj\n", o.Num, o.Gen)
	u.writer().value(o, d, 0)
	u.out.WriteString("\nstream\n")
	u.out.Write(data)
	u.out.WriteString("\nendstream\nendobj\n")
}

// finish writes the table in the kind that the file has.
func (u *update) finish() {
	before := 0
	if i := bytes.LastIndex(u.f.data, []byte("startxref")); i >= 0 {
		p := parser{b: u.f.data, at: i + len("startxref"), work: &u.f.work}
		p.blanks()
		before, _ = whole(p.token())
	}
	at := before + u.head
	if at < len(u.f.data) && at >= 0 && bytes.HasPrefix(bytes.TrimLeft(u.f.data[at:min(len(u.f.data), at+16)], " \r\n\t\f\x00"), []byte("xref")) {
		u.table(before)
		return
	}
	u.stream(before)
}

func (u *update) table(before int) {
	start := u.offset()
	u.out.WriteString("xref\n")
	for _, e := range u.at {
		fmt.Fprintf(&u.out, "%d 1\n%010d %05d n \n", e.Num, e.offset, e.Gen)
	}
	u.out.WriteString("trailer\n")
	u.writer().value(&Object{at: u.from, packed: true}, u.trailer(before, 0), 0)
	fmt.Fprintf(&u.out, "\nstartxref\n%d\n%%%%EOF\n", start)
}

// stream writes a table that is a stream, ISO 32000-1 7.5.8.
func (u *update) stream(before int) {
	own := 1
	for n := range u.f.versions {
		own = max(own, n+1)
	}
	start := u.offset()
	u.at = append(u.at, entry{Ref{Num: own}, start})
	var rows []byte
	index := Array{}
	for _, e := range u.at {
		index = append(index, Number(strconv.Itoa(e.Num)), Number("1"))
		rows = append(binary.BigEndian.AppendUint32(append(rows, 1), uint32(e.offset)), byte(e.Gen>>8), byte(e.Gen)) //nolint:gosec // a file has fewer than 4 GiB
	}
	d := u.trailer(before, own+1)
	d["Type"], d["W"], d["Index"] = Name("XRef"), Array{Number("1"), Number("4"), Number("2")}, index
	d["Length"] = Number(strconv.Itoa(len(rows)))
	fmt.Fprintf(&u.out, "%d 0 obj\n", own)
	u.writer().value(&Object{at: u.from, packed: true}, d, 0)
	u.out.WriteString("\nstream\n")
	u.out.Write(rows)
	fmt.Fprintf(&u.out, "\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n", start)
}

// trailer is that of the last revision that has one, leading to the table before.
func (u *update) trailer(before, size int) Dict {
	var last Dict
	for _, t := range u.f.trailers {
		if t["Root"] != nil {
			last = t
		}
	}
	for i := range u.f.objects {
		if o := &u.f.objects[i]; last == nil && o.stream && o.dict()["Type"] == Name("XRef") && o.dict()["Root"] != nil {
			last = o.dict()
		}
	}
	d := Dict{"Prev": Number(strconv.Itoa(before))}
	for _, k := range []Name{"Root", "Info", "ID", "Encrypt", "Size"} {
		if v, ok := last[k]; ok {
			d[k] = v
		}
	}
	for n := range u.f.versions {
		size = max(size, n+1)
	}
	d["Size"] = Number(strconv.Itoa(size))
	return d
}

// seal encrypts what open decrypts.
func (l *lock) seal(m method, r Ref, b []byte) []byte {
	switch m {
	case aesKey:
		return sealCBC(l.objectKey(r, []byte("sAlT")), b)
	case aesWhole:
		return sealCBC(l.key, b)
	case rc4Key, plain:
	}
	return l.open(m, r, b) // which is its own inverse
}

// sealCBC encrypts behind an initial vector of zeros: the result stays in memory.
func sealCBC(key, b []byte) []byte {
	block, err := aes.NewCipher(key)
	if err != nil {
		return b
	}
	fill := aes.BlockSize - len(b)%aes.BlockSize
	out := append(append(make([]byte, aes.BlockSize, aes.BlockSize+len(b)+fill), b...), bytes.Repeat([]byte{byte(fill)}, fill)...)
	cipher.NewCBCEncrypter(block, out[:aes.BlockSize]).CryptBlocks(out[aes.BlockSize:], out[aes.BlockSize:])
	return out
}
