package pgtest

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Proxy stands between clients and a server and counts the statements that pass, all
// connections together. Once the server has done the one of the given number, it keeps the
// answer to itself and passes nothing more, so that whoever sent it can be killed at an
// instant that is known: the statement was done, and nobody was told.
type Proxy struct {
	// URL is where clients connect.
	URL string
	// Reached is closed when the statement was done.
	Reached <-chan struct{}

	listener net.Listener
	target   string
	reached  chan struct{}
	conns    sync.WaitGroup

	mu      sync.Mutex
	left    int // statements until then
	held    bool
	clients []net.Conn
}

// NewProxy starts a proxy for a database of this package that stops at the n-th statement.
// It ends with the test.
func NewProxy(t testing.TB, database string, n int) *Proxy {
	t.Helper()
	at, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("/tmp", "pgproxy-") // short enough for a socket
	if err != nil {
		t.Fatal(err)
	}
	const socket = ".s.PGSQL.5432"
	p := &Proxy{target: filepath.Join(at.Query().Get("host"), socket), left: n, reached: make(chan struct{})}
	if p.listener, err = net.Listen("unix", filepath.Join(dir, socket)); err != nil {
		t.Fatal(err)
	}
	q := at.Query()
	q.Set("host", dir)
	at.RawQuery = q.Encode()
	p.URL, p.Reached = at.String(), p.reached
	p.conns.Go(p.accept)
	t.Cleanup(func() {
		p.Close()
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return p
}

// Close cuts every connection, and returns once the server has noticed.
func (p *Proxy) Close() {
	p.listener.Close()
	p.mu.Lock()
	p.held = true
	for _, c := range p.clients {
		c.Close() // which ends the link, and that the server's side
	}
	p.mu.Unlock()
	p.conns.Wait()
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("unix", p.target)
		if err != nil {
			client.Close()
			continue
		}
		p.mu.Lock()
		p.clients = append(p.clients, client)
		p.mu.Unlock()
		l := &link{proxy: p, client: client, server: server}
		p.conns.Go(l.forwards)
		p.conns.Go(l.backwards)
	}
}

// link is one connection of a client and its own to the server.
type link struct {
	proxy          *Proxy
	client, server net.Conn

	mu   sync.Mutex
	last bool // the statement that is being done is the one to stop at
}

// forwards passes what the client says on, message by message.
func (l *link) forwards() {
	defer func() { _ = l.server.(*net.UnixConn).CloseWrite() }() // the server may have gone first
	startup := true
	for {
		m, err := readMessage(l.client, startup)
		if err != nil {
			return
		}
		startup = false
		if !l.count(m[0]) {
			return
		}
		if _, err := l.server.Write(m); err != nil {
			return
		}
	}
}

// The messages of the protocol that are a statement, or the end of a batch of them.
const (
	single = 'Q'
	batch  = 'S' // "sync"
	ready  = 'Z' // the server's answer to each
)

// count counts a message of the client's; false: it is not to be passed on.
func (l *link) count(kind byte) bool {
	p := l.proxy
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held {
		return false
	}
	if kind != single && kind != batch {
		return true
	}
	p.left--
	if p.left == 0 {
		p.held = true
		l.mu.Lock()
		l.last = true
		l.mu.Unlock()
	}
	return true
}

// backwards passes what the server says back, until nothing is to pass any more; then it
// reads to the end, so that the server is not held up.
func (l *link) backwards() {
	defer l.client.Close()
	defer l.server.Close()
	for {
		m, err := readMessage(l.server, false)
		if err != nil {
			return
		}
		l.mu.Lock()
		last := l.last
		l.mu.Unlock()
		if last && m[0] == ready {
			close(l.proxy.reached)
		}
		if last || l.proxy.isHeld() {
			continue
		}
		if _, err := l.client.Write(m); err != nil {
			return
		}
	}
}

func (p *Proxy) isHeld() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held
}

// readMessage reads one message of the protocol: a letter, but for the first of a client's,
// and a length that counts itself.
func readMessage(from io.Reader, first bool) ([]byte, error) {
	head := make([]byte, 5)
	if first {
		head = head[:4]
	}
	if _, err := io.ReadFull(from, head); err != nil {
		return nil, err
	}
	length := int(binary.BigEndian.Uint32(head[len(head)-4:]))
	const longest = 64 << 20
	if length < 4 || length > longest {
		return nil, errors.New("pgtest: no message of the protocol")
	}
	m := make([]byte, len(head)+length-4)
	copy(m, head)
	_, err := io.ReadFull(from, m[len(head):])
	return m, err
}
