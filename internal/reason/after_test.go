package reason_test

import (
	"testing"
	"time"

	"blotter/internal/reason"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for field, want := range map[string]time.Duration{
		"": 0, "5": 5 * time.Second, " 5 ": 5 * time.Second, "-5": 0, "soon": 0,
		"Wed, 04 Mar 2026 05:07:07 GMT": time.Minute, "Wed, 04 Mar 2026 05:05:07 GMT": 0,
	} {
		if got := reason.RetryAfter(field, now); got != want {
			t.Errorf("%q: %v, want %v", field, got, want)
		}
	}
}
