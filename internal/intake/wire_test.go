package intake

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// wire is a connection on which a test says what no client library would.
type wire struct {
	net.Conn
	lines *bufio.Reader
}

func (o *office) dial() *wire {
	o.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(o.url, "http://"))
	o.must(err)
	o.Cleanup(func() { _ = conn.Close() })
	o.must(conn.SetDeadline(time.Now().Add(20 * time.Second))) // against a test that hangs
	return &wire{conn, bufio.NewReader(conn)}
}

func (o *office) say(w *wire, text string) {
	o.Helper()
	_, err := io.WriteString(w, text)
	o.must(err)
}

// hear reads one answer.
func (o *office) hear(w *wire) reply {
	o.Helper()
	res, err := http.ReadResponse(w.lines, &http.Request{Method: "POST"})
	o.must(err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	o.must(err)
	return reply{res, text}
}

// holdUpload begins an upload and returns once its first bytes are in the vault's hands.
func (o *office) holdUpload(key, token string) *wire {
	o.Helper()
	before := o.count("reservations WHERE until > 0")
	w := o.dial()
	o.say(w, fmt.Sprintf("POST /v1/documents HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\nIdempotency-Key: %s\r\nAuthorization: Bearer %s\r\n\r\n", key, token))
	line, err := w.lines.ReadString('\n') // the body is asked for once all else is right
	o.must(err)
	_, err = w.lines.ReadString('\n')
	o.must(err)
	if !strings.Contains(line, "100 Continue") {
		o.Fatalf("heard %q", line)
	}
	if after := o.count("reservations WHERE until > 0"); after != before+1 {
		o.Fatalf("%d reservations", after)
	}
	o.say(w, "4\r\nhalf\r\n")
	return w
}
