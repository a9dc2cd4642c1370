package storetest

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"blotter/internal/queue"
)

// RunLeaders puts a store's leaders through the suite. open returns two handles of a fresh
// store, and what moves its clock.
func RunLeaders(t *testing.T, open func(t *testing.T) (one, other queue.Leaders, advance func(time.Duration))) {
	for name, test := range map[string]func(*election){
		"OneLeadsAtATime":     oneLeadsAtATime,
		"LeadRunsOut":         leadRunsOut,
		"ResigningFreesARole": resigningFreesARole,
		"RolesAreApart":       rolesAreApart,
		"LeadRaceHasOneLead":  leadRaceHasOneLead,
	} {
		t.Run(name, func(t *testing.T) {
			one, other, advance := open(t)
			test(&election{T: t, one: one, other: other, advance: advance})
		})
	}
}

type election struct {
	*testing.T
	one, other queue.Leaders
	advance    func(time.Duration)
}

const term = 10 * time.Second

// leads has a node take the lead, and returns its token.
func (e *election) leads(s queue.Leaders, role, node string) int64 {
	e.Helper()
	token, ok, err := s.Lead(e.Context(), role, node, term)
	if err != nil || !ok {
		e.Fatalf("%s does not lead as %s: %v", node, role, err)
	}
	return token
}

// waits has a node try in vain.
func (e *election) waits(s queue.Leaders, role, node string) {
	e.Helper()
	if _, ok, err := s.Lead(e.Context(), role, node, term); err != nil || ok {
		e.Fatalf("%s leads as %s beside another, %v", node, role, err)
	}
}

// While one leads and extends, nobody else does, however often it asks.
func oneLeadsAtATime(e *election) {
	token := e.leads(e.one, queue.RoleSequencer, "a")
	for range 5 {
		e.advance(term - time.Second)
		e.waits(e.other, queue.RoleSequencer, "b")
		if again := e.leads(e.one, queue.RoleSequencer, "a"); again != token {
			e.Fatalf("an extension changed the token from %d to %d", token, again)
		}
	}
}

// A leader that says nothing loses the role to who asks, and does not get it back by asking
// again; each has a greater token than the one before.
func leadRunsOut(e *election) {
	first := e.leads(e.one, queue.RoleSequencer, "a")
	e.advance(term)
	second := e.leads(e.other, queue.RoleSequencer, "b")
	e.waits(e.one, queue.RoleSequencer, "a")
	e.advance(term)
	third := e.leads(e.one, queue.RoleSequencer, "a")
	if first >= second || second >= third {
		e.Errorf("the tokens are %d, %d, %d", first, second, third)
	}
}

// Who resigns frees the role at once; who does not have it frees nothing.
func resigningFreesARole(e *election) {
	for _, node := range []string{"a", "nobody"} { // before anybody leads
		if err := e.one.Resign(e.Context(), queue.RoleJanitor, node); err != nil {
			e.Fatal(err)
		}
	}
	first := e.leads(e.one, queue.RoleJanitor, "a")
	if err := e.other.Resign(e.Context(), queue.RoleJanitor, "b"); err != nil {
		e.Fatal(err)
	}
	e.waits(e.other, queue.RoleJanitor, "b")
	if err := e.one.Resign(e.Context(), queue.RoleJanitor, "a"); err != nil {
		e.Fatal(err)
	}
	if second := e.leads(e.other, queue.RoleJanitor, "b"); second <= first {
		e.Errorf("the tokens are %d, %d", first, second)
	}
}

func rolesAreApart(e *election) {
	e.leads(e.one, queue.RoleSequencer, "a")
	e.leads(e.other, queue.RoleJanitor, "b")
	e.waits(e.one, queue.RoleJanitor, "a")
}

// Of nodes that ask at the same time one gets the role.
func leadRaceHasOneLead(e *election) {
	for range 10 {
		var leaders atomic.Int32
		var calls []func() error
		for i, node := range []string{"a", "b", "c", "d", "e", "f"} {
			s := []queue.Leaders{e.one, e.other}[i%2]
			calls = append(calls, func() error {
				_, ok, err := s.Lead(e.Context(), queue.RoleSequencer, node, term)
				if ok {
					leaders.Add(1)
				}
				return err
			})
		}
		if err := errors.Join(together(calls...)...); err != nil || leaders.Load() != 1 {
			e.Fatalf("%d lead at the same time, %v", leaders.Load(), err)
		}
		e.advance(term)
	}
}
