package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"blotter/internal/document"
	"blotter/internal/queue"
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

func (s share) args(more ...any) []any {
	return append([]any{sql.Named("lane", string(s.lane)), sql.Named("tenant", string(s.tenant))}, more...)
}

// queued notes that a job of the share is in the queue from now on, ready at an instant.
func (t *tx) queued(s share, at int64) error {
	if at <= t.now {
		return t.activate(s, at)
	}
	_, err := t.exec(sqlShareWakeAt, s.args(sql.Named("mean", queue.FirstMean), sql.Named("at", at))...)
	return err
}

func (t *tx) activate(s share, since int64) error {
	level, err := level(t.ctx, t, s.lane)
	if err != nil {
		return err
	}
	_, err = t.exec(sqlShareActivate, s.args(sql.Named("level", level), sql.Named("mean", queue.FirstMean), sql.Named("since", since))...)
	return err
}

// level is the virtual time at which a tenant of a lane starts.
func level(ctx context.Context, q querier, lane document.Lane) (level int64, err error) {
	return level, q.QueryRowContext(ctx, sqlShareLevel, sql.Named("lane", string(lane))).Scan(&level)
}

// wake activates the shares of a lane whose time has come.
func (t *tx) wake(lane document.Lane) error {
	type waking struct {
		tenant document.Tenant
		at     int64
	}
	due, err := collect(t.ctx, t, func(r row) (w waking, err error) { return w, r.Scan(&w.tenant, &w.at) },
		sqlShareWaking, sql.Named("lane", string(lane)), sql.Named("now", t.now))
	for _, w := range due {
		err = errors.Join(err, t.activate(share{lane, w.tenant}, w.at))
	}
	return err
}

// rest notes that a share has no ready job, if so.
func (t *tx) rest(s share) error {
	_, err := t.exec(sqlShareRest, s.args(sql.Named("now", t.now))...)
	return err
}

// next returns the share whose turn it is in a lane and its job; no job: none is ready.
func (t *tx) next(lane document.Lane) (s share, id string, err error) {
	if err := t.wake(lane); err != nil {
		return s, "", err
	}
	for s.lane = lane; ; {
		var job sql.NullString
		err := t.QueryRowContext(t.ctx, sqlShareNext, sql.Named("lane", string(lane)), sql.Named("now", t.now)).Scan(&s.tenant, &job)
		if errors.Is(err, sql.ErrNoRows) {
			return s, "", nil
		}
		if err != nil || job.Valid {
			return s, job.String, err
		}
		if err := t.rest(s); err != nil {
			return s, "", err
		}
	}
}

// start charges the share for a job that is lent, and returns how many milliseconds it
// charged. The lane's virtual time follows jobs that were lent in their turn.
func (t *tx) start(s share, inTurn bool) (mean int64, err error) {
	if err := t.QueryRowContext(t.ctx, sqlShareMean, s.args()...).Scan(&mean); err != nil {
		return 0, err
	}
	step := sqlShareCharge
	if inTurn {
		step = sqlShareStart
	}
	return mean, t.must(errNoShare, step, s.args(sql.Named("charge", t.settings.Charge(s.tenant, mean)))...)
}

var errNoShare = errors.New("a tenant has a job and no share")

// account is what a leased job has cost.
type account struct {
	share
	charged int64 // milliseconds
	used    int64 // milliseconds
}

// account reads what a job has cost by now; queue.ErrLeaseLost where it is not leased.
func (t *tx) account(id document.ID) (a account, err error) {
	err = t.QueryRowContext(t.ctx, sqlShareAccount, sql.Named("id", string(id)), sql.Named("now", t.now)).
		Scan(&a.tenant, &a.lane, &a.charged, &a.used)
	if errors.Is(err, sql.ErrNoRows) {
		err = queue.ErrLeaseLost
	}
	return a, err
}

// settle charges the share for what a job took in all, or gives back what was too much.
func (t *tx) settle(a account) error {
	charge := t.settings.Charge(a.tenant, a.used) - t.settings.Charge(a.tenant, a.charged)
	if charge == 0 {
		return nil
	}
	return t.must(errNoShare, sqlShareCharge, a.args(sql.Named("charge", charge))...)
}

// learn moves the mean of the share by a job that ended.
func (t *tx) learn(a account) error {
	var mean int64
	if err := t.QueryRowContext(t.ctx, sqlShareMean, a.args()...).Scan(&mean); err != nil {
		return err
	}
	return t.must(errNoShare, sqlShareLearn, a.args(sql.Named("mean", queue.NextMean(mean, a.used)))...)
}

// Waits implements queue.Store.
func (db *DB) Waits(ctx context.Context, lane document.Lane, tenant document.Tenant) (bool, error) {
	waits, err := db.waits(ctx, share{lane, tenant})
	return waits, failed("look who waits", err)
}

func (db *DB) waits(ctx context.Context, s share) (waits bool, err error) {
	now, err := db.clock(ctx, db.reader)
	if err == nil && s.lane == document.Bulk {
		err = db.reader.QueryRowContext(ctx, sqlShareReady, sql.Named("lane", string(document.Interactive)), sql.Named("now", now)).Scan(&waits)
	}
	if err != nil || waits {
		return waits, err
	}
	level, err := level(ctx, db.reader, s.lane)
	if err != nil {
		return false, err
	}
	args := s.args(sql.Named("now", now), sql.Named("level", level))
	return waits, db.reader.QueryRowContext(ctx, sqlShareWaits, args...).Scan(&waits)
}

var (
	sqlShareNext     = query("share_next")
	sqlShareAny      = query("share_any")
	sqlShareWaking   = query("share_waking")
	sqlShareLevel    = query("share_level")
	sqlShareActivate = query("share_activate")
	sqlShareWakeAt   = query("share_wake_at")
	sqlShareRest     = query("share_rest")
	sqlShareMean     = query("share_mean")
	sqlShareCharge   = query("share_charge")
	sqlShareStart    = query("share_start")
	sqlShareLearn    = query("share_learn")
	sqlShareAccount  = query("share_account")
	sqlShareWaits    = query("share_waits")
	sqlShareReady    = query("share_ready")
)
