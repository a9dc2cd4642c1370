package pgtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sys/unix"
)

func TestMajorOf(t *testing.T) {
	for line, want := range map[string]int{
		"postgres (PostgreSQL) 15.13 (Debian 15.13-0+deb12u1)\n": 15, "postgres (PostgreSQL) 9.6.24": 9,
		"postgres (PostgreSQL) 17beta1": 17, "postgres (PostgreSQL) ": 0, "something 15.1": 0,
	} {
		if got, err := majorOf(line); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v; want %d", line, got, err, want)
		}
	}
}

func TestReaches(t *testing.T) {
	open, shut := t.TempDir(), t.TempDir()
	for dir, mode := range map[string]fs.FileMode{open: 0o755, shut: 0o700} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
	}
	nobody := &owner{}
	if !nobody.reaches("/") || nobody.reaches(shut) || nobody.reaches(open+"/missing") {
		t.Error("who may pass is told wrongly")
	}
	if !(*owner)(nil).reaches(shut) {
		t.Error("this process may go where it is")
	}
}

// Each test has its own database; a template's copies do not see each other.
func TestDatabasesAreFresh(t *testing.T) {
	template := Template{Prepare: func(ctx context.Context, url string) error {
		return on(ctx, url, "CREATE TABLE notes (n int)")
	}}
	for _, make := range []func(testing.TB) string{template.New, template.New} {
		if got := count(t, make(t), "INSERT INTO notes VALUES (1)", "notes"); got != 1 {
			t.Errorf("%d rows in a fresh copy after one insert", got)
		}
	}
	if err := on(t.Context(), New(t), "SELECT FROM notes"); err == nil {
		t.Error("an empty database has the template's table")
	}
}

// The server that comes back has what was committed, however it ended, and nothing else.
func TestCommittedSurvives(t *testing.T) {
	c := Own(t, Options{})
	url := c.URL("postgres")
	if err := on(t.Context(), url, "CREATE TABLE notes (n int)"); err != nil {
		t.Fatal(err)
	}
	for want, down := range []func() error{c.Kill, c.Stop} {
		open, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		half, err := open.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := half.Exec(t.Context(), "INSERT INTO notes VALUES (9)"); err != nil {
			t.Fatal(err)
		}
		if got := count(t, url, "INSERT INTO notes VALUES (1)", "notes"); got != want+1 {
			t.Errorf("%d rows, want %d", got, want+1)
		}
		if err := down(); err != nil {
			t.Fatal(err)
		}
		if err := half.Commit(t.Context()); err == nil {
			t.Error("a transaction was committed on a server that is down")
		}
		if err := c.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := count(t, url, "SELECT", "notes"); got != 2 {
		t.Errorf("%d rows came back, want 2", got)
	}
}

func TestCutEndsConnections(t *testing.T) {
	c := Own(t, Options{})
	if err := c.Create(t.Context(), "other", "template1"); err != nil {
		t.Fatal(err)
	}
	var conns []*pgx.Conn
	for _, name := range []string{"postgres", "other"} {
		conn, err := pgx.Connect(t.Context(), c.URL(name))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(context.Background())
		conns = append(conns, conn)
	}
	if n, err := c.Cut(t.Context(), "other"); n != 1 || err != nil {
		t.Errorf("cut %d connections, %v; want 1", n, err)
	}
	if err := conns[0].Ping(t.Context()); err != nil {
		t.Errorf("another database's connection: %v", err)
	}
	if err := conns[1].Ping(t.Context()); err == nil {
		t.Error("the connection was not cut")
	}
}

// A setting that the server refuses is told with what it said; nothing is left.
func TestServerThatDoesNotStart(t *testing.T) {
	Shared(t) // or skip
	_, err := Start(t.Context(), Options{Settings: []string{"shared_buffers = nonsense"}})
	if err == nil || !strings.Contains(err.Error(), "shared_buffers") {
		t.Errorf("got %v", err)
	}
}

// TestChild is the process that the test below kills.
func TestChild(t *testing.T) {
	if os.Getenv("PGTEST_CHILD") == "" {
		t.Skip("runs only as the child of the test that kills it")
	}
	c := Shared(t)
	fmt.Printf("cluster %s %d\n", c.dir, c.run.guard.Process.Pid)
	select {}
}

// A test binary that is killed leaves neither processes nor files.
func TestClusterDiesWithItsProcess(t *testing.T) {
	Shared(t) // or skip
	child := exec.Command(os.Args[0], "-test.run=^TestChild$")
	child.Env = append(os.Environ(), "PGTEST_CHILD=1")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var dir string
	var guard int
	for lines := bufio.NewScanner(out); dir == "" && lines.Scan(); {
		fmt.Sscanf(lines.Text(), "cluster %s %d", &dir, &guard)
	}
	ended := watch(t, guard)
	postmaster := watch(t, serverOf(t, dir))
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // killed, as it should
	<-ended
	<-postmaster
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the directory is still there: %v", err)
	}
}

func serverOf(t *testing.T, dir string) int {
	t.Helper()
	b, err := os.ReadFile(dir + "/data/postmaster.pid")
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(b), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// watch returns a channel that is closed when a process that is no child of ours has ended.
func watch(t *testing.T, pid int) <-chan struct{} {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Fatalf("process %d: %v", pid, err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer unix.Close(fd)
		for {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
			if n == 1 || (err != nil && !errors.Is(err, unix.EINTR)) {
				return
			}
		}
	}()
	return ended
}

func on(ctx context.Context, url string, statements ...string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, s := range statements {
		if _, err := conn.Exec(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func count(t *testing.T, url, first, table string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
