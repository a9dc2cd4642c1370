package mail

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"blotter/internal/cell/inside/cfb"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// Streams and storages of a message of Outlook ([MS-OXMSG] 2.2): the number of a
// property and, behind it, its type. 001F is text in UTF-16, 0102 bytes, 000D a storage.
const (
	attachment    = "__attach_version1.0_#"
	attachedData  = "__substg1.0_37010102" // PidTagAttachDataBinary
	attachedTree  = "__substg1.0_3701000D" // PidTagAttachDataObject
	attachedIcon  = "__substg1.0_37020102" // PidTagAttachRendering
	attachedType  = "__substg1.0_370E001F" // PidTagAttachMimeTag
	attachedType8 = "__substg1.0_370E001E"
	bodyHTML      = "__substg1.0_10130102" // PidTagHtml
	bodyHTMLText  = "__substg1.0_1013001F"
	bodyRTF       = "__substg1.0_10090102" // PidTagRtfCompressed
)

// OpenOutlook lists the attachments of a message of Outlook (MSG) and the pictures in its
// text: each attached file, message and object, the icon that stands for it, data URLs in
// HTML, and the RTF text where that holds pictures or objects. The errors are those of Open, and
// extract.malformed.
func OpenOutlook(ctx context.Context, r io.ReaderAt, size int64, lim document.Limits) (*Message, error) {
	root, err := cfb.Open(r, size, lim.Entries)
	switch {
	case errors.Is(err, cfb.ErrEntries):
		return nil, reason.Because(reason.ExtractEntries, err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, reason.Because(reason.ExtractTruncated, err)
	case errors.Is(err, cfb.ErrMalformed):
		return nil, reason.Because(reason.ExtractMalformed, err)
	case err != nil:
		return nil, reason.Because(reason.SourceUnreadable, err)
	}
	m := &Message{most: lim.Entries, entries: count(root), extra: document.MessageText | document.Metadata}
	if err := m.bodies(root, lim); err != nil {
		return nil, err
	}
	for _, n := range root.Children {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if n.Storage && strings.HasPrefix(strings.ToLower(n.Name), attachment) {
			m.attached(n)
		}
	}
	return m, m.judge(lim)
}

func count(n *cfb.Node) int {
	sum := 1
	for _, c := range n.Children {
		sum += count(c)
	}
	return sum
}

// attached lists what one attachment holds.
func (m *Message) attached(a *cfb.Node) {
	empty := true
	if n := a.Find(attachedData); n != nil && n.Size > 0 {
		m.add(file{stream: n, picture: strings.HasPrefix(mimeType(a), "image/")})
		empty = false
	}
	if n := a.Find(attachedTree); n != nil && n.Storage {
		m.add(file{stream: n})
		empty = false
	}
	if empty { // it lies elsewhere
		m.extra |= document.EmbeddedFiles
	}
	if n := a.Find(attachedIcon); n != nil && n.Size > 0 {
		m.add(file{stream: n, picture: true})
	}
}

// mimeType is what an attachment says it is, in lower case.
func mimeType(a *cfb.Node) string {
	const longest = 256
	for _, name := range []string{attachedType, attachedType8} {
		if n := a.Find(name); n != nil {
			if b, err := n.Bytes(longest); err == nil {
				return strings.ToLower(string(bytes.ReplaceAll(b, []byte{0}, nil)))
			}
		}
	}
	return ""
}

// bodies looks for pictures in the text, in each of the forms that it is kept in.
func (m *Message) bodies(root *cfb.Node, lim document.Limits) error {
	for _, name := range []string{bodyHTML, bodyHTMLText, bodyRTF} {
		n := root.Find(name)
		if n == nil || n.Storage {
			continue
		}
		b, err := n.Bytes(lim.UnpackedBytes)
		if errors.Is(err, cfb.ErrTooLarge) {
			return reason.Because(reason.ExtractUnpacked, err)
		}
		if err != nil {
			return reason.Because(reason.ExtractMalformed, err)
		}
		switch name {
		case bodyHTML:
			m.markup(b)
		case bodyHTMLText:
			m.markup(narrow(b))
		case bodyRTF:
			if err := m.richText(b, lim); err != nil {
				return err
			}
		}
	}
	return nil
}

// richText lists compressed RTF where it holds pictures or objects.
func (m *Message) richText(packed []byte, lim document.Limits) error {
	text, err := unRTF(packed, lim.UnpackedBytes)
	if err == nil && (bytes.Contains(text, []byte(`\pict`)) || bytes.Contains(text, []byte(`\objdata`))) {
		m.add(file{encoded: text})
	}
	return err
}

// narrow makes UTF-8 of UTF-16.
func narrow(b []byte) []byte {
	wide := make([]uint16, len(b)/2)
	for i := range wide {
		wide[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return []byte(string(utf16.Decode(wide)))
}

// Compressed RTF ([MS-OXRTFCP]): a window that begins with what most texts begin with,
// and pairs of offset and length into it.
const (
	rtfWindow = 4096
	rtfStart  = "{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript " +
		"\\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
	rtfHeader = 16
)

// unRTF unpacks compressed RTF of at most limit bytes. What is missing at the end is
// missing.
func unRTF(b []byte, limit int64) ([]byte, error) {
	if len(b) < rtfHeader {
		return nil, nil
	}
	size := int64(binary.LittleEndian.Uint32(b[4:]))
	switch kind := string(b[8:12]); {
	case kind == "MELA": // as it is
		return b[rtfHeader:], nil
	case kind != "LZFu":
		return nil, reason.Because(reason.ExtractMalformed, errors.New("mail: RTF of another kind"))
	case size > limit:
		return nil, reason.Because(reason.ExtractUnpacked, fmt.Errorf("mail: RTF of %d bytes", size))
	}
	var window [rtfWindow]byte
	at := copy(window[:], rtfStart)
	out := make([]byte, 0, min(size, int64(len(b))*8))
	put := func(c byte) {
		window[at] = c
		at = (at + 1) % rtfWindow
		out = append(out, c)
	}
	for in := b[rtfHeader:]; len(in) > 0; {
		flags := in[0]
		in = in[1:]
		for bit := 0; bit < 8 && len(in) > 0; bit++ {
			if flags>>bit&1 == 0 {
				put(in[0])
				in = in[1:]
				continue
			}
			if len(in) < 2 {
				return out, nil
			}
			pair := binary.BigEndian.Uint16(in)
			in = in[2:]
			from := int(pair >> 4)
			if from == at {
				return out, nil // the end
			}
			for range int(pair&15) + 2 {
				put(window[from])
				from = (from + 1) % rtfWindow
			}
			if int64(len(out)) > limit {
				return nil, reason.Because(reason.ExtractUnpacked, errors.New("mail: RTF longer than it says"))
			}
		}
	}
	return out, nil
}
