package main_test

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"blotter/client"
	"blotter/internal/document"
	"blotter/internal/queue"
)

// refused starts a node in vain and returns what it said.
func (n *node) refused(code string, env ...string) string {
	n.fleet.t.Helper()
	n.station.env = append(n.station.env, append(env, "BLOTTER_SERVE_DISK_FREE_BYTES=0", "BLOTTER_SERVE_OPS_LISTEN=")...)
	r := n.station.run(program(n.fleet.t), "serve", "--listen", "127.0.0.1:0")
	if r.exit == 0 || !strings.Contains(r.err, "reason: "+code+"\n") {
		n.fleet.t.Errorf("%v: ended with %d:\n%s", env, r.exit, r.err)
	}
	return r.err
}

// Two nodes of one name would sign that each other's working copies are gone. The second one
// is refused while the first works, and gets the name of a host that is gone; what is
// started in the directory of a killed process need not wait.
func TestTwoNodesOfOneName(t *testing.T) {
	t.Parallel()
	const name = "BLOTTER_NODE=ward"
	const waits = "waiting for the name"
	f := newFleet(t)
	ctx := limited(t)
	first := f.node("api,worker,audit,retention").start(name)
	took := upload(t, ctx, first.client(f.key), read(t, page(t)), client.UploadOptions{})
	f.await(ctx, took.ID, func(j queue.Job) bool { return j.State != document.Queued })
	if said := f.node("worker").refused("station.name_taken", name); !strings.Contains(said, "ward") {
		t.Errorf("the name is not named:\n%s", said)
	}
	f.released(ctx, first.client(f.key), took.ID)

	second := upload(t, ctx, first.client(f.key), read(t, page(t)), client.UploadOptions{})
	f.await(ctx, second.ID, isLeased)
	first.kill()
	first.start(name)
	if strings.Contains(first.err.String(), waits) {
		t.Errorf("in the directory of the killed process it waited:\n%s", first.err.String())
	}
	f.released(ctx, first.client(f.key), second.ID)
	first.kill()
	replacement := f.node("api,worker,audit,retention").start(name)
	if !strings.Contains(replacement.err.String(), waits) {
		t.Errorf("another directory got the name at once:\n%s", replacement.err.String())
	}
	// It signs, and has the trust list, once the signer's role of the killed node has run out.
	third := upload(t, ctx, replacement.client(f.key), read(t, page(t)), client.UploadOptions{})
	f.released(ctx, replacement.client(f.key), third.ID)
	replacement.stop()
	f.atRest(ctx, replacement.station, []string{took.ID, second.ID, third.ID})
}

// The keys are made where documents are signed. Who starts before such a node makes nothing.
func TestOnlyWhoSignsMakesKeys(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	for _, roles := range []string{"worker", "api,worker,retention"} {
		if said := f.node(roles).refused("station.other_keys"); !strings.Contains(said, "role audit first") {
			t.Errorf("it does not say what to do:\n%s", said)
		}
	}
	if r := f.node("worker").station.run(program(t), "keys", "add", "--tenant", "ward", "--role", "client"); r.exit == 0 {
		t.Errorf("a command beside a worker began the database:\n%s", r.out)
	}
	for _, path := range []string{f.keys("station.key"), f.keys("signing.key")} {
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a key was made: %v", err)
		}
	}
	first := f.node("audit").start()
	worker := f.node("worker").start()
	worker.stop()
	first.stop()
}

// A node that is told to stop while it starts says so, and no more: there is no job that it
// could have given back.
func TestStoppedWhileStarting(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	first := f.node("audit").start("BLOTTER_NODE=ward")
	second := f.node("audit")
	r := &running{Cmd: second.station.command(program(t), "serve")}
	r.Env = append(r.Env, "BLOTTER_NODE=ward", "BLOTTER_SERVE_DISK_FREE_BYTES=0", "BLOTTER_SERVE_OPS_LISTEN=")
	said, err := r.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Process.Kill() })
	lines := bufio.NewScanner(said)
	for lines.Scan() && !strings.Contains(lines.Text(), "waiting for the name") {
	}
	r.signal(t, syscall.SIGTERM)
	rest, err := io.ReadAll(said)
	if err != nil {
		t.Fatal(err)
	}
	if code := r.exit(t); code != 0 || !strings.Contains(string(rest), "while it was starting") || strings.Contains(string(rest), "reason:") {
		t.Errorf("it ended with %d:\n%s", code, rest)
	}
	first.stop()
}
