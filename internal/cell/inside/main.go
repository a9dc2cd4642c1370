// Package inside is the child side of the cell: it puts itself behind its walls, takes
// one document, redacts it and sends back assets, boxes and PNGs. Text lives only
// here, and dies with the process.
//
// It runs in two stages. The first builds the walls that an executed program inherits
// (Landlock, no_new_privs, an unprivileged user) on one locked thread and executes the
// second; the runtime of a binary that links native code offers no other way to put
// all threads behind them. The second loads the engines, takes the walls that would
// have stopped the loading (seccomp, resource limits), and only then asks for a
// document.
package inside

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"golang.org/x/sys/unix"

	"blotter/internal/cell/wire"
	"blotter/internal/reason"
)

// IsCell reports whether a process with these arguments is a cell and must call Main
// before it does anything else.
func IsCell(args []string) bool {
	if len(args) < 2 {
		return false
	}
	switch args[1] {
	case wire.Stage1, wire.Stage2, wire.WarmUp, wire.TryOut:
		return true
	}
	return false
}

// Main runs the cell that the arguments describe and returns the exit status. It
// prints nothing but what a run without a document has to say.
func Main() int {
	switch os.Args[1] {
	case wire.WarmUp:
		return warm(os.Args[2:])
	case wire.TryOut:
		return aside(tryClassifier(os.Args[2:]))
	}
	stage, setup, err := wire.ParseSetup(os.Args[1:])
	if err != nil {
		return 1
	}
	out := newEmitter(descriptor(wire.SocketFD))
	out.goOn = make(chan struct{})
	if stage == wire.Stage1 {
		err = confine(setup) // returns only if it fails
	} else {
		err = serve(setup, out)
	}
	if err != nil {
		out.fail(err)
		return 1
	}
	return 0
}

// collectAt is how much garbage, in per cent of what is in use, calls for a collection.
// Pages make little garbage in large pieces: half of the default saves some 30 MB of a
// cell's peak and costs a few collections of 20 ms.
const collectAt = 50

// serve is the second stage: engines, walls, one document.
func serve(s wire.Setup, out *emitter) error {
	runtime.GOMAXPROCS(s.Threads)
	debug.SetMemoryLimit(s.HeapBytes)
	debug.SetGCPercent(collectAt)
	e, err := loadFor(s)
	if err != nil {
		return err
	}
	e.room = roomOf(s)
	early := attemptEarly(s)
	walls, err := lockDown(s)
	if err != nil {
		return reason.Because(reason.CellStart, err)
	}
	if err := out.send(wire.Ready{Protections: walls}); err != nil {
		return err
	}
	if !s.Purpose.Takes() {
		go obeyParent(out.goOn)
		return try(s, early, out)
	}
	task, doc, err := wire.ReceiveTask(wire.SocketFD)
	if errors.Is(err, io.EOF) {
		return nil // the parent had nothing for us
	}
	if err != nil {
		return reason.Because(reason.CellCrashed, err)
	}
	go obeyParent(out.goOn)
	if s.Purpose == wire.Inspect {
		inspectDocument(e, task, doc, out)
	} else {
		work(e, task, doc, out)
	}
	select {} // the parent looks at our memory once more, then hangs up
}

// loadFor loads what a cell of that purpose works with, and nothing else.
func loadFor(s wire.Setup) (engines, error) {
	switch s.Purpose {
	case wire.Redact:
		return load(s)
	case wire.Inspect:
		return loadOpeners()
	}
	return engines{}, nil
}

// load and work are what a cell does between its walls. Tests of the walls put probes
// in their place.
var (
	load = loadEngines
	work = redactDocument
)

// obeyParent passes on each word of the parent to go on, and ends this process when the
// parent's end of the socket closes. The parent says nothing else after the task.
func obeyParent(goOn chan<- struct{}) {
	var b [1]byte
	for {
		if n, err := descriptor(wire.SocketFD).Read(b[:]); n != 1 || err != nil || b[0] != wire.GoOn {
			os.Exit(0)
		}
		goOn <- struct{}{}
	}
}

// redactDocument runs the pipeline and reports how it ended. A panic is one more way
// for a document to fail, and so is what should not happen: both would happen again,
// so neither may end with a code that asks for another attempt.
func redactDocument(e engines, t wire.Task, doc *os.File, out *emitter) {
	p := &pipeline{engines: e, task: t, out: out}
	p.conduct(doc, p.run)
}

// conduct takes the document through steps.
func (p *pipeline) conduct(doc *os.File, steps func(context.Context, *os.File) error) {
	err := guard(reason.CellCrashed, func() error { return steps(context.Background(), doc) })
	if reason.Of(err) == reason.Internal {
		err = reason.Because(reason.CellCrashed, err)
	}
	if err != nil {
		p.out.failAs(err, p.format)
	}
}

// guard turns a panic of f into an error with the code.
func guard(code reason.Code, f func() error) (err error) {
	defer func() {
		if recover() != nil { // its value may hold text
			err = reason.Because(code, errors.New("inside: panic"))
		}
	}()
	return f()
}

// warm loads the engines that are compiled, so that the compilation cache is full, and
// lets everyone read it: a cell under root is nobody.
func warm(args []string) int {
	if len(args) != 1 {
		return 1
	}
	return aside(fillCache(args[0]))
}

// aside is the exit status of a run without a document, which may say why it failed.
func aside(err error) int {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// descriptor is an inherited blocking descriptor, used without the runtime's poller.
type descriptor int

func (fd descriptor) Read(p []byte) (int, error) {
	for {
		n, err := unix.Read(int(fd), p)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err == nil && n == 0 && len(p) > 0:
			return 0, io.EOF
		}
		return max(n, 0), err
	}
}

func (fd descriptor) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		n, err := unix.Write(int(fd), p[done:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return done, err
		}
		done += n
	}
	return done, nil
}
