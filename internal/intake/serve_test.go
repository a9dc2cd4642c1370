package intake

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"blotter/internal/reason"
)

// Connections that never finish a header keep no honest client out: many more than there
// are places, each sending a byte now and then.
func TestSlowLoris(t *testing.T) {
	cfg := testConfig()
	cfg.MaxConnections = 128
	o := newOffice(t, cfg)
	stop := make(chan struct{})
	defer close(stop)
	var reconnected atomic.Int64
	for range 200 {
		go func() {
			for ; ; reconnected.Add(1) {
				if !dribble(strings.TrimPrefix(o.url, "http://"), stop) {
					return
				}
			}
		}()
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answered := 0
	for range 20 {
		req, err := http.NewRequest("POST", o.url+documentsPath, strings.NewReader(letter))
		o.must(err)
		req.Header.Set("Authorization", "Bearer "+o.key)
		req.Header.Set(keyHeader, "one")
		res, err := client.Do(req)
		if err != nil {
			continue // put out before its turn; it would come again
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		if res.StatusCode == http.StatusAccepted || res.StatusCode == http.StatusConflict {
			answered++
		}
	}
	t.Logf("%d of 20 requests answered at the first try; attackers came back %d times", answered, reconnected.Load())
	if answered < 20 {
		t.Errorf("%d of 20 requests were answered", answered)
	}
}

// Ten thousand connections that say half a header: those that fit stay, the others go, an
// honest client is served, and each of them costs the server little memory.
func TestTenThousandConnections(t *testing.T) {
	const crowd = 10_000
	cfg := testConfig()
	cfg.HeaderTimeout = time.Minute // so that all that fit stay to the end
	if files := openFiles(t); files < crowd+uint64(cfg.MaxConnections)+500 {
		t.Skipf("only %d files may be open", files)
	}
	o := newOffice(t, cfg)
	before, began := inUse(), time.Now()
	for i := range crowd {
		conn, err := net.Dial("tcp", strings.TrimPrefix(o.url, "http://"))
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_, _ = io.WriteString(conn, "GET /docs HTTP/1.1\r\nHost: x\r\n") // it may have been put out already
	}
	came, asked := time.Since(began), time.Now()
	o.accepted(o.post("k", letter, nil))
	answered := time.Since(asked)
	each := (inUse() - before) / int64(cfg.MaxConnections)
	t.Logf("%d connections came in %v; then a document was taken in after %v; %d bytes of memory for each of %d places, clients' ends included",
		crowd, came.Round(time.Millisecond), answered.Round(time.Millisecond), each, cfg.MaxConnections)
	if each > 64<<10 {
		t.Errorf("%d bytes for each connection", each)
	}
}

// inUse is how much memory lives: heap and stacks.
func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// openFiles is how many files this process may open.
func openFiles(t *testing.T) uint64 {
	t.Helper()
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		t.Fatal(err)
	}
	return l.Cur // Go raises it to the hard limit
}

// dribble holds a connection open with a header that does not end. It reports whether to
// come again.
func dribble(addr string, stop <-chan struct{}) bool {
	conn, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return false
	}
	defer conn.Close()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for header := "POST /v1/documents HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 4000); header != ""; header = header[1:] {
		if _, err := io.WriteString(conn, header[:1]); err != nil {
			return true
		}
		select {
		case <-stop:
			return false
		case <-tick.C:
		}
	}
	return true
}

// A header that does not end is ended by its time-out, a connection that says nothing too.
func TestHeadersEndInTime(t *testing.T) {
	cfg := testConfig()
	cfg.HeaderTimeout = 50 * time.Millisecond
	o := newOffice(t, cfg)
	for _, begin := range []string{"", "GET / HTTP/1.1\r\nHost: x\r\n"} {
		w := o.dial()
		o.say(w, begin)
		if text, err := io.ReadAll(w); err != nil || len(text) > 0 && !strings.HasPrefix(string(text), "HTTP/1.1 4") {
			t.Errorf("heard %q, %v", text, err)
		}
	}
}

func TestHeadersAreBounded(t *testing.T) {
	cfg := testConfig()
	cfg.MaxHeaderBytes = 4096
	o := newOffice(t, cfg)
	w := o.dial()
	_, _ = io.WriteString(w, "GET / HTTP/1.1\r\nHost: x\r\nX: "+strings.Repeat("x", 64<<10)+"\r\n\r\n") // the server may hang up half way
	line, _ := w.lines.ReadString('\n')
	if line != "" && !strings.Contains(line, "431") {
		t.Errorf("heard %q", line)
	}
}

// A body that stands still, and one that comes byte by byte, are ended, and leave nothing.
func TestBodiesEndInTime(t *testing.T) {
	cfg := testConfig()
	cfg.BodyIdle, cfg.BodyTimeout = 100*time.Millisecond, 300*time.Millisecond
	o := newOffice(t, cfg)

	still := o.holdUpload("still", o.key)
	r := o.hear(still)
	o.refused(r, reason.APIBodyTimeout)
	if !r.Close {
		t.Error("the connection is kept")
	}
	o.empty()

	drip := o.holdUpload("drip", o.key)
	dripping := make(chan struct{})
	go func() {
		defer close(dripping)
		for tick := time.NewTicker(20 * time.Millisecond); ; <-tick.C {
			if _, err := io.WriteString(drip, "1\r\nx\r\n"); err != nil {
				return
			}
		}
	}()
	o.refused(o.hear(drip), reason.APIBodyTimeout)
	o.must(drip.Close())
	<-dripping
	o.empty()
	o.accepted(o.post("still", letter, nil)) // both keys are free
	o.accepted(o.post("drip", letter, nil))
}

// A client that sends a body which nobody reads does not keep its answer waiting for ever.
func TestBodiesThatNobodyReads(t *testing.T) {
	cfg := testConfig()
	cfg.BodyIdle = 100 * time.Millisecond
	o := newOffice(t, cfg)
	w := o.dial()
	o.say(w, "GET /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx")
	o.refused(o.hear(w), reason.APINotFound)
}

// When the service stops, what is under way is finished, and nothing new is begun.
func TestStopping(t *testing.T) {
	o := newOffice(t, testConfig())
	fresh := o.dial() // has sent nothing yet
	upload := o.holdUpload("k", o.key)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		o.stop()
	}()
	o.untilStopping()
	o.say(fresh, "GET /docs HTTP/1.1\r\nHost: x\r\n\r\n")
	r := o.hear(fresh)
	o.refused(r, reason.APIStopping)
	if !r.Close {
		t.Error("the connection is kept")
	}
	select {
	case <-stopped:
		t.Fatal("did not wait for the upload")
	default:
	}
	o.say(upload, "6\r\nletter\r\n0\r\n\r\n")
	o.accepted(o.hear(upload))
	<-stopped
}

// untilStopping waits until no new request is begun.
func (o *office) untilStopping() {
	for tick := time.NewTicker(time.Millisecond); ; <-tick.C {
		leave, err := o.api.flights.enter()
		if err != nil {
			return
		}
		leave()
	}
}

// What is not finished within the grace time is cut off; the server has cleared up behind
// it when it returns.
func TestTheEndOfTheGraceTime(t *testing.T) {
	cfg := testConfig()
	cfg.Grace = 50 * time.Millisecond
	o := newOffice(t, cfg)
	o.holdUpload("k", o.key)
	o.stop()
	o.empty()
}

func TestHTTP2(t *testing.T) {
	cfg := testConfig()
	cfg.TLSCert, cfg.TLSKey = certificate(t)
	o := newOffice(t, cfg)
	client := &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(context.Background(), "POST", strings.Replace(o.url, "http:", "https:", 1)+documentsPath, strings.NewReader(letter))
	o.must(err)
	req.Header.Set("Authorization", "Bearer "+o.key)
	req.Header.Set(keyHeader, "k")
	res, err := client.Do(req)
	o.must(err)
	text, err := io.ReadAll(res.Body)
	o.must(err)
	o.must(res.Body.Close())
	o.accepted(reply{res, text})
	if res.ProtoMajor != 2 {
		t.Errorf("spoke %s", res.Proto)
	}
}
