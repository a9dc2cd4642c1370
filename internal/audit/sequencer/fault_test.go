package sequencer_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"blotter/internal/audit/sequencer"
	"blotter/receipt"
)

// fault breaks the n-th write, of a file or of the log.
type fault struct {
	n       int
	done    bool // the write happens, and reports failure all the same
	counted int
	hit     bool
}

var errInjected = errors.New("injected failure")

func (f *fault) around(write func() error) error {
	f.counted++
	if f.counted != f.n {
		return write()
	}
	f.hit = true
	if f.done {
		if err := write(); err != nil {
			return err
		}
	}
	return errInjected
}

// Every write of a life with a rotation fails once: not done, or done but reported as
// failed; afterwards the process goes on, or dies and starts again. Whatever happens,
// the log is whole, holds each event once and in order, and no number was ever signed
// twice with different bytes.
func TestEveryWriteFailsOnce(t *testing.T) {
	writes := 0
	for n := 1; ; n++ {
		hit := false
		for _, done := range []bool{false, true} {
			for _, dies := range []bool{false, true} {
				f := &fault{n: n, done: done}
				name := fmt.Sprintf("write %d, done %v, dies %v", n, done, dies)
				t.Run(name, func(t *testing.T) { live(t, f, dies) })
				hit = hit || f.hit
			}
		}
		if !hit {
			break
		}
		writes++
	}
	if writes < 12 {
		t.Errorf("only %d writes were broken; the test has lost its object", writes)
	}
}

// life is a process that restarts.
type life struct {
	t    *testing.T
	dir  string
	log  *memoryLog
	seq  *sequencer.Sequencer
	dies bool
	seen map[int64]string // what was ever stored under a number
}

func live(t *testing.T, f *fault, dies bool) {
	defer sequencer.WrapWrites(f.around)()
	l := &life{t: t, dir: t.TempDir(), log: &memoryLog{around: f.around}, dies: dies, seen: map[int64]string{}}
	l.start()
	var want []string
	for round := range 3 {
		for i := range 2 {
			job := fmt.Sprintf("j%d-%d", round, i)
			want = append(want, job)
			l.log.put(event(job))
		}
		l.seal()
		if round == 1 {
			l.rotate()
		}
	}
	l.seal()
	if got := check(t, l.log, l.seq.Trust()); !slices.Equal(got, want) {
		t.Errorf("sealed %v; want %v", got, want)
	}
	closeIt(t, l.seq)
}

// start opens the sequencer; only one write ever fails, so the second try succeeds.
func (l *life) start() {
	l.t.Helper()
	for range 2 {
		s, err := sequencer.Open(l.t.Context(), configOf(l.dir, l.log))
		if err == nil {
			l.seq = s
			return
		}
		if !errors.Is(err, errInjected) {
			l.t.Fatal(err)
		}
	}
	l.t.Fatal("no second start")
}

// after decides what a failure means for the process.
func (l *life) after(err error) {
	l.t.Helper()
	if !errors.Is(err, errInjected) {
		l.t.Fatal(err)
	}
	if l.dies {
		closeIt(l.t, l.seq)
		l.start()
	}
}

func (l *life) seal() {
	l.t.Helper()
	for {
		n, err := l.seq.Step(l.t.Context())
		l.nothingChanged()
		if err != nil {
			l.after(err)
			continue
		}
		if n == 0 {
			return
		}
	}
}

func (l *life) rotate() {
	l.t.Helper()
	keys := len(l.seq.Trust().Keys)
	if err := l.seq.Rotate(l.t.Context()); err != nil {
		l.after(err)
	}
	l.nothingChanged()
	l.seal() // settles a rotation that was under way
	if len(l.seq.Trust().Keys) == keys {
		if err := l.seq.Rotate(l.t.Context()); err != nil {
			l.t.Fatal(err)
		}
	}
	if got := len(l.seq.Trust().Keys); got != keys+1 {
		l.t.Errorf("%d keys after a rotation of %d", got, keys)
	}
}

// nothingChanged remembers every stored entry and sees that it stays.
func (l *life) nothingChanged() {
	l.t.Helper()
	for _, e := range l.log.entries {
		if before, known := l.seen[e.Sequence]; known && before != string(e.Envelope) {
			l.t.Fatalf("entry %d was signed twice with different bytes", e.Sequence)
		}
		l.seen[e.Sequence] = string(e.Envelope)
		if _, err := receipt.Open(e.Envelope); err != nil {
			l.t.Fatal(err)
		}
	}
}
