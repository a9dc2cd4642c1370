package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// text is the section of the report about the faults.
func (c *outcome) text(o options) string {
	var out strings.Builder
	k, l := c.checked, c.load
	fmt.Fprintf(&out, "`make chaos FOR=%v GAP=%v SEED=%d`: %v of faults; after another %v everything had ended. %s.\n\n",
		o.length, o.gap, o.seed, o.length, c.ended.Sub(c.began.Add(o.length)).Round(time.Second), machine())
	out.WriteString(c.faults.table())
	fmt.Fprintf(&out, "\n%d requests to the bucket met one of its failures. %d requests of clients got no answer.\n\n", c.faults.hits, l.lost)
	fmt.Fprintf(&out, "| what came of it | |\n|---|--:|\n")
	for _, row := range []struct {
		what string
		n    int64
	}{
		{"documents accepted", int64(k.jobs)}, {"of these released", int64(k.released)}, {"rejected, as they should be", int64(k.rejected)},
		{"cancelled by their client", int64(k.cancelled)}, {"claims", int64(k.claims)}, {"leases that ran out", int64(k.expired)},
		{"attempts that failed and were made again", int64(k.retries)}, {"dead jobs replayed", int64(k.replays)},
		{"events in the log", k.events}, {"checkpoints seen on the way, all of them prefixes of the log", int64(k.heads)},
		{"receipts verified offline, with their results", int64(k.receipts)}, {"receipts handed out amid the faults, or of cancelled jobs", int64(k.during)},
		{"redacted images, each as undisturbed", int64(k.images)}, {"objects left in the bucket, each of a job and with its key", int64(k.blobs)},
		{"**violations**", int64(c.violations.count())},
	} {
		fmt.Fprintf(&out, "| %s | %d |\n", row.what, row.n)
	}
	out.WriteString("\nAnswers that sent clients to try again, by status and reason: " + l.refusals() + ".\n")
	return out.String()
}

// refusals lists the answers that were none of success.
func (l *load) refusals() string {
	var out []string
	for what, n := range l.answers {
		out = append(out, fmt.Sprintf("%s (%d)", what, n))
	}
	slices.Sort(out)
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}

// text is the section of the report about the time to a second claim.
func (r *reclaims) text(o options) string {
	return fmt.Sprintf("`make chaos FOR=0s KILLS=%d SEED=%d`: a node of three was killed with SIGKILL %d times, with the default lease of 10 s, while it held %d jobs in all. %s.\n\n"+
		"| kill to claim by another node | |\n|---|--:|\n| p50 | %.1f s |\n| p99 | %.1f s |\n| longest | %.1f s |\n",
		o.kills, o.seed, r.kills, len(r.took), machine(), r.share(0.5).Seconds(), r.share(0.99).Seconds(), r.share(1).Seconds())
}

// machine says what was measured on.
func machine() string {
	name := "an unnamed processor"
	body, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(body)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			name = strings.TrimSpace(value)
			break
		}
	}
	return fmt.Sprintf("%s, %d logical processors, %s", name, runtime.NumCPU(), runtime.Version())
}
