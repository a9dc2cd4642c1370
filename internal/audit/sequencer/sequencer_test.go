package sequencer_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blotter/internal/audit"
	"blotter/internal/audit/sequencer"
	"blotter/internal/reason"
	"blotter/receipt"
)

func TestFirstStart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	log := &memoryLog{}
	s := open(t, dir, log)
	check(t, log, s.Trust())
	env, err := receipt.Open(log.entries[0].Envelope)
	if err != nil || env.Event.Kind != receipt.KeyCreated || env.Event.Key.ID != s.Trust().Keys[0].ID {
		t.Errorf("the first entry is %+v, %v", env.Event, err)
	}
	for name, want := range map[string]os.FileMode{".": 0o700, "signing.key": 0o600, "log.record": 0o600, "sequencer.lock": 0o600} {
		st, err := os.Stat(filepath.Join(dir, name))
		if err != nil || st.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want mode %v", name, st.Mode(), err, want)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, sequencer.TrustFile))
	if err != nil {
		t.Fatal(err)
	}
	trust, err := receipt.ParseTrustList(data)
	host, _ := os.Hostname()
	if err != nil || !strings.HasPrefix(trust.Origin, "blotter.local/") || (host != "" && strings.Contains(trust.Origin, host)) {
		t.Errorf("trust list %s, %v", data, err)
	}
}

func TestEventsAreSealedInOrder(t *testing.T) {
	log := &memoryLog{}
	dir := t.TempDir()
	s := open(t, dir, log)
	var want []string
	for i := range 300 { // more than two batches
		want = append(want, fmt.Sprintf("j%d", i))
		log.put(event(want[i]))
	}
	drain(t, s)
	if got := check(t, log, s.Trust()); !slices.Equal(got, want) {
		t.Errorf("sealed %v", got)
	}
	closeIt(t, s)
	log.put(event("after"))
	s = open(t, dir, log)
	drain(t, s)
	if got := check(t, log, s.Trust()); !slices.Equal(got, append(want, "after")) {
		t.Errorf("after a new start: %v", got)
	}
}

func TestOnlyOneIsElected(t *testing.T) {
	log := &memoryLog{}
	dir := t.TempDir()
	s := open(t, dir, log)
	if _, err := sequencer.Open(t.Context(), configOf(dir, log)); !errors.Is(err, sequencer.ErrNotElected) {
		t.Errorf("a second sequencer: %v", err)
	}
	closeIt(t, s)
	if _, err := s.Step(t.Context()); reason.Of(err) != reason.AuditUnavailable {
		t.Errorf("a step after Close: %v", err)
	}
	open(t, dir, log)
}

func TestRunSealsWhatComesAndStops(t *testing.T) {
	log := &memoryLog{}
	s := open(t, t.TempDir(), log)
	sealed := make(chan struct{}, 1)
	log.around = func(write func() error) error {
		defer func() { sealed <- struct{}{} }()
		return write()
	}
	ctx, stop := context.WithCancel(t.Context())
	wake, done := make(chan struct{}, 1), make(chan error, 1)
	go func() { done <- s.Run(ctx, wake) }()
	for i := range 3 {
		log.put(event(fmt.Sprint("j", i)))
		wake <- struct{}{}
		<-sealed
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := check(t, log, s.Trust()); len(got) != 3 {
		t.Errorf("sealed %v", got)
	}
}

func TestRunEndsWhenTheLogWasRolledBack(t *testing.T) {
	log := &memoryLog{}
	s := open(t, t.TempDir(), log)
	backup := log.copy()
	log.put(event("j1"))
	drain(t, s)
	log.restore(backup)
	log.put(event("j2"))
	wantRollback(t, "Run", s.Run(t.Context(), nil)) // the first step fails; the next looks again
}

// An older database is refused at the start and by a sequencer that runs.
func TestRestoredBackupIsRefused(t *testing.T) {
	dir := t.TempDir()
	log := &memoryLog{}
	s := open(t, dir, log)
	log.put(event("j1"))
	drain(t, s)
	backup := log.copy()
	for i := range 3 {
		log.put(event(fmt.Sprint("later", i)))
		drain(t, s)
	}
	newest := log.copy()

	log.restore(backup)
	log.put(event("fork"))
	_, err := s.Step(t.Context())
	if err == nil {
		t.Fatal("a running sequencer signed on an older log")
	}
	_, err = s.Step(t.Context())
	wantRollback(t, "running", err)
	if len(log.entries) != len(backup.entries) {
		t.Errorf("something was appended to the older log")
	}
	closeIt(t, s)
	_, err = sequencer.Open(t.Context(), configOf(dir, log))
	wantRollback(t, "at the start", err)

	log.restore(newest)
	s = open(t, dir, log)
	drain(t, s)
	check(t, log, s.Trust())
}

// The backup that was made just before the last batch looks like a crash before the
// commit. With the events still waiting it is one; with other events under the same
// ids it would be a fork.
func TestBackupFromJustBeforeTheLastBatch(t *testing.T) {
	for _, tt := range []struct {
		name, next string
		refused    bool
	}{{"same event", "j1", false}, {"another event", "other", true}} {
		dir := t.TempDir()
		log := &memoryLog{}
		s := open(t, dir, log)
		backup := log.copy()
		log.put(event("j1"))
		drain(t, s)
		sealed := log.entries[1].Envelope
		closeIt(t, s)

		log.restore(backup)
		log.put(event(tt.next))
		s, err := sequencer.Open(t.Context(), configOf(dir, log))
		if tt.refused {
			wantRollback(t, tt.name, err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if string(log.entries[1].Envelope) != string(sealed) {
			t.Errorf("%s: the entry was signed again with other bytes", tt.name)
		}
		closeIt(t, s)
	}
}

func TestAnotherDatabaseIsRefused(t *testing.T) {
	dir := t.TempDir()
	log := &memoryLog{}
	s := open(t, dir, log)
	log.put(event("j1"), event("j2"), event("j3"))
	drain(t, s)
	closeIt(t, s)
	whole := log.copy()

	for name, damage := range map[string]func(){
		"empty":              func() { log.restore(&memoryLog{}) },
		"longer":             func() { log.entries = append(log.entries, log.entries[0]) },
		"other checkpoint":   func() { log.checkpoint = append(slices.Clone(log.checkpoint), '\n') },
		"changed leaf hash":  func() { log.hashes[len(log.hashes)-1][0] ^= 1 },
		"changed inner hash": func() { log.hashes[2][0] ^= 1; log.hashes[6][0] ^= 1 },
	} {
		log.restore(whole)
		damage()
		_, err := sequencer.Open(t.Context(), configOf(dir, log))
		wantRollback(t, name, err)
	}

	log.restore(whole)
	if err := os.Remove(filepath.Join(dir, "log.record")); err != nil {
		t.Fatal(err)
	}
	_, err := sequencer.Open(t.Context(), configOf(dir, log))
	wantRollback(t, "without its record", err)
}

// A tree whose stored hashes were changed while the sequencer runs is not extended.
func TestChangedTreeIsNotExtended(t *testing.T) {
	log := &memoryLog{}
	s := open(t, t.TempDir(), log)
	log.put(event("j1"), event("j2"), event("j3"))
	drain(t, s)
	log.hashes[len(log.hashes)-1][0] ^= 1
	log.put(event("j4"))
	_, err := s.Step(t.Context())
	wantRollback(t, "extending a changed tree", err)
}

func TestLostKeyOrTrustListIsNotReplaced(t *testing.T) {
	for _, name := range []string{"signing.key", sequencer.TrustFile} {
		dir := t.TempDir()
		log := &memoryLog{}
		closeIt(t, open(t, dir, log))
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if _, err := sequencer.Open(t.Context(), configOf(dir, log)); reason.Of(err) != reason.AuditKey {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

func TestKeyThatOthersMayReadIsRefused(t *testing.T) {
	dir := t.TempDir()
	log := &memoryLog{}
	closeIt(t, open(t, dir, log))
	if err := os.Chmod(filepath.Join(dir, "signing.key"), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := sequencer.Open(t.Context(), configOf(dir, log)); reason.Of(err) != reason.AuditKey {
		t.Errorf("got %v", err)
	}
}

func TestRotationKeepsOldReceiptsValid(t *testing.T) {
	dir := t.TempDir()
	log := &memoryLog{}
	s := open(t, dir, log)
	log.put(event("j1"))
	drain(t, s)
	old, err := audit.Receipt(t.Context(), log, 1)
	if err != nil {
		t.Fatal(err)
	}
	before := s.Trust()
	oldKey, err := os.ReadFile(filepath.Join(dir, "signing.key"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	log.put(event("j2"))
	drain(t, s)
	closeIt(t, s)
	s = open(t, dir, log)
	log.put(event("j3"))
	drain(t, s)

	if got := check(t, log, s.Trust()); !slices.Equal(got, []string{"j1", "j2", "j3"}) {
		t.Errorf("sealed %v", got)
	}
	if _, err := receipt.Verify(old, s.Trust()); err != nil {
		t.Errorf("a receipt from before the rotation: %v", err)
	}
	young, err := audit.Receipt(t.Context(), log, 3)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := receipt.Verify(young, before); receipt.CodeOf(err) != receipt.CodeUntrusted {
		t.Errorf("the old trust list knows nothing of the new key: %v", err)
	}
	newKey, err := os.ReadFile(filepath.Join(dir, "signing.key"))
	if err != nil || string(newKey) == string(oldKey) || *s.Trust().Keys[0].LastGood != 2 {
		t.Errorf("the key was not replaced: %v, %+v", err, s.Trust())
	}
	if _, err := os.Stat(filepath.Join(dir, "next.key")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the next key still lies there: %v", err)
	}
}

func TestLeftoversOfAKilledProcessAreRemoved(t *testing.T) {
	dir := t.TempDir()
	log := &memoryLog{}
	closeIt(t, open(t, dir, log))
	left := filepath.Join(dir, ".tmp-123")
	if err := os.WriteFile(left, []byte("half a key"), 0o600); err != nil {
		t.Fatal(err)
	}
	open(t, dir, log)
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("still there: %v", err)
	}
}

// Database and record lost together look like a first start; the mark tells.
func TestLossOfDatabaseAndRecordIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	closeIt(t, open(t, dir, &memoryLog{}))
	if err := os.Remove(filepath.Join(dir, "log.record")); err != nil {
		t.Fatal(err)
	}
	_, err := sequencer.Open(t.Context(), configOf(dir, &memoryLog{}))
	if reason.Of(err) != reason.AuditRollback {
		t.Errorf("got %v", err)
	}
}
