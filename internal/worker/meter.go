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
	// CellKilled is a cell that did not end by itself: cell.memory_limit, cell.time_limit,
	// cell.crashed, cell.killed, cell.protocol.
	CellKilled(why reason.Code)
}
