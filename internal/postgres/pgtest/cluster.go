package pgtest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Options of a cluster; the zero value is for tests that end no machine.
type Options struct {
	// Durable makes the server wait for the disk as in production, for measuring. Without
	// it a write is handed to the kernel and survives the server's death, which is all
	// that a test can bring about.
	Durable bool
	// Settings are more lines of postgresql.conf, "name = value"; the last one counts.
	Settings []string
}

// Cluster is a private PostgreSQL server in a directory of its own. Its methods are safe
// for concurrent use.
type Cluster struct {
	dir    string
	server server
	owner  *owner

	mu  sync.Mutex
	run *run // nil while the server is down
}

// run is one life of the server: a guard that started it, and waits for what to do with it.
type run struct {
	guard  *exec.Cmd
	orders io.WriteCloser // its closing, by whatever end of this process, ends the server
	log    *log
}

const (
	// superuser of every cluster. Who reaches the socket is trusted; only the owner and
	// root reach it.
	superuser = "blotter"

	// patience is how long a server may take to start, recover or stop on a machine that
	// does much else.
	patience = 2 * time.Minute
)

// guard runs the server as its child and ends it with the signal that it reads. If the
// process that started it dies, it reads the end of its input instead; then it also removes
// the directory (its last part may be left, empty, where only root may remove it).
const guard = `
cd "$1" || exit 1
dir=$1
shift
"$@" &
server=$!
exec 2>/dev/null # its end is seen by the end of its log, which only it may hold open
if read -r signal; then
	kill -s "$signal" "$server"
	wait "$server"
else
	kill -s QUIT "$server"
	wait "$server"
	rm -rf "$dir"
fi`

// Start makes a cluster and starts it. Without an installed server the error is ErrMissing.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	found, err := newest(ctx)
	if err != nil {
		return nil, err
	}
	who, err := unprivileged()
	if err != nil {
		return nil, err
	}
	dir, err := who.directory()
	if err != nil {
		return nil, fmt.Errorf("pgtest: make a directory: %w", err)
	}
	c := &Cluster{dir: dir, server: found, owner: who}
	if err := c.init(ctx, o); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := c.Resume(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return c, nil
}

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

// init makes the files of the cluster.
func (c *Cluster) init(ctx context.Context, o Options) error {
	args := []string{
		"--pgdata", c.data(), "--username", superuser, "--auth", "trust", "--encoding", "UTF8", "--no-locale", "--no-instructions",
	}
	if !o.Durable {
		args = append(args, "--no-sync")
	}
	init := c.command(ctx, filepath.Join(c.server.bin, "initdb"), args...)
	if out, err := init.CombinedOutput(); err != nil {
		return fmt.Errorf("pgtest: initdb: %w\n%s", err, out)
	}
	settings := []string{
		"listen_addresses = ''", "unix_socket_directories = '" + c.dir + "'", "unix_socket_permissions = 0700",
		"max_connections = 200", "log_min_messages = log", "lc_messages = 'C'", "logging_collector = off",
	}
	if !o.Durable {
		settings = append(settings, "fsync = off", "full_page_writes = off")
	}
	return c.configure(append(settings, o.Settings...))
}

// configure adds lines to the configuration, whose owner is not always this process's.
func (c *Cluster) configure(lines []string) error {
	f, err := os.OpenFile(filepath.Join(c.data(), "postgresql.conf"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return fmt.Errorf("pgtest: configure the server: %w", err)
	}
	_, err = f.WriteString("\n" + strings.Join(lines, "\n") + "\n")
	return errors.Join(err, f.Close())
}

func (c *Cluster) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.SysProcAttr = c.dir, c.owner.process()
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"} // nothing of PG*
	return cmd
}

// Resume starts a server that was stopped or killed, and waits until it takes connections.
func (c *Cluster) Resume(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.run != nil {
		return errors.New("pgtest: the server runs already")
	}
	// The guard outlives ctx: only an order or the end of this process ends it.
	cmd := c.command(context.WithoutCancel(ctx), "/bin/sh", "-c", guard, "guard", c.dir,
		filepath.Join(c.server.bin, "postgres"), "-D", c.data())
	orders, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return errors.Join(err, orders.Close())
	}
	cmd.Stderr = write
	err = errors.Join(cmd.Start(), write.Close())
	if err != nil {
		return errors.Join(fmt.Errorf("pgtest: start the server: %w", err), orders.Close(), read.Close())
	}
	r := &run{guard: cmd, orders: orders, log: follow(read)}
	if err := r.ready(ctx); err != nil {
		return errors.Join(err, r.end("QUIT"))
	}
	c.run = r
	return nil
}

func (r *run) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case <-r.log.ready:
		return nil
	case <-r.log.closed:
		return fmt.Errorf("pgtest: the server did not start:\n%s", r.log.tail())
	case <-ctx.Done():
		return fmt.Errorf("pgtest: the server is not ready: %w\n%s", context.Cause(ctx), r.log.tail())
	}
}

// end has the guard send a signal to the server and waits until both are gone.
func (r *run) end(signal string) error {
	_, err := io.WriteString(r.orders, signal+"\n")
	// The guard answers with the server's status, which says how it was ended: as ordered.
	var status *exec.ExitError
	if waited := r.guard.Wait(); waited != nil && !errors.As(waited, &status) {
		err = errors.Join(err, waited)
	}
	<-r.log.closed
	return err
}

func (c *Cluster) stop(signal string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.run == nil {
		return nil
	}
	r := c.run
	c.run = nil
	return r.end(signal)
}

// Stop shuts the server down in order: connections are cut, what is written is flushed.
func (c *Cluster) Stop() error { return c.stop("INT") }

// Kill ends the server at once, as a crash would: the next start has to recover from the
// write-ahead log.
func (c *Cluster) Kill() error { return c.stop("QUIT") }

// Restart stops the server in order and starts it again.
func (c *Cluster) Restart(ctx context.Context) error {
	if err := c.Stop(); err != nil {
		return err
	}
	return c.Resume(ctx)
}

// Close kills the server and removes its directory.
func (c *Cluster) Close() error {
	return errors.Join(c.Kill(), os.RemoveAll(c.dir))
}

// Log returns the last lines that the server wrote in its present life.
func (c *Cluster) Log() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.run == nil {
		return ""
	}
	return c.run.log.tail()
}

// Files is the directory of the server's files, for tests that look for what should not be
// in them.
func (c *Cluster) Files() string { return c.data() }

// Major is the server's major version.
func (c *Cluster) Major() int { return c.server.major }

// URL is where a database of the cluster is reached.
func (c *Cluster) URL(database string) string {
	q := url.Values{"host": {c.dir}, "user": {superuser}}
	return "postgres:///" + database + "?" + q.Encode()
}

// log keeps the last of what a server says, and tells when it takes connections.
type log struct {
	ready  chan struct{} // closed once it does
	closed chan struct{} // closed once everything that wrote is gone

	mu    sync.Mutex
	lines [][]byte
}

const logLines = 200

// follow reads until every process of the server is gone; a server whose log is not read
// would come to a stand.
func follow(from io.ReadCloser) *log {
	l := &log{ready: make(chan struct{}), closed: make(chan struct{})}
	go func() {
		defer close(l.closed)
		defer from.Close()
		for lines, up := bufio.NewReader(from), false; ; {
			line, err := lines.ReadBytes('\n')
			l.add(line)
			if !up && bytes.Contains(line, []byte("database system is ready to accept connections")) {
				up = true
				close(l.ready)
			}
			if err != nil {
				return
			}
		}
	}()
	return l
}

func (l *log) add(line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
	l.lines = l.lines[max(0, len(l.lines)-logLines):]
}

func (l *log) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(bytes.Join(l.lines, nil))
}
