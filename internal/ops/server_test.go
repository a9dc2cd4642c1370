package ops

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"blotter/internal/reason"
)

// listening serves the private listener on loopback until the test ends.
func listening(t *testing.T, checks ...Check) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, l, Handler(exercised(), checks...)) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the listener ended with %v", err)
		}
		if _, err := net.Dial("tcp", l.Addr().String()); err == nil {
			t.Error("the listener still answers after its end")
		}
	})
	return "http://" + l.Addr().String()
}

func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b)
}

func TestPrivateListener(t *testing.T) {
	url := listening(t, Check{"store", func(context.Context) error { return nil }})
	for _, c := range []struct {
		path   string
		status int
		has    string
	}{
		{"/metrics", 200, "blotter_store_up 1"},
		{"/metrics", 200, "process_resident_memory_bytes"},
		{"/healthz", 200, "ok"},
		{"/readyz", 200, `"ready":true`},
		{"/debug/pprof/", 200, "goroutine"},
		{"/debug/pprof/goroutine?debug=1", 200, "goroutine profile"},
		{"/debug/pprof/cmdline", 404, ""},
		{"/", 404, ""},
	} {
		status, body := get(t, url+c.path)
		if status != c.status || !strings.Contains(body, c.has) {
			t.Errorf("GET %s: %d, without %q", c.path, status, c.has)
		}
	}
}

func readyz(t *testing.T, checks ...Check) (int, verdict) {
	t.Helper()
	answer := httptest.NewRecorder()
	newReadiness(checks).ServeHTTP(answer, httptest.NewRequest("GET", "/readyz", nil))
	var v verdict
	if err := json.Unmarshal(answer.Body.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	return answer.Code, v
}

// What fails is named by its code; the error's own words, which may hold a path, stay in.
func TestReadinessNamesTheReason(t *testing.T) {
	full := reason.Because(reason.HostDisk, errors.New("/secret/path"))
	status, v := readyz(t, Check{"store", func(context.Context) error { return nil }}, Check{"disk", func(context.Context) error { return full }},
		Check{"odd", func(context.Context) error { return errors.New("/secret/path") }})
	if status != http.StatusServiceUnavailable || v.Ready || !v.Checks[0].OK {
		t.Fatalf("%d %+v", status, v)
	}
	if c := v.Checks[1]; c.Name != "disk" || c.OK || c.Reason != reason.HostDisk || c.Owner != reason.OwnerOperator || c.Text != reason.Must(reason.HostDisk).Text {
		t.Errorf("the full disk shows as %+v", c)
	}
	if c := v.Checks[2]; c.Reason != reason.Internal || strings.Contains(c.Text, "secret") {
		t.Errorf("an error without a code shows as %+v", c)
	}
}

func TestReadinessWithoutChecksIsReady(t *testing.T) {
	if status, v := readyz(t); status != 200 || !v.Ready || v.Checks == nil {
		t.Errorf("%d %+v", status, v)
	}
}

// Two checks that hang cost one limit, not two.
func TestReadinessOutlivesChecksThatHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		stuck := func(context.Context) error { <-hang; return nil }
		polite := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		began := time.Now()
		status, v := readyz(t, Check{"stuck", stuck}, Check{"polite", polite})
		if status != http.StatusServiceUnavailable || !v.Checks[0].Late || !v.Checks[1].Late {
			t.Errorf("%d %+v", status, v)
		}
		if waited := time.Since(began); waited != checkLimit {
			t.Errorf("waited %s", waited)
		}
		close(hang)
	})
}

// one is a listener of one connection, in memory.
type one struct {
	conn   chan net.Conn
	closed chan struct{}
}

func (l one) Accept() (net.Conn, error) {
	select {
	case c := <-l.conn:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l one) Close() error   { close(l.closed); return nil }
func (l one) Addr() net.Addr { return &net.TCPAddr{} }

// An answer that takes too long does not hold the end up beyond the grace.
func TestServeEndsThoughAnAnswerHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		l := one{make(chan net.Conn, 1), make(chan struct{})}
		l.conn <- server
		ctx, stop := context.WithCancel(t.Context())
		reached, ended := make(chan struct{}), make(chan error, 1)
		hang := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { close(reached); <-r.Context().Done() })
		go func() { ended <- Serve(ctx, l, hang) }()
		if _, err := io.WriteString(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		<-reached
		began := time.Now()
		stop()
		if err := <-ended; err != nil || time.Since(began) != serveGrace {
			t.Errorf("ended after %s with %v", time.Since(began), err)
		}
		client.Close()
	})
}

// What a panic says may hold anything; net/http would print it.
func TestPanicIsNotShown(t *testing.T) {
	var said strings.Builder
	log.SetOutput(&said)
	defer log.SetOutput(os.Stderr)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- Serve(ctx, l, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(secret) }))
	}()
	if answer, err := http.Get("http://" + l.Addr().String()); err == nil {
		answer.Body.Close()
		t.Error("the panic was answered")
	}
	stop()
	if err := <-ended; err != nil || said.Len() > 0 {
		t.Errorf("ended with %v; said %q", err, said.String())
	}
}
