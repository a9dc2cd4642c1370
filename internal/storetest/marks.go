package storetest

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"blotter/internal/queue"
)

// RunMarks tests a store's marks. open returns two handles of a fresh store.
func RunMarks(t *testing.T, open func(t *testing.T) (one, other queue.Marks)) {
	mark := func(t *testing.T, m queue.Marks, name, value, want string) {
		t.Helper()
		if got, err := m.Mark(t.Context(), name, value); err != nil || got != want {
			t.Errorf("mark %s, set to %q: %q, %v; want %q", name, value, got, err, want)
		}
	}
	t.Run("MarksAreSetOnce", func(t *testing.T) {
		one, other := open(t)
		mark(t, one, "a", "", "")
		mark(t, one, "a", "first", "first")
		mark(t, other, "a", "second", "first")
		mark(t, other, "a", "", "first")
		mark(t, other, "b", "", "")
		mark(t, one, "b", "second", "second")
	})
	t.Run("MarkRaceHasOneWinner", func(t *testing.T) {
		one, other := open(t)
		got := make([]string, 8)
		var racers sync.WaitGroup
		for i := range got {
			racers.Go(func() {
				m := []queue.Marks{one, other}[i%2]
				var err error
				if got[i], err = m.Mark(t.Context(), "race", fmt.Sprint("value ", i)); err != nil {
					t.Error(err)
				}
			})
		}
		racers.Wait()
		if len(slices.Compact(slices.Sorted(slices.Values(got)))) != 1 || got[0] == "" {
			t.Errorf("they were told %q", got)
		}
	})
}
