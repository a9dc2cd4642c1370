package mail

import (
	"bytes"
	"regexp"

	"blotter/internal/cell/inside/extract/armour"
	"blotter/internal/cell/inside/extract/vml"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// Pictures may stand in the text itself: as data URLs (RFC 2397) in HTML, as uuencode in
// plain text.
var (
	dataURL  = regexp.MustCompile(`(?i)data:\s*(image/|application/)[a-z0-9.+-]*[^,"'<>]{0,200};\s*base64\s*,`)
	elseURL  = regexp.MustCompile(`(?i)(?:\s(?:src|srcset|background|poster|data|o:href)\s*=\s*["']?|url\(\s*["']?|@import\s*["'])\s*(?:(?:https?:|ftp:|file:)?//|\\\\)`)
	lockText = []byte("-----BEGIN PGP MESSAGE-----")
	yBegin   = regexp.MustCompile(`(?m)^=ybegin .*\r?\n`)
	yEnding  = regexp.MustCompile(`(?m)^=yend.*$`)
	uuBegin  = regexp.MustCompile(`(?m)^begin [0-7]{3,4} \S.*\r?\n`)
	uuEnding = regexp.MustCompile(`(?m)^end\r?$`)
)

// text looks for pictures in a part that is shown as text.
func (m *Message) text(h header, body []byte) {
	plain := h.encoding.Decode(body)
	if h.is("text/html") || h.is("text/xhtml") || h.is("text/enriched") {
		m.markup(plain)
		return
	}
	if bytes.Contains(plain, lockText) {
		m.add(file{withheld: reason.ExtractEncrypted})
	}
	m.written(plain, uuBegin, uuEnding, armour.UUEncode)
	m.written(plain, yBegin, yEnding, armour.YEnc)
}

// written lists files that stand in plain text between two marks.
func (m *Message) written(plain []byte, begin, ending *regexp.Regexp, as armour.Encoding) {
	for {
		at := begin.FindIndex(plain)
		if at == nil {
			return
		}
		plain = plain[at[1]:]
		end := len(plain)
		if i := ending.FindIndex(plain); i != nil {
			end = i[0]
		}
		m.add(file{encoded: plain[:end], encoding: as, picture: true})
		plain = plain[end:]
	}
}

// markup lists the data URLs of a page and the packages in its shapes, and notes whether it shows pictures that lie
// elsewhere. They are never fetched.
func (m *Message) markup(page []byte) {
	if elseURL.Match(page) {
		m.extra |= document.ExternalImages
	}
	for letters := range vml.Packages(page) {
		m.add(file{encoded: letters, encoding: armour.Base64})
	}
	for {
		at := dataURL.FindSubmatchIndex(page)
		if at == nil {
			return
		}
		isImage := bytes.EqualFold(page[at[2]:at[3]], []byte("image/"))
		page = page[at[1]:]
		end := bytes.IndexAny(page, `"'<>)`)
		if end < 0 {
			end = len(page)
		}
		m.add(file{encoded: unPercent(page[:end]), encoding: armour.Base64, picture: isImage})
		page = page[end:]
	}
}

// unPercent undoes what URLs do to the letters of base64.
func unPercent(b []byte) []byte {
	if bytes.IndexByte(b, '%') < 0 {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] == '%' {
			if hi, lo := armour.HexAt(b, i+1), armour.HexAt(b, i+2); hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		out = append(out, b[i])
	}
	return out
}
