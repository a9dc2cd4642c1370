package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"blotter/client"
)

// node is one `blotter serve` with every role, on a data directory of its own, which it
// keeps when it dies.
type node struct {
	fleet *fleet
	name  string
	dir   string
	line  *line

	fault sync.Mutex // whoever holds it does something to the process

	mu   sync.Mutex
	life *life
	url  string
}

// life is one process of a node.
type life struct {
	cmd      *exec.Cmd
	gone     chan struct{} // closed at its end
	expected bool          // it was told to end; held by the node's mutex
}

var listening = regexp.MustCompile(`Listening on (http://\S+)/ `)

// readiness bounds how long a node may take to start, its tries together.
const readiness = 2 * time.Minute

// pace is the pause between two tries of something that others must bring about.
const pace = 200 * time.Millisecond

// start starts the node as an orchestrator does: again, until it listens. A node that finds
// database or bucket failing may end and say why.
func (n *node) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readiness)
	defer cancel()
	for {
		err := n.try(ctx)
		if err == nil {
			return nil
		}
		if wait(ctx, pace) != nil {
			return fmt.Errorf("node %s does not start: %w\n%s", n.name, err, n.tail())
		}
	}
}

func (n *node) try(ctx context.Context) error {
	cmd := n.fleet.command("serve", "--data", n.dir, "--listen", "127.0.0.1:0")
	cmd.Env = append(cmd.Env, "BLOTTER_NODE="+n.name, "BLOTTER_DATABASE="+n.line.url, "BLOTTER_SERVE_OPS_LISTEN=",
		"BLOTTER_SERVE_GRACE=10s", "BLOTTER_LOG_LEVEL=info")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	log, err := os.OpenFile(n.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() // the process has its own
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		return err
	}
	l := &life{cmd: cmd, gone: make(chan struct{})}
	greeting := make(chan string, 1)
	go func() {
		var url string
		for lines := bufio.NewScanner(out); url == "" && lines.Scan(); {
			if m := listening.FindStringSubmatch(lines.Text()); m != nil {
				url = m[1]
			}
		}
		greeting <- url
		_, _ = io.Copy(io.Discard, out) // until its end
		_ = cmd.Wait()                  // how it ended is in ProcessState
		close(l.gone)
	}()
	select {
	case url := <-greeting:
		if url == "" {
			<-l.gone
			return fmt.Errorf("it ended with %d", cmd.ProcessState.ExitCode())
		}
		n.mu.Lock()
		n.life, n.url = l, url
		n.mu.Unlock()
		go n.watch(l)
		return nil
	case <-ctx.Done():
		cmd.Process.Kill()
		<-l.gone
		return ctx.Err()
	}
}

// watch reports a process that ends without having been told to.
func (n *node) watch(l *life) {
	<-l.gone
	n.mu.Lock()
	expected := l.expected
	n.mu.Unlock()
	if expected {
		return
	}
	n.fleet.violations.add("node %s ended by itself with %d:\n%s", n.name, l.cmd.ProcessState.ExitCode(), n.tail())
	n.fault.Lock()
	defer n.fault.Unlock()
	n.mu.Lock()
	same := n.life == l
	n.mu.Unlock()
	if same { // nobody has started it again yet
		n.again(context.Background())
	}
}

// signal sends a signal; one that ends the process says so first. It returns the life that
// it was sent to, or nil where there is none.
func (n *node) signal(s syscall.Signal, ends bool) *life {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.life == nil {
		return nil
	}
	select {
	case <-n.life.gone:
		return nil
	default:
	}
	n.life.expected = n.life.expected || ends
	_ = n.life.cmd.Process.Signal(s) // it may end meanwhile
	return n.life
}

// kill ends the process as a power cut does; false: there was none.
func (n *node) kill() bool {
	l := n.signal(syscall.SIGKILL, true)
	if l != nil {
		<-l.gone
	}
	return l != nil
}

// windUp is how long a node that was told to stop may take: its grace, and what it may say
// afterwards.
const windUp = time.Minute

// stop tells the process to stop and waits. ok is false where there was none, or where it
// would not stop.
func (n *node) stop() (code int, ok bool) {
	l := n.signal(syscall.SIGTERM, true)
	if l == nil {
		return 0, false
	}
	late := time.NewTimer(windUp)
	defer late.Stop()
	select {
	case <-l.gone:
		return l.cmd.ProcessState.ExitCode(), true
	case <-late.C:
		n.signal(syscall.SIGQUIT, true) // which writes its goroutines to the log
		<-l.gone
		n.fleet.violations.add("node %s did not stop within %v of SIGTERM:\n%s", n.name, windUp, n.tail())
		return 0, false
	}
}

// client speaks to the process that runs now, without trying again by itself.
func (n *node) client(key string) (*client.Client, error) {
	n.mu.Lock()
	url := n.url
	n.mu.Unlock()
	if url == "" {
		return nil, errors.New("the node never ran")
	}
	return client.New(url, key, client.WithRetries(0))
}

func (n *node) log() string { return filepath.Join(n.fleet.dir, n.name+".log") }

// tail is the last that the node said.
func (n *node) tail() string {
	const lines = 25
	body, err := os.ReadFile(n.log())
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimSpace(string(body)), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// wait waits for d, or until ctx ends.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
