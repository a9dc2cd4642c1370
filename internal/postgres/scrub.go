package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A deleted row stays in the server's file until a vacuum, and its bytes often longer: a
// plain VACUUM counts the room as free and overwrites nothing. So the table of keys, which
// holds little more than the keys of what is stored, is now and then written anew, and the
// old file removed. Decision 0030 says what that does not reach.
const (
	// scrubPause lies between two scrubs: each makes everybody who needs a key wait.
	scrubPause = time.Hour

	// scrubAgain is how long after a key's destruction scrubs go on. A transaction that was
	// open at that time, such as a dump, makes a scrub keep the row; this is longer than one
	// should be open.
	scrubAgain = 24 * time.Hour

	// scrubWait is how long a scrub waits for the table, and others behind it. If it does
	// not get it, the next call tries again.
	scrubWait = time.Second

	// scrubTimeout bounds the writing: measured, a second for each 100,000 keys on a busy
	// machine with two cores. Who waits longer for a key than busyTimeout tries again.
	scrubTimeout = 30 * time.Second
)

// Scrub implements retention.Store.
func (db *DB) Scrub(ctx context.Context) error {
	var due bool
	err := db.pool.QueryRow(ctx, sqlScrubDue, named{
		"offset": db.ahead(), "pause": scrubPause.Milliseconds(), "again": scrubAgain.Milliseconds(),
	}).Scan(&due)
	if err == nil && due {
		err = db.scrub(ctx)
	}
	var engine *pgconn.PgError
	if errors.As(err, &engine) && engine.Code == "55P03" { // lock_not_available
		return nil
	}
	return failed("scrub destroyed keys", err)
}

// scrub uses a connection of its own, whose settings nobody else should get.
func (db *DB) scrub(ctx context.Context) (err error) {
	conn, err := pgx.ConnectConfig(ctx, db.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectTimeout)
		defer cancel()
		err = errors.Join(err, conn.Close(ctx))
	}()
	patience := named{"lock": scrubWait.String(), "statement": scrubTimeout.String()}
	if _, err := conn.Exec(ctx, sqlScrubPatience, patience); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, sqlScrub); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, sqlScrubDone, named{"offset": db.ahead()})
	return err
}

var (
	sqlScrubDue      = query("scrub_due")
	sqlScrubPatience = query("scrub_patience")
	sqlScrub         = query("scrub")
	sqlScrubDone     = query("scrub_done")
)
