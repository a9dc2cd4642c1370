package sqlite_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/queue/simulate"
	"blotter/internal/reason"
	"blotter/internal/sqlite"
	"blotter/receipt"
)

// backlog puts n queued bulk jobs of a tenant into a store, faster than one by one. Their
// identifiers are those of package simulate.
func backlog(tb testing.TB, db *sqlite.DB, tenant document.Tenant, n int, at time.Time) {
	tb.Helper()
	for _, step := range []string{
		`INSERT INTO policies (digest, body) VALUES (zeroblob(32), x'') ON CONFLICT DO NOTHING`,
		`WITH RECURSIVE numbers (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i < :n - 1)
		 INSERT INTO jobs (id, tenant, lane, state, created, not_before, input, policy_name, policy_version, policy_digest)
		 SELECT 'backlog-' || :tenant || '-' || i, :tenant, 'bulk', 'queued', :at, :at, zeroblob(32), 'stub', '1', zeroblob(32) FROM numbers`,
		`INSERT INTO shares (lane, tenant, virtual, started, mean_ms, active, since, wakes) VALUES ('bulk', :tenant, 0, 0, 1000, 1, :at, 0)`,
	} {
		args := named(step, []any{sql.Named("tenant", string(tenant)), sql.Named("n", n), sql.Named("at", at.UnixMilli())})
		if _, err := sqlite.Writer(db).Exec(step, args...); err != nil {
			tb.Fatal(err)
		}
	}
}

// What a claim costs among a thousand jobs and among a million, of fifty tenants. On a disk
// that others write to as well, the mean is theirs: the median tells.
func BenchmarkClaim(b *testing.B) {
	for _, n := range []int{1_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			db, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "blotter.db"), sqlite.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			const tenants = 50
			for i := range tenants {
				backlog(b, db, document.Tenant(fmt.Sprint("tenant-", i)), n/tenants, time.Now())
			}
			none := func(queue.Job) receipt.Event { return receipt.Event{} }
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				j, err := db.Claim(b.Context(), queue.Claim{Lease: time.Hour}, none)
				if err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
				b.StopTimer()
				l := queue.Lease{Job: j.ID, Token: j.Token}
				if err := db.Release(b.Context(), l, reason.QueueStopped, time.Time{}, receipt.Event{}); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
			b.ReportMetric(float64(simulate.Quantile(took, 0.5).Microseconds()), "median-µs")
			b.ReportMetric(float64(simulate.Quantile(took, 0.99).Microseconds()), "p99-µs")
		})
	}
}
