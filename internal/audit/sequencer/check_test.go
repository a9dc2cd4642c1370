package sequencer_test

import (
	"slices"
	"testing"

	"blotter/internal/audit"
	"blotter/internal/audit/sequencer"
	"blotter/internal/reason"
	"blotter/receipt"
)

// audit.Check believes nothing: each stored thing, changed alone, is found.
func TestCheckFindsEveryChange(t *testing.T) {
	log := &memoryLog{}
	s := open(t, t.TempDir(), log)
	for _, job := range []string{"j1", "j2", "j3", "j4", "j5"} {
		log.put(event(job))
	}
	drain(t, s)
	whole, trust := log.copy(), s.Trust()
	shorter := &memoryLog{}
	other := open(t, t.TempDir(), shorter)

	for _, tt := range []struct {
		name   string
		damage func()
		code   reason.Code
	}{
		{"entry removed", func() { log.entries = log.entries[:5] }, reason.ReceiptCheckpoint},
		{"entries swapped", func() { log.entries[2], log.entries[3] = log.entries[3], log.entries[2] }, reason.ReceiptInconsistent},
		{"entry of another key", func() { log.entries[0] = shorter.entries[0] }, reason.ReceiptUntrusted},
		{"entry cut short", func() { log.entries[1].Envelope = log.entries[1].Envelope[1:] }, reason.ReceiptMalformed},
		{"leaf hash changed", func() { log.hashes[3][5] ^= 1 }, reason.ReceiptInconsistent},
		{"inner hash changed", func() { log.hashes[2][5] ^= 1 }, reason.ReceiptInconsistent},
		{"checkpoint of another log", func() { log.checkpoint = shorter.checkpoint }, reason.ReceiptUntrusted},
		{"checkpoint lost", func() { log.checkpoint = nil }, reason.ReceiptMalformed},
		{"first entry is no key", func() { log.entries[0] = log.entries[1] }, reason.ReceiptInconsistent},
		{"another entry, properly signed", func() { log.entries[4] = resealed(t, s) }, reason.ReceiptInconsistent},
	} {
		log.restore(whole)
		log.entries = slices.Clone(log.entries)
		tt.damage()
		if _, err := audit.Check(t.Context(), log, trust); reason.Of(err) != tt.code {
			t.Errorf("%s: %v; want %s", tt.name, err, tt.code)
		}
	}
	if _, err := audit.Check(t.Context(), &memoryLog{}, other.Trust()); err != nil {
		t.Errorf("an empty log: %v", err)
	}
}

// resealed is entry 4 with another job, by the same key: what a thief of the key makes.
func resealed(t *testing.T, s *sequencer.Sequencer) audit.Entry {
	t.Helper()
	e := event("forged")
	e.Schema, e.Sequence, e.Time = receipt.EventSchema, 4, receipt.FormatTime(clock())
	envelope, err := receipt.Seal(e, s.Signer())
	if err != nil {
		t.Fatal(err)
	}
	return audit.Entry{Sequence: 4, Envelope: envelope}
}

func TestReceiptOfAnEntryThatIsNotThere(t *testing.T) {
	log := &memoryLog{}
	open(t, t.TempDir(), log)
	for _, n := range []int64{-1, 1} {
		if _, err := audit.Receipt(t.Context(), log, n); reason.Of(err) != reason.AuditUnavailable {
			t.Errorf("entry %d: %v", n, err)
		}
	}
}
