package main

import (
	"net"
	"net/url"
	"path/filepath"
	"testing"
)

// echoLine is a line to a server that says everything again; answers is told of each time.
func echoLine(t *testing.T) (*line, <-chan struct{}) {
	t.Helper()
	dir := t.TempDir()
	server, err := net.Listen("unix", filepath.Join(dir, socket))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	answers := make(chan struct{}, 16)
	go func() {
		for {
			c, err := server.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				buf := make([]byte, 16)
				for {
					n, err := c.Read(buf)
					if err != nil {
						return
					}
					if _, err := c.Write(buf[:n]); err != nil {
						return
					}
					answers <- struct{}{}
				}
			}()
		}
	}()
	l, err := newLine("postgres:///x?" + url.Values{"host": {dir}}.Encode())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.close(); err != nil {
			t.Error(err)
		}
	})
	return l, answers
}

func dial(t *testing.T, l *line) net.Conn {
	t.Helper()
	c, err := net.Dial("unix", filepath.Join(l.dir, socket))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}
