package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"blotter/client"
	"blotter/internal/document"

	"github.com/jackc/pgx/v5"
)

// checked is what the checks looked at.
type checked struct {
	jobs, released, rejected, cancelled int
	replays, expired, retries, claims   int
	events                              int64
	receipts, during, heads, blobs      int
	images                              int
}

// check lets everything come to rest, ends the nodes and looks at what is left. What must
// not be goes to the fleet's violations; the error says why it could not be checked.
func check(ctx context.Context, f *fleet, l *load, heads []head) (checked, error) {
	var c checked
	results := filepath.Join(f.dir, "results")
	trust := filepath.Join(f.dir, "trust.json")
	if err := l.save(ctx, results, trust, &c); err != nil {
		return c, err
	}
	if err := f.retire(ctx); err != nil {
		return c, err
	}
	f.checkProcesses(ctx)
	f.verifyOffline(results, trust, l, &c)
	a := &archive{fleet: f, load: l, checked: &c}
	if err := a.open(ctx, trust); err != nil {
		return c, err
	}
	defer a.close()
	return c, errors.Join(a.checkLog(ctx, heads), a.checkJobs(ctx, results), a.checkBlobs(ctx), f.checkDisks(ctx))
}

// save fetches what every job that ended with a result has, and the trust list, as a client
// does.
func (l *load) save(ctx context.Context, dir, trust string, c *checked) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	api, err := l.fleet.nodes[0].client(l.operator)
	if err != nil {
		return err
	}
	var list bytes.Buffer
	if err := api.Trust(ctx, &list); err != nil {
		return fmt.Errorf("fetch the trust list: %w", err)
	}
	if err := os.WriteFile(trust, list.Bytes(), 0o600); err != nil {
		return err
	}
	for _, s := range l.jobs {
		if err := l.saveJob(ctx, api, s, dir, c); err != nil {
			l.fleet.violations.add("job %s, of %s: what it came to cannot be had: %v", s.id, l.documents[s.document].name, err)
		}
	}
	return nil
}

func (l *load) saveJob(ctx context.Context, api *client.Client, s *sent, dir string, c *checked) error {
	j, err := api.Job(ctx, s.id)
	if err != nil {
		return err
	}
	s.state = j.State
	if j.State == string(document.Cancelled) { // has a receipt alone
		var body bytes.Buffer
		if err := api.Receipt(ctx, s.id, &body); err != nil {
			return err
		}
		s.receipt = body.Bytes()
		return nil
	}
	c.receipts++
	return api.Save(ctx, s.id, filepath.Join(dir, s.id))
}

// sweeps bounds the wait for what uploads left that nobody finished: a reservation runs
// out, and the next sweep, one a minute, takes it away.
const sweeps = 4 * time.Minute

// retire lets the reservations of cut uploads run out, restarts every node once, so that each
// has swept its disk and one the bucket, and ends them all. With nothing failing, each must
// end well.
func (f *fleet) retire(ctx context.Context) error {
	if err := f.awaitReservations(ctx); err != nil {
		f.violations.add("%v", err)
	}
	for _, again := range []bool{true, false} {
		for _, n := range f.nodes {
			n.fault.Lock()
			if code, ok := n.stop(); ok && code != 0 {
				f.violations.add("node %s ended with %d when told to stop:\n%s", n.name, code, n.tail())
			}
			n.fault.Unlock()
		}
		combed := f.combs()
		for i := 0; again && i < size; i++ {
			if err := f.nodes[i].start(ctx); err != nil {
				return err
			}
		}
		// Who answers has tidied up its disk first; the bucket is looked through meanwhile.
		for i := 0; again && i < size; i++ {
			if err := f.nodes[i].answers(ctx); err != nil {
				return err
			}
		}
		if again {
			if err := f.awaitComb(ctx, combed); err != nil {
				return err
			}
		}
	}
	return nil
}

// combing bounds the wait for the new janitor, which asks every few seconds, and its look.
const combing = 5 * time.Minute

// awaitComb waits until one look more was made than there had been.
func (f *fleet) awaitComb(ctx context.Context, before int) error {
	ctx, cancel := context.WithTimeout(ctx, combing)
	defer cancel()
	for f.combs() == before {
		if wait(ctx, pace) != nil {
			return fmt.Errorf("no node looked through the bucket in %v", combing)
		}
	}
	return nil
}

// combs is how often nodes have looked through the bucket, by their logs.
func (f *fleet) combs() (n int) {
	for _, node := range f.nodes {
		log, _ := os.ReadFile(node.log()) // one that is not there yet has none
		n += bytes.Count(log, []byte("the bucket was looked through"))
	}
	return n
}

// answers waits until the node's API does.
func (n *node) answers(ctx context.Context) error {
	for {
		c, err := n.client("")
		if err == nil {
			var e *client.Error
			if _, err = c.Job(ctx, "none"); errors.As(err, &e) {
				return nil
			}
		}
		if wait(ctx, pace) != nil {
			return fmt.Errorf("node %s does not answer: %w", n.name, err)
		}
	}
}

func (f *fleet) awaitReservations(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, sweeps)
	defer cancel()
	conn, err := pgx.Connect(ctx, f.cluster.URL(database))
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for {
		var left int
		if err := conn.QueryRow(ctx, "SELECT count(*) FROM reservations").Scan(&left); err == nil && left == 0 {
			return nil
		}
		if wait(ctx, time.Second) != nil {
			return fmt.Errorf("%d reservations of uploads are left after %v", left, sweeps)
		}
	}
}

// windDown bounds how long cells may outlive their node.
const windDown = 10 * time.Second

// checkProcesses demands that no process of the program lives on.
func (f *fleet) checkProcesses(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, windDown)
	defer cancel()
	for {
		left := f.processes()
		if len(left) == 0 {
			return
		}
		if wait(ctx, pace) != nil {
			f.violations.add("processes are left: %v", left)
			return
		}
	}
}

// processes are those that run this fleet's copy of the program.
func (f *fleet) processes() []int {
	links, _ := filepath.Glob("/proc/[0-9]*/exe") // the pattern is well-formed
	var out []int
	for _, l := range links {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(l)))
		if exe, lerr := os.Readlink(l); lerr == nil && err == nil && strings.TrimSuffix(exe, " (deleted)") == f.binary && syscall.Kill(pid, 0) == nil {
			out = append(out, pid)
		}
	}
	return out
}

// verifyOffline gives everything that was handed out to `blotter verify`, on a station that
// knows nothing.
func (f *fleet) verifyOffline(results, trust string, l *load, c *checked) {
	args := []string{"verify", "--data", filepath.Join(f.dir, "stranger"), "--trust", trust}
	for _, s := range l.jobs {
		if s.receipt == nil {
			continue
		}
		path := filepath.Join(f.dir, "receipt-"+s.id+".json")
		if err := os.WriteFile(path, s.receipt, 0o600); err != nil {
			f.violations.add("%v", err)
			return
		}
		args = append(args, path)
		c.during++
	}
	cmd := f.command(append(args, results)...)
	out, err := cmd.CombinedOutput()
	summary := fmt.Sprintf("receipts that hold: %d, that fail: 0", c.receipts+c.during)
	if err != nil || !bytes.Contains(out, []byte(summary)) {
		f.violations.add("blotter verify, wanted %q: %v\n%s", summary, err, failures(out))
	}
}

// failures are the lines that say what does not hold, and the last one.
func failures(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	var bad []string
	for i, line := range lines {
		if strings.Contains(line, "FAILS") || i == len(lines)-1 {
			bad = append(bad, line)
		}
	}
	return strings.Join(bad, "\n")
}

// checkDisks demands that no working copy is left: neither on a disk nor on the list.
func (f *fleet) checkDisks(ctx context.Context) error {
	for _, n := range f.nodes {
		entries, err := os.ReadDir(filepath.Join(n.dir, "work"))
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.Name() != ".gate" {
				f.violations.add("node %s kept %s among its working copies", n.name, e.Name())
			}
		}
		listed, err := f.db.Staged(ctx, n.name)
		if err != nil {
			return err
		}
		if len(listed) > 0 {
			f.violations.add("working copies of node %s are on the list: %+v", n.name, listed)
		}
	}
	return nil
}
