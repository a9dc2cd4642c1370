package sequencer_test

import (
	"slices"
	"testing"

	"blotter/internal/audit/sequencer"
	"blotter/internal/document"
)

func TestSealedTellsTheJobOfEachEvent(t *testing.T) {
	log := &memoryLog{}
	var told []document.ID
	var states []document.State
	cfg := configOf(t.TempDir(), log)
	cfg.Sealed = func(id document.ID, moved document.State) {
		if len(log.outbox) > 0 {
			t.Error("told before the batch was in the log")
		}
		told = append(told, id)
		states = append(states, moved)
	}
	s, err := sequencer.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer closeIt(t, s)
	log.put(event("j1"))
	log.put(event("j2"))
	log.outbox[len(log.outbox)-1].State = document.Released
	drain(t, s)
	if !slices.Equal(told, []document.ID{"j1", "j2"}) {
		t.Errorf("told of %v", told)
	}
	if !slices.Equal(states, []document.State{"", document.Released}) {
		t.Errorf("they moved to %v", states)
	}
}
