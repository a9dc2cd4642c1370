package intake

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"
)

func TestAnIdempotencyKeyIsAskedFor(t *testing.T) {
	o := newOffice(t, testConfig())
	send := func(keys ...string) reply {
		req, err := http.NewRequest("POST", o.url+documentsPath, strings.NewReader(letter))
		o.must(err)
		req.Header.Set("Authorization", "Bearer "+o.key)
		req.Header[keyHeader] = keys
		res, err := http.DefaultClient.Do(req)
		o.must(err)
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		o.must(err)
		return reply{res, text}
	}
	for _, keys := range [][]string{nil, {""}, {"a", "a"}, {"a b"}, {"k\xc3\xa9y"}, {strings.Repeat("k", 256)}} {
		o.refused(send(keys...), reason.APIKeyMissing)
	}
	o.accepted(send(strings.Repeat("k", 255)))
	if n := o.count("jobs WHERE idempotency LIKE '%kkk%'"); n > 0 {
		t.Error("the key itself is stored")
	}
}

func TestARepetitionIsAnsweredAsTheFirst(t *testing.T) {
	o := newOffice(t, testConfig())
	r := o.post("k", letter, nil)
	first := o.accepted(r)
	// What became of the job changes nothing.
	_, err := o.db.Cancel(context.Background(), document.ID(first.ID), func(j queue.Job) receipt.Event {
		return receipt.Event{Schema: receipt.EventSchema, Kind: receipt.Cancelled, Job: first.ID, Actor: "test", Time: receipt.FormatTime(time.Now())}
	})
	o.must(err)
	again := o.post("k", letter, nil)
	if string(again.body) != string(r.body) || again.StatusCode != r.StatusCode || again.Header.Get("Location") != r.Header.Get("Location") {
		t.Errorf("%s, then %s", r.body, again.body)
	}
	if n := o.count("jobs"); n != 1 {
		t.Errorf("%d jobs", n)
	}
}

func TestAnotherRequestUnderAKeyIsRefused(t *testing.T) {
	o := newOffice(t, testConfig())
	o.accepted(o.post("k", letter, nil))
	o.refused(o.post("k", letter+"!", nil), reason.APIKeyReused)
	o.refused(o.send("POST", documentsPath+"?originals=true", strings.NewReader(letter), map[string]string{keyHeader: "k"}), reason.APIKeyReused)
	o.refused(o.send("POST", documentsPath+"?lane=interactive", strings.NewReader(letter), map[string]string{keyHeader: "k"}), reason.APIKeyReused)
	o.refused(o.send("POST", documentsPath+"?policy=default", strings.NewReader(letter), map[string]string{keyHeader: "k"}), reason.APIKeyReused)
	if n := o.count("jobs"); n != 1 {
		t.Errorf("%d jobs", n)
	}
}

func TestTenantsDoNotShareKeys(t *testing.T) {
	o := newOffice(t, testConfig())
	_, beta := o.newKey("beta", access.Client, document.Lanes())
	first := o.accepted(o.post("k", letter, nil))
	if other := o.accepted(o.post("k", letter+"!", map[string]string{"Authorization": "Bearer " + beta})); other.ID == first.ID {
		t.Error("one job for two tenants")
	}
}

func TestAKeyInProgress(t *testing.T) {
	o := newOffice(t, testConfig())
	upload := o.holdUpload("k", o.key)
	r := o.post("k", "halfletter", nil)
	o.refused(r, reason.APIInProgress)
	if r.Header.Get("Retry-After") != "1" {
		t.Errorf("headers %v", r.Header)
	}
	o.say(upload, "6\r\nletter\r\n0\r\n\r\n")
	first := o.accepted(o.hear(upload))
	if again := o.accepted(o.post("k", "halfletter", nil)); again != first {
		t.Errorf("%+v, then %+v", first, again)
	}
}

// Of many that race, one makes the job; the others are told of it, or to come again.
func TestRacingRequests(t *testing.T) {
	o := newOffice(t, testConfig())
	const racers = 8
	replies := make([]reply, racers)
	var group sync.WaitGroup
	for i := range racers {
		group.Go(func() {
			r, err := o.try("POST", documentsPath, strings.NewReader(letter), map[string]string{keyHeader: "k"})
			if err != nil {
				t.Error(err)
			}
			replies[i] = r
		})
	}
	group.Wait()
	ids := map[string]bool{}
	for _, r := range replies {
		if r.Response == nil || r.StatusCode == http.StatusConflict {
			continue
		}
		ids[o.accepted(r).ID] = true
	}
	if n := o.count("jobs"); len(ids) != 1 || n != 1 {
		t.Errorf("answered with jobs %v; %d are stored", ids, n)
	}
}

// A connection that is cut off half way frees key and place at once, and what was stored
// is destroyed.
func TestAKilledUpload(t *testing.T) {
	o := newOffice(t, testConfig())
	upload := o.holdUpload("k", o.key)
	o.must(upload.Close())
	o.untilAnswered(1)
	o.empty()
	o.accepted(o.post("k", "another letter altogether", nil))
}

// untilAnswered waits until n requests were accounted for.
func (o *office) untilAnswered(n int) {
	o.Helper()
	deadline := time.After(20 * time.Second)
	for tick := time.NewTicker(time.Millisecond); ; {
		o.notes.mu.Lock()
		answered := len(o.notes.answered)
		o.notes.mu.Unlock()
		if answered >= n {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			o.Fatalf("%d requests were answered", answered)
		}
	}
}

// A process that is killed in the middle of an upload holds the key for as long as its
// reservation lasts; then the key is free, and the retention destroys what it left.
func TestAKilledServer(t *testing.T) {
	o := newOffice(t, testConfig())
	ctx := context.Background()
	job := document.NewID()
	key := o.vault.Fingerprint([]byte("idempotency"), []byte("alpha"), []byte("k"))
	_, _, err := o.db.Reserve(ctx, queue.Reservation{Tenant: "alpha", Key: key, Job: job}, o.api.cfg.ReserveFor, o.api.cfg.Backlog, receipt.Event{})
	o.must(err)
	up, err := o.vault.Upload(ctx, job)
	o.must(err)
	_, err = up.Write([]byte("half"))
	o.must(err)
	t.Cleanup(up.Abort)

	o.refused(o.post("k", letter, nil), reason.APIInProgress)
	o.offset.Store(int64(o.api.cfg.ReserveFor + time.Second))
	a := o.accepted(o.post("k", letter, nil))
	if a.ID == string(job) {
		t.Error("the new request took over the old one's blob")
	}
	o.must(o.drops.Sweep(ctx))
	if files, _ := filepath.Glob(filepath.Join(o.dir, "vault", string(job), "*", "*")); len(files) > 0 {
		t.Errorf("left: %v", files)
	}
	if _, err := o.db.Key(ctx, job, "upload"); reason.Of(err) != reason.VaultKeyGone {
		t.Errorf("the key of the half upload is still there: %v", err)
	}
	if o.document(a.ID) != letter {
		t.Error("the sweep took a job's document")
	}
}

func TestARepetitionAfterARestart(t *testing.T) {
	o := newOffice(t, testConfig())
	first := o.accepted(o.post("k", letter, nil))
	o.stop()
	o.close()
	o.open()
	o.serve(testConfig())
	if again := o.accepted(o.post("k", letter, nil)); again != first {
		t.Errorf("%+v, then %+v", first, again)
	}
	o.refused(o.post("k", letter+"!", nil), reason.APIKeyReused)
}

// A reservation that runs out under an upload that goes on makes no job, and leaves
// nothing.
func TestAReservationThatIsLost(t *testing.T) {
	o := newOffice(t, testConfig())
	upload := o.holdUpload("k", o.key)
	o.offset.Store(int64(o.api.cfg.ReserveFor + time.Second))
	o.say(upload, "6\r\nletter\r\n0\r\n\r\n")
	o.refused(o.hear(upload), reason.APIInProgress)
	o.empty()
}

// While bytes come, the reservation is renewed, however long the upload takes.
func TestAReservationIsRenewedWhileBytesCome(t *testing.T) {
	calls := &renewing{renewed: make(chan struct{}, 100)}
	cfg := testConfig()
	cfg.BodyIdle, cfg.ReserveFor = 10*time.Second, 20*time.Second
	o := newOffice(t, cfg, func(d *Deps) { calls.Store, d.Store = d.Store, calls })
	c := &reception{API: o.api}
	ctx := context.Background()
	var err error
	c.held, _, err = o.db.Reserve(ctx, queue.Reservation{Tenant: "alpha", Key: "f", Job: document.NewID()}, time.Minute, cfg.Backlog, receipt.Event{})
	o.must(err)
	c.renewed = time.Now().Add(-cfg.ReserveFor / renewals)
	for range 3 { // the first does it, the others come too early
		o.must(c.renew(ctx))
	}
	if len(calls.renewed) != 1 {
		t.Errorf("renewed %d times", len(calls.renewed))
	}
}

// renewing counts.
type renewing struct {
	Store
	renewed chan struct{}
}

func (r *renewing) Renew(ctx context.Context, held queue.Reservation, d time.Duration) (queue.Reservation, error) {
	r.renewed <- struct{}{}
	return r.Store.Renew(ctx, held, d)
}

// A store that says no although it said yes must not make a job look failed, nor lose its
// document.
func TestAnAnswerOfTheStoreThatIsLost(t *testing.T) {
	o := newOffice(t, testConfig(), func(d *Deps) { d.Store = lostAnswer{d.Store} })
	a := o.accepted(o.post("k", letter, nil))
	if o.document(a.ID) != letter {
		t.Error("the document is gone")
	}
}

type lostAnswer struct{ Store }

func (l lostAnswer) Accept(ctx context.Context, r queue.Reservation, fingerprint string, j queue.Job, e receipt.Event) (queue.Job, error) {
	if _, err := l.Store.Accept(ctx, r, fingerprint, j, e); err != nil {
		return queue.Job{}, err
	}
	return queue.Job{}, reason.Because(reason.QueueBusy, nil)
}

// brokenStore fails where it is told to, and the upload leaves nothing.
type brokenStore struct {
	Store
	accept error
}

func (b brokenStore) Accept(context.Context, queue.Reservation, string, queue.Job, receipt.Event) (queue.Job, error) {
	return queue.Job{}, b.accept
}

func TestAStoreThatFails(t *testing.T) {
	o := newOffice(t, testConfig(), func(d *Deps) { d.Store = brokenStore{d.Store, reason.Because(reason.QueueBusy, nil)} })
	o.refused(o.post("k", letter, nil), reason.QueueBusy)
	o.empty()
}

// panicking breaks a reception in its middle.
type panicking struct{ Store }

func (panicking) Accept(context.Context, queue.Reservation, string, queue.Job, receipt.Event) (queue.Job, error) {
	panic("the name of a patient")
}

func TestAPanicLeavesNothing(t *testing.T) {
	o := newOffice(t, testConfig(), func(d *Deps) { d.Store = panicking{d.Store} })
	r := o.post("k", letter, nil)
	o.refused(r, reason.Internal)
	o.empty()
	if text := string(r.body) + o.log.String(); strings.Contains(text, "patient") {
		t.Errorf("told: %s", text)
	}
	if !strings.Contains(o.log.String(), `"at":"idempotency_test.go.`) {
		t.Errorf("the log does not say where: %s", o.log.String())
	}
}
