package intake

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"
)

const (
	// heartbeat is how often a quiet stream of events gets a comment, so that proxies do
	// not take it for dead (the HTML standard suggests 15 s).
	heartbeat = 15 * time.Second

	// eventPage is how many events are read from the store at once. A job has about ten.
	eventPage = 100

	// endEvent is the last event of a stream: no more will come by themselves.
	endEvent = "end"
)

// events is GET /v1/jobs/{id}/events: the job's signed events as server-sent events
// (HTML standard, section 9.2), those of the past and then each as it is sealed.
func (a *API) events(w http.ResponseWriter, r *http.Request, caller access.Key) error {
	after, resumed, err := lastSeen(r)
	if err != nil {
		return err
	}
	j, err := a.seen(r, caller)
	if err != nil {
		return err
	}
	if r.Method == http.MethodHead {
		startEvents(w)
		return nil
	}
	leave, err := a.waiting.enter(caller.ID)
	if err != nil {
		return err
	}
	defer leave()
	changed, stop := a.Changes.Watch(j.ID) // before the first look, so that nothing falls between
	defer stop()
	s := &stream{API: a, out: w, control: http.NewResponseController(w), job: j.ID, after: after, caller: caller}
	ended, err := s.step(r.Context())
	switch {
	case err != nil && !s.begun:
		return err
	case err == nil && ended && resumed && !s.begun:
		w.WriteHeader(http.StatusNoContent) // tells an EventSource not to come again
		return nil
	case err == nil:
		err = s.follow(r.Context(), changed, ended)
	}
	return errors.Join(errAnswered, err)
}

// lastSeen is the sequence number after which a stream begins; -1: with the first event.
// The header counts before the parameter: it is what a browser adds when it reconnects.
func lastSeen(r *http.Request) (after int64, resumed bool, err error) {
	name, text := "query after", r.URL.Query().Get("after")
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		name, text = "header Last-Event-ID", id
	}
	if text == "" || text == "-1" {
		return -1, false, nil
	}
	n, ok := parseDigits(text)
	if !ok {
		return 0, false, badRequest(name + ": not the id of an event")
	}
	return n, true, nil
}

func startEvents(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would hold events back
	w.WriteHeader(http.StatusOK)
}

// stream is one client's view of a job's trail.
type stream struct {
	*API
	out     http.ResponseWriter // whose connection gives up on a client that does not read
	control *http.ResponseController
	job     document.ID
	caller  access.Key
	after   int64 // number of the last event sent
	begun   bool
}

// follow sends what comes until the job has ended, the client goes, or the service stops.
func (s *stream) follow(ctx context.Context, changed <-chan struct{}, ended bool) error {
	quiet := time.NewTicker(s.heartbeat)
	defer quiet.Stop()
	err := s.begin()
	for err == nil && !ended {
		select {
		case <-changed:
			ended, err = s.step(ctx)
		case <-quiet.C:
			err = s.send(": \n\n")
		case <-s.waiting.stopped:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
	if err == nil {
		err = s.send("event: " + endEvent + "\ndata: {}\n\n")
	}
	return err
}

// step sends the events that were sealed since the last, and reports whether the job has
// ended. The job is read first: where it has ended, the trail that is read then holds the
// event that ended it, because one transaction does both.
func (s *stream) step(ctx context.Context) (ended bool, err error) {
	if err := s.stillValid(ctx, s.caller); err != nil {
		return false, err
	}
	j, err := s.API.job(ctx, s.job, s.caller)
	if err != nil {
		return false, err
	}
	for {
		page, err := s.Store.Trail(ctx, s.job, s.after, eventPage)
		if err != nil {
			return false, err
		}
		for _, e := range page {
			if err := s.event(e); err != nil {
				return false, err
			}
		}
		if len(page) < eventPage {
			return j.State.Ended(), nil
		}
	}
}

// event sends one event: the payload that was signed, which is one line of canonical JSON.
func (s *stream) event(e queue.Sealed) error {
	signed, err := receipt.Open(e.Envelope)
	if err != nil {
		return reason.Because(reason.VaultDamaged, fmt.Errorf("intake: open event %d: %w", e.Sequence, err))
	}
	if err := s.begin(); err != nil {
		return err
	}
	s.after = e.Sequence
	return s.send(fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", e.Sequence, signed.Event.Kind, signed.Payload))
}

// begin sends the header, once.
func (s *stream) begin() error {
	if s.begun {
		return nil
	}
	s.begun = true
	startEvents(s.out)
	return s.control.Flush()
}

func (s *stream) send(text string) error {
	if _, err := s.out.Write([]byte(text)); err != nil {
		return err
	}
	return s.control.Flush()
}
