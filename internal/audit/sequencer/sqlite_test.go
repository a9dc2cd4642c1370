package sequencer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"blotter/internal/audit/sequencer"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/sqlite"
	"blotter/receipt"
)

// station is a data directory as a real one: SQLite beside the sequencer's files.
type station struct {
	t         *testing.T
	dir       string
	db        *sqlite.DB
	sequencer *sequencer.Sequencer
}

func (s *station) database() string { return filepath.Join(s.dir, "blotter.db") }

func (s *station) start() error {
	s.t.Helper()
	var err error
	if s.db, err = sqlite.Open(s.t.Context(), s.database(), sqlite.Options{}); err != nil {
		s.t.Fatal(err)
	}
	s.sequencer, err = sequencer.Open(s.t.Context(), configOf(filepath.Join(s.dir, "audit"), s.db))
	return err
}

func (s *station) stop() {
	s.t.Helper()
	if s.sequencer != nil {
		closeIt(s.t, s.sequencer)
		s.sequencer = nil
	}
	if err := s.db.Close(); err != nil {
		s.t.Fatal(err)
	}
}

// receive enqueues n jobs, each with its event, and seals them.
func (s *station) receive(n int) {
	s.t.Helper()
	for i := range n {
		id := document.NewID()
		e := event(string(id))
		e.Time = receipt.FormatTime(clock())
		j := queue.Job{ID: id, Tenant: document.Local, Lane: document.Bulk, State: document.Queued,
			Input: document.Sum(fmt.Append(nil, i)), FinalSeq: -1}
		if _, _, err := s.db.Enqueue(s.t.Context(), j, e); err != nil {
			s.t.Fatal(err)
		}
	}
	drain(s.t, s.sequencer)
}

func TestOnSQLite(t *testing.T) {
	s := &station{t: t, dir: t.TempDir()}
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
	s.receive(5)
	s.stop()
	backup, err := os.ReadFile(s.database())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.start(); err != nil {
			t.Fatal(err)
		}
		s.receive(3)
		if err := s.sequencer.Rotate(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.receive(1)
		s.stop()
	}
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
	if got := check(t, s.db, s.sequencer.Trust()); len(got) != 13 {
		t.Errorf("%d events were sealed", len(got))
	}
	s.stop()

	if err := os.WriteFile(s.database(), backup, 0o600); err != nil {
		t.Fatal(err)
	}
	wantRollback(t, "a restored copy of the database file", s.start())
	s.stop()
}
