package main_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// process is a line of /proc/PID/stat: what these tests need of it.
type process struct {
	pid, parent int
	state       string
	nice        int
}

func processes(t *testing.T) []process {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	var out []process
	for _, path := range stats {
		body, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// pid (comm) state ppid …; comm may hold anything
		fields := strings.Fields(string(body[bytes.LastIndexByte(body, ')')+1:]))
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		parent, _ := strconv.Atoi(fields[1])
		nice, _ := strconv.Atoi(fields[16]) // field 19 of the line
		out = append(out, process{pid, parent, fields[0], nice})
	}
	return out
}

// children lists the living children of a process.
func children(t *testing.T, parent int) []int {
	t.Helper()
	var out []int
	for _, p := range processes(t) {
		if p.parent == parent && p.state != "Z" {
			out = append(out, p.pid)
		}
	}
	return out
}
