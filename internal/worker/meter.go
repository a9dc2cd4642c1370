package worker

import (
	"time"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// Meter is told what workers do. It must not block, and may be called concurrently.
type Meter interface {
	// Waited is how long a job was ready before it was claimed.
	Waited(lane document.Lane, d time.Duration)
	// Stage is how long a stage of an attempt took, and whether that is over its budget.
	// end is the state that the attempt brought about; queued for one that is tried again.
	Stage(stage document.Stage, end document.State, d time.Duration, over bool)
	// Decoded is the input's shape: pixels decoded, and the seconds that decoding and
	// reading them took.
	Decoded(pixels int64, d time.Duration)
	// Ended is the end of a job.
	Ended(state document.State, why reason.Code)
	// Retried is an attempt that failed and will be made again.
	Retried(why reason.Code)
	// LeaseExpired is a claim that was abandoned.
	LeaseExpired(lane document.Lane)
	// Yielded is a bulk job that gave its place on and parked.
	Yielded()
	// CellKilled is a cell that did not end by itself: cell.memory_limit, cell.time_limit,
	// cell.crashed, cell.killed, cell.protocol.
	CellKilled(why reason.Code)
}

// silent is the Meter of a worker that nobody watches.
type silent struct{}

func (silent) Waited(document.Lane, time.Duration)                       {}
func (silent) Stage(document.Stage, document.State, time.Duration, bool) {}
func (silent) Decoded(int64, time.Duration)                              {}
func (silent) Ended(document.State, reason.Code)                         {}
func (silent) Retried(reason.Code)                                       {}
func (silent) LeaseExpired(document.Lane)                                {}
func (silent) Yielded()                                                  {}
func (silent) CellKilled(reason.Code)                                    {}

func (w *Worker) meter() Meter {
	if w.Meter == nil {
		return silent{}
	}
	return w.Meter
}

// measure tells of an attempt that brought its job somewhere: to its end or back into the
// queue. One that lost its lease did neither, and another tells of the job.
func (a *attempt) measure() {
	m := a.worker.meter()
	switch a.ended {
	case "":
		return
	case document.Queued:
		m.Retried(a.why)
	default:
		m.Ended(a.ended, a.why)
	}
	for _, s := range document.Stages() {
		if d := a.timings[s]; d > 0 || s == document.StageQueue { // a stage that was not reached took no time
			budget := a.worker.Budgets[s]
			m.Stage(s, a.ended, d, budget > 0 && d > budget)
		}
	}
	if a.report.Pixels > 0 {
		m.Decoded(a.report.Pixels, a.timings[document.StageExtract]+a.timings[document.StageRead])
	}
}

// overBudget names the stages that took longer than this node wants them to.
func (a *attempt) overBudget() (names []string) {
	for _, s := range a.worker.Budgets.Over(a.timings) {
		names = append(names, s.String())
	}
	return names
}

// killed tells of a cell that did not end by itself.
func (w *Worker) killed(why reason.Code) {
	switch why {
	case reason.CellMemory, reason.CellTimeout, reason.CellCrashed, reason.CellKilled, reason.CellProtocol:
		w.meter().CellKilled(why)
	}
}
