package intake

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"sync"
	"time"
)

// doorman is a listener that lets no more than a number of connections in. When all
// places are taken, a newcomer gets that of the connection that has waited longest
// without a whole request header, be it new or between two requests: under an attack with
// connections that say nothing, or say it slowly, an honest client gets in at once, and is
// served before its own turn to go comes. Everybody has a moment to say something; a
// connection with a request under way is never closed. Until one may be, newcomers wait
// in the kernel's queue.
type doorman struct {
	net.Listener
	most      int
	hearing   time.Duration // how long everybody may stay
	writeIdle time.Duration // for one write

	mu      sync.Mutex
	changed sync.Cond // somebody left or waits again, or the door was shut
	inside  int
	waiting *list.List // of *guest, who has waited longest first
	shut    bool
}

// hearing is how long a connection may wait for its request, however many come: a round
// trip around the globe. With 4096 places it only counts from 16,000 newcomers a second on.
const hearing = 250 * time.Millisecond

func newDoorman(l net.Listener, most int, hearing, writeIdle time.Duration) *doorman {
	d := &doorman{Listener: l, most: most, hearing: hearing, writeIdle: writeIdle, waiting: list.New()}
	d.changed.L = &d.mu
	return d
}

// Accept implements net.Listener.
func (d *doorman) Accept() (net.Conn, error) {
	c, err := d.Listener.Accept()
	if err != nil {
		return nil, err
	}
	g := &guest{Conn: c, door: d}
	if !d.admit(g) {
		_ = c.Close()
		return nil, net.ErrClosed
	}
	return g, nil
}

// Close implements net.Listener. Connections stay.
func (d *doorman) Close() error {
	d.mu.Lock()
	d.shut = true
	d.changed.Broadcast()
	d.mu.Unlock()
	return d.Listener.Close()
}

// admit finds a place for a newcomer, or reports that the door was shut.
func (d *doorman) admit(g *guest) bool {
	d.mu.Lock()
	for d.inside >= d.most && !d.mayEnd() && !d.shut {
		d.changed.Wait()
	}
	var gone *guest
	if d.inside >= d.most && !d.shut {
		gone = d.waiting.Front().Value.(*guest)
		d.forget(gone)
	}
	shut := d.shut
	if !shut {
		d.inside++
		d.wait(g, true)
	}
	d.mu.Unlock()
	if gone != nil {
		gone.showOut()
	}
	return !shut
}

// mayEnd reports whether the one who has waited longest has had its hearing, and sees to
// it that whoever waits for that looks again. The lock is held.
func (d *doorman) mayEnd() bool {
	longest := d.waiting.Front()
	if longest == nil {
		return false
	}
	left := d.hearing - time.Since(longest.Value.(*guest).since)
	if left > 0 {
		time.AfterFunc(left, d.lookAgain)
	}
	return left <= 0
}

// lookAgain wakes whoever waits. It takes the lock so that it cannot come between somebody's
// last look and their wait, and be missed.
func (d *doorman) lookAgain() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.changed.Broadcast()
}

// forget takes a guest off the books. The lock is held.
func (d *doorman) forget(g *guest) {
	if g.gone {
		return
	}
	g.gone = true
	d.inside--
	d.wait(g, false)
	d.changed.Signal()
}

// wait puts a guest at the end of those who wait, or takes it out. The lock is held.
func (d *doorman) wait(g *guest, waits bool) {
	switch {
	case waits && !g.gone:
		g.place, g.since = d.waiting.PushBack(g), time.Now()
		d.changed.Signal()
	case !waits && g.place != nil:
		d.waiting.Remove(g.place)
		g.place = nil
	}
}

// guest is a connection that was let in.
type guest struct {
	net.Conn
	door *doorman

	// Guarded by the doorman's lock.
	place    *list.Element // among those who wait; nil while a request is under way
	since    time.Time     // when it began to wait
	requests int           // under way; HTTP/2 may have several
	gone     bool
}

type guestKey struct{}

// withGuest remembers the connection of requests to come (http.Server.ConnContext).
func withGuest(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	if g, ok := c.(*guest); ok {
		return context.WithValue(ctx, guestKey{}, g)
	}
	return ctx
}

// guestOf returns the connection of a request; nil where no doorman let it in.
func guestOf(ctx context.Context) *guest {
	g, _ := ctx.Value(guestKey{}).(*guest)
	return g
}

// requested says that a request has come whole up to its body. What it returns says that
// it was served.
func (g *guest) requested() (served func()) {
	if g == nil {
		return func() {}
	}
	g.count(1)
	return func() { g.count(-1) }
}

func (g *guest) count(n int) {
	g.door.mu.Lock()
	defer g.door.mu.Unlock()
	before := g.requests
	g.requests += n
	if (before == 0) != (g.requests == 0) {
		g.door.wait(g, g.requests == 0)
	}
}

// Write ends a client that does not read: each write must be accepted in time.
func (g *guest) Write(b []byte) (int, error) {
	_ = g.SetWriteDeadline(time.Now().Add(g.door.writeIdle))
	return g.Conn.Write(b)
}

// Close implements net.Conn.
func (g *guest) Close() error {
	g.door.mu.Lock()
	g.door.forget(g)
	g.door.mu.Unlock()
	return g.Conn.Close()
}

// showOut closes a guest for another's sake, with a reset: the kernel shall not remember
// thousands of them for a minute each.
func (g *guest) showOut() {
	if t, ok := g.Conn.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = g.Conn.Close()
}
