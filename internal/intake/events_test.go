package intake_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/intake"
	"blotter/internal/reason"
	"blotter/receipt"
)

// message is one server-sent event, or a comment.
type message struct{ id, event, data, comment string }

// next reads a message of a stream; false at its end.
func next(r *bufio.Reader) (m message, ok bool) {
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return m, false
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch name {
		case "":
			if line == "\n" {
				return m, true
			}
			m.comment = "beat"
		case "id":
			m.id = value
		case "event":
			m.event = value
		case "data":
			m.data = value
		}
	}
}

func messages(r io.Reader) (out []message) {
	in := bufio.NewReader(r)
	for m, ok := next(in); ok; m, ok = next(in) {
		out = append(out, m)
	}
	return out
}

func kindsOf(list []message) (out []string) {
	for _, m := range list {
		out = append(out, m.event)
	}
	return out
}

func TestEventsOfTheWholeLife(t *testing.T) {
	o := newOffice(t, nil)
	id := o.ended(north, document.Released, "")
	o.ended(north, document.Released, "") // another job's events do not show
	answer := o.ask("GET", at(id, "/events"), o.key(north, access.Reader))
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "text/event-stream" || answer.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %v", answer.StatusCode, answer.Header)
	}
	got := messages(answer.Body)
	if want := []string{"received", "claimed", "redacted", "end"}; !slices.Equal(kindsOf(got), want) {
		t.Fatalf("events %v, want %v", kindsOf(got), want)
	}
	for _, m := range got[:3] {
		var e receipt.Event
		if err := json.Unmarshal([]byte(m.data), &e); err != nil || strconv.FormatInt(e.Sequence, 10) != m.id || string(e.Kind) != m.event || e.Job != string(id) {
			t.Errorf("%+v is not the event %+v, %v", m, e, err)
		}
	}
	if final := strconv.FormatInt(o.job(id).FinalSeq, 10); got[2].id != final || got[3].id != "" {
		t.Errorf("the last event is %s, want %s", got[2].id, final)
	}
}

func TestEventsAreTakenUpWhereTheyBroke(t *testing.T) {
	o := newOffice(t, nil)
	key := o.key(north, access.Reader)
	id := o.ended(north, document.Released, "")
	all := messages(o.ask("GET", at(id, "/events"), key).Body)
	for name, answer := range map[string]*http.Response{
		"header":                      o.ask("GET", at(id, "/events"), key, "Last-Event-ID: "+all[0].id),
		"parameter":                   o.ask("GET", at(id, "/events?after="+all[0].id), key),
		"header before a parameter":   o.ask("GET", at(id, "/events?after=999999"), key, "Last-Event-ID: "+all[0].id),
		"parameter for the beginning": o.ask("GET", at(id, "/events?after=-1"), key),
	} {
		want := all[1:]
		if strings.Contains(name, "beginning") {
			want = all
		}
		if got := messages(answer.Body); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, kindsOf(got), kindsOf(want))
		}
	}
	o.read(o.ask("GET", at(id, "/events"), key, "Last-Event-ID: "+all[2].id), http.StatusNoContent)
	for _, wrong := range []string{"x", "-2", "1.0", "+1", "99999999999999999999", " "} {
		answer := o.ask("GET", at(id, "/events?after="+strings.ReplaceAll(wrong, " ", "%20")), key)
		if p := o.refused(answer, reason.APIRequest); len(p.Faults) != 1 {
			t.Errorf("after %q: %+v", wrong, p)
		}
	}
}

func TestEventsComeAsTheyAreSealed(t *testing.T) {
	o := newOffice(t, nil)
	id := o.enqueue(north, document.Bulk)
	answer := o.ask("GET", at(id, "/events"), o.key(north, access.Reader))
	in := bufio.NewReader(answer.Body)
	o.seal()
	m, _ := next(in)
	lent := o.claim(id)
	o.seal()
	second, _ := next(in)
	if m.event != "received" || second.event != "claimed" {
		t.Errorf("events %v, %v", m, second)
	}
	o.finish(lent, document.Rejected, reason.SniffVideo)
	o.seal()
	if got := kindsOf(messages(in)); !slices.Equal(got, []string{"redacted", "end"}) {
		t.Errorf("the end: %v", got)
	}
}

// A key that was revoked sees no more, whatever it had begun to follow.
func TestARevokedKeyStopsFollowing(t *testing.T) {
	o := newOffice(t, nil)
	id := o.enqueue(north, document.Bulk)
	o.seal()
	key, token, err := o.keys.Add(t.Context(), north, access.Reader, nil, "cli")
	o.must(err)
	answer := o.ask("GET", at(id, "/events"), token)
	in := bufio.NewReader(answer.Body)
	if m, _ := next(in); m.event != "received" {
		t.Fatalf("event %v", m)
	}
	_, err = o.keys.Revoke(t.Context(), key.ID, "cli")
	o.must(err)
	o.claim(id)
	o.seal()
	if got := kindsOf(messages(in)); len(got) != 0 {
		t.Errorf("a revoked key was shown %v", got)
	}
}

func TestQuietStreamsBeatAndEndWithTheService(t *testing.T) {
	o := newOffice(t, nil)
	intake.SetHeartbeat(o.api, 5*time.Millisecond)
	id := o.enqueue(north, document.Bulk)
	o.seal()
	answer := o.ask("GET", at(id, "/events"), o.key(north, access.Reader))
	in := bufio.NewReader(answer.Body)
	next(in)
	for range 2 {
		if m, ok := next(in); !ok || m.comment != "beat" || m.event != "" {
			t.Errorf("%+v", m)
		}
	}
	o.api.StopWaiting()
	for _, m := range messages(in) {
		if m.event == "end" {
			t.Error("a stream that the service's end cut off claims to be whole")
		}
	}
}

// A client that does not read must not hold a goroutine, nor a waiter's place.
func TestAStuckReaderLosesItsPlace(t *testing.T) {
	o := newOffice(t, func(c *intake.Config) { c.Waiters = 1; c.WriteIdle = 50 * time.Millisecond })
	intake.SetHeartbeat(o.api, 100*time.Microsecond)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	o.must(err)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- o.api.Serve(ctx, narrow{l}) }()
	defer func() { stop(); <-served }()
	id, key := o.enqueue(north, document.Bulk), o.key(north, access.Reader)
	c, err := net.Dial("tcp", l.Addr().String())
	o.must(err)
	defer c.Close()
	o.must(c.(*net.TCPConn).SetReadBuffer(1024))
	_, err = io.WriteString(c, "GET "+at(id, "/events")+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+key+"\r\n\r\n")
	o.must(err)
	<-o.watches // it has the only place, and reads nothing
	o.url = "http://" + l.Addr().String()
	for began := time.Now(); ; { // each refusal is an answer of the service, so this does not spin
		answer := o.ask("GET", at(id, "/events"), key)
		if answer.StatusCode == http.StatusOK {
			return
		}
		o.refused(answer, reason.APIWaiters)
		if time.Since(began) > 20*time.Second {
			t.Fatal("the place is still taken")
		}
	}
}

// narrow gives connections small buffers, so that a client that does not read is felt soon.
type narrow struct{ net.Listener }

func (n narrow) Accept() (net.Conn, error) {
	c, err := n.Listener.Accept()
	if err == nil {
		err = c.(*net.TCPConn).SetWriteBuffer(1024)
	}
	return c, err
}
