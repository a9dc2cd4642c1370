package mail

import (
	"bytes"
	"mime"
	"strings"

	"blotter/internal/cell/inside/extract/armour"
)

// header is what a part says of itself.
type header struct {
	kind     string // media type in lower case; "" where it does not say
	boundary string
	smime    string // what an S/MIME part is
	encoding armour.Encoding
	attached bool // it is no part of the text
}

// is reports whether the media type begins so.
func (h header) is(prefix string) bool { return strings.HasPrefix(h.kind, prefix) }

// text reports whether mail programs show the part as text. A message that does not say
// what it is, is text.
func (h header) text() bool {
	switch h.kind {
	case "", "text/plain", "text/html", "text/xhtml", "text/enriched", "text/richtext", "text/rfc822-headers", "text/x-amp-html",
		"text/watch-html", "message/delivery-status", "message/disposition-notification", "message/feedback-report":
		return true
	}
	return false // cards and calendars have pictures of their own
}

// line cuts off the first line, without its end.
func line(data []byte) (first, rest []byte) {
	first, rest, _ = bytes.Cut(data, []byte("\n"))
	return bytes.TrimSuffix(first, []byte("\r")), rest
}

// isToken reports whether s may be the name of a header field (RFC 5322, 2.2).
func isToken(s []byte) bool {
	for _, c := range s {
		if c <= ' ' || c >= 0x7f || c == ':' {
			return false
		}
	}
	return len(s) > 0
}

// maxField bounds how much of a header field is looked at, in bytes.
const maxField = 16 << 10

// readHeader reads the fields that say what a part is, and returns the body behind the
// first empty line. A part that has no header at all is all body.
func readHeader(data []byte) (h header, body []byte) {
	fields := map[string]string{}
	last := ""
	for rest := data; ; {
		l, after := line(rest)
		switch name, value, ok := bytes.Cut(l, []byte(":")); {
		case len(l) == 0:
			return parseFields(fields), after
		case (l[0] == ' ' || l[0] == '\t') && last != "":
			if len(fields[last]) < maxField {
				fields[last] += " " + string(bytes.TrimSpace(l[:min(len(l), maxField)]))
			}
		case ok && isToken(bytes.TrimRight(name, " \t")):
			last = strings.ToLower(string(bytes.TrimRight(name[:min(len(name), maxField)], " \t")))
			if _, twice := fields[last]; twice || !wanted[last] {
				last = "-" // folded lines of others; the first counts
			}
			fields[last] = string(bytes.TrimSpace(value[:min(len(value), maxField)]))
		default:
			return parseFields(fields), rest // no header any more, though no empty line ended it
		}
		if len(after) == 0 {
			return parseFields(fields), nil
		}
		rest = after
	}
}

var wanted = map[string]bool{"content-type": true, "content-transfer-encoding": true, "content-disposition": true}

func encodingOf(name string) armour.Encoding {
	switch name {
	case "base64":
		return armour.Base64
	case "quoted-printable":
		return armour.QuotedPrintable
	case "x-uuencode", "x-uue", "uuencode":
		return armour.UUEncode
	}
	return armour.AsIs
}

func parseFields(fields map[string]string) header {
	var h header
	var params map[string]string
	h.kind, params = mediaType(fields["content-type"])
	h.boundary, h.smime = params["boundary"], strings.ToLower(params["smime-type"])
	h.encoding = encodingOf(strings.ToLower(strings.TrimSpace(fields["content-transfer-encoding"])))
	disposition, _ := mediaType(fields["content-disposition"])
	h.attached = disposition == "attachment"
	return h
}

// mediaType reads a type with its parameters, and what can be had of one that breaks the
// rules.
func mediaType(value string) (kind string, params map[string]string) {
	if value == "" {
		return "", nil
	}
	kind, params, err := mime.ParseMediaType(value)
	if err == nil {
		return kind, params
	}
	kind, rest, _ := strings.Cut(value, ";")
	params = map[string]string{}
	for _, p := range strings.Split(rest, ";") {
		if name, v, ok := strings.Cut(p, "="); ok {
			params[strings.ToLower(strings.TrimSpace(name))] = strings.Trim(strings.TrimSpace(v), `"`)
		}
	}
	return strings.ToLower(strings.TrimSpace(kind)), params
}

// guess finds the boundary of a multipart that does not name it: its first line that
// begins as one does.
func guess(body []byte) string {
	for len(body) > 0 {
		var l []byte
		l, body = line(body)
		if l = bytes.TrimRight(l, " \t"); len(l) > 2 && bytes.HasPrefix(l, []byte("--")) {
			return string(l[2:])
		}
	}
	return ""
}

// split cuts the body of a multipart into its parts (RFC 2046, 5.1). The end may be
// missing: then the last part goes on to the end of the body.
func split(body []byte, boundary string) [][]byte {
	mark := []byte("--" + boundary)
	if boundary == "" {
		return nil
	}
	var parts [][]byte
	start := -1
	for at := 0; at < len(body); {
		end := len(body)
		if i := bytes.IndexByte(body[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if tail, ok := bytes.CutPrefix(body[at:end], mark); ok {
			tail = bytes.TrimRight(tail, " \t\r\n")
			if last := bytes.Equal(tail, []byte("--")); last || len(tail) == 0 {
				if start >= 0 {
					parts = append(parts, withoutEnd(body[start:at]))
				}
				if start = end; last {
					return parts
				}
			}
		}
		at = end
	}
	if start >= 0 && start < len(body) {
		parts = append(parts, body[start:])
	}
	return parts
}

// withoutEnd takes off the line end that belongs to the boundary.
func withoutEnd(p []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(p, []byte("\n")), []byte("\r"))
}
