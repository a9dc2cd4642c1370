// Package sqlite holds every query of blotter's SQLite store: plain .sql files,
// embedded, one named query a step. It implements the interfaces that the rooms
// declare (queue.Store, queue.Intake, queue.Operations, queue.WorkingCopies, audit.Log,
// vault.Keys, access.Store) over one database file, which several processes may open at
// once.
//
// What it promises: a method that writes is there as a whole or not at all, and on disk
// when it returns nil (write-ahead log, synchronous=FULL); writers take turns, and those
// of one process that wait together share a transaction; readers never wait for them. Times are SQLite's own, in milliseconds. Deleted rows are overwritten
// (secure_delete), so that a destroyed key is gone from the file.
//
// Opened read-write, the file has mode 0600; its companions -wal and -shm inherit that.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"blotter/internal/durable"
	"blotter/internal/queue"

	_ "modernc.org/sqlite" // the driver; SQLite compiled to Go
)

const (
	// busyTimeout is how long a connection waits for another process's transaction
	// before it gives up with reason.QueueBusy. Transactions here take milliseconds; the
	// rest is for a slow disk.
	busyTimeout = 5 * time.Second

	// readers is how many reads run at once in one process.
	readers = 4
)

// Options are what a store is opened with; the zero value is right where all tenants have
// equal shares.
type Options struct {
	// Settings are the operator's, the same in every process.
	Settings queue.Settings

	// NoMigration refuses an older schema, or none, with reason.QueueSchemaOld, rather than
	// to bring it up to date.
	NoMigration bool
	// Schema is told the schema that is there, 0 for none, and the one that it is brought to,
	// also where NoMigration refuses that; nil: nobody. It may be told again where the first try met another process.
	Schema func(have, want int)

	// Offset is for tests: it is added to SQLite's clock; nil adds nothing. It may change
	// between calls.
	Offset func() time.Duration

	// Clock is for tests: it stands in for SQLite's; nil: SQLite's. Keys and the outbox
	// are dated by it as well.
	Clock func() time.Time
}

// DB is an open store. Its methods are safe for concurrent use.
type DB struct {
	writer *sql.DB // one connection: transactions of this process queue here, not in SQLite
	group  group   // what waits for it
	reader *sql.DB
	offset func() time.Duration
	hands  func() time.Time // nil: SQLite's clock

	settings queue.Settings
}

// Open opens the store at path, making the file, its directory (mode 0700) and its
// tables where they are missing. A database of a newer schema gives reason.QueueSchema.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	path, err := prepare(path)
	if err != nil {
		return nil, failed("prepare the database file", err)
	}
	db := &DB{offset: o.Offset, hands: o.Clock, settings: o.Settings, group: group{lead: make(chan struct{}, 1)}}
	if db.offset == nil {
		db.offset = func() time.Duration { return 0 }
	}
	if db.writer, err = connect(path, writerPragmas, 1); err != nil {
		return nil, failed("open the database", err)
	}
	if db.reader, err = connect(path, readerPragmas, readers); err != nil {
		return nil, errors.Join(failed("open the database", err), db.writer.Close())
	}
	if err := db.migrate(ctx, o); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// Close waits for running calls and closes the database.
func (db *DB) Close() error {
	return errors.Join(db.reader.Close(), db.writer.Close())
}

// prepare makes directory and file with their modes, because SQLite would follow the
// umask, and returns the absolute path.
func prepare(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if err := durable.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return "", err
	}
	if err := errors.Join(f.Chmod(0o600), f.Close()); err != nil {
		return "", err
	}
	return path, durable.SyncDir(filepath.Dir(path))
}

// The settings of each connection. busy_timeout comes first: the others may have to wait.
var (
	writerPragmas = []string{
		busyPragma, "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "secure_delete(1)",
	}
	readerPragmas = []string{busyPragma, "query_only(1)"}
	busyPragma    = fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds())
)

func connect(path string, pragmas []string, connections int) (*sql.DB, error) {
	q := url.Values{"_pragma": pragmas, "_txlock": {"immediate"}}
	name := "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

// Now is the store's clock.
func (db *DB) Now(ctx context.Context) (time.Time, error) {
	now, err := db.clock(ctx, db.reader)
	if err != nil {
		return time.Time{}, failed("read the clock", err)
	}
	return fromMillis(now), nil
}

// querier is what a transaction and a pool have in common.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func (db *DB) clock(ctx context.Context, q querier) (int64, error) {
	var now int64
	if db.hands != nil {
		return toMillis(db.hands()), nil
	}
	err := q.QueryRowContext(ctx, sqlClock).Scan(&now)
	return now + db.offset().Milliseconds(), err
}

// Server says what runs the database, such as "SQLite 3.46.0".
func (db *DB) Server(ctx context.Context) (string, error) {
	var name string
	if err := db.reader.QueryRowContext(ctx, sqlServer).Scan(&name); err != nil {
		return "", failed("ask for the version", err)
	}
	return name, nil
}

var (
	sqlClock  = query("clock")
	sqlServer = query("server")
)

func toMillis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// ceilMillis rounds up, for times before which nothing may happen.
func ceilMillis(t time.Time) int64 {
	ms := toMillis(t)
	if !t.IsZero() && time.UnixMilli(ms).Before(t) {
		ms++
	}
	return ms
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
