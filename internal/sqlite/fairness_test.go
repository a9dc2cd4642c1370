package sqlite_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/queue/simulate"
	"blotter/internal/sqlite"
)

// simulated works through a scenario in a store of its own.
func simulated(t *testing.T, s simulate.Scenario, settings queue.Settings) []simulate.Lent {
	t.Helper()
	c := simulate.NewClock()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "blotter.db"), sqlite.Options{Settings: settings, Clock: c.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	// Nobody's power fails here, and the disk is not what is tested.
	if _, err := sqlite.Writer(db).Exec("PRAGMA synchronous = OFF"); err != nil {
		t.Fatal(err)
	}
	for _, l := range s.Loads {
		if l.Backlog > 0 {
			backlog(t, db, l.Tenant, l.Backlog, c.Now())
		}
	}
	lent, err := simulate.Run(t.Context(), s, filled{simulate.ByStore(db)}, c)
	if err != nil {
		t.Fatal(err)
	}
	return lent
}

// filled is an order in which the backlog is there before the run.
type filled struct{ simulate.Order }

func (f filled) Add(ctx context.Context, j queue.Job) error {
	if strings.HasPrefix(string(j.ID), "backlog-") {
		return nil
	}
	return f.Order.Add(ctx, j)
}

// others are those of a lane that came while the import waited.
func others(lent []simulate.Lent, lane document.Lane) (waits, answers []time.Duration) {
	for _, l := range lent {
		if !l.Backlog && l.Lane == lane {
			waits, answers = append(waits, l.Wait()), append(answers, l.Answer())
		}
	}
	return waits, answers
}

// claimTime is what a wait may be more than in an idle system: about what a claim takes.
const claimTime = 10 * time.Millisecond

// An import of 100,000 documents leaves others where they are without it; in the order of
// age it would stand before them for hours.
func TestQuietTenantsStayFast(t *testing.T) {
	const arrivals = simulatedTime
	idle := simulated(t, simulate.Starvation(0, arrivals), queue.Settings{})
	fair := simulated(t, simulate.Starvation(importSize, arrivals), queue.Settings{})
	aged, err := simulate.Run(t.Context(), simulate.Starvation(importSize, arrivals), simulate.ByAge(), simulate.NewClock())
	if err != nil {
		t.Fatal(err)
	}
	for _, lane := range document.Lanes() {
		idleWaits, idleAnswers := others(idle, lane)
		waits, answers := others(fair, lane)
		agedWaits, _ := others(aged, lane)
		if len(waits) < 5 || len(waits) != len(idleWaits) || len(waits) != len(agedWaits) {
			t.Fatalf("%s: %d, %d and %d requests had their turn", lane, len(waits), len(idleWaits), len(agedWaits))
		}
		p99 := func(d []time.Duration) time.Duration { return simulate.Quantile(d, 0.99) }
		t.Logf("%s: %d requests, p99 of the wait %v, idle %v, by age %v; of the answer %v, idle %v",
			lane, len(waits), p99(waits), p99(idleWaits), p99(agedWaits), p99(answers), p99(idleAnswers))
		if lane == document.Interactive && p99(waits) > 2*p99(idleWaits)+claimTime {
			t.Errorf("%s: the wait is %v, in an idle system %v", lane, p99(waits), p99(idleWaits))
		}
		if p99(answers) > 2*p99(idleAnswers) {
			t.Errorf("%s: the answer takes %v, in an idle system %v", lane, p99(answers), p99(idleAnswers))
		}
		if lane == document.Bulk && p99(agedWaits) < time.Hour {
			t.Errorf("by age, others waited %v: the scenario shows nothing", p99(agedWaits))
		}
	}
	if had := simulate.Had(fair, 0, arrivals)[simulate.Importer]; had < 4*arrivals*9/10 {
		t.Errorf("the import had %v of four slots", had)
	}
}

// What a tenant gets depends on its weight, and on nothing else.
func TestSharesFollowWeights(t *testing.T) {
	const length = simulatedTime
	had := simulate.Had(simulated(t, simulate.Shares(5000, length), simulate.ShareSettings()), 0, length)
	total, weights := time.Duration(0), 0
	for tenant, d := range had {
		total += d
		weights += simulate.ShareSettings().Weight(tenant)
	}
	for tenant, d := range had {
		want := float64(total) * float64(simulate.ShareSettings().Weight(tenant)) / float64(weights)
		t.Logf("%s had %v, want %v", tenant, d, time.Duration(want))
		if off := float64(d)/want - 1; off < -0.1 || off > 0.1 {
			t.Errorf("%s had %v, which is off by %.1f %%", tenant, d, 100*off)
		}
	}
	if len(had) != 4 {
		t.Errorf("only %d tenants had a turn", len(had))
	}
}
