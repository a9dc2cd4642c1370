package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// reading is what one run of a program over a document took: pages, seconds of processor
// time, bytes of resident memory.
type reading struct {
	pages       int
	read, whole float64
	peak        int64
}

// blotter measures one document, which it copies beside its truth.
func (m *meter) blotter(path string, truth map[string]any) (reading, error) {
	dir, err := os.MkdirTemp(m.scratch, "document-")
	if err != nil {
		return reading{}, err
	}
	defer os.RemoveAll(dir)
	to := filepath.Join(dir, filepath.Base(path))
	body, err := json.Marshal(truth)
	if err != nil {
		return reading{}, err
	}
	if err := os.WriteFile(to+suffix, body, 0o600); err != nil {
		return reading{}, err
	}
	if err := copyFile(to, path); err != nil {
		return reading{}, err
	}
	cmd := exec.Command(m.binary, "eval", dir, "--json", "--workers", "1")
	cmd.Env = append(os.Environ(), "BLOTTER_CELL_THREADS=1")
	said, err := output(cmd)
	if err != nil {
		return reading{}, err
	}
	return parse(said)
}

// parse takes the times out of a report (blotter.eval/1).
func parse(report []byte) (reading, error) {
	var r struct {
		Documents []struct {
			Rejected string             `json:"rejected"`
			Pages    int                `json:"pages"`
			CPU      float64            `json:"cpu_seconds"`
			Stages   map[string]float64 `json:"stage_seconds"`
			Peak     int64              `json:"peak_bytes"`
		} `json:"documents"`
	}
	if err := json.Unmarshal(report, &r); err != nil {
		return reading{}, err
	}
	if len(r.Documents) != 1 || r.Documents[0].Rejected != "" {
		return reading{}, fmt.Errorf("blotter did not measure the document: %.200s", report)
	}
	d := r.Documents[0]
	clock := 0.0
	for _, s := range d.Stages {
		clock += s
	}
	return reading{pages: d.Pages, read: d.CPU * d.Stages["read"] / clock, whole: d.CPU, peak: d.Peak}, nil
}

// tesseract reads an image file, all frames of it.
func tesseract(path string) (reading, error) {
	cmd := exec.Command("tesseract", path, "-", "--psm", "3", "-l", "eng")
	cmd.Env = append(os.Environ(), "OMP_THREAD_LIMIT=1")
	if _, err := output(cmd); err != nil {
		return reading{}, err
	}
	r := reading{whole: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()}
	if use, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.peak = use.Maxrss << 10 // in kilobytes on Linux
	}
	return r, nil
}

// rendered makes the pages of a PDF into images, as a scanner would.
func (m *meter) rendered(path string) ([]string, error) {
	dir, err := os.MkdirTemp(m.scratch, "pages-")
	if err != nil {
		return nil, err
	}
	if _, err := output(exec.Command("pdftoppm", "-r", "300", "-png", path, filepath.Join(dir, "page"))); err != nil {
		return nil, err
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.png"))
	slices.Sort(pages)
	return pages, err
}

// hasText reports whether a PDF holds more text than a stamp.
func hasText(path string) (bool, error) {
	said, err := output(exec.Command("pdftotext", path, "-"))
	return len(strings.Fields(string(said))) > 20, err
}

func output(cmd *exec.Cmd) ([]byte, error) {
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	said, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %.300s", filepath.Base(cmd.Path), err, complaint.String())
	}
	return said, nil
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	return err
}
