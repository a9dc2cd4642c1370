package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// riverQueue is River as its documentation sets it up, with as many connections as
// blotter has, and with the shortest pause between fetches that it allows instead of its
// default of 100 ms.
type riverQueue struct {
	pool   *pgxpool.Pool
	client *river.Client[pgx.Tx]
	dsn    string
}

// order is what a job needs to know; as long as blotter's sealed one.
type order struct {
	Tenant string `json:"tenant"`
	Sealed []byte `json:"sealed"`
}

// Kind implements river.JobArgs.
func (order) Kind() string { return "order" }

// nothing is a worker that does nothing.
type nothing struct{ river.WorkerDefaults[order] }

// Work implements river.Worker.
func (*nothing) Work(context.Context, *river.Job[order]) error { return nil }

func openRiver(ctx context.Context, dsn string) (rival, error) {
	pool, err := pgxpool.New(ctx, dsn+"&pool_max_conns=10")
	if err != nil {
		return nil, err
	}
	driver := riverpgxv5.New(pool)
	migrator, err := rivermigrate.New(driver, nil)
	if err != nil {
		return nil, err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return nil, err
	}
	r := &riverQueue{pool: pool, dsn: dsn}
	r.client, err = r.newClient(1)
	return r, err
}

func (r *riverQueue) newClient(workers int) (*river.Client[pgx.Tx], error) {
	known := river.NewWorkers()
	river.AddWorker(known, &nothing{})
	return river.NewClient(riverpgxv5.New(r.pool), &river.Config{
		Queues:        map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: workers}},
		Workers:       known,
		FetchCooldown: river.FetchCooldownMin, FetchPollInterval: 50 * time.Millisecond,
		JobTimeout: -1, Logger: slog.New(slog.DiscardHandler),
	})
}

func (r *riverQueue) close() { r.pool.Close() }

func (r *riverQueue) enqueue(ctx context.Context, n int) error {
	_, err := r.client.Insert(ctx, order{Tenant: string(tenantOf(n)), Sealed: make([]byte, 200)}, nil)
	return err
}

func (r *riverQueue) fill(ctx context.Context, depth int) error {
	if err := r.enqueue(ctx, 0); err != nil {
		return err
	}
	return inSQL(ctx, r.dsn,
		fmt.Sprintf(`INSERT INTO river_job (args, kind, max_attempts, queue, state, priority, scheduled_at, created_at, metadata, tags)
			SELECT args, kind, max_attempts, queue, state, priority, scheduled_at, created_at, metadata, tags
			FROM generate_series(1, %d) AS n, (SELECT * FROM river_job LIMIT 1) AS one`, depth-1),
		"VACUUM ANALYZE")
}

func (r *riverQueue) work(ctx context.Context, n, workers int) (time.Duration, []time.Duration, error) {
	client, err := r.newClient(workers)
	if err != nil {
		return 0, nil, err
	}
	ended, cancel := client.SubscribeConfig(&river.SubscribeConfig{ChanSize: n + 100*workers, Kinds: []river.EventKind{river.EventKindJobCompleted}})
	defer cancel()
	began := time.Now()
	if err := client.Start(ctx); err != nil {
		return 0, nil, err
	}
	each := make([]time.Duration, 0, n)
	for len(each) < n {
		select {
		case e := <-ended:
			each = append(each, e.Job.FinalizedAt.Sub(*e.Job.AttemptedAt))
		case <-ctx.Done():
			return 0, nil, ctx.Err()
		}
	}
	took := time.Since(began)
	return took, each, client.StopAndCancel(context.WithoutCancel(ctx))
}
