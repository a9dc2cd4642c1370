package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"blotter/internal/document"
)

// reclaims are the times from a kill to the claim of the killed node's jobs by another.
type reclaims struct {
	kills int
	took  []time.Duration // sorted
}

// atOnce is how many documents are under way when a node is killed.
const atOnce = 3

// measureReclaims kills a node amid its work, again and again, with leases as they are by
// default, and looks when another one has claimed what it held.
func measureReclaims(ctx context.Context, o options) (out *reclaims, err error) {
	f, err := startFleet(ctx, o, []string{"BLOTTER_WORKERS=2"})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.close(o.keep || err != nil)) }()
	l, err := newLoad(ctx, f, o)
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(o.seed, 2))
	out = &reclaims{}
	for round := 0; out.kills < o.kills; round++ {
		if err := out.round(ctx, l, round, random); err != nil {
			return nil, err
		}
	}
	slices.Sort(out.took)
	if n := f.violations.print(o.out); n > 0 {
		return nil, errViolated
	}
	return out, nil
}

// held is a job that a killed node had.
type held struct {
	id    document.ID
	token int64
}

func (r *reclaims) round(ctx context.Context, l *load, round int, random *rand.Rand) error {
	f := l.fleet
	long := slices.IndexFunc(l.documents, func(s source) bool { return s.name == "referral-letter.pdf" })
	if long < 0 {
		return errors.New("there is no document that takes a while")
	}
	var jobs []*sent
	for i := range atOnce {
		s := &sent{document: long, tenant: tenants[i%len(tenants)], calm: true}
		if err := l.accept(ctx, s, document.Bulk, fmt.Sprintf("round-%d-%d", round, i), random); err != nil {
			return err
		}
		jobs = append(jobs, s)
	}
	victim, holds, err := f.busy(ctx, random)
	if err != nil {
		return err
	}
	began := time.Now()
	victim.kill()
	killed := 0
	for _, h := range holds {
		j, err := f.db.Job(ctx, h.id)
		if err != nil {
			return err
		}
		if j.State != document.Leased || j.Token != h.token {
			continue // it had ended just before
		}
		again, err := f.claimedAgain(ctx, h)
		if err != nil {
			return err
		}
		r.took, killed = append(r.took, again.Sub(began)), 1
	}
	r.kills += killed
	if err := victim.start(ctx); err != nil {
		return err
	}
	for _, s := range jobs {
		if err := l.await(ctx, s, random); err != nil {
			return err
		}
	}
	return nil
}

// look is the pause between two looks at the store, where a late look would be measured.
const look = 20 * time.Millisecond

// busy waits until jobs are under way and picks a node that holds some.
func (f *fleet) busy(ctx context.Context, random *rand.Rand) (*node, []held, error) {
	for {
		for _, i := range random.Perm(size) {
			copies, err := f.db.Staged(ctx, f.nodes[i].name)
			if err != nil {
				return nil, nil, err
			}
			var out []held
			for _, c := range copies {
				if j, err := f.db.Job(ctx, c.Job); err == nil && j.State == document.Leased {
					out = append(out, held{c.Job, j.Token})
				}
			}
			if len(out) > 0 {
				return f.nodes[i], out, nil
			}
		}
		if err := wait(ctx, look); err != nil {
			return nil, nil, err
		}
	}
}

// claimedAgain waits until a job has another lease, and returns when that began, by the
// database's clock, which on one host is everybody's.
func (f *fleet) claimedAgain(ctx context.Context, h held) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		j, err := f.db.Job(ctx, h.id)
		if err != nil {
			return time.Time{}, err
		}
		if j.Token != h.token {
			if j.Claimed.IsZero() { // it has ended already
				return time.Now(), nil
			}
			return j.Claimed, nil
		}
		if err := wait(ctx, look); err != nil {
			return time.Time{}, fmt.Errorf("nobody claimed job %s: %w", h.id, err)
		}
	}
}

// share is the value that a share of all does not exceed.
func (r *reclaims) share(p float64) time.Duration {
	if len(r.took) == 0 {
		return 0
	}
	return r.took[min(len(r.took)-1, int(p*float64(len(r.took))))]
}
