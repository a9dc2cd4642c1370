package intake

import (
	"context"
	"errors"
	"net/http"

	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
)

// jobs registers what shows and changes jobs.
func (a *API) jobs(mux *http.ServeMux) {
	for _, o := range a.jobOperations() {
		a.route(mux, o.pattern, o.right, o.serve)
	}
}

var errNotFound = reason.Because(reason.APINotFound, nil)

// seen finds the job that a path names. An identifier that is none, a job that the store
// does not remember, and a job of another tenant give the same answer: whether a job of
// another tenant exists is not the caller's business.
func (a *API) seen(r *http.Request, caller access.Key) (queue.Job, error) {
	id, err := document.ParseID(r.PathValue("id"))
	if err != nil {
		return queue.Job{}, errNotFound
	}
	return a.job(r.Context(), id, caller)
}

func (a *API) job(ctx context.Context, id document.ID, caller access.Key) (queue.Job, error) {
	j, err := a.Store.Job(ctx, id)
	if errors.Is(err, queue.ErrNotFound) || (err == nil && !caller.Sees(j.Tenant)) {
		return queue.Job{}, errNotFound
	}
	return j, err
}

// showJob is GET /v1/jobs/{id}.
func (a *API) showJob(w http.ResponseWriter, r *http.Request, caller access.Key) error {
	j, err := a.seen(r, caller)
	if err != nil {
		return err
	}
	if wait, asked := preferredWait(r.Header); asked {
		w.Header().Set("Preference-Applied", wait.String())
		if j, err = a.await(r.Context(), j, caller, wait.duration()); err != nil {
			w.Header().Del("Preference-Applied")
			return err
		}
	}
	return a.answerJob(w, r, j)
}

// answerJob writes a job with its ETag; 304 where the client has it.
func (a *API) answerJob(w http.ResponseWriter, r *http.Request, j queue.Job) error {
	view, err := a.view(j)
	if err != nil {
		return err
	}
	return answerJSON(w, r, view)
}
