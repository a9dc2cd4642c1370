package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"blotter/internal/cell/inside/hostile"
)

// shown is how many files each list of the largest has.
const shown = 10

func report(all []hostile.Outcome) string {
	var b strings.Builder
	problems := 0
	kinds := map[string][]hostile.Outcome{}
	for _, o := range all {
		kinds[o.Kind] = append(kinds[o.Kind], o)
		if o.Problem != "" {
			problems++
		}
	}
	fmt.Fprintf(&b, `# Hostile files

Made by `+"`make hostile`"+`; do not edit. Each file was given to a cell of the built program, with the
default policy but %d s for a document, and every image that stood in it was decoded. A file fails the
run where its cell crashes or breaks its protocol, where it uses up its time or the cell's memory, and
where cell and parent together take over %d MiB for a file that is refused. The parent makes the files
as well, which its memory includes. A sample runs with the tests.

%d files, %d failed.

## How they ended

| What it tries | Files | Ends |
|---|--:|---|
`, hostile.Seconds, hostile.MaxRefused>>20, len(all), problems)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Fprintf(&b, "| %s | %d | %s |\n", kind, len(kinds[kind]), ends(kinds[kind], hostile.Outcome.Result))
	}
	b.WriteString("\n## Why images were withheld\n\n| Reason | Files |\n|---|--:|\n")
	withheld := map[string]int{}
	for _, o := range all {
		for code := range o.Withheld {
			withheld[string(code)]++
		}
	}
	for _, code := range slices.Sorted(maps.Keys(withheld)) {
		fmt.Fprintf(&b, "| `%s` | %d |\n", code, withheld[code])
	}
	table(&b, "The slowest", all, func(o hostile.Outcome) int64 { return int64(o.Wall) },
		func(o hostile.Outcome) string { return fmt.Sprint(o.Wall.Round(10 * time.Millisecond)) })
	table(&b, "The largest in memory", all, func(o hostile.Outcome) int64 { return o.Peak },
		func(o hostile.Outcome) string { return fmt.Sprintf("%d MiB", o.Peak>>20) })
	refused := slices.DeleteFunc(slices.Clone(all), func(o hostile.Outcome) bool { return o.Reason == "" })
	table(&b, "The largest of those that were refused", refused, func(o hostile.Outcome) int64 { return o.Peak },
		func(o hostile.Outcome) string { return fmt.Sprintf("%d MiB", o.Peak>>20) })
	b.WriteString(faults(all))
	fmt.Fprintf(&b, "\nThe parent took %d MiB at its highest. An idle cell takes about 110 MiB.\n", hostile.Resident()>>20)
	return b.String()
}

// faults lists the files that did what none may do.
func faults(all []hostile.Outcome) string {
	var failed strings.Builder
	for _, o := range all {
		if o.Problem != "" {
			fmt.Fprintf(&failed, "- %s, %s: %s\n", o.Kind, o.Name, o.Problem)
		}
	}
	if failed.Len() == 0 {
		return ""
	}
	return "\n## Failed\n\n" + failed.String()
}

// ends counts how files ended, the most frequent first.
func ends(all []hostile.Outcome, of func(hostile.Outcome) string) string {
	n := map[string]int{}
	for _, o := range all {
		n[of(o)]++
	}
	keys := slices.SortedFunc(maps.Keys(n), func(a, b string) int { return cmp.Or(n[b]-n[a], strings.Compare(a, b)) })
	var parts []string
	for _, k := range keys {
		name := k
		if strings.Contains(k, ".") {
			name = "`" + k + "`"
		}
		parts = append(parts, fmt.Sprintf("%s %d", name, n[k]))
	}
	return strings.Join(parts, ", ")
}

func table(b *strings.Builder, title string, all []hostile.Outcome, by func(hostile.Outcome) int64, value func(hostile.Outcome) string) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(x, y hostile.Outcome) int {
		return cmp.Or(cmp.Compare(by(y), by(x)), strings.Compare(x.Name, y.Name))
	})
	fmt.Fprintf(b, "\n## %s\n\n| File | Bytes | | End |\n|---|--:|--:|---|\n", title)
	for _, o := range all[:min(shown, len(all))] {
		fmt.Fprintf(b, "| %s, %s | %d | %s | %s |\n", o.Kind, o.Name, o.Bytes, value(o), ends([]hostile.Outcome{o}, hostile.Outcome.Result))
	}
}
