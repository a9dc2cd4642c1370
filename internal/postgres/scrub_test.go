package postgres_test

import (
	"bytes"
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"blotter/internal/document"
	"blotter/internal/postgres"
	"blotter/internal/postgres/pgtest"
	"blotter/internal/vault"
	"blotter/receipt"
)

// A destroyed key is in no file of the tables any more once the store was scrubbed. That a
// vacuum is not enough is part of the test: it would be blind otherwise.
func TestScrubClearsTheTables(t *testing.T) {
	c := pgtest.Own(t, pgtest.Options{})
	clock := &clock{}
	db := open(t, c.URL("postgres"), clock)
	secret := make([]byte, 200)
	rand.Read(secret)
	kept, job := document.NewID(), document.NewID()
	for id, wrapped := range map[document.ID][]byte{kept: []byte("kept"), job: secret} {
		if _, err := db.PutKey(t.Context(), id, vault.Original, wrapped); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.DestroyKey(t.Context(), job, vault.Original, receipt.Event{Kind: receipt.Deleted}); err != nil {
		t.Fatal(err)
	}
	run(t, db, "VACUUM keys")
	if !inTables(t, c, db, secret) {
		t.Fatal("a vacuum has cleared the key, or the search is blind")
	}
	scrub(t, db)
	if inTables(t, c, db, secret) {
		t.Error("the destroyed key can be read from a table's file")
	}
	if got, err := db.Key(t.Context(), kept, vault.Original); err != nil || string(got) != "kept" {
		t.Errorf("another key is %q, %v", got, err)
	}
}

func scrub(t *testing.T, db *postgres.DB) {
	t.Helper()
	if err := db.Scrub(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, db *postgres.DB, statement string) {
	t.Helper()
	if err := postgres.Exec(t.Context(), db, statement); err != nil {
		t.Fatal(err)
	}
}

// inTables looks for the middle of a secret in the files of the tables, once they hold what
// the server's memory does.
func inTables(t *testing.T, c *pgtest.Cluster, db *postgres.DB, secret []byte) (found bool) {
	t.Helper()
	run(t, db, "CHECKPOINT")
	err := filepath.WalkDir(filepath.Join(c.Files(), "base"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		found = found || bytes.Contains(b, secret[50:150])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// The table is written anew when something was destroyed, not more often than every hour,
// and for a day after, in case that a transaction stood in the way.
func TestScrubIsRare(t *testing.T) {
	clock := &clock{}
	db := open(t, pgtest.New(t), clock)
	file := func() int {
		t.Helper()
		scrub(t, db)
		n, err := postgres.Count(t.Context(), db, "SELECT pg_relation_filenode('keys')::int")
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	first := file()
	job := document.NewID()
	if _, err := db.PutKey(t.Context(), job, vault.Original, []byte("k")); err != nil {
		t.Fatal(err)
	}
	if file() != first {
		t.Error("scrubbed though nothing was destroyed")
	}
	if err := db.DestroyKey(t.Context(), job, vault.Original, receipt.Event{Kind: receipt.Deleted}); err != nil {
		t.Fatal(err)
	}
	second := file()
	if second == first {
		t.Error("not scrubbed after a destruction")
	}
	clock.advance(59 * time.Minute)
	if file() != second {
		t.Error("scrubbed again within the hour")
	}
	clock.advance(time.Minute)
	third := file()
	if third == second {
		t.Error("not scrubbed again after an hour")
	}
	clock.advance(25 * time.Hour)
	last := file() // the last one, counted from the one before
	clock.advance(25 * time.Hour)
	if file() != last {
		t.Error("scrubbed though nothing was destroyed for two days")
	}
}

// Where the table cannot be had, nobody is kept waiting for long, and a later call does it.
func TestScrubGivesWay(t *testing.T) {
	db := open(t, pgtest.New(t), &clock{})
	job := document.NewID()
	if _, err := db.PutKey(t.Context(), job, vault.Original, []byte("k")); err != nil {
		t.Fatal(err)
	}
	if err := db.DestroyKey(t.Context(), job, vault.Original, receipt.Event{Kind: receipt.Deleted}); err != nil {
		t.Fatal(err)
	}
	scrubs := func() int {
		t.Helper()
		n, err := postgres.Count(t.Context(), db, "SELECT count(*) FROM scrubs WHERE at > 0")
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	release := postgres.HoldTable(t, db, "keys")
	scrub(t, db)
	if scrubs() != 0 {
		t.Error("scrubbed while another used the table")
	}
	release()
	scrub(t, db)
	if scrubs() != 1 {
		t.Error("not scrubbed once the table was free")
	}
}
