package sqlite_test

import (
	"context"
	"crypto/ed25519"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/sqlite"
	"blotter/internal/vault"
	"blotter/receipt"
)

// schema2 makes a database as the second schema left it, with what a command line and its
// sequencer put there: jobs in several states, keys, a working copy, an outbox and a log.
func schema2(t *testing.T) (path string, ids map[string]document.ID) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "blotter.db")
	raw, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	run := func(query string, args ...any) {
		t.Helper()
		if _, err := raw.Exec(query, args...); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	run(sqlite.Query("schema_table"))
	for n := range 2 {
		text, err := sqlite.Migration(n + 1)
		if err != nil {
			t.Fatal(err)
		}
		run(text)
	}
	run(sqlite.Query("schema_write"), sql.Named("version", 2))

	digest := document.Sum([]byte("policy"))
	run("INSERT INTO policies (digest, body) VALUES (?, ?)", digest[:], []byte("policy"))
	ids = map[string]document.ID{}
	for _, state := range []string{"queued", "leased", "released", "dead"} {
		id := document.NewID()
		ids[state] = id
		lease := 0
		if state == "leased" {
			lease = 1 // ran out long ago
		}
		run(`INSERT INTO jobs (id, tenant, lane, state, idempotency, token, created, not_before, lease_until, input,
		                       policy_name, policy_version, policy_digest, sealed)
		     VALUES (?, 'local', 'bulk', ?, ?, 3, 1, 1, ?, ?, 'p', '1', ?, x'01')`, string(id), state, "k-"+state, lease, digest[:], digest[:])
	}
	run("UPDATE fence SET token = 7")
	run("INSERT INTO keys (job, class, wrapped, created, expires, keep) VALUES (?, 'task', x'02', 1, 1, NULL)", string(ids["queued"]))
	run("INSERT INTO working_copies (id, job, created, expires) VALUES ('copy', ?, 5, 9)", string(ids["leased"]))
	run(`INSERT INTO outbox (event) VALUES (CAST('{"kind":"claimed","job":"' || ? || '"}' AS BLOB))`, string(ids["leased"]))
	for n, job := range []document.ID{ids["released"], "", ids["dead"], ids["released"]} {
		run("INSERT INTO entries (sequence, envelope) VALUES (?, ?)", n, envelope(t, int64(n), job))
	}
	return path, ids
}

// envelope is a signed event of a job.
func envelope(t *testing.T, n int64, job document.ID) []byte {
	t.Helper()
	e := receipt.Event{
		Schema: receipt.EventSchema, Sequence: n, Kind: receipt.Received, Actor: "test",
		Time: receipt.FormatTime(time.UnixMilli(n)), Job: string(job),
	}
	sealed, err := receipt.Seal(e, ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)))
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

// What an earlier version left is all there, and works in the new way.
func TestUpgradeKeepsEverything(t *testing.T) {
	path, ids := schema2(t)
	for range 2 { // the second time there is nothing to bring up to date
		db := open(t, path, &clock{})
		for state, id := range ids {
			j, err := db.Job(t.Context(), id)
			if err != nil || string(j.State) != state || j.Key != "k-"+state || j.Trace != "" || string(j.Policy.Body) != "policy" || j.Sealed == nil {
				t.Errorf("the %s job is %+v, %v", state, j, err)
			}
		}
		if k, err := db.Key(t.Context(), ids["queued"], vault.Task); err != nil || string(k) != "\x02" {
			t.Errorf("the key is %x, %v", k, err)
		}
		checkUpgraded(t, db, ids)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func checkUpgraded(t *testing.T, db *sqlite.DB, ids map[string]document.ID) {
	t.Helper()
	for state, want := range map[string][]int64{"released": {0, 3}, "dead": {2}, "queued": nil} {
		sealed, err := db.Trail(t.Context(), ids[state], -1, 10)
		var got []int64
		for _, s := range sealed {
			got = append(got, s.Sequence)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("the trail of the %s job is %v, %v; want %v", state, got, err, want)
		}
	}
	p, err := db.Pressure(t.Context())
	if err != nil || p.Dead != 1 || p.Copies != 1 || p.OldestCopy.UnixMilli() != 5 || p.Outbox != 1 {
		t.Errorf("measured %+v, %v", p, err)
	}
	if age := time.Since(p.OldestOutbox); age < -time.Second || age > time.Minute {
		t.Errorf("an event that waited counts for %v", age)
	}
}

// A job of the earlier schema goes its way to the end in the new one.
func TestUpgradedJobsGoOn(t *testing.T) {
	path, ids := schema2(t)
	db := open(t, path, &clock{})
	defer db.Close()
	none := func(queue.Job) receipt.Event { return receipt.Event{} }
	gone, err := db.Expire(t.Context(), none)
	if err != nil || len(gone) != 1 || gone[0].ID != ids["leased"] {
		t.Fatalf("expired %+v, %v", gone, err)
	}
	j := newJob()
	j.Key = "k-queued"
	if got, added, err := db.Enqueue(t.Context(), j, receipt.Event{}); err != nil || added || got.ID != ids["queued"] {
		t.Errorf("its key gave %s, %v", got.ID, err)
	}
	if _, err := db.Replay(t.Context(), ids["dead"], none); err != nil {
		t.Error(err)
	}
	for range 3 {
		j, err := db.Claim(t.Context(), queue.Claim{Lease: time.Minute}, none)
		if err != nil || j.Token <= 7 {
			t.Fatalf("claimed %+v, %v", j, err)
		}
	}
}

// What was queued under the earlier order is shared from now on: level at first, and nothing
// is forgotten, whether it is ready or waits for a time.
func TestUpgradeSharesWhatWaits(t *testing.T) {
	path, ids := schema2(t)
	raw, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	digest := document.Sum([]byte("policy"))
	c := &clock{}
	later := time.Now().Add(time.Hour).UnixMilli()
	for i, job := range []struct {
		tenant, lane string
		notBefore    int64
	}{
		{"local", "bulk", 2}, {"local", "bulk", 3}, {"other", "bulk", 4}, {"other", "bulk", later}, {"third", "bulk", later}, {"local", "interactive", 5},
	} {
		_, err := raw.Exec(`INSERT INTO jobs (id, tenant, lane, state, created, not_before, input, policy_name, policy_version, policy_digest)
		     VALUES (?, ?, ?, 'queued', 1, ?, ?, 'p', '1', ?)`, fmt.Sprint("more-", i), job.tenant, job.lane, job.notBefore, digest[:], digest[:])
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err = raw.Exec(`INSERT INTO jobs (id, tenant, lane, state, token, created, not_before, lease_until, input, policy_name, policy_version, policy_digest)
	     VALUES ('held', 'alone', 'bulk', 'leased', 9, 1, 1, ?, ?, 'p', '1', ?)`, later, digest[:], digest[:])
	if err := errors.Join(err, raw.Close()); err != nil {
		t.Fatal(err)
	}
	db := open(t, path, c)
	defer db.Close()
	held := queue.Lease{Job: "held", Token: 9}
	if _, err := db.Extend(t.Context(), held, time.Minute); err != nil {
		t.Error(err)
	}
	if err := db.Finish(t.Context(), held, queue.Outcome{Target: document.Released}); err != nil {
		t.Error(err)
	}
	claim := func(want ...document.ID) {
		t.Helper()
		for _, id := range want {
			j, err := db.Claim(t.Context(), queue.Claim{Lease: 3 * time.Hour}, func(queue.Job) receipt.Event { return receipt.Event{} })
			if err != nil || j.ID != id {
				t.Fatalf("claimed %s of %s, %v; want %s", j.ID, j.Tenant, err, id)
			}
		}
		if j, err := db.Claim(t.Context(), queue.Claim{Lease: time.Hour}, nil); !errors.Is(err, queue.ErrNoJob) {
			t.Fatalf("claimed %s, %v", j.ID, err)
		}
	}
	claim("more-5", ids["queued"], "more-2", "more-0", "more-1")
	c.advance(time.Hour)
	claim("more-3", "more-4")
}

// A log that cannot be read stops the upgrade, and leaves the database as it was.
func TestUpgradeRefusesADamagedLog(t *testing.T) {
	path, _ := schema2(t)
	raw, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.Exec("INSERT INTO entries (sequence, envelope) VALUES (4, 'damaged')"); err == nil {
		t.Fatal("a text stands where bytes must")
	}
	if _, err := raw.Exec("INSERT INTO entries (sequence, envelope) VALUES (4, x'00')"); err != nil {
		t.Fatal(err)
	}
	if db, err := sqlite.Open(context.Background(), path, sqlite.Options{}); err == nil {
		db.Close()
		t.Error("a damaged log was upgraded")
	}
	var version, columns int
	err = raw.QueryRow("SELECT version, (SELECT count(*) FROM pragma_table_info('outbox') WHERE name = 'created') FROM schema_version").
		Scan(&version, &columns)
	if err != nil || version != 2 || columns != 0 {
		t.Errorf("the schema is %d with %d new columns, %v", version, columns, err)
	}
}
