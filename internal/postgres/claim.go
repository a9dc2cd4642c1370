package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/receipt"

	"github.com/jackc/pgx/v5"
)

// claiming is one caller's claim.
type claiming struct {
	queue.Claim
	event func(queue.Job) receipt.Event
}

// step is what a worker asks of the store: a claim, or the end of its job. Both are made
// together, because they charge the same shares and are written to the same outbox.
type step struct {
	claim *claiming
	end   *finishing
}

type workCall = call[step, queue.Job]

// Claim implements queue.Store.
func (db *DB) Claim(ctx context.Context, c queue.Claim, event func(queue.Job) receipt.Event) (queue.Job, error) {
	var job queue.Job
	var err error
	if c.Only == nil {
		job, err = db.work.do(ctx, step{claim: &claiming{c, event}})
	} else {
		job, err = db.claimOnly(ctx, c, event)
	}
	return job, failed("claim a job", err)
}

// lanes are those that a claim asks for, in this order.
func lanes(c queue.Claim) []document.Lane {
	if c.Lane == "" {
		return document.Lanes()
	}
	return []document.Lane{c.Lane}
}

// workTogether writes ends and lends jobs to all who ask, lane by lane: who asks for both gets
// a job of the second only where the first has none left. The ends go with the first
// transaction.
func (db *DB) workTogether(ctx context.Context, calls []*workCall) error {
	var claims, ends []*workCall
	for _, w := range calls {
		if w.in.end != nil {
			ends = append(ends, w)
		} else {
			claims = append(claims, w)
		}
	}
	e := endingOf(ends)
	found, err := db.lookFirst(ctx, claims)
	if err != nil {
		return err
	}
	for _, lane := range document.Lanes() {
		for _, group := range alike(claims, lane) {
			if err := db.serve(ctx, lane, group, e, found[lane]); err != nil {
				return err
			}
			delete(found, lane) // it is old now
		}
	}
	if len(e.calls) > 0 { // nothing was lent
		if err := db.transactFrom(ctx, e.begin, e.settle); err != nil {
			return err
		}
		e.written()
	}
	for _, w := range claims {
		if !w.done {
			w.err = queue.ErrNoJob
		}
	}
	return nil
}

// wants reports whether a call still asks for a job of a lane.
func wants(w *workCall, lane document.Lane) bool {
	return !w.done && slices.Contains(lanes(w.in.claim.Claim), lane)
}

func wanting(claims []*workCall, lane document.Lane) (n int) {
	for _, w := range claims {
		if wants(w, lane) {
			n++
		}
	}
	return n
}

// alike groups the calls that still want a job of a lane by the length of their leases.
func alike(calls []*workCall, lane document.Lane) (groups [][]*workCall) {
	by := map[time.Duration]int{}
	for _, w := range calls {
		if !wants(w, lane) {
			continue
		}
		i, ok := by[w.in.claim.Lease]
		if !ok {
			i = len(groups)
			by[w.in.claim.Lease] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], w)
	}
	return groups
}

// peek is how many more shares a claim looks at than it needs, since some have nothing
// ready.
const peek = 8

// serve lends jobs of a lane to calls, until all have one or nothing is ready. Each turn
// lends something, or puts shares aside that have nothing for us.
func (db *DB) serve(ctx context.Context, lane document.Lane, calls []*workCall, e *ending, found []candidate) error {
	passed := []document.Tenant{}
	for len(calls) > 0 {
		next, err := db.look(ctx, lane, len(calls)+peek, passed, found)
		found = nil
		if err != nil {
			return err
		}
		chosen, past := db.allot(next, len(calls))
		if err := db.rest(ctx, lane, past); err != nil {
			return err
		}
		passed = append(passed, past...)
		if len(chosen) == 0 && len(past) == 0 {
			return nil
		}
		served, short, err := db.lend(ctx, lane, chosen, calls, e)
		if err != nil {
			return err
		}
		calls, passed = calls[served:], append(passed, short...)
	}
	return nil
}

// lend gives out jobs of the chosen shares to the first of the calls, and writes the ends.
// short are the shares that had fewer ready than their turns, because others were faster.
func (db *DB) lend(ctx context.Context, lane document.Lane, chosen []candidate, calls []*workCall, e *ending) (
	served int, short []document.Tenant, err error,
) {
	if len(chosen) == 0 {
		return 0, nil, nil
	}
	var turns []int32
	var lines, means []int64
	for _, c := range chosen {
		lines, turns, means = append(lines, c.line), append(turns, c.turns), append(means, c.mean)
	}
	var jobs []queue.Listed
	err = db.transactFrom(ctx, func(t *tx, b *pgx.Batch) {
		e.begin(t, b)
		b.Queue(sqlClaimTake, named{"lines": lines, "turns": turns, "means": means,
			"lease": calls[0].in.claim.Lease.Milliseconds(), "offset": t.db.ahead()}).Query(into(&jobs, len(calls), scanListed))
	}, func(t *tx) error {
		if err := e.settle(t); err != nil {
			return err
		}
		if err := t.addPolicies(jobs); err != nil {
			return err
		}
		slices.SortFunc(jobs, func(a, b queue.Listed) int { return cmp.Compare(a.Token, b.Token) })
		for i, j := range jobs {
			calls[i].out = j.Job
			if err := t.tell(calls[i].in.claim.event(j.Job)); err != nil {
				return err
			}
			t.moved(j.ID)
		}
		short = t.chargeTurns(lane, chosen, jobs)
		return nil
	})
	if err != nil {
		return 0, nil, err
	}
	e.written()
	for _, w := range calls[:len(jobs)] {
		w.done = true
	}
	return len(jobs), short, nil
}

// chargeTurns charges the chosen shares for the jobs that were lent, and returns those of which
// there were fewer than their turns.
func (t *tx) chargeTurns(lane document.Lane, chosen []candidate, jobs []queue.Listed) (short []document.Tenant) {
	got := map[document.Tenant]int32{}
	for _, j := range jobs {
		got[j.Tenant]++
	}
	for _, c := range chosen {
		n := got[c.tenant]
		if n < c.turns {
			short = append(short, c.tenant)
		}
		if n > 0 {
			each := t.db.settings.Charge(c.tenant, c.mean)
			t.charge(share{lane, c.tenant}).units += int64(n) * each
			t.reach(lane, c.virtual-int64(c.turns-n+1)*each)
		}
	}
	return short
}

// claimOnly lends one of the named jobs. It pays like others; it follows no order of
// tenants.
func (db *DB) claimOnly(ctx context.Context, c queue.Claim, event func(queue.Job) receipt.Event) (job queue.Job, err error) {
	args := named{"only": c.Only, "lanes": lanes(c), "offset": db.ahead()}
	ready := false
	if err := db.pool.QueryRow(ctx, sqlClaimAnyOnly, args).Scan(&ready); err != nil {
		return queue.Job{}, err
	}
	if !ready {
		return queue.Job{}, queue.ErrNoJob
	}
	err = db.transact(ctx, func(t *tx) error {
		var mean int64
		for _, lane := range lanes(c) {
			var l queue.Listed
			l, err = scanAfter(t.QueryRow(t.ctx, sqlClaimTakeOnly, named{"only": c.Only, "lane": lane,
				"lease": c.Lease.Milliseconds(), "offset": t.db.ahead()}), &mean)
			job = l.Job
			if !errors.Is(err, queue.ErrNotFound) {
				break
			}
			err = queue.ErrNoJob
		}
		if err != nil {
			return err
		}
		t.settle(account{share: share{job.Lane, job.Tenant}, used: mean})
		t.moved(job.ID)
		return t.tell(event(job))
	})
	if err != nil {
		return queue.Job{}, err
	}
	return job, nil
}

var (
	sqlClaimTake     = query("claim_take")
	sqlClaimTakeOnly = query("claim_take_only")
	sqlClaimAnyOnly  = query("claim_any_only")
)
