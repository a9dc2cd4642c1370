package postgres

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"blotter/internal/document"
	"blotter/internal/queue"

	"github.com/jackc/pgx/v5"
)

// What package queue says of who goes first is kept in the table shares, one row for each
// lane and tenant. A row is active from when its tenant has a ready job until a claim finds
// that it has none. Jobs become ready by a write, which activates the row, or by their
// time: for that an inactive row holds when it wakes, and claims look for such rows first.

// share names a row of the table.
type share struct {
	lane   document.Lane
	tenant document.Tenant
}

// compare orders shares as the table's key does.
func (s share) compare(other share) int {
	return cmp.Or(cmp.Compare(s.lane, other.lane), cmp.Compare(s.tenant, other.tenant))
}

// charge is what one transaction adds to a share.
type charge struct {
	units int64
	used  []int64 // milliseconds that jobs took which ended
}

func (t *tx) charge(s share) *charge {
	if t.charges == nil {
		t.charges = map[share]*charge{}
	}
	c := t.charges[s]
	if c == nil {
		c = &charge{}
		t.charges[s] = c
	}
	return c
}

// reach notes at which virtual time a job was lent in its turn.
func (t *tx) reach(lane document.Lane, virtual int64) {
	if t.reached == nil {
		t.reached = map[document.Lane]int64{}
	}
	if was, ok := t.reached[lane]; !ok || was < virtual {
		t.reached[lane] = virtual
	}
}

// account is what a leased job has cost, in milliseconds.
type account struct {
	share
	charged, used int64
}

// settle charges the share for what a job took in all, or gives back what was too much.
func (t *tx) settle(a account) {
	if units := t.db.settings.Charge(a.tenant, a.used) - t.db.settings.Charge(a.tenant, a.charged); units != 0 {
		t.charge(a.share).units += units
	}
}

// learn moves the mean of the share by a job that ended.
func (t *tx) learn(a account) {
	c := t.charge(a.share)
	c.used = append(c.used, a.used)
}

// queueCharges makes the charges the last step before the commit, in one order for all
// transactions, so that they are held for a moment and never crosswise.
func (t *tx) queueCharges(b *pgx.Batch) {
	if len(t.charges) == 0 {
		return
	}
	var (
		lanes       []document.Lane
		tenants     []document.Tenant
		units       []int64
		first, last []int32
		used        = []int64{}
	)
	for _, s := range slices.SortedFunc(maps.Keys(t.charges), share.compare) {
		c := t.charges[s]
		lanes, tenants, units = append(lanes, s.lane), append(tenants, s.tenant), append(units, c.units)
		first = append(first, int32(len(used)+1)) // arrays of SQL begin at 1
		used = append(used, c.used...)
		last = append(last, int32(len(used)))
	}
	b.Queue(sqlShareCharge, named{"lanes": lanes, "tenants": tenants, "charges": units, "firsts": first, "lasts": last, "used": used})
	for lane, virtual := range t.reached {
		b.Queue(sqlShareReach, named{"lane": lane, "stripe": t.db.stripe, "reached": virtual})
	}
	if len(t.expected) > 0 {
		b.Queue(sqlShareExpect, t.expecting(t.expected))
	}
}

// queued notes that a job of the share is in the queue from now on, ready at an instant.
// The share is made to expect it after it was charged for what the job has cost.
func (t *tx) queued(s share, at int64) {
	t.charge(s) // locks the row in its order, whatever it is charged
	if t.expected == nil {
		t.expected = map[share]int64{}
	}
	earlier(t.expected, s, at)
	t.hint.work = true
}

// earlier keeps the earliest instant of each share.
func earlier(at map[share]int64, s share, ms int64) {
	if was, ok := at[s]; !ok || ms < was {
		at[s] = ms
	}
}

// expecting are the arguments of share_expect.
func (t *tx) expecting(at map[share]int64) named {
	var (
		lanes   []document.Lane
		tenants []document.Tenant
		ats     []int64
	)
	for s, ms := range at {
		lanes, tenants, ats = append(lanes, s.lane), append(tenants, s.tenant), append(ats, ms)
	}
	return named{"lanes": lanes, "tenants": tenants, "ats": ats, "mean": queue.FirstMean, "offset": t.db.ahead()}
}

// candidate is an active share as a claim sees it.
type candidate struct {
	tenant  document.Tenant
	line    int64
	virtual int64
	since   int64
	mean    int64
	ready   bool
	certain bool  // nobody goes before it whom the look did not read
	waking  bool  // some are to wake first
	turns   int32 // jobs that this claim takes of it
}

const (
	// lookAhead is how many more shares a look reads than it needs. Places lag behind
	// virtual times; while no more tenants than this wait in a lane they need never be put
	// right.
	lookAhead = 128

	// looks bounds how often a claim puts places right before it takes the order as it is:
	// others charge meanwhile.
	looks = 8
)

// lookFirst looks at the first of the lanes that claims ask for, and in the same turn to the
// server at the other, if there was nothing in the first the last time.
func (db *DB) lookFirst(ctx context.Context, claims []*workCall) (map[document.Lane][]candidate, error) {
	found := map[document.Lane]*[]candidate{}
	var b pgx.Batch
	for _, lane := range document.Lanes() {
		n := wanting(claims, lane)
		if n == 0 || len(found) > 0 && !db.lull.Load() {
			continue
		}
		next := new([]candidate)
		found[lane] = next
		n += peek
		b.Queue(sqlShareLook, db.looking(lane, n, []document.Tenant{})).Query(into(next, n, scanCandidate))
	}
	if len(found) == 0 {
		return nil, nil
	}
	if err := db.pool.SendBatch(ctx, &b).Close(); err != nil {
		return nil, err
	}
	first := map[document.Lane][]candidate{}
	for lane, next := range found {
		first[lane] = *next
	}
	if next := first[document.Interactive]; next != nil {
		db.lull.Store(next[0].tenant == "")
	}
	return first, nil
}

func (db *DB) looking(lane document.Lane, n int, passed []document.Tenant) named {
	return named{"lane": lane, "offset": db.ahead(), "n": n, "most": n + lookAhead, "passed": passed}
}

// look returns the next shares of a lane, but for those passed over already, having woken
// those whose time has come. found is what a look has found, if one was made.
func (db *DB) look(ctx context.Context, lane document.Lane, n int, passed []document.Tenant, found []candidate) (next []candidate, err error) {
	for range looks {
		next, found = found, nil
		if next == nil {
			next, err = collect(ctx, db.pool, scanCandidate, sqlShareLook, db.looking(lane, n, passed))
		}
		if err != nil {
			return nil, err
		}
		waking := next[0].waking
		if next[0].tenant == "" {
			next = nil
		}
		switch {
		case waking:
			_, err = db.pool.Exec(ctx, sqlShareWake, named{"lane": lane, "offset": db.ahead()})
		case slices.ContainsFunc(next, func(c candidate) bool { return !c.certain }):
			_, err = db.pool.Exec(ctx, sqlSharePlace, named{"lane": lane, "most": n + lookAhead, "passed": passed})
		default:
			return inOrder(next), nil
		}
		if err != nil {
			return nil, err
		}
	}
	return inOrder(next), nil
}

func inOrder(next []candidate) []candidate {
	slices.SortFunc(next, candidate.compare)
	return next
}

func scanCandidate(row pgx.Row) (c candidate, err error) {
	return c, row.Scan(&c.tenant, &c.line, &c.virtual, &c.since, &c.mean, &c.ready, &c.certain, &c.waking)
}

// allot shares n turns out: each goes to the ready candidate of least virtual time, which
// is then charged for it. It returns those that were looked past because nothing of theirs
// is ready.
func (db *DB) allot(next []candidate, n int) (chosen []candidate, past []document.Tenant) {
	last := -1
	for ; n > 0; n-- {
		best := -1
		for i := range next {
			if next[i].ready && (best < 0 || next[i].compare(next[best]) < 0) {
				best = i
			}
		}
		if best < 0 {
			last = len(next)
			break
		}
		next[best].turns++
		next[best].virtual += db.settings.Charge(next[best].tenant, next[best].mean)
		last = max(last, best)
	}
	for i, c := range next {
		if c.turns > 0 {
			chosen = append(chosen, c)
		} else if !c.ready && i < last {
			past = append(past, c.tenant)
		}
	}
	return chosen, past
}

// compare orders candidates by whose turn it is.
func (c candidate) compare(other candidate) int {
	return cmp.Or(cmp.Compare(c.virtual, other.virtual), cmp.Compare(c.since, other.since), cmp.Compare(c.tenant, other.tenant))
}

// rest ends the activity of shares that have no ready job. One that somebody is bringing a
// job to keeps it.
func (db *DB) rest(ctx context.Context, lane document.Lane, tenants []document.Tenant) error {
	if len(tenants) == 0 {
		return nil
	}
	return db.transact(ctx, func(t *tx) error {
		locked, err := collect(t.ctx, t, func(r pgx.Row) (s document.Tenant, err error) { return s, r.Scan(&s) },
			sqlShareRestLock, named{"lane": lane, "tenants": tenants})
		if err != nil || len(locked) == 0 {
			return err
		}
		slices.Sort(locked)
		_, err = t.exec(sqlShareRest, named{"lane": lane, "tenants": locked, "offset": t.db.ahead()})
		return err
	})
}

// Waits implements queue.Store.
func (db *DB) Waits(ctx context.Context, lane document.Lane, tenant document.Tenant) (waits bool, err error) {
	if lane == document.Bulk {
		err = db.pool.QueryRow(ctx, sqlShareReady, named{"lane": document.Interactive, "offset": db.ahead()}).Scan(&waits)
	}
	if err == nil && !waits {
		err = db.pool.QueryRow(ctx, sqlShareWaits, named{"lane": lane, "tenant": tenant, "offset": db.ahead()}).Scan(&waits)
	}
	return waits, failed("look who waits", err)
}

var (
	sqlShareLook     = query("share_look")
	sqlSharePlace    = query("share_place")
	sqlShareReach    = query("share_reach")
	sqlShareWake     = query("share_wake")
	sqlShareExpect   = query("share_expect")
	sqlShareRestLock = query("share_rest_lock")
	sqlShareRest     = query("share_rest")
	sqlShareCharge   = query("share_charge")
	sqlShareWaits    = query("share_waits")
	sqlShareReady    = query("share_ready")
)
