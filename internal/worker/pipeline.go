package worker

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"blotter/internal/cell"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/policy"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/worker/workdir"
	"blotter/receipt"
)

// attempt is one go at a job, under one lease.
type attempt struct {
	worker *Worker
	job    queue.Job
	lease  queue.Lease

	policy  policy.Policy
	order   Order
	limits  document.Limits // the policy's, tightened by the order
	bytes   int64           // of the document: as promised, and once it was fetched, as counted
	report  cell.Report
	assets  []receipt.ResultAsset
	review  bool // something was burned that a person must look at
	timings document.Timings
	began   [len(document.Timings{})]time.Time // by stage, by this process's clock

	place    *Place    // nil: it never parks
	computes time.Time // since when it computes without having parked
	asked    time.Time // when it last asked whether others wait
	held     held      // its working copy

	log   *slog.Logger
	ended document.State // what the attempt brought about; empty where it wrote nothing
	why   reason.Code
}

// run is the pipeline: the steps of a job between its claim and its end.
func (a *attempt) run(ctx context.Context) error {
	steps := []func(context.Context) error{
		a.checkAttempts, // a job that took too many workers down is not opened again
		a.open,          // policy as it was pinned, order as it was sealed
		a.permit,        // what the policy forbids is not fetched
		a.redact,        // stage ▸ fetch ▸ cell ▸ unstage
		a.conclude,      // the event, the result, the end of the lease
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			if cause := context.Cause(ctx); cause != nil {
				return cause // the lease is lost, or the process stops: what failed, failed for that
			}
			return err
		}
	}
	return nil
}

func (a *attempt) checkAttempts(context.Context) error {
	waited := a.waited()
	a.timings[document.StageQueue], a.began[document.StageQueue] = waited, time.Now().Add(-waited)
	a.worker.meter().Waited(a.job.Lane, waited)
	if a.worker.Config.Backoff.UsedUp(a.job.Attempt) {
		return reason.Because(reason.QueueAttempts, nil)
	}
	return nil
}

func (a *attempt) open(ctx context.Context) error {
	p, err := policy.Parse(a.job.Policy.Body)
	if err != nil {
		return err
	}
	if document.Sum(a.job.Policy.Body) != a.job.Policy.Digest {
		return reason.Because(reason.PolicyInvalid, errors.New("worker: the policy is not the one that was pinned"))
	}
	a.policy = p
	plain, err := a.worker.Vault.Unseal(ctx, a.job.ID, a.job.Sealed)
	if err != nil {
		return err
	}
	a.order, err = parseOrder(plain)
	a.limits = a.order.limits(p.Limits)
	return err
}

// permit holds the job against what its policy forbids of tenants and sources. Media
// types are the cell's to refuse: only it knows them.
func (a *attempt) permit(context.Context) error {
	if a.policy.DeniesTenant(a.job.Tenant) || a.policy.DeniesSource(a.order.kind()) {
		return reason.Because(reason.PolicyDenied, nil)
	}
	return nil
}

// redact makes the working copy and gives it to a cell. Whatever happens, the copy is
// gone afterwards, and on record as gone.
func (a *attempt) redact(ctx context.Context) (err error) {
	copied, err := a.stage(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.unstage(copied)) }()
	if err := a.fetch(ctx, copied); err != nil {
		return err
	}
	return a.runCell(ctx, copied)
}

// stage commits the `staged` event and only then makes the directory.
func (a *attempt) stage(ctx context.Context) (staged, error) {
	w := a.worker
	gate, err := w.Root.Reserve()
	if err != nil {
		return staged{}, err
	}
	defer gate.Release()
	now, err := w.Store.Now(ctx)
	if err != nil {
		return staged{}, err
	}
	id, spare := workdir.NewID(), a.spare()
	expires := now.Add(time.Duration(a.policy.Limits.Seconds)*time.Second + stagingGrace + spare)
	if err := w.Store.Stage(ctx, a.lease, queue.WorkingCopy{ID: id, Node: w.Node, Expires: expires}, w.staged(a.job, id, expires)); err != nil {
		return staged{}, err
	}
	copied, err := w.Root.Create(id)
	if err != nil {
		return staged{}, errors.Join(err, w.Store.Unstage(ctx, id, w.unstaged(a.job.ID, id)))
	}
	a.held = held{id, expires, spare}
	return staged{id, copied}, nil
}

// staged is a working copy and its name on the list.
type staged struct {
	id   string
	copy *workdir.Copy
}

// stagingGrace is added to the cell's time for a working copy's expiry: fetching,
// storing and sealing. Time in which the job is parked comes on top (held).
const stagingGrace = 5 * time.Minute

// unstage removes the copy and records it. It must happen although the lease may be
// lost and the process may be stopping.
func (a *attempt) unstage(s staged) error {
	ctx, cancel := context.WithTimeout(context.Background(), giveBackTime)
	defer cancel()
	if err := s.copy.Remove(); err != nil {
		return err // the list keeps it, so that the janitor tries again
	}
	return a.worker.Store.Unstage(ctx, s.id, a.worker.unstaged(a.job.ID, s.id))
}

func (a *attempt) runCell(ctx context.Context, s staged) error {
	w := a.worker
	doc, err := s.copy.Reader()
	if err != nil {
		return err
	}
	defer doc.Close()
	sink := &sink{attempt: a, ctx: ctx}
	began := time.Now()
	a.report, err = w.Cells.Run(ctx, doc, a.task(), sink)
	a.assets, a.review = sink.assets, sink.review
	for stage := document.StageSniff; stage <= document.StageVerify; stage++ {
		a.timings[stage] = a.report.Timings[stage]
	}
	a.beganCell(began)
	w.killed(reason.Of(err))
	return errors.Join(err, sink.fault)
}

// task is what the pinned policy and the order want of the cell.
func (a *attempt) task() wire.Task {
	return wire.Task{
		Rules: a.policy.Rules, Limits: a.limits, Deny: a.policy.DeniedFormats(), OneImage: a.order.Small,
		Originals: a.order.Originals, Subject: a.order.Subject,
	}
}

// conclude decides how the job ends and writes it under the lease.
func (a *attempt) conclude(ctx context.Context) error {
	state, code := a.end()
	if state == document.Rejected {
		return reason.Because(code, nil)
	}
	return a.finish(ctx, state, code)
}

// end says what the assets' fates make of the job.
func (a *attempt) end() (document.State, reason.Code) {
	released, withheld := 0, 0
	for _, asset := range a.assets {
		if asset.Derivative != nil {
			released++
		} else {
			withheld++
		}
	}
	switch {
	case len(a.assets) == 0:
		return document.Rejected, reason.ExtractNoAssets
	case released == 0:
		return document.Rejected, reason.ExtractNothing
	}
	state := a.policy.End(withheld > 0, a.review)
	if state == document.Rejected {
		return state, reason.PolicyWithheld
	}
	return state, ""
}

// time adds how long a stage took.
func (a *attempt) time(s document.Stage) (stop func()) {
	began := time.Now()
	if a.began[s].IsZero() {
		a.began[s] = began
	}
	return func() { a.timings[s] += time.Since(began) }
}
