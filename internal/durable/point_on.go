//go:build crashpoints

package durable

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// crash is where this process dies; nil: nowhere.
var crash = mustParseCrash(os.Getenv("BLOTTER_CRASH"))

type crashAt struct {
	name, phase string // phase "" matches both
	left        atomic.Int64
}

func pass(name, phase string) {
	c := crash
	if c == nil || (c.name != "*" && c.name != name) || (c.phase != "" && c.phase != phase) {
		return
	}
	if c.left.Add(-1) != 0 {
		return
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
		panic("durable: cannot kill the own process: " + err.Error())
	}
	select {} // the signal may take a moment; nothing more may happen on this goroutine
}

// mustParseCrash panics on a value it does not understand, so that a crash test with
// a slip in its variable cannot pass.
func mustParseCrash(s string) *crashAt {
	if s == "" {
		return nil
	}
	c, err := parseCrash(s)
	if err != nil {
		panic(err)
	}
	return c
}

func parseCrash(s string) (*crashAt, error) {
	parts := strings.Split(s, ":")
	if len(parts) < 2 || len(parts) > 3 || parts[0] == "" {
		return nil, fmt.Errorf("durable: BLOTTER_CRASH is name:n[:before|after]")
	}
	n, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil || n < 1 {
		return nil, fmt.Errorf("durable: BLOTTER_CRASH counts from 1")
	}
	c := &crashAt{name: parts[0]}
	c.left.Store(n)
	if len(parts) == 3 {
		if c.phase = parts[2]; c.phase != before && c.phase != after {
			return nil, fmt.Errorf("durable: a phase of BLOTTER_CRASH is before or after")
		}
	}
	return c, nil
}
