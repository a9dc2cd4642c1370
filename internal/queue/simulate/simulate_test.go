package simulate_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue/simulate"
)

func byAge(t *testing.T, s simulate.Scenario) []simulate.Lent {
	t.Helper()
	lent, err := simulate.Run(context.Background(), s, simulate.ByAge(), simulate.NewClock())
	if err != nil {
		t.Fatal(err)
	}
	return lent
}

// A simulation that lends a slot twice, or loses a request, shows nothing.
func TestSlotsAreKept(t *testing.T) {
	s := simulate.Starvation(500, time.Hour)
	lent := byAge(t, s)
	if again := byAge(t, s); !reflect.DeepEqual(again, lent) {
		t.Error("the same scenario gave another result")
	}
	busy := func(at time.Duration, lane document.Lane) (n int) {
		for _, l := range lent {
			if l.Start <= at && at < l.Start+l.Took && (lane == "" || l.Lane == lane) {
				n++
			}
		}
		return n
	}
	backlog, most := 0, 0
	for _, l := range lent {
		if l.Backlog {
			backlog++
		}
		if l.Wait() < 0 || l.Took <= 0 || l.Ready > time.Hour {
			t.Fatalf("lent %+v", l)
		}
		all, bulk := busy(l.Start, ""), busy(l.Start, document.Bulk)
		if most = max(most, all); all > s.Slots+s.Reserved || bulk > s.Slots {
			t.Fatalf("at %v, %d slots are busy, %d with bulk jobs", l.Start, all, bulk)
		}
	}
	if backlog != 500 || most < s.Slots+1 {
		t.Errorf("%d jobs of 500 had their turn; at most %d slots were busy", backlog, most)
	}
	// Twelve clinics with one request in five minutes, six practices with one in ten.
	if came := len(lent) - backlog; came < 130 || came > 230 {
		t.Errorf("%d requests came in an hour; 180 were to be expected", came)
	}
}

// By age nobody of a lane goes before who was there first.
func TestByAge(t *testing.T) {
	last := map[document.Lane]time.Duration{}
	for _, l := range byAge(t, simulate.Starvation(500, time.Hour)) {
		if l.Ready < last[l.Lane] {
			t.Fatalf("%+v went after one that came at %v", l, last[l.Lane])
		}
		last[l.Lane] = l.Ready
	}
}

func TestQuantile(t *testing.T) {
	values := []time.Duration{5, 1, 4, 2, 3}
	for q, want := range map[float64]time.Duration{0: 1, 0.2: 1, 0.5: 3, 0.8: 4, 0.81: 5, 1: 5} {
		if got := simulate.Quantile(values, q); got != want {
			t.Errorf("%v: %d, want %d", q, got, want)
		}
	}
	if simulate.Quantile(nil, 0.5) != 0 {
		t.Error("nothing has a quantile")
	}
}

func TestHad(t *testing.T) {
	lent := []simulate.Lent{{Tenant: "a", Start: 0, Took: 10}, {Tenant: "a", Start: 8, Took: 10}, {Tenant: "b", Start: 20, Took: 1}}
	if had := simulate.Had(lent, 5, 15); had["a"] != 5+7 || had["b"] != 0 {
		t.Errorf("had %v", had)
	}
}
