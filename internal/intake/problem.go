package intake

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"blotter/client"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// refusal is an error with what its client may know of it besides the reason. Faults
// name parts of the request, such as "header Idempotency-Key"; never a value, because
// values may be anything.
type refusal struct {
	code   reason.Code
	faults []string
	after  time.Duration // Retry-After; 0: what the code has
	job    document.ID   // the job that it is about
	cause  error         // for errors.Is; never shown
}

func (r *refusal) Error() string { return string(r.code) }

// Unwrap lets reason.Of find the code.
func (r *refusal) Unwrap() error { return reason.Because(r.code, r.cause) }

// fault refuses a request for parts of it that are wrong.
func fault(code reason.Code, parts ...string) error { return &refusal{code: code, faults: parts} }

// retryAfter is how long clients should stay away after an error that passes. Codes
// that are not listed and do not pass have none.
var retryAfter = map[reason.Code]time.Duration{
	reason.APIInProgress: time.Second,
	reason.APIUploads:    time.Second,
	reason.APIBusy:       time.Second,
	reason.QueueBusy:     time.Second,
	reason.APIRate:       time.Second,
	reason.HostDisk:      time.Minute,
}

// defaultRetry holds for all else that is told by 429 or 503.
const defaultRetry = 5 * time.Second

const (
	// linger is how long a refused request may still send its body, so that the client reads
	// the answer on a connection that is not torn down under it: 25 MiB at 100 Mbit/s.
	linger = 2 * time.Second

	// readsOn is how much of a body net/http itself reads behind an answer.
	readsOn = 256 << 10
)

// problem answers with an error.
func (a *API) problem(w http.ResponseWriter, r *http.Request, err error) {
	p, after := problemOf(err)
	if async(r, p.Reason) {
		p.Async = documentsPath
		w.Header().Add("Link", "<"+documentsPath+`>; rel="alternate"`)
	}
	visitOf(r).code = reason.Code(p.Reason)
	a.answerProblem(w, r, p, after)
}

func (a *API) answerProblem(w http.ResponseWriter, r *http.Request, p client.Problem, after time.Duration) {
	h := w.Header()
	for _, name := range []string{"Content-Length", "Content-Digest", "Content-Disposition", "ETag"} {
		h.Del(name) // of what would have been the answer
	}
	h.Set("Content-Type", "application/problem+json")
	if after > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(after.Seconds()))))
	}
	switch p.Status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", "Bearer")
	case http.StatusRequestTimeout:
		h.Set("Connection", "close")
	}
	if p.Reason == string(reason.APIStopping) {
		h.Set("Connection", "close")
	}
	defer hurry(w, r)()
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // a client that is gone reads nothing
}

// hurry leaves the client a moment for what it still sends. net/http reads a little of it
// before it answers. Of a longer body the rest is read by what hurry returns, once the
// answer was written: many clients read nothing before they have sent everything, and to
// close on them would reset the connection with the answer in it.
func hurry(w http.ResponseWriter, r *http.Request) (afterwards func()) {
	b, ok := r.Body.(*body)
	if !ok || b.ended {
		return func() {}
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(linger))
	waits := r.Header.Get("Expect") != "" && b.bytes == 0 // for 100 Continue, and sends nothing
	left := r.ContentLength - b.bytes
	if r.ProtoMajor > 1 || waits || (r.ContentLength >= 0 && left <= readsOn) || control.EnableFullDuplex() != nil {
		return func() {}
	}
	w.Header().Set("Connection", "close")
	return func() {
		_ = control.Flush()
		_, _ = io.Copy(io.Discard, b.ReadCloser)
	}
}

// problemOf says what an error looks like from outside.
func problemOf(err error) (client.Problem, time.Duration) {
	e := reason.Must(reason.Of(err))
	p := client.Problem{
		Type: "urn:blotter:reason:" + string(e.Code), Title: http.StatusText(e.HTTP), Status: e.HTTP,
		Detail: e.Text, Reason: string(e.Code), Class: string(e.Class), Owner: string(e.Owner),
	}
	after := retryAfter[e.Code]
	if after == 0 && (e.HTTP == http.StatusTooManyRequests || e.HTTP == http.StatusServiceUnavailable) {
		after = defaultRetry
	}
	var r *refusal
	if errors.As(err, &r) {
		p.Job, p.Faults = string(r.job), r.faults
		after = max(after, r.after)
	}
	if len(p.Faults) > 0 {
		p.Detail += " At fault: " + strings.Join(p.Faults, "; ") + "."
	}
	return p, after
}
