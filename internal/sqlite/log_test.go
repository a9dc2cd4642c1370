package sqlite_test

import (
	"database/sql"
	"errors"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"blotter/internal/audit"
	"blotter/internal/reason"
	"blotter/internal/sqlite"
)

func TestLogGrows(t *testing.T) {
	db, _, _ := openNew(t)
	if size, checkpoint, err := db.Head(t.Context()); size != 0 || checkpoint != nil || err != nil {
		t.Fatalf("an empty log has size %d, checkpoint %q, %v", size, checkpoint, err)
	}
	for range 5 {
		for range 3 {
			enqueue(t, db)
		}
		if err := sealAll(db); err != nil {
			t.Fatal(err)
		}
	}
	size, checkpoint, err := db.Head(t.Context())
	if size != 15 || string(checkpoint) != "checkpoint" || err != nil {
		t.Fatalf("size %d, checkpoint %q, %v", size, checkpoint, err)
	}
	checkTree(t, db, size)
	if left, err := db.Pending(t.Context(), 10); len(left) != 0 || err != nil {
		t.Errorf("left in the outbox: %v, %v", left, err)
	}
	if _, err := db.Entry(t.Context(), size); !errors.Is(err, sql.ErrNoRows) {
		t.Errorf("an entry beyond the end: %v", err)
	}
}

// checkTree proves every entry against the root that the stored hashes give.
func checkTree(t *testing.T, db *sqlite.DB, size int64) {
	t.Helper()
	root, err := tlog.TreeHash(size, db)
	if err != nil {
		t.Fatal(err)
	}
	for n := range size {
		e, err := db.Entry(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		proof, err := tlog.ProveRecord(size, n, db)
		if err != nil {
			t.Fatal(err)
		}
		if err := tlog.CheckRecord(proof, size, root, n, tlog.RecordHash(e.Envelope)); err != nil {
			t.Errorf("entry %d: %v", n, err)
		}
	}
}

func TestAppendTakesEntriesOfTheSequencer(t *testing.T) {
	db, _, _ := openNew(t)
	b, err := batch(db, 2) // outbox ids 0
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	checkTree(t, db, 2)
}

func TestAppendRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*audit.Batch)
		code  reason.Code // Internal: a mistake of the caller
	}{
		"another size":     {func(b *audit.Batch) { shift(b, 1) }, reason.AuditUnavailable},
		"unknown event":    {func(b *audit.Batch) { b.Pending[1] = 999 }, reason.AuditUnavailable},
		"event twice":      {func(b *audit.Batch) { b.Pending[1] = b.Pending[0] }, reason.AuditUnavailable},
		"gap":              {func(b *audit.Batch) { b.Entries[1].Sequence++ }, reason.Internal},
		"too few hashes":   {func(b *audit.Batch) { b.Hashes = b.Hashes[1:] }, reason.Internal},
		"no checkpoint":    {func(b *audit.Batch) { b.Checkpoint = nil }, reason.Internal},
		"missing an event": {func(b *audit.Batch) { b.Pending = b.Pending[1:] }, reason.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			db, _, _ := openNew(t)
			enqueue(t, db)
			enqueue(t, db)
			b, err := batch(db, 2)
			if err != nil {
				t.Fatal(err)
			}
			b.Pending[0], b.Pending[1] = 1, 2
			c.spoil(&b)
			if err := db.Append(t.Context(), b); reason.Of(err) != c.code {
				t.Errorf("got %v", err)
			}
			if size, _, err := db.Head(t.Context()); size != 0 || err != nil {
				t.Errorf("the log has size %d, %v", size, err)
			}
			if left, err := db.Pending(t.Context(), 10); len(left) != 2 || err != nil {
				t.Errorf("the outbox holds %d events, %v", len(left), err)
			}
		})
	}
}

// shift moves a batch to another place, as one that was made for a longer log.
func shift(b *audit.Batch, by int64) {
	b.First += by
	for i := range b.Entries {
		b.Entries[i].Sequence += by
	}
	n := tlog.StoredHashCount(b.First+int64(len(b.Entries))) - tlog.StoredHashCount(b.First)
	b.Hashes = make([]tlog.Hash, n)
}

// No statement rewrites history.
func TestLogCannotBeChanged(t *testing.T) {
	db, _, _ := openNew(t)
	enqueue(t, db)
	if err := sealAll(db); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"DELETE FROM entries", "UPDATE entries SET envelope = x'00'", "DELETE FROM hashes",
		"UPDATE hashes SET hash = zeroblob(32)", "DELETE FROM log_head", "UPDATE log_head SET size = 0",
		"INSERT OR REPLACE INTO entries (sequence, envelope) VALUES (0, x'00')",
		"INSERT OR REPLACE INTO hashes (position, hash) VALUES (0, zeroblob(32))",
	} {
		if _, err := sqlite.Writer(db).Exec(statement); err == nil {
			t.Errorf("%s went through", statement)
		}
	}
}
