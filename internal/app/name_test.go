package app

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"blotter/internal/reason"
)

// namedNode is a node of a fleet with a working directory of its own.
func namedNode(t *testing.T, b *ballot) *Station {
	s := elector(b, "process")
	s.cfg.Database, s.cfg.Node, s.cfg.WorkDir = "postgres://", "ward", t.TempDir()
	return s
}

// A name belongs to a directory: who starts again in it has it at once, whoever comes with
// another one waits for a lease that nobody extends, and is refused beside one that is.
func TestNameOfANode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &ballot{}
		killed := namedNode(t, b)
		again, replacement, twin := namedNode(t, b), namedNode(t, b), namedNode(t, b)
		again.cfg.WorkDir = killed.cfg.WorkDir
		took := func(s *Station) time.Duration {
			t.Helper()
			began := time.Now()
			if err := s.takeName(t.Context()); err != nil {
				t.Fatal(err)
			}
			return time.Since(began)
		}
		if d := took(killed); d != 0 {
			t.Errorf("a free name took %v", d)
		}
		killed.name.die()
		if d := took(again); d != 0 {
			t.Errorf("in the directory of the killed one it took %v", d)
		}
		again.name.die()
		if d := took(replacement); d > nameTerm+nameAsked {
			t.Errorf("another directory waited %v for a lease of %v", d, nameTerm)
		}
		if owns, err := again.ownsName(t.Context()); err != nil || owns {
			t.Errorf("the old directory still counts as the name's: %v", err)
		}
		began := time.Now()
		if err := twin.takeName(t.Context()); reason.Of(err) != reason.StationName {
			t.Errorf("two directories have one name: %v", err)
		}
		if d := time.Since(began); d > nameTerm+2*nameAsked {
			t.Errorf("it was refused after %v", d)
		}
		replacement.name.stop()
		if d := took(twin); d != 0 {
			t.Errorf("a name that was given up took %v", d)
		}
		twin.name.stop()
	})
}

// A command that ends beside a service in its directory leaves the name to it; the last one
// there gives it up.
func TestNameOfTwoInOneDirectory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &ballot{}
		service, command := namedNode(t, b), namedNode(t, b)
		command.cfg.WorkDir = service.cfg.WorkDir
		for _, s := range []*Station{service, command} {
			if err := s.takeName(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		free := func() (is bool) {
			b.set(func(b *ballot) { is = !time.Now().Before(b.until) })
			return is
		}
		command.name.stop()
		if free() {
			t.Error("the end of a command gave the service's name up")
		}
		service.name.stop()
		if !free() {
			t.Error("nobody gave the name up")
		}
	})
}

// A node that was not heard for a term, and whose name another has meanwhile, ends.
func TestNameThatWasTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &ballot{}
		s := namedNode(t, b)
		if err := s.takeName(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.set(func(b *ballot) { b.err = reason.Because(reason.QueueBusy, nil) })
		time.Sleep(2 * nameTerm) // an outage alone takes nothing away
		b.set(func(b *ballot) { b.err, b.leader, b.until = nil, "another directory", time.Now().Add(time.Hour) })
		if err := s.holdName(t.Context()); reason.Of(err) != reason.StationName {
			t.Errorf("it went on: %v", err)
		}
		stopped, stop := context.WithCancel(t.Context())
		stop()
		s.name = &named{taken: make(chan struct{})}
		if err := s.holdName(stopped); err != nil {
			t.Errorf("an ordinary stop: %v", err)
		}
	})
}

// die ends the holder as a kill does: nothing is given up.
func (n *named) die() { n.cancel(); <-n.ended }
