package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"blotter/client"
	"blotter/internal/document"
	"blotter/internal/examples"
	"blotter/internal/queue"
)

// source is a document that is sent again and again.
type source struct {
	name   string
	body   []byte
	weight int
}

// sources are small images for the most part, so that there are many jobs; each kind of
// file among the examples; and some that must be refused.
func sources(dir string) ([]source, error) {
	var out []source
	for i, name := range []string{"Maude Ferrier", "Jonas Whitlock", "Ines Okafor", "Peter Lindgren"} {
		body, err := examples.Tiny(name, fmt.Sprintf("0%d/09/195%d", i+1, i))
		if err != nil {
			return nil, err
		}
		out = append(out, source{fmt.Sprintf("small image %d", i+1), body, 21})
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.*"))
	if err != nil || len(files) == 0 {
		return nil, errors.Join(err, fmt.Errorf("no examples in %s", dir))
	}
	for _, f := range files {
		body, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		out = append(out, source{filepath.Base(f), body, 1})
	}
	cut := out[0].body[:len(out[0].body)/2]
	return append(out,
		source{"image cut off in the middle", cut, 4},
		source{"a script", []byte("#!/bin/sh\necho hello\n"), 3},
		source{"an archive", []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03" + strings.Repeat("x", 100)), 3}), nil
}

// sent is a document that a node has accepted.
type sent struct {
	id        string
	document  int // index into load.documents
	tenant    string
	calm      bool  // sent before the faults
	cancelled bool  // somebody asked for its end
	event     int64 // that ended it, as the client was told; -1: it was not
	state     string
	receipt   []byte // as handed out amid the faults; nil: not fetched
}

// tenants each have senders in both lanes.
var tenants = []string{"harbour", "ward-7", "mill"}

const sendersPerLane = 2

// load sends documents as clients do: over whichever node answers, again with the same
// Idempotency-Key until one has accepted it, and asks for each until it has ended.
type load struct {
	fleet     *fleet
	documents []source
	keys      map[string]string // by tenant
	operator  string

	stop    chan struct{}
	senders sync.WaitGroup

	mu       sync.Mutex
	jobs     []*sent
	lost     int // requests whose answer was lost, or cut short by the client
	answers  map[string]int
	replayed int
}

func newLoad(ctx context.Context, f *fleet, o options) (*load, error) {
	l := &load{fleet: f, keys: map[string]string{}, stop: make(chan struct{}), answers: map[string]int{}}
	var err error
	if l.documents, err = sources(o.examples); err != nil {
		return nil, err
	}
	for _, t := range tenants {
		if l.keys[t], err = l.key("--tenant", t, "--role", "client", "--lanes", "interactive,bulk"); err != nil {
			return nil, err
		}
	}
	if l.operator, err = l.key("--tenant", "*", "--role", "admin", "--lanes", "interactive,bulk"); err != nil {
		return nil, err
	}
	return l, l.undisturbed(ctx, o)
}

func (l *load) key(args ...string) (string, error) {
	out, err := l.fleet.desk(append([]string{"keys", "add"}, args...)...)
	return strings.TrimSpace(out), err
}

// undisturbed sends every document once while nothing fails: what comes of it is what must
// come of it later.
func (l *load) undisturbed(ctx context.Context, o options) error {
	random := rand.New(rand.NewPCG(o.seed, 4))
	var jobs []*sent
	for i := range l.documents {
		s := &sent{document: i, tenant: tenants[0], calm: true, event: -1}
		if err := l.accept(ctx, s, document.Bulk, "calm-"+fmt.Sprint(i), random); err != nil {
			return err
		}
		jobs = append(jobs, s)
	}
	for _, s := range jobs {
		if err := l.await(ctx, s, random); err != nil {
			return err
		}
	}
	return nil
}

// begin starts the senders.
func (l *load) begin(ctx context.Context) {
	n := uint64(0)
	for _, t := range tenants {
		for _, lane := range document.Lanes() {
			for range sendersPerLane {
				n++
				number := n
				l.senders.Go(func() { l.sender(ctx, t, lane, number) })
			}
		}
	}
}

// finish lets the senders bring what they began to its end, and replays what died of the
// faults.
func (l *load) finish(ctx context.Context) error {
	close(l.stop)
	l.senders.Wait()
	if ctx.Err() != nil {
		return errors.New("jobs did not end in time")
	}
	return l.replayDead(ctx)
}

func (l *load) sender(ctx context.Context, tenant string, lane document.Lane, number uint64) {
	random := rand.New(rand.NewPCG(number, 5))
	for n := 0; ; n++ {
		select {
		case <-l.stop:
			return
		case <-ctx.Done():
			return
		default:
		}
		s := &sent{document: l.pick(random), tenant: tenant, event: -1}
		err := l.accept(ctx, s, lane, fmt.Sprintf("%s-%s-%d-%d", tenant, lane, number, n), random)
		if err == nil && random.IntN(25) == 0 {
			l.cancel(ctx, s, random)
		}
		if err == nil {
			err = l.await(ctx, s, random)
		}
		if err != nil && ctx.Err() == nil {
			l.fleet.violations.add("%v", err)
		}
		if s.state == string(document.Dead) && random.IntN(2) == 0 { // the others are replayed in the end
			_ = l.replay(ctx, s.id, random) // one that no node took is replayed in the end
		}
	}
}

func (l *load) pick(random *rand.Rand) int {
	all := 0
	for _, d := range l.documents {
		all += d.weight
	}
	at := random.IntN(all)
	for i, d := range l.documents {
		if at -= d.weight; at < 0 {
			return i
		}
	}
	panic("the weights do not add up")
}

// answerTime is how long a client waits for an answer before it asks another node.
const answerTime = 15 * time.Second

// anywhere makes a request of one node after the other until one answers. What an answer
// that is none of success says decides: nil ends it as well.
func (l *load) anywhere(ctx context.Context, key string, random *rand.Rand, patience time.Duration, ask func(context.Context, *client.Client) error) error {
	for {
		c, err := l.fleet.nodes[random.IntN(size)].client(key)
		if err == nil {
			bounded, cancel := context.WithTimeout(ctx, patience)
			err = ask(bounded, c)
			cancel()
		}
		if err == nil || ctx.Err() != nil || !l.passes(err) {
			return errors.Join(err, ctx.Err())
		}
		if err := wait(ctx, pace+time.Duration(random.Float64()*float64(pace))); err != nil {
			return err
		}
	}
}

// passes reports whether a request may be made again after this, and counts it.
func (l *load) passes(err error) bool {
	var e *client.Error
	l.mu.Lock()
	defer l.mu.Unlock()
	if !errors.As(err, &e) {
		l.lost++
		return true // the connection broke, or nobody answered in time
	}
	l.answers[fmt.Sprintf("%d %s", e.Status, e.Reason)]++
	switch e.Status {
	case http.StatusServiceUnavailable, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusGatewayTimeout, http.StatusRequestTimeout:
		return true
	}
	return e.Reason == "api.in_progress"
}

// accept sends a document until a node accepts it. Now and then the client goes away amid
// the request, and now and then it asks twice, which must give the same job.
func (l *load) accept(ctx context.Context, s *sent, lane document.Lane, key string, random *rand.Rand) error {
	upload := func(ctx context.Context, c *client.Client) error {
		got, err := c.Upload(ctx, bytes.NewReader(l.documents[s.document].body), client.UploadOptions{IdempotencyKey: key, Lane: string(lane)})
		if err != nil {
			return err
		}
		if s.id != "" && s.id != got.ID {
			l.fleet.violations.add("one Idempotency-Key gave two jobs, %s and %s", s.id, got.ID)
		}
		if want := document.Sum(l.documents[s.document].body).String(); got.SHA256 != want {
			l.fleet.violations.add("job %s was accepted for another document", got.ID)
		}
		s.id = got.ID
		return nil
	}
	if !s.calm && random.IntN(8) == 0 {
		c, err := l.fleet.nodes[random.IntN(size)].client(l.keys[s.tenant])
		if err == nil {
			brief, cancel := context.WithTimeout(ctx, time.Duration(random.IntN(40))*time.Millisecond)
			if upload(brief, c) != nil {
				l.mu.Lock()
				l.lost++
				l.mu.Unlock()
			}
			cancel()
		}
	}
	times := 1
	if random.IntN(8) == 0 {
		times = 2
	}
	for range times {
		if err := l.anywhere(ctx, l.keys[s.tenant], random, answerTime, upload); err != nil {
			return fmt.Errorf("a document was not accepted: %w", err)
		}
	}
	l.mu.Lock()
	l.jobs = append(l.jobs, s)
	l.mu.Unlock()
	return nil
}

// await asks for a job until it has ended. That nobody knows it is the worst that can be.
func (l *load) await(ctx context.Context, s *sent, random *rand.Rand) error {
	err := l.anywhere(ctx, l.keys[s.tenant], random, time.Minute, func(ctx context.Context, c *client.Client) error {
		j, err := c.Wait(ctx, s.id)
		if err == nil {
			s.event, s.state = j.Event, j.State
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("job %s was accepted, and then: %w", s.id, err)
	}
	if random.IntN(3) > 0 {
		return nil
	}
	c, err := l.fleet.nodes[random.IntN(size)].client(l.keys[s.tenant])
	if err != nil {
		return err
	}
	brief, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	var body bytes.Buffer
	if c.Receipt(brief, s.id, &body) == nil { // what was not handed out is none to check
		s.receipt = body.Bytes()
	}
	return nil
}

// cancel asks for a job's end, once: it may have ended before.
func (l *load) cancel(ctx context.Context, s *sent, random *rand.Rand) {
	s.cancelled = true
	c, err := l.fleet.nodes[random.IntN(size)].client(l.keys[s.tenant])
	if err != nil {
		return
	}
	brief, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	if _, err := c.Cancel(brief, s.id); err != nil && !client.Is(err, "job.ended") {
		l.passes(err) // counted
	}
}

// replay puts a dead job back, until a node answers; job.not_dead says that an answer was
// lost.
func (l *load) replay(ctx context.Context, id string, random *rand.Rand) error {
	err := l.anywhere(ctx, l.operator, random, answerTime, func(ctx context.Context, c *client.Client) error {
		_, err := c.Replay(ctx, id)
		if client.Is(err, "job.not_dead") {
			return nil
		}
		return err
	})
	if err == nil {
		l.mu.Lock()
		l.replayed++
		l.mu.Unlock()
	}
	return err
}

// replayDead replays what the faults have killed, now that there are none, until nothing is
// dead and everything has ended and is signed.
func (l *load) replayDead(ctx context.Context) error {
	random := rand.New(rand.NewPCG(1, 6))
	tried := map[string]bool{}
	for {
		if err := l.atRest(ctx); err != nil {
			return err
		}
		dead, err := l.fleet.db.Jobs(ctx, queue.Filter{State: document.Dead, Limit: 1000})
		if err != nil {
			return err
		}
		if len(dead) == 0 {
			return nil
		}
		for _, j := range dead {
			if tried[string(j.ID)] {
				return fmt.Errorf("job %s died again, of %s, while nothing failed", j.ID, j.Reason)
			}
			tried[string(j.ID)] = true
			if err := l.replay(ctx, string(j.ID), random); err != nil {
				return err
			}
		}
	}
}

// atRest waits until no job is under way and every event is signed.
func (l *load) atRest(ctx context.Context) error {
	for {
		p, err := l.fleet.db.Pressure(ctx)
		if err == nil && p.Outbox == 0 && p.Copies == 0 && !moving(p) {
			return nil
		}
		if wait(ctx, pace) != nil {
			return fmt.Errorf("not at rest: %d events, %d working copies, %+v: %w", p.Outbox, p.Copies, p.Depths, err)
		}
	}
}

func moving(p queue.Pressure) bool {
	for _, d := range p.Depths {
		if d.Ready+d.Later+d.Leased > 0 {
			return true
		}
	}
	return false
}
