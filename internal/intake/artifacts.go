package intake

import (
	"context"
	"io"
	"mime"
	"net/http"
	"strconv"

	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"
)

// Names under which `blotter verify` expects the files beside a receipt.
const (
	resultFile  = "result.json"
	receiptFile = "receipt.json"
	trustFile   = "trust.json"
)

// whole is a handler that hands out one part of a job that is whole in memory.
func (a *API) whole(name string, read func(context.Context, queue.Job) ([]byte, error)) serve {
	return func(w http.ResponseWriter, r *http.Request, caller access.Key) error {
		j, err := a.seen(r, caller)
		if err != nil {
			return err
		}
		body, err := read(r.Context(), j)
		if err != nil {
			return err
		}
		attach(w.Header(), name)
		w.Header().Set("Content-Digest", contentDigest(document.Sum(body)))
		return answerBytes(w, r, "application/json", body)
	}
}

// trust is GET /v1/trust. It holds public keys only, so every key may ask; but who
// verifies receipts should have got the list by a way of its own.
func (a *API) trust(w http.ResponseWriter, r *http.Request, _ access.Key) error {
	body, err := a.Results.Trust(r.Context())
	if err != nil {
		return err
	}
	attach(w.Header(), trustFile)
	return answerBytes(w, r, "application/json", body)
}

// derivative is GET /v1/jobs/{id}/assets/{n}/derivative.
func (a *API) derivative(w http.ResponseWriter, r *http.Request, caller access.Key) error {
	j, n, err := a.seenAsset(r, caller)
	if err != nil {
		return err
	}
	body, size, digest, err := a.Results.Derivative(r.Context(), j, n)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Digest", contentDigest(digest))
	return handOut(w, r, receipt.DerivativeName(int64(n)), body, size)
}

// original is GET /v1/jobs/{id}/assets/{n}/original. A HEAD counts as a view too: the
// record errs on the side of saying too much.
func (a *API) original(w http.ResponseWriter, r *http.Request, caller access.Key) error {
	j, n, err := a.seenAsset(r, caller)
	if err != nil {
		return err
	}
	body, size, err := a.Results.Original(r.Context(), j, n, caller.ID)
	if err != nil {
		return err
	}
	return handOut(w, r, receipt.OriginalName(int64(n)), body, size)
}

// maxIndex is more than the assets of any document, and fits an int everywhere.
const maxIndex = 1<<31 - 1

// seenAsset finds the job and the number of an asset that a path names.
func (a *API) seenAsset(r *http.Request, caller access.Key) (queue.Job, int, error) {
	j, err := a.seen(r, caller)
	if err != nil {
		return queue.Job{}, 0, err
	}
	n, ok := parseDigits(r.PathValue("n"))
	if !ok || n < 1 || n > maxIndex {
		return queue.Job{}, 0, reason.Because(reason.JobNoResult, nil)
	}
	return j, int(n), nil
}

func attach(h http.Header, name string) {
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
}

// handOut streams an image. Should it break off, the length that was announced is not
// reached, and the client sees that.
func handOut(w http.ResponseWriter, r *http.Request, name string, body io.ReadCloser, size int64) error {
	defer body.Close() // nothing was written to it
	attach(w.Header(), name)
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	if _, err := io.Copy(w, body); err != nil {
		return errAnswered
	}
	return nil
}
