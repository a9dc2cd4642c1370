package intake

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
)

const keyHeader = "Idempotency-Key"

// idempotencyKey reads the header: one line of 1 to 255 visible ASCII characters. (The
// IETF's draft asks for a quoted string; most clients send none, and the quotes are as
// good as any other character.) The key itself may say whom a document is about; what is
// returned and stored is its fingerprint, which is another for each tenant.
func (a *API) idempotencyKey(h http.Header, caller access.Key) (string, error) {
	lines := h.Values(keyHeader)
	if len(lines) != 1 || len(lines[0]) < 1 || len(lines[0]) > 255 || strings.ContainsFunc(lines[0], invisible) {
		return "", fault(reason.APIKeyMissing, "header "+keyHeader)
	}
	return a.Uploads.Fingerprint([]byte("idempotency"), []byte(caller.Tenant), []byte(lines[0])), nil
}

func invisible(r rune) bool { return r < '!' || r > '~' }

// fingerprint tells payload and settings of a request from others under the same key.
func (c *reception) fingerprint(s settings, sum document.Digest) string {
	path := "documents"
	if c.small {
		path = "redact"
	}
	return c.Uploads.Fingerprint(append([][]byte{[]byte("request"), []byte(path), sum[:]}, s.parts()...)...)
}

// repeat answers a request whose key was accepted before. The document is read and hashed
// once more, and stored nowhere: a client whose file changed under an old key shall
// learn it.
func (c *reception) repeat(ctx context.Context, known queue.Accepted) (acceptance, error) {
	s, doc, err := c.delivery.begin()
	if err != nil {
		return acceptance{}, err
	}
	sum, n := s.sha256, int64(0)
	if doc != nil {
		sum, n, err = c.read(io.Discard, doc, s, c.most)
	} else {
		err = errors.Join(c.delivery.end(), c.promises.kept())
	}
	if err != nil {
		return acceptance{}, err
	}
	if c.fingerprint(s, sum) != known.Fingerprint {
		return acceptance{}, fault(reason.APIKeyReused)
	}
	j, err := c.Store.Job(ctx, known.Job)
	return acceptance{job: j, bytes: n}, err
}

// renew moves the end of the reservation, now and then, while bytes come. One that is
// lost ran out, because this process or its store stood still; the request may be made
// again.
func (c *reception) renew(ctx context.Context) error {
	if time.Since(c.renewed) < c.cfg.ReserveFor/renewals {
		return nil
	}
	held, err := c.Store.Renew(ctx, c.held, c.cfg.ReserveFor)
	if errors.Is(err, queue.ErrLeaseLost) {
		return reason.Because(reason.APIInProgress, err)
	}
	if err != nil {
		return err
	}
	c.held, c.renewed = held, time.Now()
	return nil
}
