package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"blotter/internal/document"
	"blotter/internal/postgres"
	"blotter/internal/queue"
	"blotter/receipt"
)

// tenants is among how many jobs are shared out.
const tenants = 100

type blotter struct {
	db     *postgres.DB
	dsn    string
	behind bool // a worker takes its next job while the end of the last is being written
}

func openBlotter(ctx context.Context, dsn string) (rival, error) {
	db, err := postgres.Open(ctx, dsn, postgres.Options{})
	if err != nil {
		return nil, err
	}
	return &blotter{db: db, dsn: dsn}, nil
}

// openBehind is blotter with workers that are free when their job is done, as River's are,
// instead of when its end is durable. Each has one end on its way at most; River's have any
// number.
func openBehind(ctx context.Context, dsn string) (rival, error) {
	r, err := openBlotter(ctx, dsn)
	if err != nil {
		return nil, err
	}
	r.(*blotter).behind = true
	return r, nil
}

func (b *blotter) close() { b.db.Close() }

// policy is of the length that a real one has.
var policy = queue.PolicyRef{Name: "default", Version: "4", Digest: document.Sum([]byte("policy")), Body: make([]byte, 4000)}

func tenantOf(n int) document.Tenant { return document.Tenant(fmt.Sprintf("tenant-%d", n%tenants)) }

// event is of the size that a worker's are.
func event(kind receipt.Kind, j queue.Job) receipt.Event {
	return receipt.Event{
		Kind: kind, Job: string(j.ID), Tenant: string(j.Tenant), Actor: "worker", Attempt: int64(j.Attempt),
		Policy: &receipt.Policy{Name: policy.Name, Version: policy.Version, SHA256: policy.Digest.String()},
	}
}

func (b *blotter) enqueue(ctx context.Context, n int) error {
	j := queue.Job{ID: document.NewID(), Tenant: tenantOf(n), Lane: document.Bulk, Policy: policy, Sealed: make([]byte, 200)}
	rand.Read(j.Input[:])
	_, _, err := b.db.Enqueue(ctx, j, event(receipt.Received, j))
	return err
}

// fill takes in one job of each tenant in the ordinary way and copies them.
func (b *blotter) fill(ctx context.Context, depth int) error {
	for n := range min(tenants, depth) {
		if err := b.enqueue(ctx, n); err != nil {
			return err
		}
	}
	return inSQL(ctx, b.dsn,
		fmt.Sprintf(`WITH filled AS (
				INSERT INTO jobs (id, tenant, lane, state, created, not_before, input, policy_name, policy_version, policy_digest, sealed)
				SELECT 'j' || lpad(to_hex(n), 26, '0'), 'tenant-' || n %% %d, lane, state, created, not_before, input, policy_name, policy_version, policy_digest, sealed
				FROM generate_series(1, %d) AS n, (SELECT * FROM jobs LIMIT 1) AS one
				RETURNING lane, tenant, not_before, seq
			)
			INSERT INTO waiting (line, not_before, seq) SELECT line, not_before, seq FROM filled JOIN shares USING (lane, tenant)`, tenants, depth-min(tenants, depth)),
		"VACUUM ANALYZE")
}

func inSQL(ctx context.Context, dsn string, statements ...string) error {
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	for _, s := range statements {
		if _, err := c.Exec(ctx, s); err != nil {
			return fmt.Errorf("%.40s: %w", s, err)
		}
	}
	return nil
}

func (b *blotter) work(ctx context.Context, n, workers int) (time.Duration, []time.Duration, error) {
	each := make([]time.Duration, n)
	var next atomic.Int64
	var mu sync.Mutex
	var failed error
	var work sync.WaitGroup
	fail := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		failed = errors.Join(failed, err)
	}
	began := time.Now()
	for range workers {
		work.Go(func() {
			behind := make(chan struct{}, 1)
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				at := time.Now()
				j, err := b.claim(ctx)
				for ; errors.Is(err, queue.ErrNoJob); j, err = b.claim(ctx) { // producers are behind
					time.Sleep(2 * time.Millisecond)
				}
				if err != nil {
					fail(err)
					return
				}
				end := func() {
					if err := b.finish(ctx, j); err != nil {
						fail(err)
					}
					each[i] = time.Since(at)
				}
				if !b.behind {
					end()
					continue
				}
				behind <- struct{}{}
				work.Go(func() {
					defer func() { <-behind }()
					end()
				})
			}
		})
	}
	work.Wait()
	return time.Since(began), each, failed
}

func (b *blotter) claim(ctx context.Context) (queue.Job, error) {
	return b.db.Claim(ctx, queue.Claim{Lease: time.Minute}, func(j queue.Job) receipt.Event { return event(receipt.Claimed, j) })
}

func (b *blotter) finish(ctx context.Context, j queue.Job) error {
	return b.db.Finish(ctx, queue.Lease{Job: j.ID, Token: j.Token, Until: j.LeaseUntil}, queue.Outcome{
		Target: document.Released, Bytes: 1000, Result: make([]byte, 1000), Event: event(receipt.RedactedKind, j),
	})
}

// one claims a job, sleeps, and finishes it.
func (b *blotter) one(ctx context.Context, sleeps time.Duration) error {
	j, err := b.claim(ctx)
	if err != nil {
		return err
	}
	if sleeps > 0 {
		select {
		case <-time.After(sleeps):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return b.finish(ctx, j)
}
