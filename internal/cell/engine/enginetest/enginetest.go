// Package enginetest holds the one rule about tests that need the pinned engines: on a
// workstation without them they are skipped, where `make test` runs they must be there.
package enginetest

import (
	"os"
	"testing"
)

// Needed is the environment variable that `make test` sets to 1.
const Needed = "BLOTTER_TEST_NEED_ENGINES"

// Missing ends a test that found no engines: it fails where Needed is 1, else it is
// skipped. why is printed.
func Missing(t testing.TB, why error) {
	t.Helper()
	if os.Getenv(Needed) == "1" {
		t.Fatalf("%v (and %s is set)", why, Needed)
	}
	t.Skip(why)
}
