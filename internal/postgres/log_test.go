package postgres_test

import (
	"testing"

	"blotter/internal/postgres"
	"blotter/internal/postgres/pgtest"
	"blotter/internal/storetest"
)

// No statement rewrites history, nor those that only PostgreSQL has, nor in a session that
// skips plain triggers.
func TestLogCannotBeReplaced(t *testing.T) {
	db := open(t, pgtest.New(t), &clock{})
	b, err := storetest.Batch(t.Context(), db, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"TRUNCATE entries CASCADE", "TRUNCATE hashes", "TRUNCATE log_head", "TRUNCATE trail, entries",
		"INSERT INTO entries (sequence, envelope) VALUES (0, '') ON CONFLICT (sequence) DO UPDATE SET envelope = ''",
		"DELETE FROM ONLY entries", "WITH gone AS (DELETE FROM hashes RETURNING 1) SELECT count(*) FROM gone",
		"SET LOCAL session_replication_role = replica; DELETE FROM entries",
		"SET LOCAL session_replication_role = replica; UPDATE log_head SET size = 0",
	} {
		if err := postgres.Exec(t.Context(), db, statement); err == nil {
			t.Errorf("%s went through", statement)
		}
	}
	storetest.CheckTree(t, db, 1)
}
