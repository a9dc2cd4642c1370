package app

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"blotter/internal/reason"
)

// An outage of an hour in which two things fail twice a second is a dozen lines: one for each
// reason at its begin, some in between, and one when all works again.
func TestOutageIsToldSparsely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said strings.Builder
		o := &outages{log: slog.New(slog.NewTextHandler(&said, nil))}
		lines := func(part string, want int) {
			t.Helper()
			if n := strings.Count(said.String(), part); n != want {
				t.Errorf("%q is said %d times, not %d:\n%s", part, n, want, said.String())
			}
		}
		busy, unavailable := reason.Because(reason.QueueBusy, errors.New("secret")), reason.Because(reason.AuditUnavailable, nil)
		o.note(claiming, nil)
		lines("", 1) // nothing
		for range 2 * 3600 {
			o.note(claiming, busy)
			o.note(sealing, busy)
			time.Sleep(time.Second / 2)
		}
		o.note(sealing, unavailable)
		lines("msg=\"waiting out a failure: "+reason.Must(reason.QueueBusy).Text, 1)
		lines("msg=\"waiting out a failure: "+reason.Must(reason.AuditUnavailable).Text, 1)
		lines("still waiting", 10)
		lines("secret", 0)
		o.note(claiming, nil) // in between: it may fail again at once
		o.note(sealing, nil)
		lines("over", 0)
		time.Sleep(settled)
		o.note(claiming, nil)
		o.note(claiming, nil)
		lines("the failure is over", 0)
		o.note(sealing, nil)
		lines("the failure is over\" duration=1h0m0s", 1)
		o.note(sealing, busy)
		lines("msg=\"waiting out a failure: "+reason.Must(reason.QueueBusy).Text, 2)
	})
}
