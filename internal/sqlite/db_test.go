package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/sqlite"
	"blotter/receipt"
)

func TestFilesArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "with space ?#%25", "state")
	db := open(t, filepath.Join(dir, "blotter.db"), &clock{})
	defer db.Close()
	enqueue(t, db)
	if st, err := os.Stat(dir); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("the directory has mode %v, %v", st.Mode(), err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Fatalf("%d files, %v; want database, -wal and -shm", len(entries), err)
	}
	for _, e := range entries {
		if st, err := e.Info(); err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v", e.Name(), st.Mode(), err)
		}
	}
}

func TestSettingsAreInForce(t *testing.T) {
	db, _, _ := openNew(t)
	for pragma, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "secure_delete": "1", "busy_timeout": "5000",
	} {
		var got string
		if err := sqlite.Writer(db).QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %s, %v; want %s", pragma, got, err, want)
		}
	}
	if _, err := sqlite.Reader(db).Exec("DELETE FROM jobs"); err == nil {
		t.Error("a reading connection wrote")
	}
}

// Several processes may meet on a new file; each must find one whole schema.
func TestManyOpenAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "blotter.db")
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			db, err := sqlite.Open(context.Background(), path, sqlite.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			defer db.Close()
			if _, err := db.Pending(context.Background(), 1); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestNewerSchemaIsRefused(t *testing.T) {
	db, path, _ := openNew(t)
	if _, err := sqlite.Writer(db).Exec("UPDATE schema_version SET version = version + 1"); err != nil {
		t.Fatal(err)
	}
	_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if reason.Of(err) != reason.QueueSchema {
		t.Errorf("got %v", err)
	}
}

func TestWhatIsNoDatabaseIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "blotter.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(t.Context(), path, sqlite.Options{}); reason.Of(err) != reason.VaultDamaged {
		t.Errorf("no database: %v", err)
	}
	path = "/proc/self/blotter/blotter.db" // where nothing can be made
	if _, err := sqlite.Open(t.Context(), path, sqlite.Options{}); reason.Of(err) != reason.QueueBusy {
		t.Errorf("no directory: %v", err)
	}
}

func TestStoreSurvivesReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "blotter.db")
	db := open(t, path, &clock{})
	id := enqueue(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open(t, path, &clock{})
	defer db.Close()
	if j, err := db.Job(t.Context(), id); err != nil || j.State != document.Queued {
		t.Errorf("got %+v, %v", j, err)
	}
}

func TestClock(t *testing.T) {
	db, _, c := openNew(t)
	before := time.Now().Add(-time.Millisecond) // SQLite cuts to milliseconds
	got, err := db.Now(t.Context())
	if err != nil || got.Before(before) || got.After(time.Now().Add(time.Millisecond)) {
		t.Errorf("the clock says %v, %v; here it is %v", got, err, before)
	}
	c.advance(time.Hour)
	if later, err := db.Now(t.Context()); err != nil || later.Sub(got) < time.Hour {
		t.Errorf("%v after an hour: %v, %v", got, later, err)
	}
}

// A database that another process holds answers queue.store_busy, and writes nothing.
func TestBusyHasItsReason(t *testing.T) {
	db, path, _ := openNew(t)
	other, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	held, err := other.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer held.Rollback()
	if _, err := sqlite.Writer(db).Exec("PRAGMA busy_timeout = 1"); err != nil {
		t.Fatal(err)
	}
	j := newJob()
	_, _, err = db.Enqueue(t.Context(), j, receipt.Event{})
	if reason.Of(err) != reason.QueueBusy {
		t.Errorf("got %v", err)
	}
	if _, err := db.Job(t.Context(), j.ID); !errors.Is(err, queue.ErrNotFound) {
		t.Errorf("a reader got %v while another wrote", err)
	}
	if err := held.Rollback(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := db.Enqueue(t.Context(), j, receipt.Event{}); err != nil {
		t.Errorf("after the other let go: %v", err)
	}
}

// A full disk is the surroundings' fault too: the write fails whole, with its reason.
func TestFullDiskHasItsReason(t *testing.T) {
	db, _, _ := openNew(t)
	if _, err := sqlite.Writer(db).Exec("PRAGMA max_page_count = 1"); err != nil { // means: no growth
		t.Fatal(err)
	}
	j := newJob()
	j.Sealed = make([]byte, 1<<20)
	_, _, err := db.Enqueue(t.Context(), j, receipt.Event{})
	if reason.Of(err) != reason.QueueBusy {
		t.Errorf("got %v", err)
	}
	if _, err := db.Job(t.Context(), j.ID); !errors.Is(err, queue.ErrNotFound) {
		t.Errorf("half a write: %v", err)
	}
}

// Claiming and expiring read the head of an index, however long the backlog is.
func TestClaimDoesNotSearch(t *testing.T) {
	db, _, _ := openNew(t)
	args := []any{
		sql.Named("now", 1), sql.Named("lane", "bulk"), sql.Named("tenant", "t"), sql.Named("level", 1), sql.Named("mean", 1), sql.Named("since", 1),
	}
	for name, indexes := range map[string][]string{
		"share_next":     {"shares USING COVERING INDEX shares_order (lane=?)", "jobs USING INDEX jobs_ready (lane=? AND tenant=? AND not_before<?)"},
		"share_any":      {"shares_order (lane=?)", "shares_waking (lane=? AND wakes>? AND wakes<?)"},
		"share_waking":   {"shares_waking (lane=? AND wakes>? AND wakes<?)"},
		"share_level":    {"shares_started (lane=?)", "shares_order (lane=?)"},
		"share_activate": {},
		"share_rest":     {"jobs_ready (lane=? AND tenant=?)", "jobs_ready (lane=? AND tenant=? AND not_before<?)"},
		"share_waits":    {"shares_order (lane=? AND virtual<?)", "jobs_ready (lane=? AND tenant=? AND not_before<?)"},
		"expired_any":    {"jobs_leased (lease_until<?)"},
	} {
		plan := explain(t, db, sqlite.Query(name), named(sqlite.Query(name), args)...)
		if strings.Contains(strings.ReplaceAll(plan, "SCAN CONSTANT ROW", ""), "SCAN") || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%s walks or sorts: %s", name, plan)
		}
		for _, index := range indexes {
			if !strings.Contains(plan, index) {
				t.Errorf("%s: no %q in %s", name, index, plan)
			}
		}
	}
}

func explain(t *testing.T, db *sqlite.DB, query string, args ...any) string {
	t.Helper()
	rows, err := sqlite.Reader(db).Query("EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var plan []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		plan = append(plan, detail)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(plan, "; ")
}

func newJob() queue.Job {
	return queue.Job{ID: document.NewID(), Tenant: document.Local, Lane: document.Bulk, Policy: queue.PolicyRef{Name: "p", Version: "1"}}
}

func enqueue(t *testing.T, db *sqlite.DB) document.ID {
	t.Helper()
	j, _, err := db.Enqueue(t.Context(), newJob(), receipt.Event{Kind: receipt.Received})
	if err != nil {
		t.Fatal(err)
	}
	return j.ID
}

func TestServerSaysWhatItIs(t *testing.T) {
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "x.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if got, err := db.Server(t.Context()); err != nil || !strings.HasPrefix(got, "SQLite 3.") {
		t.Errorf("%q, %v", got, err)
	}
}
