package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// The floor is the least that an intake can do and still keep its word: hash the body,
// write it to a file, sync file and directory, answer. It encrypts nothing, records
// nothing, and knows no keys. It runs as a process of its own, as blotter does.

// floorCommand is the argument that makes this program the floor, before its directory.
const floorCommand = "floor"

func serveFloor(dir string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sum, err := keep(dir, r.Body)
		if err != nil {
			http.Error(w, "not kept", http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprintf(w, "%x\n", sum)
	}))
}

func keep(dir string, body io.Reader) (sum []byte, err error) {
	f, err := os.Create(filepath.Join(dir, rand.Text()))
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(f, h), body)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, err
	}
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	return h.Sum(nil), errors.Join(d.Sync(), d.Close())
}

// floor is the floor's process, seen from here.
type floor struct {
	url string
	cmd *exec.Cmd
}

func startFloor(ctx context.Context, p plan) (*floor, error) {
	dir := filepath.Join(p.scratch, "floor")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, os.Args[0], floorCommand, dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line := make([]byte, 64)
	n, err := out.Read(line)
	return &floor{url: "http://" + strings.TrimSpace(string(line[:n])), cmd: cmd}, err
}

func (f *floor) stop() {
	_ = f.cmd.Process.Kill() // it holds nothing
	_ = f.cmd.Wait()
}

// upload sends a body to the floor.
func (f *floor) upload(ctx context.Context, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusAccepted {
		return fmt.Errorf("the floor answered %d", answer.StatusCode)
	}
	return nil
}
