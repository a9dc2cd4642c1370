package webhook_test

import (
	"log/slog"
	"net/http"
	"testing"
	"time"

	"blotter/internal/reason"
	"blotter/internal/webhook"
)

// A node leaves the messages of endpoints that it does not know to those that do: where the
// configuration is changed node by node, none is lost.
func TestMessagesOfOthersEndpoints(t *testing.T) {
	p := newPost(t)
	p.endpoint("ward", func(http.ResponseWriter, *http.Request) { t.Error("something was sent") })
	p.end("ward")
	p.config.Endpoints = nil
	p.endpoint("lab", answers(200))
	p.end("lab")
	p.attempted("")
	if d := p.left(1)[0]; d.Status != webhook.Pending || d.Attempt != 0 || d.Endpoint != "ward" {
		t.Errorf("%+v", d)
	}
}

// What is for an endpoint that no node knows waits for an operator, once that was so for an
// hour in which somebody looked.
func TestRemovedEndpoint(t *testing.T) {
	p := newPost(t)
	p.endpoint("ward", answers(200))
	p.end("ward")
	now := time.Now()
	r := &webhook.Removed{Store: p.db, Log: slog.New(slog.DiscardHandler), Meter: p, Now: func() time.Time { return now }}
	pass := func(d time.Duration) {
		now = now.Add(d)
		p.offset.Add(int64(d))
	}
	const minute = time.Minute
	looks := func(d time.Duration) {
		t.Helper()
		for ; d > 0; d -= minute {
			p.must(r.Look(t.Context()))
			if dead := p.left(1)[0].Status == webhook.Dead; dead {
				t.Fatalf("given up %v too soon", d)
			}
			pass(minute)
		}
	}
	looks(webhook.RemovedAfter)
	pass(48 * time.Hour) // everything stood still
	looks(webhook.RemovedAfter / 2)
	p.must(p.db.KnowEndpoints(t.Context(), []string{"ward"})) // a node that was late
	looks(5 * minute)                                         // for so long that counts
	looks(webhook.RemovedAfter)
	p.must(r.Look(t.Context()))
	if d := p.left(1)[0]; d.Status != webhook.Dead || d.Why != reason.WebhookRemoved || d.Attempt != 0 {
		t.Errorf("%+v", d)
	}
	if why := <-p.gaveUp; why != reason.WebhookRemoved {
		t.Errorf("given up for %s", why)
	}
}

// While the nodes that deliver are stopped, the one that looks knows the endpoint too, and
// nothing is given up.
func TestEndpointWhoseNodesAreStopped(t *testing.T) {
	p := newPost(t)
	p.endpoint("ward", answers(200))
	p.end("ward")
	now := time.Now()
	r := &webhook.Removed{Store: p.db, Log: slog.New(slog.DiscardHandler), Meter: p, Now: func() time.Time { return now }, Known: []string{"ward"}}
	for range 2 * int(webhook.RemovedAfter/time.Minute) {
		p.must(r.Look(t.Context()))
		now = now.Add(time.Minute)
		p.offset.Add(int64(time.Minute))
	}
	if d := p.left(1)[0]; d.Status != webhook.Pending {
		t.Errorf("%+v", d)
	}
}

// A dispatcher says what it knows before it sends anything.
func TestDispatcherKnowsItsEndpoints(t *testing.T) {
	p := newPost(t)
	p.endpoint("ward", answers(500))
	p.end("ward")
	p.attempted(reason.WebhookRefused)
	if unknown, err := p.db.UnknownEndpoints(t.Context(), time.Minute); err != nil || len(unknown) != 0 {
		t.Errorf("%v are known to nobody, %v", unknown, err)
	}
}
