package vault

import (
	"time"

	"blotter/internal/reason"
)

// How long data keys live that no policy dates. Both stores count by these.
const (
	// OrphanAge is how long a key may stand without its job: far longer than the moment
	// between a key's making and its job's arrival.
	OrphanAge = time.Hour

	// HandOver is how long past its expiry a key is spared whose result the command line
	// has not handed out yet: a result must not vanish because its caller was away for a
	// night or a holiday. After 30 days nobody is coming, and short memory counts for more.
	HandOver = 30 * 24 * time.Hour

	// TaskLife is how long a sealed order (source reference, hints about the subject) and
	// the document that a client sent with it may wait: for a worker, or as a dead job's for
	// the operator who replays it. Most orders end with their job long before; this bounds
	// those that nobody comes back to. It is as long as HandOver, so that a backlog and a
	// result may wait for the same absence.
	TaskLife = HandOver
)

// FirstLife is how long a new key of the class lives unless its job's end dates it: TaskLife
// for a task and an upload, since a job that never ends never dates them; 0 (for ever) for
// what a worker makes.
func (c Class) FirstLife() time.Duration {
	if c == Task || c == Upload {
		return TaskLife
	}
	return 0
}

// ErrKeyGone is returned for a key that was destroyed, or never made.
var ErrKeyGone = &reason.Error{Code: reason.VaultKeyGone}
