package intake

import (
	"fmt"
	"net/http"

	"blotter/client"
	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"
)

// Bounds of a replay of many jobs by one request, so that what has just recovered is not run
// over again: whoever has more asks again, and the rate of a key's requests is bounded.
const (
	DefaultReplay = 50
	MaxReplay     = 100
)

// replayJobs is POST /v1/jobs/replay: dead jobs with one reason, the latest first, each in a
// transaction with its own event. An error leaves those before it replayed; asked again, the
// rest follow.
func (a *API) replayJobs(w http.ResponseWriter, r *http.Request, caller access.Key) error {
	f, err := parseReplay(r, caller)
	if err != nil {
		return err
	}
	asked := f.Limit
	f.Limit++ // one more tells whether there are any
	list, err := a.Store.Jobs(r.Context(), f)
	if err != nil {
		return err
	}
	out := client.Replayed{Jobs: []client.Job{}}
	for i, l := range list {
		if i == asked {
			out.Next = cursor(list[i-1].Arrival)
			break
		}
		j, err := a.Store.Replay(r.Context(), l.ID, func(j queue.Job) receipt.Event {
			return Acted(receipt.Replayed, j, caller.ID, document.Queued, "")
		})
		switch reason.Of(err) {
		case "":
		case reason.JobNotDead, reason.JobNoReplay, reason.JobUnknown: // somebody was faster, or its order is gone
			out.Passed++
			continue
		default:
			return err
		}
		a.Moved(j.ID)
		view, err := a.view(j)
		if err != nil {
			return err
		}
		out.Jobs = append(out.Jobs, view)
	}
	return answerJSON(w, r, out)
}

func parseReplay(r *http.Request, caller access.Key) (queue.Filter, error) {
	f, err := parseFilter(r.URL, caller, "lane", "reason", "tenant", "limit", "cursor")
	if err != nil {
		return f, err
	}
	if f.Reason == "" {
		return f, badRequest("query reason: " + filterForms["reason"])
	}
	switch {
	case r.URL.Query().Get("limit") == "":
		f.Limit = DefaultReplay
	case f.Limit > MaxReplay:
		return f, badRequest(fmt.Sprintf("query limit: a number from 1 to %d, once", MaxReplay))
	}
	f.State = document.Dead
	return f, nil
}
