package inside_test

import (
	"os"
	"path/filepath"
	"testing"

	"blotter/internal/cell"
	"blotter/internal/cell/engine"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/examples"
	"blotter/internal/reason"
)

// openers is the setup of a cell that opens documents. It needs no engines: the compiled
// PDFium is made where it is missing.
func openers(t *testing.T) cell.Config {
	t.Helper()
	dir, err := engine.Dir()
	if err != nil {
		t.Fatal(err)
	}
	cfg := cell.Config{Purpose: wire.Inspect, Engines: engine.Openers(dir)}
	if err := cell.Warm(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// A cell that inspects stands behind every wall that one which redacts has, and says what
// is in each example.
func TestInspectExamples(t *testing.T) {
	cfg := openers(t)
	all, err := examples.All()
	if err != nil {
		t.Fatal(err)
	}
	type seen struct {
		format document.Format
		kinds  string
		bits   int // of the first that says
		chans  int
		spots  int
	}
	want := map[string]seen{
		".tiff": {document.TIFF, "frame frame ", 1, 1, 0},
		".jpg":  {document.JPEG, "frame ", 8, 3, 0},
		".pdf":  {document.PDF, "page image page ", 8, 1, 1},
		".docx": {document.DOCX, "image ", 4, 1, 0},
	}
	for _, x := range all {
		t.Run(x.Name, func(t *testing.T) {
			got, err := start(t, cfg).Inspect(t.Context(), file(t, x.Bytes), wire.Task{Limits: limits, Decode: true})
			if err != nil {
				t.Fatal(err)
			}
			s := seen{format: got.Format, spots: len(got.Places)}
			for _, l := range got.Images {
				s.kinds += l.Kind.String() + " "
				if s.bits == 0 {
					s.bits, s.chans = l.Bits, l.Channels
				}
				if l.Withheld != "" || !l.Decoded || l.Took <= 0 || l.HighWater < 1<<20 {
					t.Errorf("asset %d: %+v", l.Index, l)
				}
			}
			if w := want[filepath.Ext(x.Name)]; s != w {
				t.Errorf("%+v, want %+v", s, w)
			}
			if got.Protections != wire.AllProtections {
				t.Errorf("only %v", got.Protections.Names())
			}
			if got.Idle <= 0 || got.PeakBytes < got.Idle {
				t.Errorf("%d bytes idle, %d at the highest", got.Idle, got.PeakBytes)
			}
		})
	}
}

// What a document is refused for is told as of a job.
func TestInspectRefusals(t *testing.T) {
	cfg := openers(t)
	for name, c := range map[string]struct {
		body []byte
		task wire.Task
		want reason.Code
	}{
		"script":    {[]byte("#!/bin/sh\nexit\n"), wire.Task{Limits: limits}, reason.SniffScript},
		"cut":       {[]byte("\x89PNG\r\n\x1a\n\x00"), wire.Task{Limits: limits}, reason.SniffMalformed},
		"forbidden": {tiny(t), wire.Task{Limits: limits, Deny: []document.Format{document.PNG}}, reason.PolicyDenied},
	} {
		got, err := start(t, cfg).Inspect(t.Context(), file(t, c.body), c.task)
		if reason.Of(err) != c.want || len(got.Images) != 0 {
			t.Errorf("%s: %v with %d images, want %s", name, err, len(got.Images), c.want)
		}
	}
}

func tiny(t *testing.T) []byte {
	t.Helper()
	b, err := examples.Tiny("Ann Example", "01/02/1950")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The purpose is fixed before the process starts: a cell that inspects never redacts,
// whatever it is asked.
func TestInspectingCellSendsNoPixels(t *testing.T) {
	c := start(t, openers(t))
	_, err := c.Run(t.Context(), file(t, tiny(t)), wire.Task{Limits: limits, Originals: true}, &sink{})
	if reason.Of(err) != reason.CellProtocol {
		t.Errorf("%v, want %s", err, reason.CellProtocol)
	}
}

// The cell's own attempts to break out: each is made, and the kernel refuses each.
func TestTrialsAreRefused(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	trial, err := cell.TryWalls(t.Context(), cell.Config{}, wire.TryPaths{Read: []string{secret}, Write: dir})
	if err != nil {
		t.Fatal(err)
	}
	made := map[wire.Attempt]int{}
	for _, a := range trial.Tried {
		made[a.Attempt]++
		if a.Refused == 0 || a.Refused >= 4096 { // the kernel's numbers end at 4095
			t.Errorf("%v (early %v): went through, or was not judged by the kernel: %d", a.Attempt, a.Early, a.Refused)
		}
	}
	for _, a := range wire.Attempts() {
		if made[a] == 0 {
			t.Errorf("%v was not tried", a)
		}
	}
	if trial.Protections != wire.AllProtections {
		t.Errorf("only %v", trial.Protections.Names())
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("the trial left something: %v, %v", left, err)
	}
}

func TestTrialsAreStopped(t *testing.T) {
	if err := cell.TryMemory(t.Context(), cell.Config{}); err != nil {
		t.Errorf("memory: %v", err)
	}
	if err := cell.TryTime(t.Context(), cell.Config{}); err != nil {
		t.Errorf("time: %v", err)
	}
}
