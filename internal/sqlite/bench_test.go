package sqlite_test

import (
	"sync/atomic"
	"testing"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/sqlite"
	"blotter/internal/storetest"
	"blotter/internal/vault"
	"blotter/receipt"
)

// takeIn does what the store has to do for one document: four transactions.
func takeIn(b *testing.B, db *sqlite.DB) {
	r := queue.Reservation{Tenant: document.Local, Key: string(document.NewID()), Job: document.NewID()}
	r, _, err := db.Reserve(b.Context(), r, time.Minute, storetest.Wide, receipt.Event{Kind: receipt.Staged})
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []vault.Class{vault.Upload, vault.Task} {
		if _, err := db.PutKey(b.Context(), r.Job, c, make([]byte, 200)); err != nil {
			b.Fatal(err)
		}
	}
	j := newJob()
	j.ID, j.Sealed = r.Job, make([]byte, 300)
	if _, err := db.Accept(b.Context(), r, "print", j, receipt.Event{Kind: receipt.Received}); err != nil {
		b.Fatal(err)
	}
}

// One client after another, and 32 at once.
func BenchmarkIntake(b *testing.B) {
	for name, clients := range map[string]int{"one": 0, "many": 32} {
		b.Run(name, func(b *testing.B) {
			db, err := sqlite.Open(b.Context(), b.TempDir()+"/blotter.db", sqlite.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			b.ReportAllocs()
			var slowest atomic.Int64
			b.ResetTimer()
			if clients == 0 {
				for b.Loop() {
					takeIn(b, db)
				}
			} else {
				b.SetParallelism(clients / 2) // times GOMAXPROCS
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						start := time.Now()
						takeIn(b, db)
						for d := int64(time.Since(start)); ; {
							if was := slowest.Load(); d <= was || slowest.CompareAndSwap(was, d) {
								break
							}
						}
					}
				})
				b.ReportMetric(float64(slowest.Load())/1e6, "slowest-ms")
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
		})
	}
}
