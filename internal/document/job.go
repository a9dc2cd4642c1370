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
	Dead           State = "dead" // attempts used up; an operator decides
)

// Ended reports whether nothing more will happen without a person.
func (s State) Ended() bool {
	switch s {
	case Released, AwaitingReview, Rejected, Dead:
		return true
	}
	return false
}

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
