package intake

import (
	"encoding/json"
	"net/http"

	"blotter/client"
	"blotter/internal/access"
	"blotter/internal/document"
)

// documentsPath takes every document.
const documentsPath = "/v1/documents"

// documents registers what takes documents in.
func (a *API) documents(mux *http.ServeMux) {
	a.route(mux, "POST "+documentsPath, access.Submit, a.submit)
	a.route(mux, redactPattern, access.Submit, a.redact)
}

// submit is POST /v1/documents. What can be refused by line and header alone is refused
// before the body is asked for: a client that sends Expect: 100-continue sends none.
func (a *API) submit(w http.ResponseWriter, r *http.Request, caller access.Key) error {
	if err := a.Admit(r.Context()); err != nil {
		return err
	}
	giveBack, err := a.uploads.take(caller.ID)
	if err != nil {
		return err
	}
	defer giveBack()
	key, err := a.idempotencyKey(r.Header, caller)
	if err != nil {
		return err
	}
	f, err := deliveryOf(r)
	if err != nil {
		return err
	}
	c, err := a.receive(r, caller, f, key)
	if err != nil {
		return err
	}
	t, err := c.take(r.Context())
	if err != nil {
		return err
	}
	return answerAccepted(w, t)
}

// digestHeader echoes the SHA-256 of the document, in the form of RFC 9530, whose own
// fields speak of the answer's body.
const digestHeader = "Blotter-Document-Digest"

// answerAccepted says that a document was taken in. It says the same to each repetition,
// whatever became of the job.
func answerAccepted(w http.ResponseWriter, t acceptance) error {
	body, err := json.Marshal(client.Accepted{
		ID: string(t.job.ID), State: string(document.Queued), SHA256: t.job.Input.String(), Bytes: t.bytes, Created: t.job.Created,
	})
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Location", jobPath(t.job.ID))
	h.Set(digestHeader, contentDigest(t.job.Input))
	h.Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	_, _ = w.Write(append(body, '\n')) // a client that is gone asks again
	return nil
}
