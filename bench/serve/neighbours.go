package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// imported is how many example documents the import brings; they must outlast the requests.
	imported = 600
	// clinics is how many tenants people belong to.
	clinics = 3
	// think lies between two requests of people. A new cell has started by then.
	think = time.Second
)

// met is what requests met.
type met struct {
	waits, answers []time.Duration // in the queue; from upload to the end
	again          int             // attempts beyond the first
}

func (m *met) add(j job, answer time.Duration) {
	m.waits, m.answers = append(m.waits, j.waited()), append(m.answers, answer)
	m.again += j.Attempt - 1
}

// row is a line of a table: how long the requests waited and were answered.
func (m *met) row(names ...string) string {
	slices.Sort(m.waits)
	slices.Sort(m.answers)
	return fmt.Sprintf("| %s | %d | %.0f ms | %.0f ms | %.1f s | %.1f s | %d |\n", strings.Join(names, " | "), len(m.waits),
		quantile(m.waits, .5), quantile(m.waits, .99), quantile(m.answers, .5)/1000, quantile(m.answers, .99)/1000, m.again)
}

const (
	metHead = "documents | wait p50 | wait p99 | answer p50 | answer p99 | second attempts |"
	metRule = "--:|--:|--:|--:|--:|--:|"
)

// neighbours lets people of some tenants send documents, first to a service that has nothing
// else to do, then while another tenant imports.
func neighbours(ctx context.Context, p plan) (string, error) {
	s, err := newService(ctx, p, "import")
	if err != nil {
		return "", err
	}
	var people []*service
	for i := range clinics {
		c, err := s.as(ctx, fmt.Sprintf("clinic-%d", i))
		if err != nil {
			return "", err
		}
		people = append(people, c)
	}
	if err := s.start(ctx); err != nil {
		return "", err
	}
	said, err := besideImport(ctx, s, people, p)
	return said, errors.Join(err, s.stop())
}

func besideImport(ctx context.Context, s *service, people []*service, p plan) (string, error) {
	var rows strings.Builder
	both := func(when string) (float64, error) {
		at, err := requests(ctx, people, p, "interactive", p.people)
		if err != nil {
			return 0, err
		}
		bulk, err := requests(ctx, people, p, "bulk", p.people/3)
		if err != nil {
			return 0, err
		}
		rows.WriteString(at.row("interactive", when) + bulk.row("bulk", when))
		return quantile(at.waits, .99), nil
	}
	idle, err := both("idle")
	if err != nil {
		return "", err
	}
	if err := bring(ctx, s, p); err != nil {
		return "", err
	}
	beside, err := both("beside the import")
	if err != nil {
		return "", err
	}
	left, err := s.backlog(ctx)
	if err != nil {
		return "", err
	}
	waiting := left[[2]string{"bulk", "ready"}]
	if waiting == 0 {
		return "", errors.New("the import ended before the requests did")
	}
	return fmt.Sprintf("**People beside an import.** %d tenants send an insurance card, one after the other, %v apart. Another one has brought %d example documents in the bulk lane; %d of them were done meanwhile. Places as by default.\n\n"+
		"| lane | service | %s\n|---|---|%s\n%s\nInteractive wait, p99, beside the import ÷ idle: **%.2f**.\n",
		clinics, think, imported, imported-waiting, metHead, metRule, rows.String(), beside/max(idle, 1)), nil
}

// requests sends n documents of people, each after the end of the one before.
func requests(ctx context.Context, people []*service, p plan, lane string, n int) (m met, err error) {
	card, err := os.ReadFile(filepath.Join(p.examples, "insurance-card.jpg"))
	if err != nil {
		return m, err
	}
	for i := range n {
		if err := pause(ctx, think); err != nil {
			return m, err
		}
		who, began := people[i%len(people)], time.Now()
		id, err := who.upload(ctx, card, rand.Text(), lane)
		if err != nil {
			return m, err
		}
		j, err := who.await(ctx, id)
		if err != nil {
			return m, err
		}
		if j.State != "released" {
			return m, fmt.Errorf("a card ended as %s", j.State)
		}
		m.add(j, time.Since(began))
	}
	return m, nil
}

// bring uploads the import.
func bring(ctx context.Context, s *service, p plan) error {
	files, err := filepath.Glob(filepath.Join(p.examples, "*.*"))
	if err != nil || len(files) == 0 {
		return errors.Join(err, errors.New("no documents to import"))
	}
	var bodies [][]byte
	for _, f := range files {
		body, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		bodies = append(bodies, body)
	}
	return atOnce(senders, imported, func(i int) error {
		_, err := s.upload(ctx, bodies[i%len(bodies)], rand.Text(), "bulk")
		return err
	})
}
