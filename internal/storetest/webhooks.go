package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"blotter/internal/audit"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/vault"
	"blotter/internal/webhook"
	"blotter/receipt"
)

// WebhookStore is what the suite of deliveries asks of a store.
type WebhookStore interface {
	webhook.Store
	queue.Store
	queue.Operations
	audit.Log
	vault.Keys
}

// RunWebhooks puts a store's deliveries through the suite. open returns two handles of a
// fresh store with these settings, and what moves its clock.
func RunWebhooks(t *testing.T, open func(t *testing.T, s queue.Settings) (one, other WebhookStore, advance func(time.Duration))) {
	settings := queue.Settings{Endpoints: func(t document.Tenant) []string {
		if t == "told" {
			return everyone
		}
		return nil
	}}
	for name, test := range map[string]func(*telling){
		"EndIsToldOnceSealed":        endIsToldOnceSealed,
		"ClaimIsALease":              claimIsALease,
		"FailedWaits":                failedWaits,
		"DeadWaitsForAnOperator":     deadWaitsForAnOperator,
		"ReplayedJobIsToldAgain":     replayedJobIsToldAgain,
		"DeliveriesAreListed":        deliveriesAreListed,
		"EachIsClaimedByOneAtATime":  eachIsClaimedByOneAtATime,
		"EndpointsAreApart":          endpointsAreApart,
		"UnknownEndpointsAreGivenUp": unknownEndpointsAreGivenUp,
	} {
		t.Run(name, func(t *testing.T) {
			one, other, advance := open(t, settings)
			test(&telling{T: t, one: one, other: other, advance: advance})
		})
	}
}

type telling struct {
	*testing.T
	one, other WebhookStore
	advance    func(time.Duration)
}

func (s *telling) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// written takes in a job of a tenant and writes its end, which is not sealed yet.
func (s *telling) written(tenant document.Tenant, target document.State) document.ID {
	s.Helper()
	id, err := WriteEnd(s.Context(), s.one, tenant, target)
	s.must(err)
	return id
}

func (s *telling) write(id document.ID, target document.State) {
	s.Helper()
	s.must(writeEnd(s.Context(), s.one, id, target))
}

// WriteEnd takes in a job of a tenant and writes its end, which Seal seals.
func WriteEnd(ctx context.Context, s WebhookStore, tenant document.Tenant, target document.State) (document.ID, error) {
	j := NewJob()
	j.Tenant, j.Sealed = tenant, []byte("order")
	j, _, err := s.Enqueue(ctx, j, receipt.Event{Kind: receipt.Received})
	if err != nil {
		return "", err
	}
	if _, err := s.PutKey(ctx, j.ID, vault.Task, []byte("wrapped")); err != nil {
		return "", err
	}
	return j.ID, writeEnd(ctx, s, j.ID, target)
}

func writeEnd(ctx context.Context, s WebhookStore, id document.ID, target document.State) error {
	j, err := s.Claim(ctx, queue.Claim{Only: []document.ID{id}, Lease: time.Hour}, tellNothing)
	if err != nil {
		return err
	}
	l := queue.Lease{Job: id, Token: j.Token, Until: j.LeaseUntil}
	return s.Finish(ctx, l, queue.Outcome{Target: target, Reason: reason.QueueAttempts, Event: receipt.Event{}})
}

// ended takes in a job of the tenant that is told, and brings it to its sealed end.
func (s *telling) ended() document.ID {
	s.Helper()
	id := s.written("told", document.Released)
	s.must(Seal(s.Context(), s.one))
	return id
}

const claimed = 10 * time.Second

// everyone are the endpoints of the tenant that is told.
var everyone = []string{"first", "second"}

func (s *telling) claim(from WebhookStore) webhook.Delivery {
	s.Helper()
	d, err := from.ClaimDelivery(s.Context(), claimed, everyone)
	s.must(err)
	return d
}

// nothing checks that no delivery is ready.
func (s *telling) nothing() {
	s.Helper()
	if d, err := s.other.ClaimDelivery(s.Context(), claimed, everyone); !errors.Is(err, webhook.ErrNone) {
		s.Fatalf("%+v was ready, %v", d, err)
	}
}

func endIsToldOnceSealed(s *telling) {
	id := s.written("told", document.Dead)
	s.written("not-told", document.Released)
	s.nothing()
	s.must(Seal(s.Context(), s.one))
	job, err := s.one.Job(s.Context(), id)
	s.must(err)
	for _, endpoint := range []string{"first", "second"} {
		d := s.claim(s.other)
		if d.Endpoint != endpoint || d.ID != webhook.MessageID(endpoint, id, job.FinalSeq) || d.Tenant != "told" || d.Job != id ||
			d.State != document.Dead || d.Reason != reason.QueueAttempts || d.Sequence != job.FinalSeq || d.Attempt != 1 ||
			d.Status != webhook.Pending || d.Ended.IsZero() {
			s.Errorf("%+v", d)
		}
	}
	s.nothing()
}

func claimIsALease(s *telling) {
	s.ended()
	stale, second := s.claim(s.one), s.claim(s.other)
	s.nothing()
	s.must(s.other.Delivered(s.Context(), second))
	s.advance(claimed)
	again := s.claim(s.other)
	if again.ID != stale.ID || again.Attempt != 2 || again.Token <= stale.Token {
		s.Errorf("claimed again: %+v after %+v", again, stale)
	}
	if err := s.one.Delivered(s.Context(), stale); !errors.Is(err, queue.ErrLeaseLost) {
		s.Errorf("a stale claim ended a delivery: %v", err)
	}
	if err := s.one.Failed(s.Context(), stale, reason.WebhookRefused, 0, true); !errors.Is(err, queue.ErrLeaseLost) {
		s.Errorf("a stale claim gave a delivery up: %v", err)
	}
	s.must(s.other.Delivered(s.Context(), again))
	s.counts(0, 0)
	s.advance(claimed)
	s.nothing()
}

func (s *telling) counts(pending, dead int) {
	s.Helper()
	c, err := s.one.DeliveryCounts(s.Context())
	if err != nil || c.Pending != pending || c.Dead != dead || c.Oldest.IsZero() != (pending == 0) {
		s.Errorf("%+v, %v, want %d pending and %d dead", c, err, pending, dead)
	}
}

func failedWaits(s *telling) {
	s.ended()
	d := s.claim(s.one)
	s.must(s.one.Delivered(s.Context(), s.claim(s.one)))
	s.must(s.one.Failed(s.Context(), d, reason.WebhookRefused, time.Minute, false))
	s.advance(time.Minute - time.Second)
	s.nothing()
	s.advance(time.Second)
	if again := s.claim(s.other); again.ID != d.ID || again.Attempt != 2 || again.Why != reason.WebhookRefused {
		s.Errorf("%+v", again)
	}
}

func deadWaitsForAnOperator(s *telling) {
	s.ended()
	first, second := s.claim(s.one), s.claim(s.one)
	acted := func(kind receipt.Kind) func(webhook.Delivery) receipt.Event {
		return func(d webhook.Delivery) receipt.Event { return webhook.Acted(kind, d, "somebody", time.Now()) }
	}
	for _, act := range []func(context.Context, string, func(webhook.Delivery) receipt.Event) (webhook.Delivery, error){
		s.one.ReplayDelivery, s.one.DiscardDelivery,
	} {
		for _, id := range []string{first.ID, "msg_none"} {
			if _, err := act(s.Context(), id, acted(receipt.Resent)); reason.Of(err) != reason.WebhookUnknown {
				s.Errorf("%s is not dead: %v", id, err)
			}
		}
	}
	for _, d := range []webhook.Delivery{first, second} {
		s.must(s.one.Failed(s.Context(), d, reason.WebhookGone, 0, true))
	}
	s.advance(time.Hour)
	s.nothing()
	s.counts(0, 2)
	replayed, err := s.other.ReplayDelivery(s.Context(), first.ID, acted(receipt.Resent))
	if err != nil || replayed.Status != webhook.Pending || replayed.Attempt != 0 || replayed.Why != "" {
		s.Errorf("%+v, %v", replayed, err)
	}
	if d := s.claim(s.one); d.ID != first.ID || d.Token <= first.Token {
		s.Errorf("%+v", d)
	}
	if d, err := s.other.DiscardDelivery(s.Context(), second.ID, acted(receipt.Unsent)); err != nil || d.ID != second.ID {
		s.Errorf("%+v, %v", d, err)
	}
	s.counts(1, 0)
	events, err := s.one.Pending(s.Context(), 10)
	s.must(err)
	if len(events) != 2 {
		s.Fatalf("%d events tell of two acts", len(events))
	}
	for i, want := range []struct {
		kind receipt.Kind
		of   webhook.Delivery
	}{{receipt.Resent, first}, {receipt.Unsent, second}} {
		e := events[i].Event
		if e.Kind != want.kind || e.Actor != "somebody" || e.Reason != string(reason.WebhookGone) || e.Job != string(want.of.Job) ||
			e.Artifact == nil || e.Artifact.ID != want.of.ID || events[i].Job != "" {
			s.Errorf("%+v", events[i])
		}
	}
}

// However much waits for one endpoint, the others' messages are found, and nobody gets those
// of an endpoint that it did not ask for.
func endpointsAreApart(s *telling) {
	for range 3 {
		s.ended()
	}
	for range 3 {
		d, err := s.other.ClaimDelivery(s.Context(), claimed, []string{"unknown", "second"})
		if err != nil || d.Endpoint != "second" {
			s.Fatalf("%+v, %v", d, err)
		}
	}
	for _, asked := range [][]string{{"second"}, {"unknown"}, nil} {
		if d, err := s.one.ClaimDelivery(s.Context(), claimed, asked); !errors.Is(err, webhook.ErrNone) {
			s.Errorf("for %v, %+v was ready, %v", asked, d, err)
		}
	}
	before := s.claim(s.one)
	if next := s.claim(s.one); before.Endpoint != "first" || next.Sequence <= before.Sequence {
		s.Errorf("%+v before %+v", before, next)
	}
}

// An endpoint that no node says to know is told of, and its messages can be given up; of one
// that a node knows none can.
func unknownEndpointsAreGivenUp(s *telling) {
	const quiet = time.Minute
	unknown := func(want ...string) {
		s.Helper()
		got, err := s.other.UnknownEndpoints(s.Context(), quiet)
		if err != nil || !slices.Equal(got, want) {
			s.Errorf("unknown are %v, %v, want %v", got, err, want)
		}
	}
	gaveUp := func(endpoint string, want int) {
		s.Helper()
		if n, err := s.one.GiveUp(s.Context(), endpoint, quiet, reason.WebhookRemoved); err != nil || n != want {
			s.Errorf("%d messages of %s were given up, %v, want %d", n, endpoint, err, want)
		}
	}
	unknown()
	s.ended()
	s.ended()
	unknown("first", "second")
	s.must(s.one.KnowEndpoints(s.Context(), []string{"second", "first", "third"}))
	s.advance(quiet - time.Second)
	s.must(s.other.KnowEndpoints(s.Context(), []string{"second"}))
	unknown()
	gaveUp("first", 0)
	s.advance(time.Second)
	unknown("first")
	gaveUp("second", 0)
	gaveUp("first", 2)
	gaveUp("first", 0)
	unknown()
	dead, err := s.one.Deliveries(s.Context(), webhook.Filter{Status: webhook.Dead, Limit: 10})
	if err != nil || len(dead) != 2 || dead[0].Why != reason.WebhookRemoved || dead[0].Endpoint != "first" {
		s.Errorf("dead are %+v, %v", dead, err)
	}
	s.must(s.one.KnowEndpoints(s.Context(), nil))
}

// A dead job that is replayed ends anew, which is another message.
func replayedJobIsToldAgain(s *telling) {
	id := s.written("told", document.Dead)
	s.must(Seal(s.Context(), s.one))
	before := s.claim(s.one)
	s.must(s.one.Delivered(s.Context(), before))
	s.must(s.one.Delivered(s.Context(), s.claim(s.one)))
	_, err := s.one.Replay(s.Context(), id, tellNothing)
	s.must(err)
	s.write(id, document.Released)
	s.must(Seal(s.Context(), s.one))
	if d := s.claim(s.one); d.State != document.Released || d.ID == before.ID || d.Sequence <= before.Sequence {
		s.Errorf("%+v after %+v", d, before)
	}
}

func deliveriesAreListed(s *telling) {
	for range 3 {
		s.ended()
	}
	s.must(s.one.Failed(s.Context(), s.claim(s.one), reason.WebhookGone, 0, true))
	for name, c := range map[string]struct {
		filter webhook.Filter
		want   int
	}{
		"all":         {webhook.Filter{Limit: 10}, 6},
		"a page":      {webhook.Filter{Limit: 4}, 4},
		"an endpoint": {webhook.Filter{Endpoint: "second", Limit: 10}, 3},
		"dead":        {webhook.Filter{Status: webhook.Dead, Limit: 10}, 1},
		"a tenant":    {webhook.Filter{Tenant: "told", Limit: 10}, 6},
		"another":     {webhook.Filter{Tenant: "not-told", Limit: 10}, 0},
	} {
		out, err := s.other.Deliveries(s.Context(), c.filter)
		if err != nil || len(out) != c.want {
			s.Errorf("%s: %d, %v, want %d", name, len(out), err, c.want)
		}
		for i := 1; i < len(out); i++ {
			if out[i].Sequence > out[i-1].Sequence {
				s.Errorf("%s: not the newest first", name)
			}
		}
	}
	f, seen := webhook.Filter{Limit: 1}, map[string]bool{} // pages end between two endpoints of one job
	for range 7 {
		page, err := s.one.Deliveries(s.Context(), f)
		s.must(err)
		for _, d := range page {
			seen[d.ID], f.Before, f.Past = true, d.Sequence, d.Endpoint
		}
	}
	if len(seen) != 6 {
		s.Errorf("page by page %d of 6 are seen", len(seen))
	}
}

func eachIsClaimedByOneAtATime(s *telling) {
	const jobs = 15
	for range jobs {
		s.written("told", document.Released)
	}
	s.must(Seal(s.Context(), s.one))
	var (
		mu   sync.Mutex
		seen = map[string]int{}
		work sync.WaitGroup
	)
	for _, from := range []WebhookStore{s.one, s.other, s.one, s.other} {
		work.Go(func() {
			for {
				d, err := from.ClaimDelivery(s.Context(), time.Hour, everyone)
				if errors.Is(err, webhook.ErrNone) {
					return
				}
				if err == nil {
					err = from.Delivered(s.Context(), d)
				}
				if err != nil {
					s.Error(fmt.Errorf("a delivery: %w", err))
					return
				}
				mu.Lock()
				seen[d.ID]++
				mu.Unlock()
			}
		})
	}
	work.Wait()
	if len(seen) != 2*jobs {
		s.Errorf("%d messages, want %d", len(seen), 2*jobs)
	}
	for id, n := range seen {
		if n != 1 {
			s.Errorf("%s was claimed %d times", id, n)
		}
	}
}
