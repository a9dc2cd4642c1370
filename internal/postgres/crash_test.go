package postgres_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"blotter/internal/postgres/pgtest"
	"blotter/internal/storetest"
)

var ways = map[string]func() storetest.Way{"job": storetest.OneJob, "request": storetest.OneRequest}

// TestCrashChild is the process that the test below kills. It says after how many steps it
// is.
func TestCrashChild(t *testing.T) {
	url := os.Getenv("BLOTTER_TEST_DB")
	if url == "" {
		t.Skip("runs only as the child of the tests that kill it")
	}
	db := open(t, url, &clock{})
	err := ways[os.Getenv("BLOTTER_TEST_WAY")]().Run(t.Context(), db, func(steps int) { fmt.Println("done", steps) })
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("end")
}

// A node that is killed after any of its statements, before it has the server's answer,
// leaves what was acknowledged, perhaps the step under way as a whole, and nothing else.
func TestKilledAtEachStatement(t *testing.T) {
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for n, more := 1, true; more; n++ {
				t.Run(fmt.Sprint("statement ", n), func(t *testing.T) { more = killAt(t, name, way(), n) })
			}
		})
	}
}

// killAt kills a child at its n-th statement, and reports whether it had so many.
func killAt(t *testing.T, name string, way storetest.Way, n int) (killed bool) {
	t.Helper()
	url := migrated.New(t)
	proxy := pgtest.NewProxy(t, url, n)
	child := exec.Command(os.Args[0], "-test.run=^TestCrashChild$")
	child.Env = append(os.Environ(), "BLOTTER_TEST_DB="+proxy.URL, "BLOTTER_TEST_WAY="+name)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	said := make(chan saying, 1)
	go func() { said <- hear(out) }()
	var got saying
	select {
	case <-proxy.Reached:
		killed = true
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		got = <-said
	case got = <-said:
		if !got.ended {
			t.Fatalf("the child stopped after %d steps", got.steps)
		}
	}
	_ = child.Wait() // killed, or ended well
	proxy.Close()
	db := open(t, url, &clock{})
	if !killed {
		way.Check(t, db, len(way.Steps))
		return false
	}
	way.Check(t, db, got.steps, min(got.steps+1, len(way.Steps)))
	return true
}

// saying is what a child said by its end.
type saying struct {
	steps int
	ended bool
}

func hear(out io.Reader) (s saying) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		fmt.Sscanf(lines.Text(), "done %d", &s.steps)
		s.ended = s.ended || lines.Text() == "end"
	}
	return s
}
