package main_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"blotter/internal/document"
	"blotter/internal/examples"
)

// killers is how many stations are killed beside each other: more than a small machine
// has processors, since whoever comes after a kill waits for its lease to run out.
const killers = 4

// tiny writes the smallest document that is a whole job.
func tiny(t *testing.T) string {
	t.Helper()
	body, err := examples.Tiny("Maude Ferrier", "03/09/1951")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "tiny.png")
	if err := os.WriteFile(path, body, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// recovers gives the killed command again and demands that the job ends as if nothing
// had happened: once, with one result, an intact log and nothing left behind.
func (s *station) recovers(file string) {
	s.t.Helper()
	_, delivered := s.jobs()
	out, got := s.redact(0, file)
	if len(got) != 1 || got[0].State != "released" || len(got[0].Assets) != 1 || got[0].Assets[0].Derivative == nil {
		s.t.Fatalf("after the restart the result is %+v", got)
	}
	if r := s.run(program(s.t), "verify", out); r.exit != 0 {
		s.t.Fatalf("verify ended with %d:\n%s%s", r.exit, r.out, r.err)
	}
	s.checkAtRest()
	// Whatever was not handed out yet was taken up, not done a second time.
	if received, _ := s.jobs(); received != delivered+1 {
		s.t.Errorf("%d jobs were received, after %d had been handed out before the restart", received, delivered)
	}
}

// jobs counts the jobs that were ever received, and those that were handed out.
func (s *station) jobs() (received, delivered int) {
	s.t.Helper()
	db := openIfThere(context.Background(), filepath.Join(s.data, "blotter.db"))
	if db == nil {
		return 0, 0
	}
	defer db.Close()
	for id := range receivedJobs(context.Background(), db) {
		received++
		if j, err := db.Job(context.Background(), document.ID(id)); err == nil && j.Delivered {
			delivered++
		}
	}
	return received, delivered
}

// TestKilledAtEveryPoint kills the program before and after each commit, fsync, rename
// and removal, one run for each, until a run passes them all.
func TestKilledAtEveryPoint(t *testing.T) {
	t.Parallel()
	binary, err := crashBinary()
	if err != nil {
		t.Fatal(err)
	}
	file := tiny(t)
	var point, killed atomic.Int64
	var passed atomic.Bool // once a run was not killed any more
	for k := range killers {
		t.Run(fmt.Sprintf("killer %d", k), func(t *testing.T) {
			t.Parallel()
			for !passed.Load() {
				n := point.Add(1)
				s := newStation(t, fmt.Sprintf("BLOTTER_CRASH=*:%d", n))
				r := s.run(binary, "redact", "--out", filepath.Join(t.TempDir(), "out"), file)
				if r.exit == 0 {
					passed.Store(true)
					continue
				}
				if r.exit != -1 {
					t.Fatalf("point %d: exit %d:\n%s", n, r.exit, r.err)
				}
				s.recovers(file)
				killed.Add(1)
			}
		})
	}
	t.Cleanup(func() {
		t.Logf("killed at %d points", killed.Load())
		if killed.Load() < 50 {
			t.Errorf("only %d points were found: are they compiled in?", killed.Load())
		}
	})
}

// randomKills is how many instants TestKilledAtRandom tries, and inARow how many of them,
// at most, before somebody may recover.
const (
	randomKills = 200
	inARow      = 4
)

// TestKilledAtRandom kills the program at random instants, again and again on the same
// stations, so that recovery meets what recovery left, or is killed itself.
func TestKilledAtRandom(t *testing.T) {
	t.Parallel()
	file := tiny(t)
	began := time.Now()
	newStation(t).redact(0, file)
	whole := time.Since(began)
	for k := range killers {
		t.Run(fmt.Sprintf("station %d", k), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(2026, uint64(k)))
			s := newStation(t, "BLOTTER_QUEUE_ATTEMPTS=100")
			killed, tried := 0, 0
			for tried < randomKills/killers {
				instants := whole
				for range 1 + random.IntN(inARow) {
					tried++
					if s.killedAfter(time.Duration(random.Float64()*float64(instants)), file) {
						killed++
						instants = whole + lease // what a killed run had claimed is free only then
					}
				}
				s.recovers(file)
			}
			t.Logf("%d of %d runs were killed before their end (a whole run took %v)", killed, tried, whole)
			if killed < tried/4 {
				t.Errorf("only %d runs were killed", killed)
			}
		})
	}
}

// killedAfter starts a redaction and kills it after d, unless it has ended before.
func (s *station) killedAfter(d time.Duration, file string) bool {
	s.t.Helper()
	cmd := s.command(program(s.t), "redact", "--out", filepath.Join(s.t.TempDir(), "out"), file)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	timer := time.AfterFunc(d, func() { cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Wait()
	s.noCellLeft(cmd.Process.Pid)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled() {
		return true
	}
	if err != nil {
		s.t.Fatalf("the command was not killed and failed: %v\n%s", err, errs.String())
	}
	return false
}

// noCellLeft waits until no child of the killed process lives: a cell dies with its
// parent, though not at the same instant.
func (s *station) noCellLeft(parent int) {
	s.t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for len(s.orphans()) > 0 {
		if time.Now().After(deadline) {
			s.t.Fatalf("cells of the killed process %d live on: %v", parent, s.orphans())
		}
		time.Sleep(time.Millisecond) // a process that is not our child gives no signal when it ends
	}
}

// orphans lists cells of the tested program whose parent is gone: they carry no
// environment, so they are known by their program and by who adopted them.
func (s *station) orphans() []int {
	var out []int
	for _, p := range processes(s.t) {
		exe, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(p.pid), "exe"))
		if err == nil && exe == program(s.t) && p.parent == 1 && p.state != "Z" {
			out = append(out, p.pid)
		}
	}
	return out
}
