package inside

import (
	"os"

	"golang.org/x/sys/unix"

	"blotter/internal/cell/wire"
	"blotter/internal/document"
)

// Seams for the tests of a real cell, compiled into the test binary alone.

// Emitter lets a probe speak on the wire, truthfully or not.
type Emitter = emitter

// Send writes one message.
func (e *emitter) Send(m wire.Message) error { return e.send(m) }

// Raw writes bytes that are no message.
func (e *emitter) Raw(b []byte) {
	e.w.Write(b)
	e.w.Flush()
}

// SetProbes runs probe for a document that it accepts and the pipeline for others. A
// cell that was given no engines loads none.
// Before the second stage's walls it runs early.
func SetProbes(early func(), probe func(t wire.Task, doc *os.File, out *Emitter) bool) {
	work = func(e engines, t wire.Task, doc *os.File, out *emitter) {
		if !probe(t, doc, out) {
			redactDocument(e, t, doc, out)
		}
	}
	load = func(s wire.Setup) (engines, error) {
		if noEngines() {
			early()
			return engines{}, nil
		}
		return loadEngines(s)
	}
}

func noEngines() bool {
	var st unix.Stat_t
	return unix.Fstat(wire.LibraryFD, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFCHR
}

// SetOmit leaves boxes out when they are painted: round 0 is the first time, later ones
// follow a look.
func SetOmit(f func(round int, fs []document.Finding) []document.Finding) { omit = f }

// Next names the next asset and waits for the parent's word.
func (e *emitter) Next(s document.Stage, index int) error { return e.next(s, index) }
