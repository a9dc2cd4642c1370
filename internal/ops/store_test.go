package ops

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/sqlite"
	"blotter/receipt"
)

// The real store shows in a scrape, and as down once it is closed.
func TestScrapeOfARealStore(t *testing.T) {
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "blotter.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, lane := range []document.Lane{document.Bulk, document.Bulk, document.Interactive} {
		j := queue.Job{ID: document.NewID(), Tenant: "ward", Lane: lane, Policy: queue.PolicyRef{Name: "p", Version: "1"}}
		if _, _, err := db.Enqueue(t.Context(), j, receipt.Event{Kind: receipt.Received}); err != nil {
			t.Fatal(err)
		}
	}
	claimed := func(queue.Job) receipt.Event { return receipt.Event{Kind: receipt.Claimed} }
	if _, err := db.Claim(t.Context(), queue.Claim{Lease: time.Minute}, claimed); err != nil { // the interactive one
		t.Fatal(err)
	}
	got := scrape(t, NewMetrics(Options{Pressure: db.Pressure}))
	for _, line := range []string{
		`blotter_store_up 1`,
		`blotter_backlog_jobs{lane="bulk",state="ready",tenant="ward"} 2`,
		`blotter_backlog_jobs{lane="interactive",state="leased",tenant="ward"} 1`,
		`blotter_audit_outbox_events 4`,
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if got := scrape(t, NewMetrics(Options{Pressure: db.Pressure})); !strings.Contains(got, "blotter_store_up 0\n") {
		t.Error("a closed store is up")
	}
}
