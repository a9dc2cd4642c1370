//go:build race

package sqlite_test

import "time"

// The race detector makes SQLite, which is Go here, some twenty times slower.
const (
	importSize    = 10_000
	simulatedTime = 15 * time.Minute
)
