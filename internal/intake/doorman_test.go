package intake

import (
	"errors"
	"net"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener without a network.
type pipes struct {
	next chan net.Conn
	shut chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.next:
		return c, nil
	case <-p.shut:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.shut); return nil }
func (p *pipes) Addr() net.Addr { return nil }

// named is a connection that tells when it is closed.
type named struct {
	net.Conn
	name   string
	closed chan<- string
}

func (n *named) Close() error { n.closed <- n.name; return nil }

// door is a doorman at an open door; come lets somebody in.
type door struct {
	*doorman
	outside *pipes
	closed  chan string
}

func newDoor(t *testing.T, most int) *door {
	t.Helper()
	p := newPipes()
	return &door{newDoorman(p, most, 0, time.Second), p, make(chan string, 10)}
}

func (d *door) come(t *testing.T, name string) *guest {
	t.Helper()
	go func() { d.outside.next <- &named{nil, name, d.closed} }()
	c, err := d.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return c.(*guest)
}

func (d *door) gone() (names []string) {
	for {
		select {
		case n := <-d.closed:
			names = append(names, n)
		default:
			return names
		}
	}
}

func TestWhoHasWaitedLongestGoes(t *testing.T) {
	d := newDoor(t, 3)
	first := d.come(t, "first")
	d.come(t, "second")
	d.come(t, "third")
	served := first.requested()
	d.come(t, "fourth") // first has a request under way
	served()            // and waits anew, behind all others
	d.come(t, "fifth")
	d.come(t, "sixth")
	if gone := d.gone(); !slices.Equal(gone, []string{"second", "third", "fourth"}) {
		t.Errorf("gone: %v", gone)
	}
}

func TestARequestUnderWayIsNeverCutOff(t *testing.T) {
	d := newDoor(t, 2)
	first, second := d.come(t, "first"), d.come(t, "second")
	one, other := first.requested(), first.requested() // HTTP/2: two at once
	second.requested()
	came := make(chan *guest)
	go func() { came <- d.come(t, "third") }()
	one()
	select {
	case <-came:
		t.Fatal("let in for one that has a request under way")
	default:
	}
	other()
	<-came
	if gone := d.gone(); !slices.Equal(gone, []string{"first"}) {
		t.Errorf("gone: %v", gone)
	}
}

func TestALeaverMakesRoom(t *testing.T) {
	d := newDoor(t, 1)
	first := d.come(t, "first")
	first.requested()
	came := make(chan *guest)
	go func() { came <- d.come(t, "second") }()
	if err := errors.Join(first.Close(), first.Close()); err != nil { // twice, as net/http may
		t.Fatal(err)
	}
	second := <-came
	second.requested()
	if d.inside != 1 {
		t.Errorf("%d inside", d.inside)
	}
}

// A door that is shut keeps nobody waiting before it.
func TestAShutDoor(t *testing.T) {
	d := newDoor(t, 1)
	d.come(t, "first").requested()
	failed := make(chan error)
	go func() {
		_, err := d.Accept()
		failed <- err
	}()
	d.outside.next <- &named{nil, "second", d.closed}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	if gone := d.gone(); !slices.Equal(gone, []string{"second"}) {
		t.Errorf("gone: %v", gone)
	}
}

// However many come, everybody has a moment to say something.
func TestEverybodyIsHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDoor(t, 2)
		d.hearing = time.Second
		d.come(t, "first")
		time.Sleep(600 * time.Millisecond)
		d.come(t, "second")
		began := time.Now()
		d.come(t, "third")
		if waited := time.Since(began); waited != 400*time.Millisecond {
			t.Errorf("first was put out after %v more", waited)
		}
		if gone := d.gone(); !slices.Equal(gone, []string{"first"}) {
			t.Errorf("gone: %v", gone)
		}
	})
}
