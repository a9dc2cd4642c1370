package app

import (
	"log/slog"
	"sync"
	"time"

	"blotter/internal/reason"
)

// What a process does over and over, and may fail at for a while.
const (
	claiming  = "claiming"
	sealing   = "sealing"
	tidying   = "tidying"
	expiring  = "expiring"
	combing   = "combing"
	telling   = "telling"
	listening = "listening"
)

// Pauses between two lines about one outage.
const (
	saidFirst = 10 * time.Second
	saidMost  = 10 * time.Minute
)

// settled is how long nothing must have failed before an outage counts as over: while a
// database comes back, calls succeed and fail in turn.
const settled = time.Second

// outages tells the log of what fails and is tried again: of each reason when it begins, of
// the whole at growing intervals, and of its end. Everything that a process does shares one,
// so that a database that is away is told of once, not by each who needs it.
type outages struct {
	log *slog.Logger

	mu      sync.Mutex
	failing map[string]bool      // by what is done
	said    map[reason.Code]bool // reasons that were told of since the begin
	began   time.Time
	last    time.Time // of the failures
	next    time.Time // when to tell again
	pause   time.Duration
}

// note tells of one try: that it failed and will be made again, or, with nil, that it did
// not.
func (o *outages) note(what string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err == nil {
		o.succeeded(what)
		return
	}
	now, why := time.Now(), reason.Of(err)
	if len(o.failing) == 0 {
		o.failing, o.said = map[string]bool{}, map[reason.Code]bool{}
		o.began, o.pause, o.next = now, saidFirst, now.Add(saidFirst)
	}
	o.failing[what], o.last = true, now
	switch {
	case !o.said[why]:
		o.said[why] = true
		o.log.Warn("waiting out a failure: "+reason.Must(why).Text, "what", what, "reason", why)
	case !now.Before(o.next):
		o.pause = min(2*o.pause, saidMost)
		o.next = now.Add(o.pause)
		o.log.Warn("still waiting out a failure", "what", what, "reason", why, "duration", now.Sub(o.began))
	}
}

func (o *outages) succeeded(what string) {
	if !o.failing[what] || time.Since(o.last) < settled {
		return
	}
	if delete(o.failing, what); len(o.failing) == 0 {
		o.log.Warn("the failure is over", "duration", o.last.Sub(o.began))
	}
}
