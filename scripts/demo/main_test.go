package main

import (
	"os"
	"path/filepath"
	"testing"

	"blotter/receipt"
)

func TestFreshRemovesOnlyWhatItMade(t *testing.T) {
	own := filepath.Join(t.TempDir(), "out", "demo")
	if err := fresh(own); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(own, "redacted")
	if err := os.Mkdir(old, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := fresh(own); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Error("what the demo before wrote is still there")
	}

	foreign := t.TempDir()
	precious := filepath.Join(foreign, "precious")
	if err := os.WriteFile(precious, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := fresh(foreign); err == nil {
		t.Error("took over a directory that it had not made")
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error("removed somebody's file")
	}
}

func TestBoxesAreCountedByType(t *testing.T) {
	r := receipt.Result{Assets: []receipt.ResultAsset{
		{Boxes: []receipt.ResultBox{{Type: "name"}, {Type: "date"}, {Type: "name"}}},
		{Boxes: []receipt.ResultBox{{Type: "mrn"}}, Derivative: &receipt.ResultFile{}},
	}}
	if got, want := byType(r), "name 2, date 1, mrn 1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := assets(r), "2 (1 withheld)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r.TimingsMS = map[string]int64{"queue": 9000, "read": 1500, "seal": 20}
	if got := seconds(r); got != 1.52 {
		t.Errorf("work took %v s, want 1.52: waiting is no work", got)
	}
}
