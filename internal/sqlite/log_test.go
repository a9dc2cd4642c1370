package sqlite_test

import (
	"testing"

	"blotter/internal/sqlite"
	"blotter/internal/storetest"
)

// No statement rewrites history, nor those that only SQLite has.
func TestLogCannotBeReplaced(t *testing.T) {
	db, _, _ := openNew(t)
	enqueue(t, db)
	if err := storetest.Seal(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"INSERT OR REPLACE INTO entries (sequence, envelope) VALUES (0, x'00')",
		"INSERT OR REPLACE INTO hashes (position, hash) VALUES (0, zeroblob(32))",
		"UPDATE OR REPLACE entries SET envelope = x'00'",
	} {
		if _, err := sqlite.Writer(db).Exec(statement); err == nil {
			t.Errorf("%s went through", statement)
		}
	}
	storetest.CheckTree(t, db, 1)
}
