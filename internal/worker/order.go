package worker

import (
	"encoding/json"
	"errors"
	"time"

	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/internal/source"
)

// Order is what a job needs and the store must not be able to read: where the document
// lies, and whom it is about. It is sealed under the job's key at intake, opened by the
// worker that holds the lease, and destroyed with the job's end.
type Order struct {
	Source    source.Ref      `json:"source"`            // nothing of it counts for an upload
	Upload    bool            `json:"upload,omitempty"`  // the document is the vault's upload of this job
	Small     bool            `json:"small,omitempty"`   // one small image: hold the job to the limits of the synchronous path
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

// kind is how the document comes in, in the words of a policy's deny_sources.
func (o Order) kind() string {
	if o.Upload {
		return "upload"
	}
	return o.Source.Kind()
}

// Limits of the synchronous path: one image that a cell reads within seconds.
const (
	SmallBytes  = 1 << 20   // of the document
	SmallPixels = 2_000_000 // decoded; an A4 page at 150 dpi has 2.2 million
)

// limits tightens the policy's limits to what the order allows; it never widens them.
func (o Order) limits(l document.Limits) document.Limits {
	if !o.Small {
		return l
	}
	l.SourceBytes = min(l.SourceBytes, SmallBytes)
	l.AssetPixels, l.TotalPixels = min(l.AssetPixels, SmallPixels), min(l.TotalPixels, SmallPixels)
	l.Assets, l.Frames, l.Pages = min(l.Assets, 1), min(l.Frames, 1), min(l.Pages, 1)
	return l
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
