package intake

import (
	"context"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"
)

// redactPattern is the synchronous path.
const redactPattern = "POST /v1/redact"

// elsewhere are the reasons for which the synchronous path refuses what the asynchronous
// one may take.
var elsewhere = map[reason.Code]bool{
	reason.APITooLarge: true, reason.APIBusy: true, reason.APIDeadline: true, reason.SniffNoImage: true,
	reason.ExtractPixels: true, reason.ExtractTotal: true, reason.ExtractFrames: true,
	reason.ExtractPages: true, reason.ExtractAssets: true, reason.CellTimeout: true,
}

// async reports whether a refusal should name the asynchronous path.
func async(r *http.Request, why string) bool {
	return r.Pattern == redactPattern && elsewhere[reason.Code(why)]
}

// redact is POST /v1/redact: one small image, redacted while the client waits. It is an
// ordinary job of the interactive lane, with its events and receipt, that is worked on at
// once in a pool of its own.
//
// The answer is the image where the job was released. Every other end is a problem with
// the job's reason and identifier; also a job that waits for a review, because its image
// may not be handed out as a finished one: the reason is then policy.asset_withheld, and
// the job shows what there is.
func (a *API) redact(w http.ResponseWriter, r *http.Request, caller access.Key) error {
	if err := a.Admit(r.Context()); err != nil {
		return err
	}
	if !accepts(r.Header, "image", "png") {
		return fault(reason.APINotAccepted, "header Accept: the answer is image/png")
	}
	c, err := a.receiveSmall(r, caller)
	if err != nil {
		return err
	}
	release, err := a.Runner.Slot()
	if err != nil {
		return err
	}
	defer release()
	if b, ok := r.Body.(*body); ok {
		b.within(a.cfg.SyncDeadline) // a slot is not held for a client that drips
	}
	t, err := c.take(r.Context())
	if err != nil {
		return err
	}
	j, err := a.finish(r.Context(), t, caller)
	if err != nil {
		return err
	}
	return a.answerImage(w, r, j)
}

// accepts reports whether a client takes an answer of a media type (RFC 9110, section
// 12.5.1). Everywhere else Accept is ignored, as the RFC allows; here it spares the work on
// an image that its client would throw away.
func accepts(h http.Header, kind, sub string) bool {
	asked := strings.Join(h.Values("Accept"), ",")
	for part := range strings.SplitSeq(asked, ",") {
		mediaType, params, err := mime.ParseMediaType(part)
		weight, werr := strconv.ParseFloat(params["q"], 64)
		refused := err != nil || werr == nil && weight == 0
		if !refused && slices.Contains([]string{"*/*", kind + "/*", kind + "/" + sub}, mediaType) {
			return true
		}
	}
	return strings.TrimSpace(asked) == ""
}

// receiveSmall makes the reception of a request on the synchronous path.
func (a *API) receiveSmall(r *http.Request, caller access.Key) (*reception, error) {
	if !caller.MayUse(document.Interactive) {
		return nil, fault(reason.APIForbidden, "API key: its lanes")
	}
	key := ""
	if len(r.Header.Values(keyHeader)) > 0 {
		var err error
		if key, err = a.idempotencyKey(r.Header, caller); err != nil {
			return nil, err
		}
	}
	f, err := smallForm(r)
	if err != nil {
		return nil, err
	}
	if r.ContentLength > a.cfg.SyncBytes {
		return nil, fault(reason.APITooLarge)
	}
	c, err := a.receive(r, caller, f, key)
	if err != nil {
		return nil, err
	}
	c.small, c.most = true, a.cfg.SyncBytes
	return c, nil
}

// smallForm is the one form of the synchronous path: the image is the body.
func smallForm(r *http.Request) (delivery, error) {
	f, err := deliveryOf(r)
	if err != nil {
		return nil, err
	}
	if _, ok := f.(*raw); !ok {
		return nil, fault(reason.APIMediaType, "header Content-Type: here the body is the image itself")
	}
	f, err = newRaw(r, "policy")
	if err == nil {
		f.(*raw).lane = document.Interactive
	}
	return f, err
}

// finish works on the job until its end. A repetition takes the end that the first
// request brought about.
func (a *API) finish(ctx context.Context, t acceptance, caller access.Key) (queue.Job, error) {
	if !t.anew {
		if !t.job.State.Ended() {
			return t.job, &refusal{code: reason.APIInProgress, job: t.job.ID}
		}
		return t.job, nil
	}
	run, cancel := context.WithTimeoutCause(ctx, a.cfg.SyncDeadline, errDeadline)
	defer cancel()
	j, err := a.Runner.Run(run, t.job.ID)
	if err == nil {
		return j, nil
	}
	a.giveUp(ctx, t.job.ID, caller)
	if cause := context.Cause(run); errors.Is(cause, errDeadline) || ctx.Err() != nil {
		err = cause
	}
	code := reason.Of(err)
	if ctx.Err() != nil {
		code = reason.APIDeadline // nobody reads it
	}
	return j, &refusal{code: code, job: t.job.ID, cause: err}
}

var errDeadline = reason.Because(reason.APIDeadline, errors.New("intake: the synchronous path's time is over"))

// giveUp cancels a job for which nobody waits any more; its cell is killed. One that
// ended meanwhile stays as it is.
func (a *API) giveUp(ctx context.Context, id document.ID, caller access.Key) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	_, err := a.Store.Cancel(ctx, id, func(j queue.Job) receipt.Event {
		return Acted(receipt.Cancelled, j, caller.ID, document.Cancelled, reason.JobCancelled)
	})
	if err != nil && reason.Of(err) != reason.JobEnded {
		a.Log.Warn("a job that nobody waits for was not cancelled", "job", id, "reason", reason.Of(err))
	}
	a.Moved(id)
}

// answerImage hands the redacted image out, or says why there is none.
func (a *API) answerImage(w http.ResponseWriter, r *http.Request, j queue.Job) error {
	if j.State != document.Released {
		return &refusal{code: endReason(j), job: j.ID}
	}
	image, size, digest, err := a.Results.Derivative(r.Context(), j, 1)
	if err != nil {
		return &refusal{code: reason.Of(err), job: j.ID, cause: err}
	}
	h := w.Header()
	h.Set("Content-Digest", contentDigest(digest))
	h.Set("Location", jobPath(j.ID))
	h.Set("Blotter-Job", string(j.ID))
	h.Set(digestHeader, contentDigest(j.Input))
	h.Add("Link", "<"+jobPath(j.ID)+`/receipt>; rel="describedby"`)
	return handOut(w, r, receipt.DerivativeName(1), image, size)
}

// endReason is why a job that ended has no image to hand out. That a rejected document
// has nothing releasable tells nothing where it is one image: that image's own reason does.
func endReason(j queue.Job) reason.Code {
	var r receipt.Result
	if j.Reason == reason.ExtractNothing && json.Unmarshal(j.Result, &r) == nil && len(r.Assets) == 1 {
		if e, ok := reason.Lookup(reason.Code(r.Assets[0].Reason)); ok {
			return e.Code
		}
	}
	if j.Reason == "" {
		return reason.PolicyWithheld
	}
	return j.Reason
}
