package intake

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/otel/trace/noop"

	"blotter/client"
	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/logs"
	"blotter/internal/policy"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/retention"
	"blotter/internal/source"
	"blotter/internal/sqlite"
	"blotter/internal/vault"
	"blotter/receipt"
)

// office is an API that serves on loopback with a real store and a real vault. What lies
// behind them, the workers, is played by the test.
type office struct {
	*testing.T
	dir    string
	url    string
	db     *sqlite.DB
	vault  *vault.Vault
	drops  *retention.Retention
	api    *API
	stop   func() // of the server; waits for its end
	offset *atomic.Int64
	notes  *notes
	runner *runner
	log    *lockedBuffer
	key    string // token of a client of tenant "alpha", with both lanes
	admit  *atomic.Pointer[error]
	source string // directory that references may point to
}

// notes remember what the API told its meter and the workers.
type notes struct {
	mu       sync.Mutex
	answered []string
	took     int64
	moved    []document.ID
}

func (n *notes) Answered(route string, status int, code reason.Code, _ time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	Answered.Note(route, status)
	n.answered = append(n.answered, route+" "+http.StatusText(status)+" "+string(code))
}

func (n *notes) Took(_ document.Tenant, _ document.Lane, bytes int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.took += bytes
}

func (n *notes) told(id document.ID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.moved = append(n.moved, id)
}

// runner plays the pool of the synchronous path.
type runner struct {
	slots chan struct{}
	run   atomic.Pointer[func(ctx context.Context, id document.ID) (queue.Job, error)]
}

func (r *runner) Slot() (func(), error) {
	select {
	case r.slots <- struct{}{}:
		return func() { <-r.slots }, nil
	default:
		return nil, reason.Because(reason.APIBusy, nil)
	}
}

func (r *runner) Run(ctx context.Context, id document.ID) (queue.Job, error) {
	return (*r.run.Load())(ctx, id)
}

// vaultUploads joins vault and retention as the station does.
type vaultUploads struct {
	*vault.Vault
	drops *retention.Retention
}

func (u vaultUploads) Upload(ctx context.Context, job document.ID) (Upload, error) {
	return u.Vault.Upload(ctx, job)
}

func (u vaultUploads) DropUpload(ctx context.Context, job document.ID) error {
	return u.drops.DropUpload(ctx, job)
}

// plainOrders writes orders that a test can read.
type plainOrders struct{ stores *source.Stores }

type plainOrder struct {
	URL string
	Options
}

func (plainOrders) Uploaded(o Options) ([]byte, error) { return json.Marshal(plainOrder{"", o}) }

func (p plainOrders) Referenced(t document.Tenant, url string, o Options) ([]byte, error) {
	if _, err := p.stores.Parse(t, url); err != nil {
		return nil, err
	}
	return json.Marshal(plainOrder{url, o})
}

func (plainOrders) Received(j queue.Job, actor string) receipt.Event {
	return receipt.Event{Schema: receipt.EventSchema, Kind: receipt.Received, Actor: actor, Job: string(j.ID), Tenant: string(j.Tenant), Time: receipt.FormatTime(time.Now())}
}

// pixels are what the results hand out.
const pixels = "\x89PNG pretended"

type pretendedResults struct{ Results }

func (pretendedResults) Derivative(context.Context, queue.Job, int) (io.ReadCloser, int64, document.Digest, error) {
	return io.NopCloser(strings.NewReader(pixels)), int64(len(pixels)), document.Sum([]byte(pixels)), nil
}

type onePolicy struct{}

func (onePolicy) Policy(name string) (policy.Policy, bool) {
	p := policy.Default()
	return p, name == "" || name == p.Name
}

type noChanges struct{}

func (noChanges) Watch(document.ID) (<-chan struct{}, func()) { return nil, func() {} }

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// testConfig has short times, so that what must end by itself ends soon.
func testConfig() Config {
	c := Default()
	c.Grace = 5 * time.Second
	c.RatePerSecond, c.RateBurst = 100_000, 100_000
	return c
}

// newOffice opens an office; with changes what it works with before it serves.
func newOffice(t *testing.T, cfg Config, with ...func(*Deps)) *office {
	t.Helper()
	o := &office{
		T: t, dir: t.TempDir(), source: t.TempDir(), offset: &atomic.Int64{}, notes: &notes{}, log: &lockedBuffer{},
		runner: &runner{slots: make(chan struct{}, 2)}, admit: &atomic.Pointer[error]{},
	}
	o.open()
	_, o.key = o.newKey("alpha", access.Client, document.Lanes())
	o.serve(cfg, with...)
	t.Cleanup(func() {
		o.stop()
		o.close()
	})
	return o
}

func (o *office) open() {
	o.Helper()
	var err error
	o.db, err = sqlite.Open(context.Background(), filepath.Join(o.dir, "blotter.db"), sqlite.Options{
		Offset: func() time.Duration { return time.Duration(o.offset.Load()) },
	})
	o.must(err)
	o.vault, err = vault.Open(context.Background(), filepath.Join(o.dir, "vault"), filepath.Join(o.dir, "station.key"), o.db)
	o.must(err)
	o.drops = &retention.Retention{Store: o.db, Vault: o.vault, Log: slog.New(slog.DiscardHandler)}
}

func (o *office) close() {
	o.Helper()
	o.must(errors.Join(o.vault.Close(), o.db.Close()))
}

func (o *office) deps() Deps {
	stores, err := source.Open(source.Config{Prefixes: []string{"alpha=file://" + o.source + "/"}})
	o.must(err)
	return Deps{
		Store: o.db, Uploads: vaultUploads{o.vault, o.drops}, Orders: plainOrders{stores}, Results: pretendedResults{},
		Runner: o.runner, Policies: onePolicy{}, Changes: noChanges{}, Meter: o.notes, Keys: &access.Keyring{Store: o.db},
		Admit: func(context.Context) error {
			if err := o.admit.Load(); err != nil {
				return *err
			}
			return nil
		},
		Moved: o.notes.told, Log: logs.New(o.log, slog.LevelInfo), Tracer: noop.NewTracerProvider().Tracer(""),
	}
}

func (o *office) serve(cfg Config, with ...func(*Deps)) {
	o.Helper()
	o.must(cfg.Validate())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	o.must(err)
	o.url = "http://" + l.Addr().String()
	deps := o.deps()
	for _, change := range with {
		change(&deps)
	}
	o.api = New(cfg, deps)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- o.api.Serve(ctx, l) }()
	o.stop = sync.OnceFunc(func() {
		cancel()
		o.must(<-served)
	})
}

func (o *office) newKey(t document.Tenant, r access.Role, lanes []document.Lane) (access.Key, string) {
	o.Helper()
	k, token, err := (&access.Keyring{Store: o.db}).Add(context.Background(), t, r, lanes, "test")
	o.must(err)
	return k, token
}

func (o *office) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

// reply is an answer, read to its end.
type reply struct {
	*http.Response
	body []byte
}

// accepted reads a 202.
func (o *office) accepted(r reply) (a client.Accepted) {
	o.Helper()
	if r.StatusCode != http.StatusAccepted {
		o.Fatalf("answered %d: %s", r.StatusCode, r.body)
	}
	o.must(json.Unmarshal(r.body, &a))
	return a
}

// refused checks that an answer is a problem with the code, in every respect.
func (o *office) refused(r reply, code reason.Code) (p client.Problem) {
	o.Helper()
	e := reason.Must(code)
	if err := json.Unmarshal(r.body, &p); err != nil || p.Reason != string(code) || r.StatusCode != e.HTTP {
		o.Fatalf("answered %d %s; want %d %s", r.StatusCode, r.body, e.HTTP, code)
	}
	if p.Type != "urn:blotter:reason:"+string(code) || p.Status != e.HTTP || r.Header.Get("Content-Type") != "application/problem+json" {
		o.Errorf("not the problem that it should be: %+v, %v", p, r.Header)
	}
	passes := e.HTTP == http.StatusTooManyRequests || e.HTTP == http.StatusServiceUnavailable || code == reason.APIInProgress
	if passes && r.Header.Get("Retry-After") == "" {
		o.Error("no Retry-After")
	}
	return p
}

// send makes a request and reads its answer. Headers are added to those that every one has.
func (o *office) send(method, path string, body io.Reader, headers map[string]string) reply {
	o.Helper()
	r, err := o.try(method, path, body, headers)
	o.must(err)
	return r
}

func (o *office) try(method, path string, body io.Reader, headers map[string]string) (reply, error) {
	req, err := http.NewRequest(method, o.url+path, body)
	if err != nil {
		return reply{}, err
	}
	req.Header.Set("Authorization", "Bearer "+o.key)
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return reply{res, text}, err
}

// post sends a document under an idempotency key.
func (o *office) post(key, doc string, headers map[string]string) reply {
	o.Helper()
	all := map[string]string{keyHeader: key}
	maps.Copy(all, headers)
	return o.send("POST", documentsPath, strings.NewReader(doc), all)
}

// document reads what the vault holds for a job.
func (o *office) document(id string) string {
	o.Helper()
	r, err := o.vault.OpenUpload(context.Background(), document.ID(id))
	o.must(err)
	defer r.Close()
	text, err := io.ReadAll(r)
	o.must(err)
	return string(text)
}

// empty checks that no upload left anything: no blob, no key, no reservation, no job.
func (o *office) empty() {
	o.Helper()
	ctx := context.Background()
	blobs, err := o.vault.List(ctx, "")
	o.must(err)
	jobs, err := o.db.Jobs(ctx, queue.Filter{Limit: 10})
	o.must(err)
	if len(blobs) > 0 || len(jobs) > 0 {
		o.Errorf("left behind: blobs %v, jobs %v", blobs, jobs)
	}
	if files, _ := filepath.Glob(filepath.Join(o.dir, "vault", "*", "*", "*")); len(files) > 0 {
		o.Errorf("left behind: %v", files)
	}
	for _, table := range []string{"keys", "reservations WHERE until > 0"} {
		if n := o.count(table); n > 0 {
			o.Errorf("left behind: %d %s", n, table)
		}
	}
}

// count counts rows behind the store's back.
func (o *office) count(table string) (n int) {
	o.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(o.dir, "blotter.db")+"?mode=ro")
	o.must(err)
	defer db.Close()
	o.must(db.QueryRow("SELECT count(*) FROM " + table).Scan(&n))
	return n
}
