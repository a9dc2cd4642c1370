package detect

import (
	"os"
	"strings"
	"testing"

	"blotter/internal/cell/inside/words"
)

// TestSpellings holds the many ways in which numbers, dates, ages, addresses and names are
// written in a dozen countries, and words of records that are none of these: what is
// between [[ and ]] is covered, nothing else.
func TestSpellings(t *testing.T) {
	b, err := os.ReadFile("testdata/spellings.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if len(lines) < 150 {
		t.Fatalf("only %d lines", len(lines))
	}
	for _, line := range lines {
		check(t, line, words.Subject{})
	}
}
