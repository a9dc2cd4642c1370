package intake_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/trace/noop"

	"blotter/client"
	"blotter/internal/access"
	"blotter/internal/audit"
	"blotter/internal/audit/sequencer"
	"blotter/internal/document"
	"blotter/internal/intake"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/sqlite"
	"blotter/receipt"
)

// office is the API over the real store, the real keyring and the real signer, with jobs
// that a test takes through their lives by hand. Documents lie in the real vault; what the
// cells would have made of them is in memory.
type office struct {
	*testing.T
	db   *sqlite.DB
	seq  *sequencer.Sequencer
	api  *intake.API
	keys *access.Keyring
	url  string
	http *http.Client

	source string // directory to which references of the tenant north may point

	mu       sync.Mutex
	offset   time.Duration // of the store's clock
	images   map[string][]byte
	watchers map[document.ID][]chan struct{}
	watches  chan document.ID // of each watch that begins, while there is room
	viewed   []string         // actors who fetched an original
}

func newOffice(t *testing.T, change func(*intake.Config)) *office {
	t.Helper()
	dir := t.TempDir()
	o := &office{T: t, images: map[string][]byte{}, watchers: map[document.ID][]chan struct{}{}, watches: make(chan document.ID, 100)}
	var err error
	o.db, err = sqlite.Open(t.Context(), filepath.Join(dir, "blotter.db"), sqlite.Options{Offset: o.clockOffset})
	o.must(err)
	t.Cleanup(func() { o.db.Close() })
	o.seq, err = sequencer.Open(t.Context(), sequencer.Config{Dir: filepath.Join(dir, "audit"), Log: o.db, Now: time.Now,
		Sealed: func(id document.ID, _ document.State) { o.moved(id) }})
	o.must(err)
	t.Cleanup(func() { o.seq.Close() })
	o.keys = &access.Keyring{Store: o.db}
	cfg := intake.Default()
	cfg.RatePerSecond, cfg.RateBurst = 1e6, 1e6
	if change != nil {
		change(&cfg)
	}
	o.must(cfg.Validate())
	o.api = intake.New(cfg, o.deps(dir))
	srv := httptest.NewServer(o.api.Handler())
	t.Cleanup(func() { o.api.StopWaiting(); srv.Close() })
	o.url, o.http = srv.URL, srv.Client()
	o.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return o
}

func (o *office) deps(dir string) intake.Deps {
	o.Helper()
	return intake.Deps{
		Store: o.db, Results: parts{o}, Changes: o, Meter: deaf{}, Keys: o.keys,
		Uploads: o.openVault(dir), Orders: o.openSource(), Policies: policies{}, Runner: pool{o, make(chan struct{}, 2)},
		Admit: func(context.Context) error { return nil }, Moved: o.moved,
		Budgets: document.Budgets{document.StageQueue: 5 * time.Second, document.StageRead: 2 * time.Second},
		Log:     slog.New(slog.DiscardHandler), Tracer: noop.NewTracerProvider().Tracer("test"),
	}
}

func (o *office) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

func (o *office) clockOffset() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.offset
}

// deaf is a meter that nobody reads, but for the statuses.
type deaf struct{}

func (deaf) Answered(route string, status int, _ reason.Code, _ time.Duration) {
	intake.Answered.Note(route, status)
}
func (deaf) Took(document.Tenant, document.Lane, int64) {}

// Watch implements intake.Changes, without looking again: tests must be told.
func (o *office) Watch(id document.ID) (<-chan struct{}, func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	ch := make(chan struct{}, 1)
	o.watchers[id] = append(o.watchers[id], ch)
	select {
	case o.watches <- id:
	default:
	}
	return ch, func() {}
}

func (o *office) moved(id document.ID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, ch := range o.watchers[id] {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}

// key makes an API key.
func (o *office) key(t document.Tenant, r access.Role) string {
	o.Helper()
	var lanes []document.Lane
	if (access.Key{Role: r}).May(access.Submit) {
		lanes = document.Lanes()
	}
	_, token, err := o.keys.Add(o.Context(), t, r, lanes, "test")
	o.must(err)
	return token
}

func (o *office) client(t document.Tenant, r access.Role) *client.Client {
	o.Helper()
	c, err := client.New(o.url, o.key(t, r), client.WithRetries(0))
	o.must(err)
	return c
}

// enqueue takes in a job.
func (o *office) enqueue(t document.Tenant, l document.Lane) document.ID {
	o.Helper()
	j := queue.Job{
		ID: document.NewID(), Tenant: t, Lane: l, Input: document.Sum([]byte("the document")), Bytes: 12, State: document.Queued,
		Policy: queue.PolicyRef{Name: "default", Version: "1", Digest: document.Sum([]byte("policy")), Body: []byte("policy")},
		Sealed: []byte("sealed"),
	}
	_, _, err := o.db.Enqueue(o.Context(), j, eventOf(receipt.Received, j, document.Queued, ""))
	o.must(err)
	return j.ID
}

func eventOf(kind receipt.Kind, j queue.Job, s document.State, why reason.Code) receipt.Event {
	return receipt.Event{
		Schema: receipt.EventSchema, Kind: kind, Actor: "test", Job: string(j.ID), Tenant: string(j.Tenant), Time: receipt.FormatTime(time.Now()),
		Input:  &receipt.Input{SHA256: j.Input.String(), Bytes: j.Bytes},
		Policy: &receipt.Policy{Name: j.Policy.Name, Version: j.Policy.Version, SHA256: j.Policy.Digest.String()},
		State:  string(s), Reason: string(why),
	}
}

// claim lends a job for an hour of the store's clock.
func (o *office) claim(id document.ID) queue.Job {
	o.Helper()
	j, err := o.db.Claim(o.Context(), queue.Claim{Only: []document.ID{id}, Lease: time.Hour}, func(j queue.Job) receipt.Event {
		return eventOf(receipt.Claimed, j, document.Leased, "")
	})
	o.must(err)
	return j
}

// picture is a PNG header of 4 × 2 pixels; nobody here looks further.
var picture = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x04\x00\x00\x00\x02" + strings.Repeat("pixels ", 50_000))

// finish ends a claimed job with a redacted and a withheld image; the end is not sealed.
func (o *office) finish(j queue.Job, s document.State, why reason.Code) {
	o.Helper()
	r := receipt.Result{
		Schema: receipt.ResultSchema, Job: string(j.ID), State: string(s), Reason: string(why),
		Input:  receipt.Input{SHA256: j.Input.String(), Bytes: j.Bytes, MediaType: "application/pdf"},
		Policy: receipt.Policy{Name: j.Policy.Name, Version: j.Policy.Version, SHA256: j.Policy.Digest.String()},
		Assets: []receipt.ResultAsset{}, TimingsMS: map[string]int64{"queue": 6000, "read": 3000}, OverBudget: []string{"queue", "read"}, Pixels: 16,
	}
	e := eventOf(receipt.RedactedKind, j, s, why)
	if s.Releases() {
		r.Assets = append(r.Assets, asset(1), withheld(2))
		o.put(j.ID, "derivative", picture)
		o.put(j.ID, "original", append([]byte("original "), picture...))
	}
	for _, a := range r.Assets {
		e.Assets = append(e.Assets, a.Asset())
	}
	e.Input, e.Code, e.TimingsMS, e.OverBudget, e.Pixels = &r.Input, &r.Code, r.TimingsMS, r.OverBudget, r.Pixels
	body, err := json.Marshal(r)
	o.must(err)
	o.must(o.db.Finish(o.Context(), queue.Lease{Job: j.ID, Token: j.Token, Until: j.LeaseUntil},
		queue.Outcome{Target: s, Reason: why, Bytes: j.Bytes, Result: body, Event: e}))
	o.moved(j.ID)
}

func asset(index int64) receipt.ResultAsset {
	return receipt.ResultAsset{
		Index: index, Kind: "page", Page: 1, MediaType: "image/png", Width: 4, Height: 2, SHA256: document.Sum(picture).String(),
		Status: "redacted", Boxes: []receipt.ResultBox{{X: 1, Y: 1, W: 2, H: 1, Type: "name", Score: 0.9, Source: "label"}},
		Derivative: &receipt.ResultFile{File: receipt.DerivativeName(index), SHA256: document.Sum(picture).String(), MediaType: "image/png"},
		Original:   &receipt.ResultFile{File: receipt.OriginalName(index), MediaType: "image/png"},
	}
}

func withheld(index int64) receipt.ResultAsset {
	return receipt.ResultAsset{Index: index, Kind: "page", Page: 2, MediaType: "image/png", Status: "withheld", Reason: string(reason.ReadUnread), Boxes: []receipt.ResultBox{}}
}

// seal signs all events that wait, which brings jobs to their ends.
func (o *office) seal() {
	o.Helper()
	for {
		n, err := o.seq.Step(o.Context())
		o.must(err)
		if n == 0 {
			return
		}
	}
}

// ended is a job at its end.
func (o *office) ended(t document.Tenant, s document.State, why reason.Code) document.ID {
	o.Helper()
	id := o.enqueue(t, document.Bulk)
	o.finish(o.claim(id), s, why)
	o.seal()
	return id
}

func (o *office) job(id document.ID) queue.Job {
	o.Helper()
	j, err := o.db.Job(o.Context(), id)
	o.must(err)
	return j
}

// events are a job's sealed events, once all that wait are.
func (o *office) events(id document.ID) (out []receipt.Event) {
	o.Helper()
	o.seal()
	trail, err := o.db.Trail(o.Context(), id, -1, 1000)
	o.must(err)
	for _, s := range trail {
		e, err := receipt.Open(s.Envelope)
		o.must(err)
		out = append(out, e.Event)
	}
	return out
}

func (o *office) lastEvent(id document.ID) receipt.Event {
	o.Helper()
	all := o.events(id)
	return all[len(all)-1]
}

func (o *office) put(id document.ID, class string, image []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.images[class+string(id)] = image
}

// parts are the results of jobs, with images from memory.
type parts struct{ *office }

func (p parts) Receipt(ctx context.Context, j queue.Job) ([]byte, error) {
	if !j.State.Ended() {
		return nil, reason.Because(reason.JobNotEnded, nil)
	}
	return audit.Receipt(ctx, p.db, j.FinalSeq)
}

func (p parts) Result(_ context.Context, j queue.Job) ([]byte, error) {
	var r receipt.Result
	switch {
	case !j.State.Ended():
		return nil, reason.Because(reason.JobNotEnded, nil)
	case j.Result == nil:
		return nil, reason.Because(reason.JobNoResult, nil)
	}
	if err := json.Unmarshal(j.Result, &r); err != nil {
		return nil, err
	}
	return r.Encode()
}

func (p parts) image(j queue.Job, class string, asset int) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	image, ok := p.images[class+string(j.ID)]
	switch {
	case !j.State.Ended():
		return nil, reason.Because(reason.JobNotEnded, nil)
	case !ok || asset != 1:
		return nil, reason.Because(reason.JobNoResult, nil)
	}
	return image, nil
}

func (p parts) Derivative(_ context.Context, j queue.Job, asset int) (io.ReadCloser, int64, document.Digest, error) {
	b, err := p.image(j, "derivative", asset)
	return io.NopCloser(bytes.NewReader(b)), int64(len(b)), document.Sum(b), err
}

func (p parts) Original(_ context.Context, j queue.Job, asset int, actor string) (io.ReadCloser, int64, error) {
	b, err := p.image(j, "original", asset)
	if err == nil {
		p.mu.Lock()
		p.viewed = append(p.viewed, actor)
		p.mu.Unlock()
	}
	return io.NopCloser(bytes.NewReader(b)), int64(len(b)), err
}

func (p parts) Trust(context.Context) ([]byte, error) {
	return json.Marshal(p.seq.Trust())
}

// ask makes a request with a key; header lines as "Name: value".
func (o *office) ask(method, path, key string, header ...string) *http.Response {
	o.Helper()
	r, err := http.NewRequestWithContext(o.Context(), method, o.url+path, nil)
	o.must(err)
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	answer, err := o.http.Do(r)
	o.must(err)
	o.Cleanup(func() { answer.Body.Close() })
	return answer
}

// read reads an answer of the status that is wanted.
func (o *office) read(answer *http.Response, status int) []byte {
	o.Helper()
	body, err := io.ReadAll(answer.Body)
	o.must(errors.Join(err, answer.Body.Close()))
	if answer.StatusCode != status {
		o.Fatalf("%s %s: %d, want %d\n%s", answer.Request.Method, answer.Request.URL.Path, answer.StatusCode, status, body)
	}
	return body
}

// refused checks that an answer is a problem with a code, in the status of its code.
func (o *office) refused(answer *http.Response, code reason.Code) client.Problem {
	o.Helper()
	var p client.Problem
	body := o.read(answer, reason.Must(code).HTTP)
	if err := json.Unmarshal(body, &p); err != nil || p.Reason != string(code) || p.Status != answer.StatusCode ||
		answer.Header.Get("Content-Type") != "application/problem+json" {
		o.Errorf("%s %s: %s, %v; want %s", answer.Request.Method, answer.Request.URL.Path, body, err, code)
	}
	return p
}

// show reads a job.
func (o *office) show(answer *http.Response) (j client.Job) {
	o.Helper()
	o.must(json.Unmarshal(o.read(answer, http.StatusOK), &j))
	return j
}

func at(id document.ID, rest ...string) string {
	return fmt.Sprint("/v1/jobs/", id, strings.Join(rest, ""))
}

func sha256Base64(s string) string {
	sum := document.Sum([]byte(s))
	return base64.StdEncoding.EncodeToString(sum[:])
}
