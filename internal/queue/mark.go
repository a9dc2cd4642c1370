package queue

import "context"

// Marks are what a database remembers of those who use it. Each is set once: what a fleet
// must agree on is whatever the first node said. Errors are those of Store.
type Marks interface {
	// Mark returns what a mark is, "" while it is not set. A value that is not empty sets it
	// where it is not; of several callers at once one sets it, and all are told the same.
	Mark(ctx context.Context, name, value string) (string, error)
}

// The marks.
const (
	MarkStationKey = "station_key" // identity of the key that wraps data keys
	MarkSigningKey = "signing_key" // identity of the log, and so of the keys that sign it
	MarkVault      = "vault"       // where blobs are kept
)
