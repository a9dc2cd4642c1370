package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"

	"github.com/jackc/pgx/v5"
)

var _ queue.Watcher = (*DB)(nil)

const (
	// silence is how long a connection may say nothing before it is asked whether it still
	// stands: a server that vanished says nothing either.
	silence = 30 * time.Second

	// firstPause and longestPause bound the wait before a lost connection is made again. It
	// doubles with each failure, and a random part of it keeps nodes apart.
	firstPause   = 100 * time.Millisecond
	longestPause = 10 * time.Second
)

// Watch implements queue.Watcher, on a connection of its own, which it makes again where it
// is lost; as long as there is none, hints are lost. Then, and at the beginning, it tells
// that there may be work, because some may have come before. It also hears the hints of
// its own process.
func (db *DB) Watch(ctx context.Context, tell func(queue.Notice)) error {
	for pause := firstPause; ctx.Err() == nil; {
		heard, err := db.listen(ctx, tell)
		if heard {
			pause = firstPause
		}
		if err == nil {
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause/2 + rand.N(pause/2)):
		}
		pause = min(2*pause, longestPause)
	}
	return nil
}

// listen passes hints on until the connection is lost or ctx ends. heard reports whether it
// had a connection.
func (db *DB) listen(ctx context.Context, tell func(queue.Notice)) (heard bool, err error) {
	conn, err := pgx.ConnectConfig(ctx, db.pool.Config().ConnConfig)
	if err != nil {
		return false, err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectTimeout)
		defer cancel()
		_ = conn.Close(ctx) // lost, or of no use any more
	}()
	if _, err := conn.Exec(ctx, sqlListen, pgx.QueryExecModeSimpleProtocol); err != nil {
		return false, err
	}
	for tell(queue.Notice{}); ; {
		n, err := next(ctx, conn)
		switch {
		case err != nil:
			return true, err
		case n != nil:
			tell(*n)
		}
	}
}

// next waits for a hint; nil: there was none for a while, and the connection stands.
func next(ctx context.Context, conn *pgx.Conn) (*queue.Notice, error) {
	quiet, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	n, err := conn.WaitForNotification(quiet)
	if err == nil {
		return &queue.Notice{Job: document.ID(n.Payload)}, nil
	}
	if ctx.Err() != nil || !errors.Is(quiet.Err(), context.DeadlineExceeded) {
		return nil, err
	}
	ask, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	return nil, conn.Ping(ask)
}

var sqlListen = query("listen")
