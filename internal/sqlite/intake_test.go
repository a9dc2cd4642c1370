package sqlite_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/sqlite"
	"blotter/internal/vault"
	"blotter/receipt"
)

var wide = queue.Backlog{Tenant: 1 << 20, Total: 1 << 20}

// reserve takes a key for a minute.
func reserve(t *testing.T, db *sqlite.DB, key string) queue.Reservation {
	t.Helper()
	r := queue.Reservation{Tenant: document.Local, Key: key, Job: document.NewID()}
	held, known, err := db.Reserve(t.Context(), r, time.Minute, wide, receipt.Event{})
	if err != nil || known != nil {
		t.Fatalf("known as %+v, %v", known, err)
	}
	return held
}

// upload reserves a key and makes the data keys that a request makes.
func upload(t *testing.T, db *sqlite.DB, key string) queue.Reservation {
	t.Helper()
	r := reserve(t, db, key)
	putKey(t, db, r.Job, vault.Upload)
	putKey(t, db, r.Job, vault.Task)
	return r
}

func accept(t *testing.T, db *sqlite.DB, r queue.Reservation) document.ID {
	t.Helper()
	j := newJob()
	j.ID, j.Tenant, j.Sealed = r.Job, r.Tenant, []byte("order")
	if _, err := db.Accept(t.Context(), r, "print", j, receipt.Event{}); err != nil {
		t.Fatal(err)
	}
	return j.ID
}

func reservations(t *testing.T, db *sqlite.DB) (n int) {
	t.Helper()
	if err := sqlite.Reader(db).QueryRow("SELECT count(*) FROM reservations").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A request that is repeated after a restart gets its first answer; one whose upload was
// cut by it gets its turn as soon as the reservation has run out.
func TestIntakeSurvivesReopening(t *testing.T) {
	path, c := filepath.Join(t.TempDir(), "blotter.db"), &clock{}
	db := open(t, path, c)
	id := accept(t, db, reserve(t, db, "done"))
	cut := reserve(t, db, "cut")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open(t, path, c)
	defer db.Close()
	again := func(key string) (queue.Reservation, *queue.Accepted, error) {
		r := queue.Reservation{Tenant: document.Local, Key: key, Job: document.NewID()}
		return db.Reserve(t.Context(), r, time.Minute, wide, receipt.Event{})
	}
	if _, known, err := again("done"); err != nil || known == nil || known.Job != id || known.Fingerprint != "print" {
		t.Errorf("known as %+v, %v", known, err)
	}
	if _, _, err := again("cut"); !errors.Is(err, queue.ErrInProgress) {
		t.Errorf("before it ran out: %v", err)
	}
	c.advance(time.Minute)
	if r, _, err := again("cut"); err != nil || r.Token <= cut.Token {
		t.Errorf("after it ran out: %+v, %v", r, err)
	}
}

// What a request made is not touched while its reservation holds, and is the retention's
// the moment it does not: there is nothing to wait for.
func TestKeysLiveWithTheirReservation(t *testing.T) {
	for name, end := range map[string]func(*sqlite.DB, *clock, queue.Reservation) error{
		"ran out":   func(_ *sqlite.DB, c *clock, _ queue.Reservation) error { c.advance(time.Minute); return nil },
		"abandoned": func(db *sqlite.DB, _ *clock, r queue.Reservation) error { return db.Abandon(t.Context(), r) },
		"ended":     func(db *sqlite.DB, _ *clock, r queue.Reservation) error { return db.EndReservation(t.Context(), r.Job) },
		"taken over": func(db *sqlite.DB, c *clock, r queue.Reservation) error {
			c.advance(time.Minute)
			accept(t, db, reserve(t, db, r.Key))
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			db, _, c := openNew(t)
			r := upload(t, db, "k")
			for range 100 { // longer than the grace of a key without a reservation
				c.advance(50 * time.Second)
				if _, err := db.Renew(t.Context(), r, time.Minute); err != nil {
					t.Fatal(err)
				}
			}
			expired(t, db)
			if err := end(db, c, r); err != nil {
				t.Fatal(err)
			}
			expired(t, db, vault.Task, vault.Upload)
		})
	}
}

// An ended reservation is remembered until its keys are destroyed, and not longer; a
// living one is never forgotten.
func TestEndedReservationsAreForgotten(t *testing.T) {
	db, _, c := openNew(t)
	lost := upload(t, db, "lost")
	reserve(t, db, "bare")
	c.advance(time.Minute)
	living := reserve(t, db, "living")
	forget := func(left int) {
		t.Helper()
		if err := db.ForgetReservations(t.Context(), deletedUpload); err != nil {
			t.Fatal(err)
		}
		if n := reservations(t, db); n != left {
			t.Errorf("%d reservations are left, want %d", n, left)
		}
	}
	for _, class := range []vault.Class{vault.Upload, vault.Task} {
		forget(2)
		if err := db.DestroyKey(t.Context(), lost.Job, class, receipt.Event{}); err != nil {
			t.Fatal(err)
		}
	}
	forget(1)
	accept(t, db, living)
	forget(0)
}

func deletedUpload(id document.ID) receipt.Event {
	return receipt.Event{Kind: receipt.Deleted, Job: string(id), Artifact: &receipt.Artifact{ID: string(id), Class: "upload"}}
}

// Every upload that the trail announces ends there too, also one that was never begun.
func TestAnnouncedUploadsEndOnRecord(t *testing.T) {
	db, _, c := openNew(t)
	staged := func(key string) queue.Reservation {
		r := queue.Reservation{Tenant: document.Local, Key: key, Job: document.NewID()}
		held, _, err := db.Reserve(t.Context(), r, time.Minute, wide, receipt.Event{Kind: receipt.Staged, Job: string(r.Job)})
		if err != nil {
			t.Fatal(err)
		}
		return held
	}
	never, begun := staged("never"), staged("begun")
	reserve(t, db, "a reference announces nothing")
	putKey(t, db, begun.Job, vault.Upload)
	c.advance(2 * time.Minute)
	if err := db.DestroyKey(t.Context(), begun.Job, vault.Upload, deletedUpload(begun.Job)); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time there is nothing to tell
		if err := db.ForgetReservations(t.Context(), deletedUpload); err != nil {
			t.Fatal(err)
		}
	}
	waiting, err := db.Pending(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	ends := map[string]int{}
	for _, p := range waiting {
		if p.Event.Kind == receipt.Deleted {
			ends[p.Event.Job]++
		}
	}
	if len(ends) != 2 || ends[string(never.Job)] != 1 || ends[string(begun.Job)] != 1 {
		t.Errorf("the ends on record are %v", ends)
	}
}

// Whoever destroys a key of a request ends its reservation in the same step, so that no
// job is accepted whose document or order is gone.
func TestNoJobIsAcceptedWithoutItsKeys(t *testing.T) {
	for _, class := range []vault.Class{vault.Upload, vault.Task} {
		db, _, _ := openNew(t)
		r := upload(t, db, "k")
		if err := db.DestroyKey(t.Context(), r.Job, class, receipt.Event{}); err != nil {
			t.Fatal(err)
		}
		j := newJob()
		j.ID = r.Job
		if _, err := db.Accept(t.Context(), r, "print", j, receipt.Event{}); !errors.Is(err, queue.ErrLeaseLost) {
			t.Errorf("without its %s key: %v", class, err)
		}
		reserve(t, db, "k") // and its key is free
	}
}

// A document lives as long as its policy says after the job's end, or a month where it
// says nothing or the job never ends. So does its result: the service calls none delivered.
func TestUploadsAreDated(t *testing.T) {
	db, _, c := openNew(t)
	id := accept(t, db, upload(t, db, ""))
	putKey(t, db, id, vault.Derivative)
	end(t, db, id, document.Released, map[string]time.Duration{"upload": time.Hour, "derivative": time.Hour})
	if err := sealAll(db); err != nil {
		t.Fatal(err)
	}
	destroyTask(t, db, id)
	c.advance(59 * time.Minute)
	expired(t, db)
	c.advance(time.Minute)
	expired(t, db, vault.Derivative, vault.Upload)

	for _, state := range []document.State{document.Queued, document.Dead} {
		db, _, c := openNew(t)
		id := accept(t, db, upload(t, db, ""))
		if state == document.Dead {
			end(t, db, id, state, nil)
			if err := sealAll(db); err != nil {
				t.Fatal(err)
			}
		}
		c.advance(30*24*time.Hour - time.Minute)
		expired(t, db)
		c.advance(time.Minute)
		expired(t, db, vault.Task, vault.Upload)
		// Without its document a job cannot be worked on: the order is of no use either.
		if err := db.DestroyKey(t.Context(), id, vault.Upload, receipt.Event{}); err != nil {
			t.Fatal(err)
		}
		c.advance(-time.Hour)
		expired(t, db, vault.Task)
	}
}

func destroyTask(t *testing.T, db *sqlite.DB, id document.ID) {
	t.Helper()
	if err := db.DestroyKey(t.Context(), id, vault.Task, receipt.Event{}); err != nil {
		t.Fatal(err)
	}
}

// Every key of a cancelled job is to be destroyed once its end is on record; so are those
// of a dead job that was discarded. What a replayed one has, it needs.
func TestKeysOfCancelledJobs(t *testing.T) {
	none := func(queue.Job) receipt.Event { return receipt.Event{} }
	all := []vault.Class{vault.Derivative, vault.Original, vault.Task, vault.Upload}
	withKeys := func(db *sqlite.DB) document.ID {
		id := accept(t, db, upload(t, db, ""))
		putKey(t, db, id, vault.Derivative)
		putKey(t, db, id, vault.Original)
		return id
	}
	cancel := func(db *sqlite.DB, id document.ID) error { _, err := db.Cancel(t.Context(), id, none); return err }
	for name, act := range map[string]func(*sqlite.DB, document.ID) error{
		"queued": cancel,
		"leased": func(db *sqlite.DB, id document.ID) error { lend(t, db, id); return cancel(db, id) },
		"discarded": func(db *sqlite.DB, id document.ID) error {
			end(t, db, id, document.Dead, nil)
			if err := sealAll(db); err != nil {
				return err
			}
			expired(t, db)
			if _, err := db.Replay(t.Context(), id, none); err != nil {
				return err
			}
			expired(t, db)
			end(t, db, id, document.Dead, nil)
			if err := sealAll(db); err != nil {
				return err
			}
			_, err := db.Discard(t.Context(), id, none)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			db, _, _ := openNew(t)
			id := withKeys(db)
			if err := act(db, id); err != nil {
				t.Fatal(err)
			}
			expired(t, db)
			if err := sealAll(db); err != nil {
				t.Fatal(err)
			}
			expired(t, db, all...)
		})
	}
}

// A job whose document was destroyed is not replayed.
func TestReplayNeedsTheDocument(t *testing.T) {
	db, _, _ := openNew(t)
	id := accept(t, db, upload(t, db, ""))
	end(t, db, id, document.Dead, nil)
	if err := errors.Join(sealAll(db), db.DestroyKey(t.Context(), id, vault.Upload, receipt.Event{})); err != nil {
		t.Fatal(err)
	}
	_, err := db.Replay(t.Context(), id, func(queue.Job) receipt.Event { return receipt.Event{} })
	if err == nil || !strings.Contains(err.Error(), "job.not_replayable") {
		t.Errorf("replayed: %v", err)
	}
}

// A key that a delivery set free belongs to the next job, even where the first is replayed.
func TestReplayGivesUpAFreedKey(t *testing.T) {
	db, _, _ := openNew(t)
	first, second := newJob(), newJob()
	first.Key, second.Key = "k", "k"
	first.Sealed = []byte("order")
	add := func(j queue.Job, want document.ID) {
		t.Helper()
		if got, _, err := db.Enqueue(t.Context(), j, receipt.Event{}); err != nil || got.ID != want {
			t.Fatalf("the key gave %s, %v; want %s", got.ID, err, want)
		}
	}
	add(first, first.ID)
	end(t, db, first.ID, document.Dead, nil)
	if err := errors.Join(sealAll(db), db.Deliver(t.Context(), first.ID)); err != nil {
		t.Fatal(err)
	}
	add(second, second.ID)
	if _, err := db.Replay(t.Context(), first.ID, func(queue.Job) receipt.Event { return receipt.Event{} }); err != nil {
		t.Fatal(err)
	}
	add(newJobWith("k"), second.ID)
}

func newJobWith(key string) queue.Job {
	j := newJob()
	j.Key = key
	return j
}

// What is asked often, or counted, is answered by an index that holds what waits and
// nothing else, or that fits the filter. Only the few living reservations are walked.
func TestPlansUseTheirIndex(t *testing.T) {
	db, _, _ := openNew(t)
	args := []any{
		sql.Named("now", 1), sql.Named("tenant", "t"), sql.Named("key", "k"), sql.Named("tenant_bound", 1), sql.Named("total_bound", 1),
		sql.Named("before", 1), sql.Named("lane", ""), sql.Named("reason", ""), sql.Named("state", "dead"), sql.Named("n", 1),
		sql.Named("job", "j"), sql.Named("after", 1), sql.Named("id", "j"),
	}
	for name, want := range map[string][]string{
		"reserve_look": {
			"SEARCH jobs USING INDEX jobs_accepted (tenant=? AND idempotency=?)",
			"SEARCH reservations USING INDEX reservations_idempotency (tenant=? AND idempotency=?)",
			"SEARCH jobs USING COVERING INDEX jobs_of_tenant_in_state (tenant=? AND state=?)",
			"SEARCH jobs USING COVERING INDEX jobs_in_state (state=?)",
			"SEARCH reservations USING COVERING INDEX reservations_until (until>?)",
		},
		"jobs_all":                {"SEARCH jobs USING INTEGER PRIMARY KEY (rowid<?)"},
		"jobs_of_tenant":          {"SEARCH jobs USING INDEX jobs_of_tenant (tenant=? AND seq<?)"},
		"jobs_in_state":           {"SEARCH jobs USING INDEX jobs_in_state (state=? AND seq<?)"},
		"jobs_of_tenant_in_state": {"SEARCH jobs USING INDEX jobs_of_tenant_in_state (tenant=? AND state=? AND seq<?)"},
		"trail":                   {"SEARCH trail USING PRIMARY KEY (job=? AND sequence>?)"},
		"enqueue_known":           {"SEARCH jobs USING INDEX jobs_idempotency (tenant=? AND idempotency=?)"},
		"depths":                  {"SCAN jobs USING COVERING INDEX jobs_ready", "SCAN jobs USING INDEX jobs_leased"},
	} {
		plan := explain(t, db, sqlite.Query(name), named(sqlite.Query(name), args)...)
		for _, step := range want {
			if !strings.Contains(plan, step) {
				t.Errorf("%s: no step %q in %s", name, step, plan)
			}
		}
		ordered := name != "depths" && strings.Contains(plan, "TEMP B-TREE")
		if ordered || strings.Contains(plan, "SCAN jobs;") || strings.HasSuffix(plan, "SCAN jobs") {
			t.Errorf("%s sorts or walks all jobs: %s", name, plan)
		}
	}
}

// named are the arguments that a query has.
func named(query string, args []any) (out []any) {
	for _, a := range args {
		if strings.Contains(query, ":"+a.(sql.NamedArg).Name) {
			out = append(out, a)
		}
	}
	return out
}
