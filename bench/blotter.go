package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// redaction is one run of `blotter redact`.
type redaction struct {
	wall    time.Duration // from start to end of the process
	pages   []string      // the pages before redaction, PNG files
	stages  map[string]int64
	parent  uint64 // peak resident memory of the process that holds keys, bytes
	cell    uint64 // of the largest child that parses documents, bytes
	results int
}

type blotter struct {
	binary, scratch string
}

// result is the part of result.json that is used here.
type result struct {
	State  string `json:"state"`
	Reason string `json:"reason"`
	Assets []struct {
		Kind     string `json:"kind"`
		Page     int    `json:"page"`
		Original *struct {
			File string `json:"file"`
		} `json:"original"`
	} `json:"assets"`
	TimingsMS map[string]int64 `json:"timings_ms"`
}

// redact runs one command over files, with a data directory of its own.
func (b blotter) redact(name string, files []string) (redaction, error) {
	out, data := filepath.Join(b.scratch, name), filepath.Join(b.scratch, "data")
	cmd := exec.Command(b.binary, append([]string{"redact", "--out", out, "--data", data, "--originals", "--json"}, files...)...)
	var stdout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, os.Stderr
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return redaction{}, err
	}
	watch := watchMemory(cmd.Process.Pid)
	err := cmd.Wait()
	r := redaction{wall: time.Since(start), stages: map[string]int64{}}
	r.parent, r.cell = watch.stop()
	if err != nil {
		return r, fmt.Errorf("blotter redact: %w", err)
	}
	return r, r.collect(out, len(files))
}

// collect reads the results that lie in out.
func (r *redaction) collect(out string, documents int) error {
	for i := range documents {
		dir := filepath.Join(out, fmt.Sprintf("%04d", i+1))
		body, err := os.ReadFile(filepath.Join(dir, "result.json"))
		if err != nil {
			return err
		}
		var res result
		if err := json.Unmarshal(body, &res); err != nil {
			return err
		}
		if res.State != "released" {
			return fmt.Errorf("document %d ended as %s %s: its figures would mean nothing", i+1, res.State, res.Reason)
		}
		for _, a := range res.Assets {
			// An image that lies on a page is on that page's picture too: a reader of the
			// document reads it once.
			onPage := a.Kind == "image" && a.Page > 0
			if a.Original != nil && !onPage {
				r.pages = append(r.pages, filepath.Join(dir, a.Original.File))
			}
		}
		for stage, ms := range res.TimingsMS {
			r.stages[stage] += ms
		}
		r.results++
	}
	return nil
}
