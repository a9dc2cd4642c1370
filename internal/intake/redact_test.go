package intake

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
)

// ends makes the pool end every job so.
func (o *office) ends(state document.State, why reason.Code) {
	o.runs(func(ctx context.Context, id document.ID) (queue.Job, error) {
		j, err := o.db.Job(ctx, id)
		j.State, j.Reason = state, why
		return j, err
	})
}

func (o *office) runs(run func(ctx context.Context, id document.ID) (queue.Job, error)) {
	o.runner.run.Store(&run)
}

func (o *office) redact(image string, headers map[string]string) reply {
	o.Helper()
	return o.send("POST", "/v1/redact", strings.NewReader(image), headers)
}

func TestASmallImageIsRedactedAtOnce(t *testing.T) {
	o := newOffice(t, testConfig())
	o.ends(document.Released, "")
	r := o.redact("an image", map[string]string{"Content-Type": "image/png"})
	if r.StatusCode != http.StatusOK || string(r.body) != pixels || r.Header.Get("Content-Type") != "image/png" || r.Header.Get("Content-Digest") != sf(pixels) {
		t.Fatalf("answered %d %v %s", r.StatusCode, r.Header, r.body)
	}
	path := r.Header.Get("Location")
	if r.Header.Get("Link") != "<"+path+`/receipt>; rel="describedby"` || r.Header.Get(digestHeader) != sf("an image") {
		t.Errorf("headers %v", r.Header)
	}
	j, order := o.job(strings.TrimPrefix(path, "/v1/jobs/"))
	if j.Lane != document.Interactive || !order.Small {
		t.Errorf("job %+v, order %+v", j, order)
	}
	if len(o.runner.slots) > 0 {
		t.Error("the slot is still taken")
	}
}

func TestWhyTheSynchronousPathRefuses(t *testing.T) {
	cfg := testConfig()
	cfg.SyncBytes = 100
	o := newOffice(t, cfg)
	_, slow := o.newKey("alpha", access.Client, []document.Lane{document.Bulk})
	big := strings.Repeat("x", 101)
	var (
		send  = func() reply { return o.redact("x", nil) }
		query = func() reply { return o.send("POST", "/v1/redact?originals=true", strings.NewReader("x"), nil) }
		drip  = func() reply { return o.send("POST", "/v1/redact", io.MultiReader(strings.NewReader(big)), nil) }
	)
	for name, c := range map[string]struct {
		state document.State // in which the job ends; "": it is not begun
		why   reason.Code
		send  func() reply
		want  reason.Code
		async bool
	}{
		"too large":         {"", "", func() reply { return o.redact(big, nil) }, reason.APITooLarge, true},
		"of unknown length": {"", "", drip, reason.APITooLarge, true},
		"empty":             {"", "", func() reply { return o.redact("", nil) }, reason.SniffEmpty, false},
		"lane":              {"", "", func() reply { return o.redact("x", map[string]string{"Authorization": "Bearer " + slow}) }, reason.APIForbidden, false},
		"form":              {"", "", func() reply { return o.redact("x", map[string]string{"Content-Type": "application/json"}) }, reason.APIMediaType, false},
		"query":             {"", "", query, reason.APIRequest, false},
		"video":             {document.Rejected, reason.SniffVideo, send, reason.SniffVideo, false},
		"paper":             {document.Rejected, reason.SniffNoImage, send, reason.SniffNoImage, true},
		"pixels":            {document.Rejected, reason.ExtractPixels, send, reason.ExtractPixels, true},
		"dead":              {document.Dead, reason.QueueAttempts, send, reason.QueueAttempts, false},
		"review":            {document.AwaitingReview, "", send, reason.PolicyWithheld, false},
	} {
		t.Run(name, func(t *testing.T) {
			o.T = t
			if c.state != "" {
				o.ends(c.state, c.why)
			}
			r := c.send()
			p := o.refused(r, c.want)
			link := strings.Contains(r.Header.Get("Link"), `</v1/documents>; rel="alternate"`)
			if (p.Async == documentsPath) != c.async || link != c.async || (p.Job != "") != (c.state != "") {
				t.Errorf("problem %+v, link %q", p, r.Header.Get("Link"))
			}
		})
	}
	o.T = t
}

// lost are results whose images cannot be had.
type lost struct {
	Results
	why reason.Code
}

func (l lost) Derivative(context.Context, queue.Job, int) (io.ReadCloser, int64, document.Digest, error) {
	return nil, 0, document.Digest{}, reason.Because(l.why, nil)
}

// An image that was redacted and cannot be handed out is told with its job.
func TestAnImageThatIsLost(t *testing.T) {
	for _, why := range []reason.Code{reason.JobNoResult, reason.VaultKeyGone, reason.VaultDamaged} {
		o := newOffice(t, testConfig(), func(d *Deps) { d.Results = lost{d.Results, why} })
		o.ends(document.Released, "")
		if p := o.refused(o.redact("x", nil), why); p.Job == "" {
			t.Errorf("problem %+v", p)
		}
	}
}

// A client that drips holds its slot no longer than the deadline.
func TestAnImageThatDrips(t *testing.T) {
	cfg := testConfig()
	cfg.SyncDeadline = 50 * time.Millisecond // within which no byte is due: bodies may stand still for 15 s
	o := newOffice(t, cfg)
	w := o.dial()
	o.say(w, "POST /v1/redact HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nAuthorization: Bearer "+o.key+"\r\n\r\n1\r\nx\r\n")
	o.refused(o.hear(w), reason.APIBodyTimeout)
	o.empty()
	if len(o.runner.slots) > 0 {
		t.Error("the slot is still taken")
	}
}

func TestNoImageIsTakenOnAFullDisk(t *testing.T) {
	o := newOffice(t, testConfig())
	full := reason.Because(reason.HostDisk, nil)
	o.admit.Store(&full)
	o.refused(o.redact("x", nil), reason.HostDisk)
	o.empty()
}

// An image is not worked on for a client that would not take it.
func TestWhatTheClientTakes(t *testing.T) {
	o := newOffice(t, testConfig())
	o.ends(document.Released, "")
	for accept, takes := range map[string]bool{
		"": true, "*/*": true, "image/*": true, "image/png": true, "Image/PNG; q=0.5": true, "text/html, image/png": true, "text/html,*/*;q=0.1": true,
		"application/json": false, "image/jpeg": false, "image/png;q=0": false, "nothing": false,
	} {
		r := o.redact("x", map[string]string{"Accept": accept})
		if !takes {
			o.refused(r, reason.APINotAccepted)
		} else if r.StatusCode != http.StatusOK {
			t.Errorf("%q: answered %d", accept, r.StatusCode)
		}
	}
}

// Without a slot nothing is received, let alone stored.
func TestABusyPool(t *testing.T) {
	o := newOffice(t, testConfig())
	for range cap(o.runner.slots) {
		_, err := o.runner.Slot()
		o.must(err)
	}
	if p := o.refused(o.redact("x", nil), reason.APIBusy); p.Async != documentsPath {
		t.Errorf("problem %+v", p)
	}
	o.empty()
}

func TestASlowImageIsCancelled(t *testing.T) {
	cfg := testConfig()
	cfg.SyncDeadline = 20 * time.Millisecond
	o := newOffice(t, cfg)
	o.runs(func(ctx context.Context, id document.ID) (queue.Job, error) {
		<-ctx.Done()
		return queue.Job{}, context.Cause(ctx)
	})
	p := o.refused(o.redact("x", nil), reason.APIDeadline)
	if p.Async != documentsPath {
		t.Errorf("problem %+v", p)
	}
	o.cancelled(document.ID(p.Job))
}

// A client that goes away takes its job with it.
func TestAClientThatGoesAway(t *testing.T) {
	o := newOffice(t, testConfig())
	running, done := make(chan document.ID, 1), make(chan struct{})
	o.runs(func(ctx context.Context, id document.ID) (queue.Job, error) {
		defer close(done)
		running <- id
		<-ctx.Done()
		return queue.Job{}, context.Cause(ctx)
	})
	w := o.dial()
	o.say(w, "POST /v1/redact HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nAuthorization: Bearer "+o.key+"\r\n\r\nx")
	id := <-running
	o.must(w.Close())
	<-done
	o.untilAnswered(1)
	o.cancelled(id)
}

func (o *office) cancelled(id document.ID) {
	o.Helper()
	j, err := o.db.Job(context.Background(), id)
	o.must(err)
	if j.State != document.Sealing || j.Target != document.Cancelled || j.Reason != reason.JobCancelled {
		o.Errorf("job %s %s %s", j.State, j.Target, j.Reason)
	}
	o.notes.mu.Lock()
	defer o.notes.mu.Unlock()
	if len(o.notes.moved) != 2 { // made and cancelled
		o.Errorf("told of %v", o.notes.moved)
	}
}

// A repeated request gets the image again; while the first is under way, a 409.
func TestARepetitionOfAnImage(t *testing.T) {
	o := newOffice(t, testConfig())
	key := map[string]string{keyHeader: "k"}
	o.runs(func(ctx context.Context, id document.ID) (queue.Job, error) {
		if p := o.refused(o.redact("x", key), reason.APIInProgress); p.Job != string(id) {
			t.Errorf("problem %+v", p)
		}
		return queue.Job{ID: id, State: document.Released}, nil
	})
	if r := o.redact("x", key); r.StatusCode != http.StatusOK {
		t.Errorf("answered %d", r.StatusCode)
	}
	o.refused(o.redact("y", key), reason.APIKeyReused)
	o.refused(o.post("k", "x", nil), reason.APIKeyReused)
}
