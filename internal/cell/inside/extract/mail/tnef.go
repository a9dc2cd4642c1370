package mail

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"strings"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// Attributes of a message that Outlook packed ([MS-OXTNEF] 2.1.3): winmail.dat.
const (
	tnefRendering  = 0x00069002 // begins an attachment
	tnefData       = 0x0006800f // its bytes
	tnefIcon       = 0x00068011 // a metafile that stands for it
	tnefAttachment = 0x00069005 // its properties
	tnefMessage    = 0x00069003 // those of the message
)

// OpenTNEF lists the attachments of a message that Outlook packed into one file
// (winmail.dat), and the pictures in its text: as OpenOutlook does, of another container.
// The errors are those of Open, and extract.malformed and extract.truncated.
func OpenTNEF(ctx context.Context, r io.ReaderAt, size int64, lim document.Limits) (*Message, error) {
	data := make([]byte, size)
	n, err := r.ReadAt(data, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, reason.Because(reason.SourceUnreadable, err)
	}
	const head = 6 // signature and a number
	if n < head {
		return nil, reason.Because(reason.ExtractTruncated, io.ErrUnexpectedEOF)
	}
	t := tnef{Message: &Message{most: lim.Entries, extra: document.MessageText | document.Metadata}, lim: lim}
	for rest := data[head:n]; len(bytes.TrimLeft(rest, "\x00")) > 0; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if rest, err = t.attribute(rest); err != nil {
			return nil, err
		}
	}
	t.end()
	return t.Message, t.judge(lim)
}

// tnef is such a message while it is read.
type tnef struct {
	*Message
	lim   document.Limits
	began bool // an attachment
	first int  // of the files of the attachment
}

// attribute reads one: whose it is, what it is, how long, its bytes and their sum, which no
// program heeds.
func (t *tnef) attribute(b []byte) (rest []byte, err error) {
	const head, sum = 9, 2
	switch {
	case len(b) < head:
		return nil, reason.Because(reason.ExtractTruncated, io.ErrUnexpectedEOF)
	case b[0] != 1 && b[0] != 2: // of the message, of an attachment
		return nil, reason.Because(reason.ExtractMalformed, errors.New("mail: no attribute"))
	}
	id, n := binary.LittleEndian.Uint32(b[1:]), int64(binary.LittleEndian.Uint32(b[5:]))
	if n > int64(len(b)-head) {
		return nil, reason.Because(reason.ExtractTruncated, io.ErrUnexpectedEOF)
	}
	body, rest := b[head:head+n], b[head+n:]
	switch id {
	case tnefRendering:
		t.end()
		t.began = true
		t.entries++
	case tnefData:
		err = t.hold(file{encoded: body})
	case tnefIcon:
		err = t.hold(file{encoded: body, picture: true})
	case tnefAttachment:
		err = properties(body, t.attached)
	case tnefMessage:
		err = properties(body, t.text)
	}
	if err == nil && len(t.within) > t.lim.Entries {
		err = t.judge(t.lim)
	}
	return rest[min(sum, len(rest)):], err
}

// hold lists what is not empty, one more than there may be at most: a property may have a value
// for every eight bytes.
func (t *tnef) hold(f file) error {
	if len(f.encoded) == 0 {
		return nil
	}
	if t.add(f); len(t.within) > t.lim.Entries {
		return t.judge(t.lim)
	}
	return nil
}

// end closes an attachment. One without bytes lies elsewhere.
func (t *tnef) end() {
	if t.began && len(t.within) == t.first {
		t.extra |= document.EmbeddedFiles
	}
	t.first = len(t.within)
}

// Properties of MAPI by their numbers.
const (
	propData      = 0x3701
	propRendering = 0x3702
	propMimeTag   = 0x370e
	propHTML      = 0x1013
	propRTF       = 0x1009
)

// attached takes a property of an attachment. An object has its class before it: a message
// that was packed like this one, or a compound file.
func (t *tnef) attached(kind uint16, number uint32, value []byte) error {
	const object, class = 0x000d, 16
	switch {
	case number == propData && kind == object:
		return t.hold(file{encoded: value[min(class, len(value)):]})
	case number == propData:
		return t.hold(file{encoded: value})
	case number == propRendering:
		return t.hold(file{encoded: value, picture: true})
	case number == propMimeTag && strings.HasPrefix(strings.ToLower(string(value[:min(len(value), 6)])), "image/"):
		for i := t.first; i < len(t.within); i++ {
			t.within[i].picture = true
		}
	}
	return nil
}

// text takes a property of the message: its text, in which pictures may stand.
func (t *tnef) text(_ uint16, number uint32, value []byte) error {
	switch number {
	case propHTML:
		t.markup(value)
	case propRTF:
		return t.richText(value, t.lim)
	}
	return nil
}

// properties reads a list of MAPI's properties ([MS-OXTNEF] 2.1.3.4) and calls f for each
// value that has a length of its own.
func properties(b []byte, f func(kind uint16, number uint32, value []byte) error) error {
	c := cursor{b: b}
	for n := c.number(); n > 0 && c.err == nil; n-- {
		tag := c.number()
		kind, number := uint16(tag), tag>>16
		if number >= 0x8000 { // it has a name: whose, and a number or letters
			const owner = 16
			c.take(owner)
			if byLetters := c.number() == 1; byLetters {
				c.padded(c.number())
			} else {
				c.number()
			}
		}
		count := uint32(1)
		const many = 0x1000
		size := sizeOfProperty(kind &^ many)
		if size == 0 || kind&many != 0 {
			count = c.number()
		}
		for ; count > 0 && c.err == nil; count-- {
			if size > 0 {
				c.take(size)
				continue
			}
			if value := c.padded(c.number()); c.err == nil {
				if err := f(kind&^many, number, value); err != nil {
					return err
				}
			}
		}
	}
	return c.err
}

// sizeOfProperty is how many bytes a value takes; 0 where it says so itself.
func sizeOfProperty(kind uint16) uint32 {
	switch kind {
	case 0x0d, 0x1e, 0x1f, 0x0102: // objects, text, bytes
		return 0
	case 0x05, 0x06, 0x07, 0x14, 0x40:
		return 8
	case 0x48:
		return 16
	}
	return 4 // shorter ones are filled up
}

// cursor reads numbers and bytes, and remembers that they ran out.
type cursor struct {
	b   []byte
	err error
}

func (c *cursor) take(n uint32) []byte {
	if c.err != nil || uint64(n) > uint64(len(c.b)) {
		c.err = reason.Because(reason.ExtractTruncated, io.ErrUnexpectedEOF)
		return nil
	}
	out := c.b[:n]
	c.b = c.b[n:]
	return out
}

func (c *cursor) number() uint32 {
	if b := c.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// padded takes n bytes and those that fill them up to a multiple of four, as far as there
// are any.
func (c *cursor) padded(n uint32) []byte {
	out := c.take(n)
	if fill := -n & 3; c.err == nil {
		c.b = c.b[min(int(fill), len(c.b)):]
	}
	return out
}
