// Package postgres holds every query of blotter's PostgreSQL store (version 14 and
// later): plain .sql files, embedded, one named query a step, with the names of those of
// package sqlite where both have the query. It implements the same interfaces
// (queue.Store, queue.Intake, queue.Operations, queue.WorkingCopies, audit.Log, vault.Keys,
// access.Store, queue.Leaders) over one database that any number of nodes share.
//
// What it promises: a method that writes is there as a whole or not at all, and durable on
// the server when it returns nil (each connection sets synchronous_commit to on where the
// server's setting promises less; fsync is the server's). The clock is the server's, in
// milliseconds. Calls of one process that wait for the same kind of write are made together
// (together.go).
//
// Every transaction reads committed rows and takes its locks in one order: jobs that end by
// id, rows of waiting (passing over those that others hold), their jobs, rows of lent, of
// shares by lane and tenant, of levels. No session holds a lock for longer than
// stalledTimeout while its process stands still.
//
// No error and no log names the connection string or a part of it.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	"blotter/internal/queue"
	"blotter/internal/reason"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// busyTimeout is how long a statement waits for a lock before the write is given up
	// with reason.QueueBusy. Transactions here take milliseconds.
	busyTimeout = 5 * time.Second

	// statementTimeout is how long one statement may run: far longer than any of ours on a
	// server that is well, short enough that a caller learns of one that is not.
	statementTimeout = 30 * time.Second

	// stalledTimeout is how long the server lets a transaction stand idle. A process that
	// is stopped amid one loses it, and with it the locks that would keep its jobs from
	// being lent to others.
	stalledTimeout = 5 * time.Second

	// writeTimeout bounds a write that the network has swallowed.
	writeTimeout = 40 * time.Second

	// connectTimeout bounds the making of a connection, where the DSN does not say.
	connectTimeout = 5 * time.Second

	// connections is the most that one process opens, where the DSN does not say
	// (pool_max_conns). Writes of a kind share one, so that few do for many workers.
	connections = 10

	// stripes is among how many rows of a lane's level processes are spread.
	stripes = 16

	oldestServer = 140000 // as server_version_num says it
)

// Options are what a store is opened with; the zero value is right for a test.
type Options struct {
	// NoMigration refuses an older schema, or none, with reason.QueueSchemaOld, rather than
	// to bring it up to date.
	NoMigration bool
	// Schema is told the schema that is there, 0 for none, and the one that it is brought to,
	// also where NoMigration refuses that; nil: nobody.
	Schema func(have, want int)

	// Settings are what the operator decided about sharing; every node must have the same.
	Settings queue.Settings

	// Offset is added to the server's clock; nil adds nothing. It may change between
	// calls. It is for tests.
	Offset func() time.Duration
}

// DB is an open store. Its methods are safe for concurrent use.
type DB struct {
	pool     *pgxpool.Pool
	settings queue.Settings
	offset   func() time.Duration
	hints    *hints
	stripe   int // of the rows in levels that this process writes
	policies policies
	lull     atomic.Bool // the last look found nobody active in the interactive lane

	// What is made together, by kind.
	work     *combiner[step, queue.Job]
	enqueues *combiner[arriving, arrived]
	extends  *combiner[extending, queue.Lease]
}

// Open opens the store that the DSN (a URL or libpq's words) names, making its tables
// where they are missing. A database of a newer schema gives reason.QueueSchema, one that
// cannot be reached reason.QueueBusy, one that refuses us or is too old
// reason.ConfigInvalid.
func Open(ctx context.Context, dsn string, o Options) (*DB, error) {
	db := &DB{settings: o.Settings, offset: o.Offset, stripe: rand.N(stripes)}
	var err error
	if db.pool, err = connect(ctx, dsn, db.connected); err != nil {
		return nil, failed("open the database", err)
	}
	if db.offset == nil {
		db.offset = func() time.Duration { return 0 }
	}
	db.hints = newHints(db.pool)
	db.work = newCombiner(db.workTogether)
	db.enqueues = newCombiner(db.enqueueTogether)
	db.extends = newCombiner(db.extendTogether)
	if err := db.migrate(ctx, o); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// connected makes a new connection ready. It may be to a database that was restored, or to a
// standby that has taken over, so what was known of the old one is forgotten.
func (db *DB) connected(ctx context.Context, c *pgx.Conn) error {
	db.policies.forget()
	return prepareSession(ctx, c)
}

func connect(ctx context.Context, dsn string, connected func(context.Context, *pgx.Conn) error) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil { // its text holds the DSN
		return nil, reason.Because(reason.ConfigInvalid, errors.New("the connection string cannot be read"))
	}
	if !strings.Contains(dsn, "pool_max_conns") {
		config.MaxConns = connections
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	config.ConnConfig.RuntimeParams["application_name"] = "blotter"
	config.AfterConnect = connected
	return pgxpool.NewWithConfig(ctx, config)
}

// prepareSession sets what our promises need of a session, whatever the server's defaults,
// and refuses a server that cannot keep them.
func prepareSession(ctx context.Context, c *pgx.Conn) error {
	var version int
	var readOnly bool
	err := c.QueryRow(ctx, sqlSession, named{
		"lock": busyTimeout.String(), "statement": statementTimeout.String(), "stalled": stalledTimeout.String(),
	}).Scan(&version, &readOnly)
	switch {
	case err != nil:
		return err
	case version < oldestServer:
		return reason.Because(reason.ConfigInvalid, fmt.Errorf("the server's version is %d, the oldest that will do %d", version, oldestServer))
	case readOnly: // a standby, perhaps about to be promoted
		return reason.Because(reason.QueueBusy, errors.New("the server takes no writes"))
	}
	return nil
}

// Close waits for running calls and closes the database.
func (db *DB) Close() error {
	db.hints.close()
	db.pool.Close()
	return nil
}

// Now is the store's clock.
func (db *DB) Now(ctx context.Context) (time.Time, error) {
	now, err := db.clock(ctx, db.pool)
	if err != nil {
		return time.Time{}, failed("read the clock", err)
	}
	return fromMillis(now), nil
}

// clock reads the store's clock, in milliseconds. A statement that needs no number in Go
// asks now_ms(@offset) itself.
func (db *DB) clock(ctx context.Context, q querier) (int64, error) {
	var now int64
	err := q.QueryRow(ctx, sqlClock, named{"offset": db.ahead()}).Scan(&now)
	return now, err
}

// ahead is the test's offset in milliseconds, for now_ms.
func (db *DB) ahead() int64 { return db.offset().Milliseconds() }

// Server says what runs the database, such as "PostgreSQL 16.2".
func (db *DB) Server(ctx context.Context) (string, error) {
	var name string
	if err := db.pool.QueryRow(ctx, sqlServer).Scan(&name); err != nil {
		return "", failed("ask for the version", err)
	}
	return name, nil
}

var (
	sqlSession = query("session")
	sqlServer  = query("server")
	sqlClock   = query("clock")
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
