package postgres

import (
	"errors"
	"sync"

	"blotter/internal/document"
	"blotter/internal/queue"

	"github.com/jackc/pgx/v5"
)

// mostPolicies is of how many policies a process remembers the body, at some kilobytes each.
const mostPolicies = 64

// policies is what a process knows of the table, whose rows are never changed or deleted:
// many jobs run under one policy, whose body need neither be sent nor read with each.
type policies struct {
	mu     sync.Mutex
	there  map[document.Digest]struct{} // for certain in the database
	bodies map[document.Digest][]byte   // as read there
}

// stored notes that policies are in the database.
func (p *policies) stored(digests ...document.Digest) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.there == nil || len(p.there) > mostPolicies {
		p.there = map[document.Digest]struct{}{}
	}
	for _, d := range digests {
		p.there[d] = struct{}{}
	}
}

// forget is for a database that may be another one: it was restored to an earlier state.
func (p *policies) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.there = nil
}

func (p *policies) isStored(d document.Digest) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.there[d]
	return ok
}

// fill gives jobs the bodies of their policies and returns the digests of those that it does
// not know.
func (p *policies) fill(jobs []queue.Listed) (unknown []document.Digest) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range jobs {
		ref := &jobs[i].Policy
		body, ok := p.bodies[ref.Digest]
		if !ok {
			unknown = append(unknown, ref.Digest)
			continue
		}
		ref.Body = body
	}
	return unknown
}

func (p *policies) read(d document.Digest, body []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bodies == nil || len(p.bodies) >= mostPolicies {
		p.bodies = map[document.Digest][]byte{}
	}
	p.bodies[d] = body
}

// storePolicies adds the policies of jobs, but for those that this process knows to be there.
func (t *tx) storePolicies(in []arriving) error {
	var digests, bodies [][]byte
	for _, a := range in {
		p := a.job.Policy
		if t.db.policies.isStored(p.Digest) {
			continue
		}
		if p.Body == nil {
			p.Body = []byte{}
		}
		digests, bodies = append(digests, p.Digest[:]), append(bodies, p.Body)
	}
	if len(digests) == 0 {
		return nil
	}
	_, err := t.exec(sqlEnqueuePolicy, named{"digests": digests, "bodies": bodies})
	return err
}

var errNoPolicy = errors.New("the policy of a job is not there")

// addPolicies gives jobs the bodies of their policies.
func (t *tx) addPolicies(jobs []queue.Listed) error {
	unknown := t.db.policies.fill(jobs)
	if len(unknown) == 0 {
		return nil
	}
	digests := make([][]byte, len(unknown))
	for i := range unknown {
		digests[i] = unknown[i][:]
	}
	read := map[document.Digest][]byte{}
	_, err := collect(t.ctx, t, func(r pgx.Row) (struct{}, error) {
		var digest, body []byte
		err := r.Scan(&digest, &body)
		if err == nil {
			d := document.Digest(digest)
			read[d] = body
			t.db.policies.read(d, body)
		}
		return struct{}{}, err
	}, sqlPolicyBodies, named{"digests": digests})
	if err != nil {
		return err
	}
	for i := range jobs {
		ref := &jobs[i].Policy
		if ref.Body != nil {
			continue
		}
		var ok bool
		if ref.Body, ok = read[ref.Digest]; !ok {
			return errNoPolicy
		}
	}
	return nil
}

var (
	sqlEnqueuePolicy = query("enqueue_policy")
	sqlPolicyBodies  = query("policy_bodies")
)
