package main

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"blotter/internal/cell/inside/hostile"
)

func report(all []measured, uploads []time.Duration, runs int) string {
	var b strings.Builder
	var cpu, wall []time.Duration
	for _, m := range all {
		cpu, wall = append(cpu, m.cpu...), append(wall, m.wall...)
	}
	fmt.Fprintf(&b, `# Refused from the header

Made by `+"`make bench-reject`"+`; do not edit. Files that their headers alone refuse, most of them as large as a document may
be, were each given %d times to a cell of the built program that had started and waited, with the default policy.
*Processor* is what the cell computed until it gave the reason; *in all* goes by the clock until the cell is gone too,
and is longer where the machine does other work%s. A file fails the run where half of its runs take more than
%d ms of processor time.

| | p50 | p99 | highest |
|---|--:|--:|--:|
| processor | %s | %s | %s |
| in all | %s | %s | %s |
`, runs, busy(), hostile.RefusedWithin.Milliseconds(), ms(percentile(cpu, 50)), ms(percentile(cpu, 99)), ms(percentile(cpu, 100)),
		ms(percentile(wall, 50)), ms(percentile(wall, 99)), ms(percentile(wall, 100)))
	if len(uploads) > 0 {
		fmt.Fprintf(&b, "| upload too long by its Content-Length, until the answer | %s | %s | %s |\n",
			ms(percentile(uploads, 50)), ms(percentile(uploads, 99)), ms(percentile(uploads, 100)))
	}
	b.WriteString("\n| File | | Bytes | Reason | Processor p50 | highest | In all p50 | highest |\n|---|---|--:|---|--:|--:|--:|--:|\n")
	slices.SortStableFunc(all, func(x, y measured) int { return cmp.Compare(percentile(y.cpu, 50), percentile(x.cpu, 50)) })
	for _, m := range all {
		fmt.Fprintf(&b, "| %s | %s | %d | `%s` | %s | %s | %s | %s |\n", m.Kind, m.Name, m.bytes, m.Want,
			ms(percentile(m.cpu, 50)), ms(percentile(m.cpu, 100)), ms(percentile(m.wall, 50)), ms(percentile(m.wall, 100)))
	}
	return b.String()
}

// busy says what else the machine did, by the kernel's mean of the last minutes; nothing
// where that is not known.
func busy() string {
	b, _ := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(b))
	if len(fields) < 2 {
		return ""
	}
	return fmt.Sprintf(" (here %s processes wanted its %d processors)", fields[1], runtime.NumCPU())
}

func ms(d time.Duration) string {
	if d < 10*time.Millisecond {
		return fmt.Sprintf("%.1f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%d ms", d.Round(time.Millisecond).Milliseconds())
}

// percentile is the least that p per cent of the values do not exceed; 0 of none.
func percentile(values []time.Duration, p int) time.Duration {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max((len(sorted)*p+99)/100, 1)-1]
}
