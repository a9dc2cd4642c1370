package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"blotter/internal/document"
	"blotter/internal/policy"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/vault"
	"blotter/receipt"
)

// finish ends the job: one transaction writes the result and the event that the
// receipt will prove, and gives up the lease. What the job no longer needs is
// destroyed afterwards; if the process dies in between, the janitor does it.
func (a *attempt) finish(ctx context.Context, state document.State, code reason.Code) error {
	result := a.result(state, code)
	e, err := a.lastEvent(result)
	if err != nil {
		return err
	}
	body, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("worker: encode a result: %w", err)
	}
	w := a.worker
	o := queue.Outcome{Target: state, Reason: code, Bytes: a.bytes, Result: body, Event: e, Keep: a.keep(state)}
	err = w.Store.Finish(ctx, a.lease, o)
	if err != nil {
		return err
	}
	a.ended, a.why = state, code
	w.told()
	a.log.Info("job ended", "job", a.job.ID, "state", state, "reason", code, "assets", len(result.Assets),
		"bytes", a.bytes, "pixels", a.report.Pixels, "size", a.report.PeakBytes)
	a.tidy(ctx, state)
	return nil
}

func (a *attempt) result(state document.State, code reason.Code) receipt.Result {
	j := a.job
	r := receipt.Result{
		Schema: receipt.ResultSchema, Job: string(j.ID), State: string(state), Reason: string(code),
		Input:      receipt.Input{SHA256: j.Input.String(), Bytes: a.bytes, MediaType: a.mediaType()},
		NotCovered: a.report.NotCovered.Names(), Policy: *policyOf(j.Policy), Code: a.worker.Code,
		Assets: []receipt.ResultAsset{}, TimingsMS: a.timings.Milliseconds(), OverBudget: a.overBudget(), Pixels: a.report.Pixels,
	}
	for _, asset := range a.assets {
		if !state.Releases() { // nothing of the document leaves
			asset.Derivative, asset.Original = nil, nil
			if asset.Reason == "" {
				asset.Status, asset.Reason = document.Withheld.String(), string(code)
			}
			asset.Boxes = []receipt.ResultBox{}
		}
		r.Assets = append(r.Assets, asset)
	}
	return r
}

// mediaType is empty where the cell did not get far enough to say.
func (a *attempt) mediaType() string {
	if a.report.Format == document.UnknownFormat {
		return ""
	}
	return a.report.Format.String()
}

// lastEvent says what the result says, in the form that is signed.
func (a *attempt) lastEvent(r receipt.Result) (receipt.Event, error) {
	e := about(event(endKind(document.State(r.State)), actorWorker, a.job.ID), a.job)
	e.Input, e.Code, e.State, e.Reason = &r.Input, &r.Code, r.State, r.Reason
	e.NotCovered, e.TimingsMS, e.Protections = r.NotCovered, r.TimingsMS, a.report.Protections.Names()
	e.OverBudget, e.Pixels = r.OverBudget, r.Pixels
	for _, asset := range r.Assets {
		e.Assets = append(e.Assets, asset.Asset())
	}
	var err error
	if e.Assets, err = receipt.CompactBoxes(e.Assets); err != nil {
		return receipt.Event{}, err
	}
	return e, e.Validate() // in the outbox a malformed event would stop the whole log
}

// keep says how long the blobs of a job that ends so are kept (M28). What a dead job
// has is needed again when it is replayed.
func (a *attempt) keep(state document.State) map[string]time.Duration {
	r := a.policy.Retention
	switch state {
	case document.Dead:
		return nil
	case document.Rejected:
		r = policy.Retention{} // destroyed at once: should this process die first, by the retention's next sweep
	}
	return map[string]time.Duration{
		string(vault.Derivative): r.Derivatives, string(vault.Original): r.Originals, string(vault.Upload): r.Uploads,
	}
}

// tidy destroys what an ended job no longer needs: its order, the blobs of attempts that
// died and, where nothing is handed out, every blob. A dead job keeps its order and its
// upload, because it may be replayed. A rejected one does not keep its upload: the reason
// is lasting, whoever sent the document has it, and what was refused may be hostile or
// forbidden here. What fails is left to the janitor, so an error is only worth a line. The
// lease is given up by now, and a heartbeat that finds it so ends its context: tidying
// does not follow that.
func (a *attempt) tidy(ctx context.Context, state document.State) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTime)
	defer cancel()
	w := a.worker
	var doomed []vault.Class
	switch state {
	case document.Released, document.AwaitingReview:
		doomed = []vault.Class{vault.Task}
	case document.Rejected:
		doomed = []vault.Class{vault.Task, vault.Derivative, vault.Original, vault.Upload}
	}
	for _, c := range doomed {
		if err := w.destroy(ctx, a.job.ID, c); err != nil {
			a.log.Warn("left to the janitor", "job", a.job.ID, "reason", reason.Of(err))
		}
	}
	if err := w.Vault.DeleteSuperseded(ctx, a.job.ID, a.lease.Token); err != nil {
		a.log.Warn("left to the janitor", "job", a.job.ID, "reason", reason.Of(err))
	}
	w.told()
}

// tidyTime bounds what is done after a job's end. Blobs of an attempt are deleted one by one.
const tidyTime = 30 * time.Second

// destroy destroys a data key and deletes what it opened. Neither being there is fine.
func (w *Worker) destroy(ctx context.Context, job document.ID, c vault.Class) error {
	_, err := w.Vault.Destroy(ctx, vault.KeyName{Job: job, Class: c}, func() error {
		return w.Store.DestroyKey(ctx, job, c, keyDestroyed(job, c))
	})
	return err
}
