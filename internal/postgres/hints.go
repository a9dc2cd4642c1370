package postgres

import (
	"context"
	"sync"
	"time"

	"blotter/internal/document"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Others are told of changes by NOTIFY: on the channel blotter_work, with no payload, that
// a job may be ready or an event to be sealed; on blotter_job, with a job's id, that the
// job moved. They are hints: every waiter polls as well.
//
// They are not sent in the transactions that they speak of, because the server lets
// transactions that notify commit one at a time over the whole database, their sync of
// the log included. They follow the commit, in a transaction of their own that nobody
// waits for; those that come while one is being sent go together with the next.

// hintTimeout bounds the sending of one; a hint that does not get through is lost.
const hintTimeout = 5 * time.Second

// hint is what one write has to tell.
type hint struct {
	work bool
	jobs []document.ID
}

func (h hint) empty() bool { return !h.work && len(h.jobs) == 0 }

// hints sends what it is given, in the background.
type hints struct {
	mu      sync.Mutex
	next    hint
	sending bool
	closed  bool
	done    sync.WaitGroup
	pool    *pgxpool.Pool
}

func newHints(pool *pgxpool.Pool) *hints { return &hints{pool: pool} }

func (h *hints) give(next hint) {
	if next.empty() {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	h.next.work = h.next.work || next.work
	h.next.jobs = append(h.next.jobs, next.jobs...)
	if !h.sending {
		h.sending = true
		h.done.Go(h.sendAll)
	}
}

// sendAll sends until there is nothing more to send.
func (h *hints) sendAll() {
	for {
		h.mu.Lock()
		next := h.next
		h.next = hint{}
		if next.empty() {
			h.sending = false
			h.mu.Unlock()
			return
		}
		h.mu.Unlock()
		h.send(next)
	}
}

func (h *hints) send(next hint) {
	ctx, cancel := context.WithTimeout(context.Background(), hintTimeout)
	defer cancel()
	jobs := next.jobs
	if jobs == nil {
		jobs = []document.ID{}
	}
	// A failure loses the hint, which its readers' polling makes good.
	_, _ = h.pool.Exec(ctx, sqlHint, named{"work": next.work, "jobs": jobs})
}

// close waits for what was given before.
func (h *hints) close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.done.Wait()
}

var sqlHint = query("hint")
