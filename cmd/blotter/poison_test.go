package main_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"blotter/client"
)

// malformed is a document that cannot be redacted, and what it is rejected for.
type malformed struct {
	reason string
	body   []byte
}

// poison makes malformed documents, one of a kind.
func poison(t *testing.T) []malformed {
	t.Helper()
	whole := read(t, tiny(t))
	size := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 100_000), 100_000)
	huge := slices.Concat([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", string(size)+"\x08\x00\x00\x00\x00"), chunk("IDAT", "x"), chunk("IEND", ""))
	return []malformed{
		{"extract.nothing_releasable", whole[:len(whole)/2]}, // its only image is cut off
		{"extract.nothing_releasable", huge},                 // or says that it has 10 gigapixels
		{"extract.nothing_releasable", bomb(t)},
		{"extract.malformed", []byte("%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n")},
		{"sniff.unknown_format", bytes.Repeat([]byte("\x8f\x01\x77"), 999)},
		{"sniff.archive", []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03" + strings.Repeat("x", 100))},
	}
}

// bomb is a DOCX whose only picture unpacks to a thousand times its size.
func bomb(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, part := range []struct{ name, body string }{
		{"[Content_Types].xml", `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ` +
			`ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`},
		{"word/document.xml", `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"/>`},
		{"word/media/image1.bmp", "BM" + strings.Repeat("\x00", 20<<20)},
	} {
		w, err := z.Create(part.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, part.body); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Malformed documents amid whole ones of two tenants are rejected at their first attempt and
// tried no more: nobody is made to wait for a second one. The whole ones end as ever, each
// at its first attempt. Every other one is poison, far more than any load has; each
// document needs a cell of its own, which is where the time of this test goes.
func TestServePoison(t *testing.T) {
	t.Parallel()
	s := newStation(t, "BLOTTER_QUEUE_LEASE=5m") // on a machine that stands still a short one runs out
	v := s.serve()
	ctx := limited(t)
	ours, theirs := v.client(""), v.client(s.addKey("--tenant", "others", "--role", "client"))
	sent := map[string]expected{}
	send := func(c *client.Client, body []byte, reason string) {
		t.Helper()
		sent[upload(t, ctx, c, body, client.UploadOptions{}).ID] = expected{c, reason}
	}
	whole, bad := read(t, tiny(t)), poison(t)
	for i, m := range bad {
		send(ours, m.body, m.reason)
		send([]*client.Client{ours, theirs}[i%2], whole, "")
	}
	var waiting sync.WaitGroup
	for id, want := range sent {
		waiting.Go(func() { want.endsAtOnce(ctx, t, id) })
	}
	waiting.Wait()
	countsOfAttempts(ctx, t, v, bad)
	v.stop()
	s.checkAtRest()
}

// expected is what should become of a job: an end for a reason, or a good one without.
type expected struct {
	owner  *client.Client
	reason string
}

// endsAtOnce wants a job to have come to its end in the first attempt; without a reason, well.
func (e expected) endsAtOnce(ctx context.Context, t *testing.T, id string) {
	j, err := e.owner.Wait(ctx, id)
	if err != nil {
		t.Error(err)
		return
	}
	state, why := "released", ""
	if e.reason != "" {
		state = "rejected"
	}
	if j.Reason != nil {
		why = j.Reason.Code
	}
	if j.State != state || why != e.reason || j.Attempt != 1 {
		t.Errorf("a document that should be %s %s is %s %s after %d attempts", state, e.reason, j.State, why, j.Attempt)
	}
}

// countsOfAttempts reads the same from the metrics: as many waits as documents, no retry.
func countsOfAttempts(ctx context.Context, t *testing.T, v *service, bad []malformed) {
	t.Helper()
	all := 2 * len(bad)
	metrics := scrapeUntil(ctx, t, v, func(metrics string) bool { return total(t, metrics, "blotter_jobs_ended_total") >= all })
	if n := total(t, metrics, "blotter_job_retries_total"); n != 0 {
		t.Errorf("%d attempts failed and were made again", n)
	}
	if n := total(t, metrics, "blotter_queue_wait_seconds_count"); n != all {
		t.Errorf("%d documents were claimed %d times", all, n)
	}
	for _, line := range []string{`blotter_leases_expired_total{lane="bulk"} 0`, `blotter_dead_jobs 0`,
		fmt.Sprintf(`blotter_jobs_ended_total{owner="none",reason="none",state="released"} %d`, len(bad))} {
		if !strings.Contains(metrics, "\n"+line+"\n") {
			t.Errorf("the metrics have no line %s", line)
		}
	}
	rejected := map[string]int{}
	for _, m := range bad {
		rejected[m.reason]++
	}
	for reason, n := range rejected {
		line := fmt.Sprintf(`blotter_jobs_ended_total{owner="document",reason=%q,state="rejected"} %d`, reason, n)
		if !strings.Contains(metrics, "\n"+line+"\n") {
			t.Errorf("the metrics have no line %s", line)
		}
	}
}

// scrapeUntil reads the metrics until they are as wanted: a worker counts an end just after
// others can see it.
func scrapeUntil(ctx context.Context, t *testing.T, v *service, want func(metrics string) bool) string {
	t.Helper()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		_, metrics := get(t, v.ops+"/metrics")
		if want(metrics) {
			return metrics
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("the metrics never came to say that all documents have ended:\n%s", metrics)
		}
	}
}

// total adds up the series of a counter.
func total(t *testing.T, metrics, name string) (sum int) {
	t.Helper()
	for _, m := range regexp.MustCompile(`(?m)^`+name+`(?:\{.*\})? (\d+)$`).FindAllStringSubmatch(metrics, -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	return sum
}
