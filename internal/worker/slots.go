package worker

import (
	"context"
	"slices"
	"sync"
	"time"

	"blotter/internal/document"
)

// Slots are the places of a node in which documents of any lane compute. A bulk job that
// has computed for its quantum while others wait gives its place on and parks: its cell
// lives on between two assets and its lease goes on, until a place is handed back to it.
//
// A place is a token. Who claims takes one first; there are more claimants than places, so
// that the place of a parked job finds somebody who claims with it.
type Slots struct {
	quantum time.Duration // of computing before a bulk job gives way
	most    int           // jobs that may be parked at once: each keeps its cell's memory
	tokens  chan struct{}

	mu      sync.Mutex
	seats   int       // of parked jobs that are taken
	parked  []*parked // the longest first
	closed  bool
	changed chan struct{} // closed and made anew when a job parks or leaves
}

// parked is a job that waits for a place.
type parked struct {
	lane   document.Lane
	tenant document.Tenant
	since  time.Time
	turn   chan struct{} // closed when it was handed a place
}

// overdue is how many quanta, of askEvery at least, a parked job waits at most while others
// go first: its cell holds memory, and its lease a worker's attention.
const overdue = 20

// NewSlots makes places, at least one, for documents, of which the bulk ones give way
// after quantum; at most so many are parked at once, 0 for none.
func NewSlots(places, parkedMost int, quantum time.Duration) *Slots {
	s := &Slots{quantum: quantum, most: parkedMost, tokens: make(chan struct{}, places), changed: make(chan struct{})}
	for range places {
		s.tokens <- struct{}{}
	}
	return s
}

// Claimants is how many goroutines should claim, so that no place stays empty.
func (s *Slots) Claimants() int { return cap(s.tokens) + s.most }

// Places is how many places there are.
func (s *Slots) Places() int { return cap(s.tokens) }

// Busy is how many places are taken.
func (s *Slots) Busy() int { return cap(s.tokens) - len(s.tokens) }

// Parked is how many jobs wait for a place.
func (s *Slots) Parked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.parked)
}

// Place is a claimant's hold on a slot. It is for one goroutine.
type Place struct {
	slots *Slots
	held  bool
}

// Take waits for a place. The error is the cause of ctx.
func (s *Slots) Take(ctx context.Context) (*Place, error) {
	select {
	case <-s.tokens:
		return &Place{slots: s, held: true}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Give gives the place back, unless it was handed on.
func (p *Place) Give() {
	if p.held {
		p.held = false
		p.slots.tokens <- struct{}{}
	}
}

// hand gives the place to the first parked job that is fit, and reports whether one was.
func (p *Place) hand(fit func(*parked) bool) bool {
	s := p.slots
	s.mu.Lock()
	candidates := slices.Clone(s.parked)
	s.mu.Unlock()
	for _, c := range candidates {
		if fit(c) && s.leave(c) { // it may have gone meanwhile
			p.held = false
			close(c.turn)
			return true
		}
	}
	return false
}

// leave takes a job off the list and reports whether it was there.
func (s *Slots) leave(c *parked) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.parked, c)
	if i < 0 {
		return false
	}
	s.parked = slices.Delete(s.parked, i, i+1)
	s.seats--
	s.tell()
	return true
}

// tell wakes who drains.
func (s *Slots) tell() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// seat reserves room for one more parked job.
func (s *Slots) seat() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.seats >= s.most {
		return false
	}
	s.seats++
	return true
}

// room reports whether one more job might park now.
func (s *Slots) room() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.closed && s.seats < s.most
}

// unseat gives back a seat that was not used.
func (s *Slots) unseat() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seats--
	s.tell()
}

// rest gives the place on and waits until another is handed back. A seat was reserved.
// The error is the cause of ctx; then there is no place.
func (p *Place) rest(ctx context.Context, lane document.Lane, tenant document.Tenant) error {
	s := p.slots
	c := &parked{lane: lane, tenant: tenant, since: time.Now(), turn: make(chan struct{})}
	s.mu.Lock()
	s.parked = append(s.parked, c)
	s.tell()
	s.mu.Unlock()
	p.Give()
	select {
	case <-c.turn:
		p.held = true
		return nil
	case <-ctx.Done():
	}
	if !s.leave(c) { // handed over at this very moment
		<-c.turn
		p.held = true
	}
	return context.Cause(ctx)
}

// Close lets no more jobs park: the node stops, and who is parked is to finish.
func (s *Slots) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

// Drain hands places to parked jobs until none is left or ctx ends. Every claimant calls
// it when it stops, after Close.
func (s *Slots) Drain(ctx context.Context) {
	for {
		s.mu.Lock()
		seats, waiting, changed := s.seats, len(s.parked), s.changed
		s.mu.Unlock()
		if seats == 0 {
			return
		}
		tokens := s.tokens
		if waiting == 0 {
			tokens = nil // one is about to park
		}
		select {
		case <-tokens:
			p := &Place{slots: s, held: true}
			p.hand(func(*parked) bool { return true })
			p.Give()
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// Resume hands the place to a parked job that is to go before any claim, and reports
// whether there was one: nobody who waits has used less than its tenant, or it has waited
// long enough. A store that does not answer keeps nobody parked.
func (w *Worker) Resume(ctx context.Context, p *Place) bool {
	return p.hand(func(c *parked) bool {
		if time.Since(c.since) > overdue*max(p.slots.quantum, askEvery) {
			return true
		}
		waits, err := w.Store.Waits(ctx, c.lane, c.tenant)
		return err != nil || !waits
	})
}
