package intake

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strings"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// digestFields are the fields of RFC 9530 in which a client promises what its body is. A
// request is one whole representation without a content coding, so both mean the same
// bytes.
var digestFields = []string{"Content-Digest", "Repr-Digest"}

// promised reads the SHA-256 digests that a header, or a trailer, promises of the body.
// Other algorithms are ignored, as the RFC asks.
func promised(h http.Header) ([]document.Digest, error) {
	var out []document.Digest
	for _, name := range digestFields {
		lines := h.Values(name)
		if len(lines) == 0 {
			continue
		}
		d, found, err := parseDigests(strings.Join(lines, ", "))
		if err != nil {
			return nil, fault(reason.APIRequest, "field "+name+": not a dictionary of digests as in RFC 9530")
		}
		if found {
			out = append(out, d)
		}
	}
	return out, nil
}

// promisesLater reports whether the trailer that a request announces may hold digests.
func promisesLater(r *http.Request) bool {
	for _, name := range digestFields {
		if _, announced := r.Trailer[name]; announced {
			return true
		}
	}
	return false
}

var errDigestField = errors.New("intake: not a dictionary of digests")

// maxDigestField bounds what is parsed; all registered algorithms together take 300 bytes.
const maxDigestField = 2048

// parseDigests reads a dictionary of structured fields (RFC 9651, section 4.2.2) whose
// values are byte sequences, and returns that of sha-256. Of a member that stands twice the
// last counts.
func parseDigests(field string) (d document.Digest, found bool, err error) {
	if len(field) > maxDigestField {
		return d, false, errDigestField
	}
	p := fieldParser{rest: strings.Trim(field, " ")}
	for p.rest != "" && !p.failed {
		key, value := p.member()
		if key != "sha-256" {
			continue
		}
		if len(value) != len(d) {
			return d, false, errDigestField
		}
		found = true
		copy(d[:], value)
	}
	if p.failed {
		return document.Digest{}, false, errDigestField
	}
	return d, found, nil
}

// fieldParser reads what of structured fields may stand in a digest field. Once it has
// failed it reads nothing more.
type fieldParser struct {
	rest   string
	failed bool
}

// member reads one member of the dictionary and the comma after it. The value is nil
// where it is no byte sequence: numbers stand with algorithms of old.
func (p *fieldParser) member() (key string, value []byte) {
	key = p.key()
	p.want("=")
	value = p.item()
	for strings.HasPrefix(p.rest, ";") { // parameters mean nothing here
		p.rest = strings.TrimLeft(p.rest[1:], " ")
		p.key()
		if strings.HasPrefix(p.rest, "=") {
			p.rest = p.rest[1:]
			p.item()
		}
	}
	p.rest = strings.TrimLeft(p.rest, " \t")
	if p.rest != "" {
		p.want(",")
		p.rest = strings.TrimLeft(p.rest, " \t")
		p.failed = p.failed || p.rest == "" // a comma at the end
	}
	return key, value
}

func (p *fieldParser) want(prefix string) {
	rest, ok := strings.CutPrefix(p.rest, prefix)
	p.rest, p.failed = rest, p.failed || !ok
}

// take cuts off the longest beginning made of the given characters.
func (p *fieldParser) take(of string) string {
	rest := strings.TrimLeft(p.rest, of)
	taken := p.rest[:len(p.rest)-len(rest)]
	p.rest = rest
	return taken
}

const (
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
)

func (p *fieldParser) key() string {
	key := p.take(lower + digits + "_-.*")
	p.failed = p.failed || key == "" || !strings.Contains(lower+"*", key[:1])
	return key
}

// item reads a bare item; bytes where it is a byte sequence.
func (p *fieldParser) item() []byte {
	switch {
	case p.failed || p.rest == "":
		p.failed = true
	case p.rest[0] == ':':
		return p.bytes()
	case p.rest[0] == '"':
		p.quoted()
	case p.rest[0] == '?':
		p.rest = p.rest[1:]
		p.failed = len(p.take("01")) != 1
	case strings.ContainsRune(digits+"-", rune(p.rest[0])):
		p.want(p.rest[:1])
		p.take(digits + ".")
	default:
		token := p.take(lower + upper + digits + "*!#$%&'+-.^_`|~:/")
		p.failed = token == "" || !strings.Contains(lower+upper+"*", token[:1])
	}
	return nil
}

func (p *fieldParser) bytes() []byte {
	text, rest, closed := strings.Cut(p.rest[1:], ":")
	p.rest = rest
	out, err := base64.StdEncoding.DecodeString(text)
	if err != nil { // padding may be missing
		out, err = base64.RawStdEncoding.DecodeString(text)
	}
	if !closed || err != nil || strings.ContainsAny(text, "\r\n") {
		p.failed = true
		return nil
	}
	return out
}

func (p *fieldParser) quoted() {
	for i := 1; i < len(p.rest); i++ {
		switch p.rest[i] {
		case '\\':
			i++
		case '"':
			p.rest = p.rest[i+1:]
			return
		}
	}
	p.failed = true
}
