package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/receipt"
)

// Bounds of one attempt. Standard Webhooks asks receivers to answer within 15 to 30
// seconds; beyond their status only Retry-After counts.
const (
	attemptTime = 15 * time.Second
	headerMost  = 16 << 10 // bytes of the answer's header
	bodyMost    = 4 << 10  // bytes of the answer that are read so that the connection can be used again
)

// message is what an endpoint gets.
type message struct {
	Type      string  `json:"type"`      // job. and the state
	Timestamp string  `json:"timestamp"` // when the job ended, RFC 3339
	Data      subject `json:"data"`
}

type subject struct {
	Job      document.ID     `json:"job"`
	Tenant   document.Tenant `json:"tenant"`
	State    document.State  `json:"state"`
	Reason   reason.Code     `json:"reason,omitempty"`
	Sequence int64           `json:"sequence"` // of the event that proves the end
}

func (d Delivery) body() ([]byte, error) {
	return json.Marshal(message{
		Type: "job." + string(d.State), Timestamp: receipt.FormatTime(d.Ended),
		Data: subject{Job: d.Job, Tenant: d.Tenant, State: d.State, Reason: d.Reason, Sequence: d.Sequence},
	})
}

// newClient makes the client of all attempts. It follows no redirect, because the
// signature is for the one that was configured, uses no proxy of the environment, which
// would connect in its stead, and sends no credentials.
func newClient(allowPrivate bool) *http.Client {
	dialer := &net.Dialer{Timeout: attemptTime}
	if !allowPrivate {
		dialer.Control = guard
	}
	return &http.Client{
		Timeout: attemptTime,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: attemptTime, MaxResponseHeaderBytes: headerMost,
			MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// send makes one attempt. An error has the reason and, where the endpoint said so, how
// long it wants to be left alone.
func send(ctx context.Context, client *http.Client, e Endpoint, d Delivery, now time.Time) error {
	body, err := d.body()
	if err != nil {
		return reason.Because(reason.Internal, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL, bytes.NewReader(body))
	if err != nil {
		return reason.Because(reason.WebhookUnreachable, errors.New("webhook: the endpoint's URL cannot be used"))
	}
	signatures, err := sign(e.Secrets, d.ID, now, body)
	if err != nil {
		return reason.Because(reason.Internal, err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "blotter")
	req.Header.Set(webhooks.HeaderWebhookID, d.ID)
	req.Header.Set(webhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	req.Header.Set(webhooks.HeaderWebhookSignature, signatures)
	res, err := client.Do(req)
	if err != nil {
		return unreachable(err)
	}
	defer res.Body.Close()
	_, _ = io.CopyN(io.Discard, res.Body, bodyMost)
	return judge(res, now)
}

// unreachable says why no answer came, without the URL that the client's errors hold.
func unreachable(err error) error {
	if reason.Of(err) == reason.WebhookPrivate {
		return reason.Because(reason.WebhookPrivate, errors.New("webhook: the endpoint's address is not public"))
	}
	return reason.Because(reason.WebhookUnreachable, errors.New("webhook: no answer"))
}

// sign signs with each secret, so that a receiver may know the old or the new one.
func sign(secrets []Secret, id string, now time.Time, body []byte) (string, error) {
	var out []string
	for _, s := range secrets {
		w, err := webhooks.NewWebhookRaw(s)
		if err != nil {
			return "", err
		}
		signature, err := w.Sign(id, now, body)
		if err != nil {
			return "", err
		}
		out = append(out, signature)
	}
	return strings.Join(out, " "), nil
}

// judge reads the answer as Standard Webhooks says: 2xx is taken; 410 wants no more; all
// else is tried again.
func judge(res *http.Response, now time.Time) error {
	switch {
	case res.StatusCode >= 200 && res.StatusCode <= 299:
		return nil
	case res.StatusCode == http.StatusGone:
		return reason.Because(reason.WebhookGone, errors.New("webhook: the endpoint wants no more"))
	}
	return &reason.Error{
		Code: reason.WebhookRefused, Err: fmt.Errorf("webhook: status %d", res.StatusCode),
		After: reason.RetryAfter(res.Header.Get("Retry-After"), now),
	}
}
