package intake

import (
	"context"
	"net/http"
	"time"

	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"
)

// act is what a person does with a job: one transaction with the event that says who.
type act func(ctx context.Context, id document.ID, event func(queue.Job) receipt.Event) (queue.Job, error)

// acting is a handler that does something with the job that the path names, if the caller
// sees it, and answers with the job as it then stands.
func (a *API) acting(do act, kind receipt.Kind, brings document.State, why reason.Code) serve {
	return func(w http.ResponseWriter, r *http.Request, caller access.Key) error {
		j, err := a.seen(r, caller)
		if err != nil {
			return err
		}
		j, err = do(r.Context(), j.ID, func(j queue.Job) receipt.Event {
			return Acted(kind, j, caller.ID, brings, why)
		})
		if err != nil {
			return err
		}
		a.Moved(j.ID)
		return a.answerJob(w, r, j)
	}
}

// Acted is the event of an act: what was done to which job, by whom, and the state that
// it brings. The command line makes its own with it.
func Acted(kind receipt.Kind, j queue.Job, actor string, brings document.State, why reason.Code) receipt.Event {
	return receipt.Event{
		Schema: receipt.EventSchema, Kind: kind, Actor: actor, Job: string(j.ID), Tenant: string(j.Tenant),
		Time:   receipt.FormatTime(time.Now()), // this process's: context, not order
		Input:  &receipt.Input{SHA256: j.Input.String(), Bytes: j.Bytes},
		Policy: &receipt.Policy{Name: j.Policy.Name, Version: j.Policy.Version, SHA256: j.Policy.Digest.String()},
		State:  string(brings), Reason: string(why), Attempt: int64(j.Attempt),
	}
}
