//go:build !race

package sqlite_test

import "time"

// How large the import of the fairness tests is, and how long it is watched.
const (
	importSize    = 100_000
	simulatedTime = 30 * time.Minute
)
