package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"blotter/internal/postgres/pgtest"
)

// tick is the unit of times in /proc/PID/stat: USER_HZ, which is 100 on every Linux that Go
// runs on.
const tick = 10 * time.Millisecond

// spent is the processor time that this process and the server with all its backends have
// taken so far. On a machine that does other things it says more than jobs a second.
func spent(ctx context.Context, c *pgtest.Cluster) (time.Duration, error) {
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		return 0, err
	}
	conn, err := pgx.Connect(ctx, c.URL("postgres"))
	if err != nil {
		return 0, err
	}
	defer conn.Close(ctx)
	var file string
	if err := conn.QueryRow(ctx, "SELECT pg_read_file('postmaster.pid')").Scan(&file); err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(file, "\n")
	server, err := treeTime(first)
	return time.Duration(own.Utime.Nano()+own.Stime.Nano()) + server, err
}

// treeTime is what a process, its children, and those of them that have ended have taken.
func treeTime(pid string) (time.Duration, error) {
	_, sum, err := processTime(filepath.Join("/proc", pid, "stat"), true)
	if err != nil {
		return 0, err
	}
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, err
	}
	for _, path := range all {
		parent, took, err := processTime(path, false)
		if err == nil && parent == pid { // others end as we look
			sum += took
		}
	}
	return sum, nil
}

func processTime(path string, waited bool) (parent string, took time.Duration, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", 0, err
	}
	_, rest, ok := strings.Cut(string(text), ") ") // the name before may hold anything but that
	fields := strings.Fields(rest)
	if !ok || len(fields) < 15 {
		return "", 0, fmt.Errorf("%s has another form", path)
	}
	n := 2 // utime and stime
	if waited {
		n = 4 // and those of children that were waited for
	}
	for _, f := range fields[11 : 11+n] {
		ticks, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return "", 0, err
		}
		took += time.Duration(ticks) * tick
	}
	return fields[1], took, nil
}
