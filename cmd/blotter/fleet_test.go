package main_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"blotter/client"
	"blotter/internal/app"
	"blotter/internal/audit"
	"blotter/internal/document"
	"blotter/internal/objectstore/objectstoretest"
	"blotter/internal/postgres"
	"blotter/internal/postgres/pgtest"
	"blotter/internal/queue"
	"blotter/internal/vault"
	"blotter/receipt"
)

// fleet is what several nodes share: a database, a bucket and two key files.
type fleet struct {
	t   *testing.T
	db  *postgres.DB
	dir string // of the key files
	env []string
	key string // the first API key
}

// keys is the path of a key file.
func (f *fleet) keys(name string) string { return filepath.Join(f.dir, name) }

func newFleet(t *testing.T) *fleet {
	t.Helper()
	url, keys := pgtest.New(t), t.TempDir()
	db, err := postgres.Open(t.Context(), url, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return &fleet{t: t, db: db, dir: keys, env: append([]string{
		"BLOTTER_DATABASE=" + url, "BLOTTER_VAULT=" + objectstoretest.Listen(t, nil), "BLOTTER_WORKERS=1",
		"BLOTTER_STATION_KEY=" + filepath.Join(keys, "station.key"), "BLOTTER_AUDIT_KEY=" + filepath.Join(keys, "signing.key"),
	}, objectstoretest.Environment...)}
}

// node is a host of its own, which does what roles says once it is started.
func (f *fleet) node(roles string) *node {
	return &node{fleet: f, station: newStation(f.t, append(slices.Clip(f.env), "BLOTTER_SERVE_ROLES="+roles)...)}
}

type node struct {
	*fleet
	station *station
	*service
}

func (n *node) start(env ...string) *node {
	n.fleet.t.Helper()
	n.service = n.station.serve(env...)
	if n.fleet.key == "" {
		n.fleet.key = n.service.key
	}
	return n
}

// kill ends the node as a power cut does, and its cells with it.
func (n *node) kill() {
	n.fleet.t.Helper()
	n.Process.Kill()
	n.Wait()
	n.station.noCellLeft(n.Process.Pid)
}

// shows wants a line in the node's metrics.
func (n *node) shows(line string) {
	n.fleet.t.Helper()
	if _, metrics := get(n.fleet.t, n.ops+"/metrics"); !strings.Contains(metrics, line) {
		n.fleet.t.Errorf("the metrics of %s lack %s", n.station.data, line)
	}
}

// await looks at a job until it is as wanted.
func (f *fleet) await(ctx context.Context, id string, want func(queue.Job) bool) queue.Job {
	f.t.Helper()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		j, err := f.db.Job(ctx, document.ID(id))
		if err == nil && want(j) {
			return j
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			f.t.Fatalf("the job is %s, %v", j.State, err)
		}
	}
}

// released wants a job to end well, seen through a node.
func (f *fleet) released(ctx context.Context, c *client.Client, id string) client.Job {
	f.t.Helper()
	j, err := c.Wait(ctx, id)
	if err != nil || j.State != "released" {
		f.t.Fatalf("job %s ended as %+v, %v", id, j, err)
	}
	return j
}

// Documents come in at one node, are worked on at another and signed at a third. Each is
// killed in turn amid its work. No document is lost, none ends twice, and what the API
// handed out verifies offline.
func TestThreeNodes(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	ctx := limited(t)
	sealer := f.node("audit,retention").start()
	api := f.node("api").start()
	worker := f.node("worker").start()
	send := func(name, key string) string {
		t.Helper()
		return upload(t, ctx, api.client(f.key), read(t, name), client.UploadOptions{IdempotencyKey: key}).ID
	}
	jobs := []string{send("../../examples/insurance-card.jpg", "card"), send(tiny(t), "tiny")}
	for _, id := range jobs {
		f.released(ctx, api.client(f.key), id)
	}

	for name, want := range map[string]int{"sequencer": 1, "janitor": 1} {
		for n, v := range map[*node]int{sealer: want, api: 0, worker: 0} {
			n.shows(fmt.Sprintf("blotter_leader{role=%q} %d\n", name, v))
		}
	}

	busy := send(page(t), "killed-worker")
	f.await(ctx, busy, isLeased)
	worker.kill()
	worker.start()                                                    // the same disk, with a working copy that nobody holds
	if j := f.released(ctx, api.client(f.key), busy); j.Attempt < 2 { // on a machine that stands still it may be one more
		t.Errorf("after a kill it took %d attempts", j.Attempt)
	}

	sealer.kill()
	unsigned := send(tiny(t), "killed-sealer")
	f.await(ctx, unsigned, func(j queue.Job) bool { return j.State == document.Sealing })
	if err := api.client(f.key).Result(ctx, unsigned, &bytes.Buffer{}); !client.Is(err, "job.not_ended") {
		t.Errorf("handed out before it was signed: %v", err)
	}
	sealer = f.node("audit,retention").start() // another host, which has the key alone
	f.released(ctx, api.client(f.key), unsigned)

	last := send(tiny(t), "killed-api")
	api.kill()
	api = f.node("api").start()
	if again := send(tiny(t), "killed-api"); again != last {
		t.Errorf("after the kill the same request gave %s, before %s", again, last)
	}
	f.released(ctx, api.client(f.key), last)
	jobs = append(jobs, busy, unsigned, last)

	f.verify(ctx, api.client(f.key), jobs)
	for _, n := range []*node{api, worker, sealer} {
		n.stop()
	}
	f.atRest(ctx, sealer.station, jobs)
}

// Nodes are replaced one after the other, as an orchestrator does, while documents come in:
// none is lost, begun twice or refused.
func TestRollingRestart(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	f.env = append(f.env, "BLOTTER_QUEUE_LEASE=5m") // on a machine that stands still a short one runs out
	ctx := limited(t)
	const all = "api,worker,audit,retention"
	nodes := []*node{f.node(all).start("BLOTTER_SERVE_GRACE=2m"), f.node(all).start("BLOTTER_SERVE_GRACE=2m")}
	var jobs []string
	send := func(c *client.Client) {
		t.Helper()
		for range 2 {
			jobs = append(jobs, upload(t, ctx, c, read(t, tiny(t)), client.UploadOptions{}).ID)
		}
	}
	for i := range nodes {
		other := nodes[1-i]
		send(nodes[i].client(f.key))
		f.await(ctx, jobs[len(jobs)-1], func(j queue.Job) bool { return j.State != document.Queued })
		nodes[i].signal(t, syscall.SIGTERM)
		send(other.client(f.key)) // while the first one winds up
		if code := nodes[i].exit(t); code != 0 {
			t.Fatalf("the node ended with %d:\n%s", code, nodes[i].err.String())
		}
		nodes[i] = f.node(all).start("BLOTTER_SERVE_GRACE=2m")
	}
	for _, id := range jobs {
		if j := f.released(ctx, nodes[0].client(f.key), id); j.Attempt != 1 {
			t.Errorf("job %s was begun %d times", id, j.Attempt)
		}
	}
	f.verify(ctx, nodes[1].client(f.key), jobs)
	for _, n := range nodes {
		n.stop()
	}
	f.atRest(ctx, nodes[0].station, jobs)
}

// verify saves what the API hands out and has it verified by somebody who has no database.
func (f *fleet) verify(ctx context.Context, c *client.Client, jobs []string) {
	f.t.Helper()
	var list bytes.Buffer
	if err := c.Trust(ctx, &list); err != nil {
		f.t.Fatal(err)
	}
	trust, dir := filepath.Join(f.t.TempDir(), "trust.json"), filepath.Join(f.t.TempDir(), "results")
	write(f.t, trust, list.Bytes())
	if err := os.Mkdir(dir, 0o700); err != nil {
		f.t.Fatal(err)
	}
	for _, id := range jobs {
		if err := c.Save(ctx, id, filepath.Join(dir, id)); err != nil {
			f.t.Fatal(err)
		}
	}
	stranger := newStation(f.t)
	if r := stranger.run(program(f.t), "verify", "--trust", trust, dir); r.exit != 0 {
		f.t.Errorf("verify ended with %d:\n%s%s", r.exit, r.out, r.err)
	}
}

// atRest demands what must hold once no node runs any more.
func (f *fleet) atRest(ctx context.Context, signer *station, jobs []string) {
	f.t.Helper()
	trust, err := app.ReadTrust(app.TrustFile(signer.data))
	if err != nil {
		f.t.Fatal(err)
	}
	size, err := audit.Check(ctx, f.db, trust)
	if err != nil {
		f.t.Fatalf("the log does not verify: %v", err)
	}
	ends, copies := map[string]int{}, map[string]int{}
	for n := range size {
		entry, err := f.db.Entry(ctx, n)
		if err != nil {
			f.t.Fatal(err)
		}
		opened, err := receipt.Open(entry.Envelope)
		if err != nil {
			f.t.Fatal(err)
		}
		switch e := opened.Event; e.Kind {
		case receipt.RedactedKind, receipt.RejectedKind, receipt.DeadKind, receipt.Cancelled:
			ends[e.Job]++
		case receipt.Staged:
			if vault.Class(e.Artifact.Class) != vault.Upload {
				copies[e.Artifact.ID]++
			}
		case receipt.Unstaged:
			copies[e.Artifact.ID]--
		}
	}
	for _, id := range jobs {
		if ends[id] != 1 {
			f.t.Errorf("job %s ended %d times", id, ends[id])
		}
	}
	if len(ends) != len(jobs) {
		f.t.Errorf("%d jobs ended, %d were sent", len(ends), len(jobs))
	}
	for id, n := range copies {
		if n != 0 {
			f.t.Errorf("working copy %s was made and not deleted, or deleted twice (%+d)", id, n)
		}
	}
	if p, err := f.db.Pressure(ctx); err != nil || p.Outbox != 0 || p.Copies != 0 {
		f.t.Errorf("%d events and %d working copies are left, %v", p.Outbox, p.Copies, err)
	}
}

// A node with other keys, or without them, makes none and does nothing; so does one whose
// blobs would lie elsewhere.
func TestNodesThatDoNotBelong(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	first := f.node("api,audit").start()
	own := t.TempDir()
	refused := func(code string, env ...string) {
		t.Helper()
		n := f.node("api,audit")
		n.station.env = append(n.station.env, env...)
		r := n.station.run(program(t), "serve", "--listen", "127.0.0.1:0")
		if r.exit == 0 || !strings.Contains(r.err, code) || strings.Contains(r.err, "postgres://") {
			t.Errorf("%v: %d\n%s", env, r.exit, r.err)
		}
	}
	refused("station.other_keys", "BLOTTER_STATION_KEY="+filepath.Join(own, "station.key"))
	write(t, filepath.Join(own, "other.key"), []byte(`{"primaryKeyId":1}`))
	refused("vault.damaged", "BLOTTER_STATION_KEY="+filepath.Join(own, "other.key"))
	elsewhere := newStation(t) // another database's keys
	elsewhere.serve().stop()
	refused("station.other_keys", "BLOTTER_STATION_KEY="+filepath.Join(elsewhere.data, "station.key"))
	refused("station.other_keys", "BLOTTER_AUDIT_KEY="+filepath.Join(elsewhere.data, "audit", "signing.key"))
	refused("config.invalid", "BLOTTER_VAULT="+filepath.Join(own, "vault"))
	if left, err := filepath.Glob(filepath.Join(own, "*")); err != nil || len(left) != 1 {
		t.Errorf("keys or blobs were made: %v, %v", left, err)
	}
	// Who only works needs no signing key.
	w := f.node("worker")
	w.station.env = append(w.station.env, "BLOTTER_AUDIT_KEY="+filepath.Join(own, "none.key"))
	w.start().stop()
	if _, err := os.Stat(filepath.Join(own, "none.key")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a worker made a signing key: %v", err)
	}
	refused("station.other_keys", "BLOTTER_AUDIT_KEY="+filepath.Join(own, "none.key"))
	first.stop()
}

// Commands on any node are signed by whoever is elected; where nobody runs, by themselves.
func TestDeskOfAFleet(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	desk := f.node("audit").station
	first := desk.addKey("--tenant", "ward", "--role", "client")
	api := f.node("api,audit").start()
	second := f.node("worker").station.addKey("--tenant", "ward", "--role", "client")
	for _, key := range []string{first, second} {
		took := upload(t, limited(t), api.client(key), read(t, tiny(t)), client.UploadOptions{})
		if _, err := api.client(key).Cancel(limited(t), took.ID); err != nil {
			t.Error(err)
		}
	}
	if r := desk.run(program(t), "jobs", "list", "--json"); r.exit != 0 || strings.Count(r.out, "\n") != 2 {
		t.Errorf("jobs list ended with %d: %s%s", r.exit, r.out, r.err)
	}
	if r := desk.run(program(t), "migrate"); r.exit != 0 || !strings.Contains(r.out, "up to date") {
		t.Errorf("migrate ended with %d: %s%s", r.exit, r.out, r.err)
	}
	api.stop()
}

// A watcher on one node is told of what another one does.
func TestWaitingAcrossNodes(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	ctx := limited(t)
	a, b := f.node("api,audit,retention").start(), f.node("api").start()
	worker := f.node("worker").start()
	took := upload(t, ctx, a.client(f.key), read(t, tiny(t)), client.UploadOptions{})
	var followers sync.WaitGroup
	for _, n := range []*node{a, b} {
		followers.Go(func() {
			redacted := false
			for e, err := range n.client(f.key).Events(ctx, took.ID, -1) {
				if err != nil {
					t.Error(err)
					return
				}
				redacted = redacted || e.Kind == receipt.RedactedKind
			}
			if !redacted {
				t.Error("the stream ended without the job's end")
			}
		})
	}
	followers.Wait()
	for _, n := range []*node{worker, b, a} {
		n.stop()
	}
}
