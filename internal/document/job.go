package document

import "time"

// Lane is the kind of service a job asked for.
type Lane string

// The lanes.
const (
	Interactive Lane = "interactive"
	Bulk        Lane = "bulk"
)

// State is where a job stands. The arrows are in docs/state-machine.md.
type State string

// The states of a job.
const (
	Queued         State = "queued"
	Leased         State = "leased"
	Sealing        State = "sealing" // the result is written; its event waits for a signed checkpoint
	Released       State = "released"
	AwaitingReview State = "awaiting_review"
	Rejected       State = "rejected"
	Dead           State = "dead"      // attempts used up; an operator decides
	Cancelled      State = "cancelled" // ended by its caller, or discarded by an operator
)

// Ended reports whether nothing more will happen without a person.
func (s State) Ended() bool {
	switch s {
	case Released, AwaitingReview, Rejected, Dead, Cancelled:
		return true
	}
	return false
}

// Releases reports whether a job that ended so has derivatives to hand out.
func (s State) Releases() bool { return s == Released || s == AwaitingReview }

// States lists every state in the order of a job's life.
func States() []State {
	return []State{Queued, Leased, Sealing, Released, AwaitingReview, Rejected, Dead, Cancelled}
}

// Lanes lists every lane.
func Lanes() []Lane { return []Lane{Interactive, Bulk} }

// Stage is a part of a job's way that is timed and has a budget.
type Stage uint8

// The stages, one list everywhere.
const (
	StageQueue Stage = iota
	StageFetch
	StageSniff
	StageExtract
	StageRead
	StageDetect
	StageRedact
	StageVerify
	StageStore
	StageSeal
	stageCount
)

var stageNames = [stageCount]string{"queue", "fetch", "sniff", "extract", "read", "detect", "redact", "verify", "store", "seal"}

// String is the name used in results, metrics and events.
func (s Stage) String() string {
	if s < stageCount {
		return stageNames[s]
	}
	return "invalid"
}

// Stages lists every stage in the order of a job's way.
func Stages() []Stage {
	out := make([]Stage, stageCount)
	for i := range out {
		out[i] = Stage(i)
	}
	return out
}

// Timings holds how long each stage took.
type Timings [stageCount]time.Duration

// Milliseconds returns the timings by name, rounded to whole milliseconds.
func (t Timings) Milliseconds() map[string]int64 {
	out := make(map[string]int64, stageCount)
	for s, d := range t {
		out[stageNames[s]] = d.Round(time.Millisecond).Milliseconds()
	}
	return out
}

// Budgets holds how long each stage may take before it counts as over budget; 0 is no
// budget. A stage over its budget is marked, never stopped: limits stop, budgets tell.
type Budgets [stageCount]time.Duration

// Over lists the stages whose time is over their budget, in order.
func (b Budgets) Over(t Timings) []Stage {
	var out []Stage
	for s := range b {
		if b.Exceeded(Stage(s), t[s]) {
			out = append(out, Stage(s))
		}
	}
	return out
}

// Exceeded reports whether a stage that took d is over its budget.
func (b Budgets) Exceeded(s Stage, d time.Duration) bool { return b[s] > 0 && d > b[s] }
