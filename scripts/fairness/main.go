// Command fairness simulates a service under an import of 100,000 documents, with the
// queue's order and in the order of age, and writes the series, their plot and their
// figures into docs/. See docs/fairness.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/queue/simulate"
	"blotter/internal/sqlite"
)

// backlog is the import, window how long others send requests, and hour how long shares are
// measured.
const (
	backlog = 100_000
	window  = 2 * time.Hour
	hour    = time.Hour
)

func main() {
	dir := flag.String("docs", "docs", "directory that fairness.csv, fairness.svg and fairness.md are written into")
	flag.Parse()
	if err := run(context.Background(), *dir); err != nil {
		fmt.Fprintln(os.Stderr, "fairness:", err)
		os.Exit(1)
	}
}

// results are the runs that are compared.
type results struct {
	idle, fair, aged []simulate.Lent
	shares           []simulate.Lent
}

func run(ctx context.Context, dir string) (err error) {
	var r results
	if r.idle, err = inStore(ctx, simulate.Starvation(0, window), queue.Settings{}); err != nil {
		return err
	}
	if r.fair, err = inStore(ctx, simulate.Starvation(backlog, window), queue.Settings{}); err != nil {
		return err
	}
	if r.aged, err = simulate.Run(ctx, simulate.Starvation(backlog, window), simulate.ByAge(), simulate.NewClock()); err != nil {
		return err
	}
	if r.shares, err = inStore(ctx, simulate.Shares(20_000, hour), simulate.ShareSettings()); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "fairness.csv"), []byte(series(r)), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "fairness.svg"), []byte(plot(r)), 0o644); err != nil {
		return err
	}
	return report(filepath.Join(dir, "fairness.md"), figures(r))
}

// inStore works through a scenario in a SQLite store that is thrown away.
func inStore(ctx context.Context, s simulate.Scenario, settings queue.Settings) ([]simulate.Lent, error) {
	dir, err := os.MkdirTemp("", "fairness")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	c := simulate.NewClock()
	db, err := sqlite.Open(ctx, filepath.Join(dir, "blotter.db"), sqlite.Options{Settings: settings, Clock: c.Now})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return simulate.Run(ctx, s, simulate.ByStore(db), c)
}

// requests are those that came while the import waited, of a lane.
func requests(lent []simulate.Lent, lane document.Lane) (out []simulate.Lent) {
	for _, l := range lent {
		if !l.Backlog && l.Lane == lane {
			out = append(out, l)
		}
	}
	return out
}

// series is a line for each request of others.
func series(r results) string {
	var b strings.Builder
	b.WriteString("run,lane,tenant,arrived_s,wait_s,took_s\n")
	for _, s := range []struct {
		name string
		lent []simulate.Lent
	}{{"idle", r.idle}, {"fair", r.fair}, {"age", r.aged}} {
		for _, lane := range document.Lanes() {
			for _, l := range requests(s.lent, lane) {
				fmt.Fprintf(&b, "%s,%s,%s,%.3f,%.3f,%.3f\n", s.name, l.Lane, l.Tenant, l.Ready.Seconds(), l.Wait().Seconds(), l.Took.Seconds())
			}
		}
	}
	return b.String()
}

// figures is the table of the report.
func figures(r results) string {
	var b strings.Builder
	b.WriteString("Requests of others while an import of 100,000 documents waits:\n\n")
	b.WriteString("| lane | order | requests | wait p50 | wait p99 | longest wait | answer p50 | answer p99 |\n|---|---|--:|--:|--:|--:|--:|--:|\n")
	for _, lane := range document.Lanes() {
		for _, s := range []struct {
			name string
			lent []simulate.Lent
		}{{"without the import", r.idle}, {"fair", r.fair}, {"by age", r.aged}} {
			var waits, answers []time.Duration
			for _, l := range requests(s.lent, lane) {
				waits, answers = append(waits, l.Wait()), append(answers, l.Answer())
			}
			fmt.Fprintf(&b, "| %s | %s | %d | %s | %s | %s | %s | %s |\n", lane, s.name, len(waits), say(simulate.Quantile(waits, 0.5)),
				say(simulate.Quantile(waits, 0.99)), say(simulate.Quantile(waits, 1)), say(simulate.Quantile(answers, 0.5)), say(simulate.Quantile(answers, 0.99)))
		}
	}
	fmt.Fprintf(&b, "\nThe import had %.1f %% of the four slots that take it.\n", 100*simulate.Had(r.fair, 0, window)[simulate.Importer].Seconds()/(4*window).Seconds())
	b.WriteString("\nFour tenants with more work than there is time for, four slots, one hour:\n\n")
	b.WriteString("| tenant | weight | mean length of its jobs | jobs | processing time | of all | by weight |\n|---|--:|--:|--:|--:|--:|--:|\n")
	had, total, weights := simulate.Had(r.shares, 0, hour), time.Duration(0), 0
	settings := simulate.ShareSettings()
	loads := simulate.Shares(0, hour).Loads
	for _, l := range loads {
		total += had[l.Tenant]
		weights += settings.Weight(l.Tenant)
	}
	for _, l := range loads {
		jobs, length := 0, time.Duration(0)
		for _, j := range r.shares {
			if j.Tenant == l.Tenant {
				jobs, length = jobs+1, length+j.Took
			}
		}
		w := settings.Weight(l.Tenant)
		fmt.Fprintf(&b, "| %s | %d | %s | %d | %s | %.1f %% | %.1f %% |\n", l.Tenant, w, say(length/time.Duration(jobs)), jobs, say(had[l.Tenant]),
			100*had[l.Tenant].Seconds()/total.Seconds(), 100*float64(w)/float64(weights))
	}
	return b.String()
}

// say writes a time as people do.
func say(d time.Duration) string {
	switch {
	case d >= time.Hour:
		return fmt.Sprintf("%.1f h", d.Hours())
	case d >= 10*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d == 0:
		return "0"
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// The marks between which the report's figures stand.
const begin, end = "<!-- fairness:begin -->\n", "<!-- fairness:end -->"

func report(path, figures string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return fmt.Errorf("%s has no marks to write between", path)
	}
	return os.WriteFile(path, []byte(before+begin+"\n"+figures+"\n"+end+after), 0o644)
}
