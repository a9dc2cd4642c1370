package worker

import (
	"encoding/json"
	"errors"
	"time"

	"blotter/internal/reason"
	"blotter/internal/source"
)

// Order is what a job needs and the store must not be able to read: where the document
// lies, and whom it is about. It is sealed under the job's key at intake, opened by the
// worker that holds the lease, and destroyed with the job's end.
type Order struct {
	Source    source.Ref      `json:"source"`
	Originals bool            `json:"originals"`         // also keep each asset as it was before redaction
	Subject   json.RawMessage `json:"subject,omitempty"` // hints: JSON of words.Subject, passed on unread
}

// Plain returns the order as it is sealed.
func (o Order) Plain() ([]byte, error) { return json.Marshal(o) }

func parseOrder(plain []byte) (Order, error) {
	var o Order
	if err := json.Unmarshal(plain, &o); err != nil {
		return Order{}, reason.Because(reason.VaultDamaged, errors.New("worker: the sealed order cannot be read"))
	}
	return o, nil
}

// waited is how long the job was ready before it was claimed, by the store's clock.
func (a *attempt) waited() time.Duration {
	claimed := a.job.LeaseUntil.Add(-a.worker.Config.Lease)
	ready := a.job.Created
	if a.job.NotBefore.After(ready) {
		ready = a.job.NotBefore
	}
	return max(0, claimed.Sub(ready))
}
