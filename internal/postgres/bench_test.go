package postgres_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"blotter/internal/document"
	"blotter/internal/postgres"
	"blotter/internal/postgres/pgtest"
	"blotter/internal/queue"
	"blotter/receipt"
)

// The server of a benchmark is a real one: it syncs what it commits.
func benchStore(b *testing.B) *postgres.DB {
	c := pgtest.Own(b, pgtest.Options{Durable: true, Settings: []string{"shared_buffers = 512MB", "max_wal_size = 4GB"}})
	if err := c.Create(b.Context(), "bench", "template1"); err != nil {
		b.Fatal(err)
	}
	return open(b, c.URL("bench"), &clock{})
}

// callers run a step at once until b is through, as the workers and requests of one process.
func callers(b *testing.B, n int, step func() error) {
	b.Helper()
	b.SetParallelism(max(1, n/runtime.GOMAXPROCS(0)))
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := step(); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
}

const tenants = 20

func benchTenant(n int64) document.Tenant { return document.Tenant(fmt.Sprintf("t%02d", n%tenants)) }

func BenchmarkEnqueue(b *testing.B) {
	for _, n := range []int{1, 64} {
		b.Run(fmt.Sprint("callers=", n), func(b *testing.B) {
			db := benchStore(b)
			var serial atomic.Int64
			callers(b, n, func() error {
				j := newJob(benchTenant(serial.Add(1)))
				_, _, err := db.Enqueue(b.Context(), j, event(receipt.Received, j.ID))
				return err
			})
		})
	}
}

// Claim to end, with the jobs of many tenants in the queue. The depth is what else waits.
func BenchmarkClaimAndFinish(b *testing.B) {
	depths := []int{1_000, 100_000}
	if most, err := strconv.Atoi(os.Getenv("BLOTTER_BENCH_DEPTH")); err == nil {
		depths = append(depths, most)
	}
	for _, depth := range depths {
		for _, n := range []int{1, 64} {
			b.Run(fmt.Sprintf("depth=%d/callers=%d", depth, n), func(b *testing.B) {
				db := benchStore(b)
				fill(b, db, depth+b.N)
				callers(b, n, func() error {
					j, err := db.Claim(b.Context(), queue.Claim{Lease: time.Hour}, claimed)
					if errors.Is(err, queue.ErrNoJob) {
						return errors.New("the queue is empty")
					}
					if err != nil {
						return err
					}
					return db.Finish(b.Context(), leaseOf(j), released(j.ID))
				})
			})
		}
	}
}

// A heartbeat, of which each running job sends one every few seconds.
func BenchmarkExtend(b *testing.B) {
	db := benchStore(b)
	fill(b, db, 256)
	var leases []queue.Lease
	for range 256 {
		leases = append(leases, leaseOf(claim(b, db, time.Hour)))
	}
	var serial atomic.Int64
	callers(b, 64, func() error {
		_, err := db.Extend(b.Context(), leases[serial.Add(1)%256], time.Hour)
		return err
	})
}

// fill puts jobs of many tenants into the queue, as long imports leave them.
func fill(b *testing.B, db *postgres.DB, n int) {
	b.Helper()
	first := newJob("t00")
	enqueue(b, db, first)
	err := postgres.Exec(b.Context(), db, fmt.Sprintf(`
		INSERT INTO shares (lane, tenant, virtual, place, mean_ms, active, since, wakes)
		SELECT 'bulk', 't' || lpad(n::text, 2, '0'), 0, 0, 1000, true, 0, 0 FROM generate_series(0, %d) AS n
		ON CONFLICT DO NOTHING`, tenants-1))
	for from := 1; from < n; from += 50_000 { // each within the time that a statement has
		err = errors.Join(err, postgres.Exec(b.Context(), db, fmt.Sprintf(`
			WITH filled AS (
				INSERT INTO jobs (id, tenant, lane, state, created, not_before, input, policy_name, policy_version, policy_digest, sealed)
				SELECT 'filled' || n, 't' || lpad((n %% %d)::text, 2, '0'), 'bulk', 'queued', not_before, not_before, input,
				       policy_name, policy_version, policy_digest, sealed
				FROM jobs, generate_series(%d, %d) AS n WHERE id = '%s'
				RETURNING lane, tenant, not_before, seq
			)
			INSERT INTO waiting (line, not_before, seq) SELECT line, not_before, seq FROM filled JOIN shares USING (lane, tenant)`,
			tenants, from, min(from+50_000, n)-1, first.ID)))
	}
	for _, step := range []string{"VACUUM ANALYZE", "CHECKPOINT"} {
		err = errors.Join(err, postgres.Exec(b.Context(), db, step))
	}
	if err != nil {
		b.Fatal(err)
	}
}
