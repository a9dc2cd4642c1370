package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"blotter/internal/objectstore/objectstoretest"
	"blotter/internal/postgres"
	"blotter/internal/postgres/pgtest"
)

// size is how many nodes a fleet has.
const size = 3

// database is the name of the nodes' database.
const database = "chaos"

// fleet is a database, a bucket and the nodes that share them.
type fleet struct {
	dir        string
	binary     string // a copy of the program, so that its processes are known by it
	env        []string
	cluster    *pgtest.Cluster
	bucket     *bucket
	nodes      []*node
	db         *postgres.DB // past the nodes' lines
	violations *violations
}

// startFleet starts everything, with settings of the nodes as NAME=value. The error is
// pgtest.ErrMissing where no PostgreSQL is installed.
func startFleet(ctx context.Context, o options, settings []string) (f *fleet, err error) {
	dir, err := os.MkdirTemp("", "chaos-")
	if err != nil {
		return nil, err
	}
	f = &fleet{dir: dir, binary: filepath.Join(dir, "blotter"), violations: &violations{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.close(o.keep))
		}
	}()
	if err := copyProgram(o.binary, f.binary); err != nil {
		return f, err
	}
	if f.cluster, err = pgtest.Start(ctx, pgtest.Options{}); err != nil {
		return f, err
	}
	if err := f.cluster.Create(ctx, database, "template1"); err != nil {
		return f, err
	}
	if f.bucket, err = newBucket(o.seed); err != nil {
		return f, err
	}
	f.env = append(foreign(os.Environ()), objectstoretest.Environment...)
	f.env = append(f.env, "BLOTTER_VAULT="+f.bucket.url, "BLOTTER_WORKERS=1", "BLOTTER_SERVE_DISK_FREE_BYTES=0",
		"BLOTTER_API_RATE_PER_SECOND=1000", "BLOTTER_API_RATE_BURST=1000", // one client fetches everything in the end
		"BLOTTER_STATION_KEY="+f.stationKey(), "BLOTTER_AUDIT_KEY="+filepath.Join(dir, "signing.key"))
	f.env = append(f.env, settings...)
	for _, v := range objectstoretest.Environment { // for the checks, which read the bucket
		name, value, _ := strings.Cut(v, "=")
		if err := os.Setenv(name, value); err != nil {
			return f, err
		}
	}
	if f.db, err = postgres.Open(ctx, f.cluster.URL(database), postgres.Options{}); err != nil {
		return f, err
	}
	for i := range size {
		n := &node{fleet: f, name: fmt.Sprintf("n%d", i+1), dir: filepath.Join(dir, fmt.Sprintf("n%d", i+1))}
		if n.line, err = newLine(f.cluster.URL(database)); err != nil {
			return f, err
		}
		f.nodes = append(f.nodes, n)
		if err := n.start(ctx); err != nil { // the first one makes the keys
			return f, err
		}
	}
	return f, nil
}

func (f *fleet) stationKey() string { return filepath.Join(f.dir, "station.key") }

// foreign leaves out of an environment what would configure a node, or a client of
// PostgreSQL.
func foreign(env []string) []string {
	var out []string
	for _, v := range env {
		if strings.HasPrefix(v, "BLOTTER_ENGINES=") || !strings.HasPrefix(v, "BLOTTER_") && !strings.HasPrefix(v, "PG") {
			out = append(out, v)
		}
	}
	return append(out, "BLOTTER_CONFIG=/dev/null")
}

func copyProgram(from, to string) error {
	src, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("the program: %w (make build)", err)
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Close())
}

func (f *fleet) command(args ...string) *exec.Cmd {
	cmd := exec.Command(f.binary, args...)
	cmd.Env = append(cmd.Env, f.env...)
	return cmd
}

// desk runs a command beside the nodes and returns what it printed.
func (f *fleet) desk(args ...string) (string, error) {
	cmd := f.command(args...)
	cmd.Env = append(cmd.Env, "BLOTTER_DATA="+filepath.Join(f.dir, "desk"), "BLOTTER_DATABASE="+f.cluster.URL(database))
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("blotter %s: %w\n%s", args[0], err, errs.String())
	}
	return string(out), nil
}

// close ends every process; keep leaves the directory.
func (f *fleet) close(keep bool) error {
	var errs []error
	for _, n := range f.nodes {
		n.kill()
		errs = append(errs, n.line.close())
	}
	if f.db != nil {
		errs = append(errs, f.db.Close())
	}
	if f.cluster != nil {
		errs = append(errs, f.cluster.Close())
	}
	if f.bucket != nil {
		f.bucket.server.CloseClientConnections()
		f.bucket.server.Close()
	}
	if !keep {
		errs = append(errs, os.RemoveAll(f.dir))
	}
	return errors.Join(errs...)
}

// head is the log's checkpoint at some instant.
type head struct {
	size   int64
	signed []byte
}

// watchHeads remembers the log's checkpoints as they come; what it returns ends that and
// gives them.
func (f *fleet) watchHeads(ctx context.Context) func() []head {
	ctx, cancel := context.WithCancel(ctx)
	var heads []head
	var watching sync.WaitGroup
	watching.Go(func() {
		for wait(ctx, time.Second) == nil {
			size, signed, err := f.db.Head(ctx)
			if err == nil && size > 0 && (len(heads) == 0 || heads[len(heads)-1].size != size) {
				heads = append(heads, head{size, bytes.Clone(signed)})
			}
		}
	})
	return func() []head {
		cancel()
		watching.Wait()
		return heads
	}
}
