package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"regexp"
	"sync"
	"time"
)

const (
	// among is how many whole documents come to a malformed one: 5 % of all are poison.
	among = 19
	// clients send at once, each the next document after the end of the one before. There are
	// more of them than places, so that documents wait, whatever the machine's speed.
	clients = 3
)

// malformed makes the n-th malformed document: a picture that is cut off, one that declares
// ten gigapixels, a PDF without pages, an archive, and bytes of no format.
func malformed(n int) []byte {
	whole := small(n)
	switch n % 5 {
	case 0:
		return whole[:len(whole)/2]
	case 1:
		binary.BigEndian.PutUint32(whole[16:], 100_000) // width and height in the header, then its checksum
		binary.BigEndian.PutUint32(whole[20:], 100_000)
		binary.BigEndian.PutUint32(whole[29:], crc32.ChecksumIEEE(whole[12:29]))
		return whole
	case 2:
		return []byte("%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n")
	case 3:
		return append([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"), make([]byte, 100)...)
	default:
		return bytes.Repeat([]byte("\x8f\x01\x77"), 999)
	}
}

// poison sends whole documents at a pace, then the same with malformed ones among them.
func poison(ctx context.Context, p plan) (string, error) {
	text := fmt.Sprintf("**Poison.** %d clients send small documents, each the next after the end of the one before, to the default number of places; then the same with one malformed document for every %d whole ones, of five kinds in turn.\n\n| load | %s\n|---|%s\n", clients, among, metHead, metRule)
	for _, load := range []struct {
		name   string
		poison bool
	}{{"whole documents alone", false}, {"whole documents, amid malformed ones", true}} {
		whole, bad, retried, err := stream(ctx, p, load.name, load.poison)
		if err != nil {
			return "", err
		}
		text += whole.row(load.name)
		if load.poison {
			text += bad.row("the malformed ones") + fmt.Sprintf("\nRetries in the metrics, of any reason: **%d**.\n", retried)
		}
	}
	return text, nil
}

// stream sends the documents to a fresh service and waits for the end of all.
func stream(ctx context.Context, p plan, name string, withPoison bool) (whole, bad met, retried int, err error) {
	s, err := newService(ctx, p, "poison-"+rand.Text())
	if err != nil {
		return whole, bad, 0, err
	}
	if err := s.start(ctx); err != nil {
		return whole, bad, 0, err
	}
	whole, bad, err = s.pour(ctx, p.whole, withPoison)
	_, metrics, failed := fetch(ctx, "http://"+s.ops+"/metrics")
	retried = len(regexp.MustCompile(`(?m)^blotter_job_retries_total\{`).FindAll(metrics, -1))
	return whole, bad, retried, errors.Join(err, failed, s.stop())
}

// pour sends n whole documents, and malformed ones between them.
func (s *service) pour(ctx context.Context, n int, withPoison bool) (whole, bad met, err error) {
	var mu sync.Mutex
	send := func(body []byte, into *met, state string) error {
		began := time.Now()
		j, err := s.sendAndAwait(ctx, body)
		if err == nil && (j.State != state || j.Attempt != 1) {
			err = fmt.Errorf("a document that should be %s at once is %s after %d attempts", state, j.State, j.Attempt)
		}
		mu.Lock()
		defer mu.Unlock()
		into.add(j, time.Since(began))
		return err
	}
	err = atOnce(clients, n, func(i int) error {
		if withPoison && i%among == among-1 {
			if err := send(malformed(i/among), &bad, "rejected"); err != nil {
				return err
			}
		}
		return send(small(i), &whole, "released")
	})
	return whole, bad, err
}

func (s *service) sendAndAwait(ctx context.Context, body []byte) (job, error) {
	id, err := s.upload(ctx, body, rand.Text(), "bulk")
	if err != nil {
		return job{}, err
	}
	return s.await(ctx, id)
}
