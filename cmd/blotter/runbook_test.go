package main_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every command of the runbook is one that the program has, with the flags that it shows.
func TestRunbookNamesCommands(t *testing.T) {
	t.Parallel()
	s := newStation(t)
	var lines []string
	for _, m := range regexp.MustCompile("(?m)(?:^|`)blotter ([a-z][^`\n|]*)").FindAllStringSubmatch(string(read(t, "../../docs/runbook.md")), -1) {
		lines = append(lines, strings.TrimSpace(m[1]))
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	if len(lines) < 10 {
		t.Fatalf("the runbook has only the commands %q", lines)
	}
	for _, line := range lines {
		r := s.run(program(t), append(strings.Fields(line), "--help")...)
		if r.exit != 0 || !strings.Contains(r.out, "Usage: blotter ") {
			t.Errorf("blotter %s: ended with %d\n%s", line, r.exit, r.err)
			continue
		}
		for _, flag := range regexp.MustCompile(`--[a-z-]+`).FindAllString(line, -1) {
			if !strings.Contains(r.out, flag+"=") && !strings.Contains(r.out, flag+" ") {
				t.Errorf("blotter %s: there is no %s", line, flag)
			}
		}
	}
}
