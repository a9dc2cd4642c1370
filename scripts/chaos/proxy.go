package main

import (
	"errors"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
)

// line is a node's own way to the database: what it does to the connections, it does to
// those of this node alone.
type line struct {
	url      string // where the node connects
	dir      string
	target   string
	listener net.Listener
	work     sync.WaitGroup

	mu     sync.Mutex
	moved  *sync.Cond // what is held has changed
	held   [2]bool    // by direction: nothing passes, and nothing is lost
	closed bool
	links  map[*link]bool
}

// The directions of a connection.
const (
	toServer = iota
	toClient
)

// socket is the name under which PostgreSQL listens in its directory.
const socket = ".s.PGSQL.5432"

// newLine makes a way to a database that is reached by a socket.
func newLine(database string) (*line, error) {
	at, err := url.Parse(database)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("/tmp", "chaos-") // short enough for a socket
	if err != nil {
		return nil, err
	}
	l := &line{dir: dir, target: filepath.Join(at.Query().Get("host"), socket), links: map[*link]bool{}}
	l.moved = sync.NewCond(&l.mu)
	if l.listener, err = net.Listen("unix", filepath.Join(dir, socket)); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	q := at.Query()
	q.Set("host", dir)
	at.RawQuery = q.Encode()
	l.url = at.String()
	l.work.Go(l.accept)
	return l, nil
}

func (l *line) close() error {
	err := l.listener.Close()
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.hold(false, false)
	l.cut()
	l.work.Wait()
	return errors.Join(err, os.RemoveAll(l.dir))
}

// cut ends every connection and returns how many there were.
func (l *line) cut() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.links)
	for k := range l.links {
		k.end()
	}
	l.moved.Broadcast()
	return n
}

// hold lets nothing pass in a direction, or lets it pass again.
func (l *line) hold(requests, answers bool) {
	l.mu.Lock()
	l.held = [2]bool{requests, answers}
	l.moved.Broadcast()
	l.mu.Unlock()
}

// open is how many connections there are.
func (l *line) open() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.links)
}

func (l *line) accept() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("unix", l.target)
		if err != nil { // the database is down
			client.Close()
			continue
		}
		k := &link{client: client, server: server}
		l.mu.Lock()
		if l.closed {
			k.end()
		}
		l.links[k] = true
		l.mu.Unlock()
		l.work.Go(func() { l.pass(k, client, server, toServer) })
		l.work.Go(func() { l.pass(k, server, client, toClient) })
	}
}

// link is one connection.
type link struct {
	client, server net.Conn
	ended          bool // held by the line's mutex
}

// end closes both sides; the line's mutex is held.
func (k *link) end() {
	k.ended = true
	k.client.Close()
	k.server.Close()
}

// pass copies one direction until the connection ends.
func (l *line) pass(k *link, from, to net.Conn, direction int) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if !l.wait(k, direction) {
			return
		}
		if n > 0 {
			if _, werr := to.Write(buf[:n]); werr != nil {
				err = werr
			}
		}
		if err != nil {
			l.mu.Lock()
			k.end()
			delete(l.links, k)
			l.moved.Broadcast() // the other direction may be held
			l.mu.Unlock()
			return
		}
	}
}

// wait waits while a direction is held; false: the connection has ended, and what was held
// is lost.
func (l *line) wait(k *link, direction int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.held[direction] && !k.ended {
		l.moved.Wait()
	}
	if k.ended {
		delete(l.links, k)
	}
	return !k.ended
}
