-- name: server
-- What runs the database, for a person.
SELECT 'SQLite ' || sqlite_version();

-- name: clock
-- The one clock of the store. 'subsec' gives milliseconds (SQLite 3.42 and later).
SELECT CAST(round(unixepoch('subsec') * 1000) AS INTEGER);

-- name: schema_table
CREATE TABLE IF NOT EXISTS schema_version (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    version INTEGER NOT NULL
) STRICT;

-- name: schema_read
SELECT coalesce(max(version), 0) FROM schema_version;

-- name: schema_write
INSERT INTO schema_version (one, version) VALUES (1, :version)
ON CONFLICT (one) DO UPDATE SET version = excluded.version;

-- name: wal_truncate
-- Writes the log back into the database file and cuts it to nothing, so that it keeps
-- no older page. Answers whether something stood in the way.
PRAGMA wal_checkpoint(TRUNCATE);

-- name: savepoint
SAVEPOINT one_write;

-- name: savepoint_undo
ROLLBACK TO one_write;

-- name: savepoint_release
RELEASE one_write;

-- name: outbox_add
INSERT INTO outbox (event, job, state, created) VALUES (:event, :job, :state, :now);
