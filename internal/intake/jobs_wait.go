package intake

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"blotter/internal/access"
	"blotter/internal/queue"
	"blotter/internal/reason"
)

// MaxWait is how long a request may wait for a job, whatever it prefers: shorter than the
// idle time-outs of common proxies (60 s), so that they do not cut the answer off.
const MaxWait = 30 * time.Second

// wait is a number of seconds that a client prefers to wait.
type wait int

// String is the preference as it was applied (RFC 7240, section 3).
func (w wait) String() string { return "wait=" + strconv.Itoa(int(w)) }

func (w wait) duration() time.Duration { return time.Duration(w) * time.Second }

// preferredWait reads `Prefer: wait=N` (RFC 7240, section 4.3). Other preferences, and a wait that
// is no number of seconds, are ignored, as the RFC asks: the answer says which preference
// was applied. Of several waits the first counts, and one over MaxWait is cut to it.
func preferredWait(h http.Header) (wait, bool) {
	for _, line := range h.Values("Prefer") {
		for _, preference := range strings.Split(line, ",") {
			preference, _, _ = strings.Cut(preference, ";")
			name, value, _ := strings.Cut(preference, "=")
			if strings.EqualFold(strings.TrimSpace(name), "wait") {
				return parseWait(strings.Trim(strings.TrimSpace(value), `"`))
			}
		}
	}
	return 0, false
}

func parseWait(s string) (wait, bool) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	most := wait(MaxWait / time.Second)
	n, err := strconv.Atoi(s)
	if err != nil { // more digits than an integer holds
		return most, true
	}
	return min(wait(n), most), true
}

// await returns the job once it has ended, the time is over, or the service stops.
func (a *API) await(ctx context.Context, j queue.Job, caller access.Key, d time.Duration) (queue.Job, error) {
	if j.State.Ended() || d == 0 {
		return j, nil
	}
	leave, err := a.waiting.enter(caller.ID)
	if err != nil {
		return j, err
	}
	defer leave()
	changed, stop := a.Changes.Watch(j.ID)
	defer stop()
	timeout := time.NewTimer(d)
	defer timeout.Stop()
	for {
		// Read after the watch began, so that no change falls between the two.
		if j, err = a.job(ctx, j.ID, caller); err != nil || j.State.Ended() {
			return j, err
		}
		select {
		case <-changed:
		case <-timeout.C:
			return j, nil
		case <-a.waiting.stopped:
			return j, nil
		case <-ctx.Done():
			return j, errAnswered // the client has gone
		}
	}
}

// waiters bounds how many requests wait for jobs at once. One key may hold half of the
// places, so that a client which opens many leaves some to others.
type waiters struct {
	total, each int
	stopped     chan struct{}

	mu    sync.Mutex
	now   int
	byKey map[string]int
	once  sync.Once
}

func newWaiters(total int) *waiters {
	return &waiters{total: total, each: max(1, total/2), stopped: make(chan struct{}), byKey: map[string]int{}}
}

// enter takes a place; leave gives it back.
func (w *waiters) enter(key string) (leave func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now >= w.total || w.byKey[key] >= w.each {
		return nil, reason.Because(reason.APIWaiters, nil)
	}
	w.now++
	w.byKey[key]++
	return func() { w.leave(key) }, nil
}

func (w *waiters) leave(key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now--
	if w.byKey[key]--; w.byKey[key] == 0 {
		delete(w.byKey, key)
	}
}

// stop ends all waits, those to come included.
func (w *waiters) stop() { w.once.Do(func() { close(w.stopped) }) }

// StopWaiting answers every request that waits for a job, and ends every stream of events,
// so that they do not hold up the end of the service. Other requests go on.
func (a *API) StopWaiting() { a.waiting.stop() }
