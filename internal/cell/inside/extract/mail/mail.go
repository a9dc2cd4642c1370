// Package mail opens messages, as they travel (RFC 5322 and MIME, EML files), as Outlook
// keeps them (MSG files) and packs them (winmail.dat), and signed as a whole (S/MIME): every
// part that is no text is a document or a picture within, wherever it stands: attached, shown
// in the text, in a message that was forwarded, written into the text as uuencode, yEnc or a
// data URL. It reads all that mail programs forgive, because whoever reads the message
// later may forgive it as well: missing ends, odd line ends, encodings with rubbish in
// them. The text of the message is not processed; NotCovered says so.
package mail

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"blotter/internal/cell/inside/cfb"
	"blotter/internal/cell/inside/extract/armour"
	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// maxNesting bounds how deep parts may lie in parts of one message. Honest mail stays
// below ten.
const maxNesting = 32

// Message is an opened message. It implements catalogue.Container.
type Message struct {
	catalogue.Wrapper
	entries int // parts so far, and the most there may be
	most    int
	within  []file
	extra   document.NotCovered
}

// file is a document or picture within: encoded bytes, or, in a message of Outlook, a
// stream of its own or a storage that is a document.
type file struct {
	encoded  []byte
	encoding armour.Encoding
	stream   *cfb.Node
	picture  bool
	withheld reason.Code
}

// Open reads a message of size bytes into memory and lists its parts. The error is
// extract.entry_limit or extract.unpacked_limit where it breaks a limit, sniff.archive for
// a mailbox of several messages, extract.depth_limit for parts within parts without end.
func Open(ctx context.Context, r io.ReaderAt, size int64, lim document.Limits) (*Message, error) {
	data := make([]byte, size)
	if n, err := r.ReadAt(data, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, reason.Because(reason.SourceUnreadable, err)
	} else {
		data = data[:n]
	}
	if bytes.HasPrefix(data, []byte("From ")) { // a mailbox
		_, rest := line(data)
		if another(rest) {
			return nil, reason.Because(reason.SniffArchive, errors.New("mail: several messages"))
		}
		data = rest
	}
	m := &Message{most: lim.Entries, extra: document.MessageText | document.Metadata}
	if err := m.part(ctx, data, 0, false); err != nil {
		return nil, err
	}
	return m, m.judge(lim)
}

// judge holds what is within against the limits.
func (m *Message) judge(lim document.Limits) error {
	switch c := m.Spent(); {
	case c.Entries > lim.Entries:
		return reason.Because(reason.ExtractEntries, fmt.Errorf("mail: more than %d parts", lim.Entries))
	case c.Unpacked > lim.UnpackedBytes:
		return reason.Because(reason.ExtractUnpacked, errors.New("mail: parts too large"))
	}
	return nil
}

// another looks for the line that begins the next message of a mailbox.
func another(data []byte) bool {
	for _, mark := range []string{"\n\nFrom ", "\n\r\nFrom "} {
		for rest := data; ; {
			i := bytes.Index(rest, []byte(mark))
			if i < 0 {
				break
			}
			rest = rest[i+len(mark):]
			_, after := line(rest)
			if name, _, ok := bytes.Cut(after[:min(len(after), 80)], []byte(":")); ok && isToken(name) {
				return true
			}
		}
	}
	return false
}

// part lists a part: its header and its body. Parts of a digest are messages where they
// do not say what they are.
func (m *Message) part(ctx context.Context, data []byte, nesting int, digest bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if m.entries++; m.entries > m.most {
		return reason.Because(reason.ExtractEntries, fmt.Errorf("mail: more than %d parts", m.most))
	}
	h, body := readHeader(data)
	if digest && h.kind == "" {
		h.kind = "message/rfc822"
	}
	switch {
	case h.is("multipart/encrypted"):
		m.add(file{withheld: reason.ExtractEncrypted})
		return nil
	case h.is("multipart/"):
		return m.parts(ctx, h, body, nesting)
	}
	m.leaf(h, body)
	return nil
}

// parts lists the parts of a multipart. One that cannot be cut is a file that nobody
// knows.
func (m *Message) parts(ctx context.Context, h header, body []byte, nesting int) error {
	if nesting >= maxNesting {
		return reason.Because(reason.ExtractDepth, errors.New("mail: parts within parts"))
	}
	parts := split(body, cmp.Or(h.boundary, guess(body)))
	if len(parts) == 0 && len(bytes.TrimSpace(body)) > 0 {
		m.add(file{encoded: body})
	}
	for _, p := range parts {
		if err := m.part(ctx, p, nesting+1, h.is("multipart/digest")); err != nil {
			return err
		}
	}
	return nil
}

// leaf lists what a part without parts of its own holds.
func (m *Message) leaf(h header, body []byte) {
	f := file{encoded: body, encoding: h.encoding, picture: h.is("image/")}
	switch {
	case h.is("message/external-body"):
		m.extra |= document.EmbeddedFiles
	case h.is("application/pkcs7-signature"), h.is("application/x-pkcs7-signature"), h.is("application/pgp-signature"), h.is("application/pgp-encrypted"):
		if !signs(h.encoding.Decode(body)) {
			m.add(f) // called so only
		}
	case h.is("application/pkcs7-mime"), h.is("application/x-pkcs7-mime"):
		if h.smime == "enveloped-data" || h.smime == "authenveloped-data" {
			f.withheld = reason.ExtractEncrypted
		}
		m.add(f) // what it is shows in its bytes
	case h.is("message/partial"): // the rest is in other messages
		f.withheld = reason.ExtractTruncated
		m.add(f)
	case h.text() && !h.attached && shown(h.encoding.Decode(body[:min(len(body), 4<<10)])):
		m.text(h, body)
	case len(bytes.TrimSpace(body)) > 0:
		m.add(f)
	}
}

// signs reports whether bytes are what signs or announces another part and holds nothing:
// OpenPGP in letters, its version in words, or a structure in DER without what it signs.
func signs(b []byte) bool {
	b = bytes.TrimSpace(b)
	const sequence = 0x30
	if len(b) == 0 || b[0] != sequence {
		return len(b) == 0 || bytes.HasPrefix(b, []byte("-----BEGIN PGP SIG")) || bytes.HasPrefix(b, []byte("Version:"))
	}
	held, _, err := enveloped(b)
	return len(held) == 0 && (err == nil || len(b) > 1 && b[1] >= 0x80)
}

// shown reports whether bytes are text, whatever they are called; files in yEnc hold all
// kinds of bytes and stand in it.
func shown(b []byte) bool {
	for _, c := range b {
		if c < '\b' || c > '\r' && c < ' ' && c != 0x1b { // escapes begin the codes of ISO 2022
			return yBegin.Match(b)
		}
	}
	return true
}

func (m *Message) add(f file) { m.within = append(m.within, f) }

// Embedded lists what is within, in the order of the message.
func (m *Message) Embedded() []catalogue.Embedded {
	out := make([]catalogue.Embedded, len(m.within))
	for i, f := range m.within {
		out[i] = catalogue.Embedded{Size: f.most(), Withheld: f.withheld, Picture: f.picture}
	}
	return out
}

// most is how many bytes the file can have at most.
func (f file) most() int64 {
	if f.stream != nil {
		return sizeOf(f.stream)
	}
	return f.encoding.Most(int64(len(f.encoded)))
}

// sizeOf is how many bytes a stream has, or a storage as a file of its own at most: its
// sectors and what lists them.
func sizeOf(n *cfb.Node) int64 {
	const sector = 512
	if !n.Storage {
		return n.Size
	}
	sum := int64(4 * sector)
	for _, c := range n.Children {
		sum += sizeOf(c) + sector
	}
	return sum + sum/64
}

// Unpack decodes one of them.
func (m *Message) Unpack(i int) ([]byte, error) {
	f := m.within[i]
	if f.stream == nil {
		return f.encoding.Decode(f.encoded), nil
	}
	read := f.stream.Bytes
	if f.stream.Storage {
		read = f.stream.File
	}
	b, err := read(f.most())
	if err != nil {
		return nil, reason.Because(reason.ExtractMalformed, err)
	}
	return b, nil
}

// Spent counts the parts, and the bytes of what is within.
func (m *Message) Spent() catalogue.Cost {
	c := catalogue.Cost{Entries: max(m.entries, len(m.within))} // one part of text may hold many pictures
	for _, f := range m.within {
		c.Unpacked += f.most()
	}
	return c
}

// NotCovered always holds MessageText and Metadata.
func (m *Message) NotCovered() document.NotCovered { return m.extra }
