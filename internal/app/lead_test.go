package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"blotter/internal/config"
	"blotter/internal/queue"
	"blotter/internal/reason"
)

// ballot is a store of which only elections are asked.
type ballot struct {
	Store

	mu     sync.Mutex
	leader string
	until  time.Time
	err    error // of every question; nil: none
}

func (b *ballot) Lead(_ context.Context, _, node string, d time.Duration) (int64, bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return 0, false, b.err
	}
	if b.leader != node && time.Now().Before(b.until) {
		return 0, false, nil
	}
	b.leader, b.until = node, time.Now().Add(d)
	return 1, true, nil
}

func (b *ballot) Resign(_ context.Context, _, node string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.leader == node {
		b.until = time.Time{}
	}
	return b.err
}

func (b *ballot) set(change func(*ballot)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(b)
}

func elector(b *ballot, name string) *Station {
	log := slog.New(slog.DiscardHandler)
	return &Station{store: b, holder: name, log: log, outages: outages{log: log}}
}

// One leads for as long as it likes, and whoever waits takes over when it has done.
func TestLeadershipIsExtendedAndGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &ballot{}
		one, other := elector(b, "one"), elector(b, "other")
		err := one.leading(t.Context(), "role", func(ctx context.Context) error {
			for range 10 {
				time.Sleep(leadingTerm) // in the bubble's time
				if ctx.Err() != nil {
					t.Fatalf("the lead was lost: %v", context.Cause(ctx))
				}
				if err := other.leading(t.Context(), "role", nil); !errors.Is(err, errNotElected) {
					t.Fatalf("two lead: %v", err)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		led := false
		if err := other.leading(t.Context(), "role", func(context.Context) error { led = true; return nil }); err != nil || !led {
			t.Errorf("after the first has resigned: %v", err)
		}
	})
}

// Who was not heard for a term stops, before another may begin; so does one whom another
// has replaced. A failure that passes within the term changes nothing.
func TestLeadershipIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := reason.Because(reason.QueueBusy, nil)
		for name, lose := range map[string]func(*ballot){
			"unheard":  func(b *ballot) { b.err = busy },
			"replaced": func(b *ballot) { b.leader, b.until = "other", time.Now().Add(time.Hour) },
		} {
			b := &ballot{}
			began := time.Now()
			err := elector(b, "one").leading(t.Context(), "role", func(ctx context.Context) error {
				b.set(func(b *ballot) { b.err = busy })
				time.Sleep(leadingTerm * 5 / 6)
				b.set(func(b *ballot) { b.err = nil })
				time.Sleep(leadingTerm)
				if ctx.Err() != nil {
					t.Errorf("%s: a failure that passed ended the lead", name)
				}
				b.set(lose)
				lost := time.Now()
				<-ctx.Done()
				if d := time.Since(lost); d > leadingTerm {
					t.Errorf("%s: it went on for %v", name, d)
				}
				return nil
			})
			if !errors.Is(err, errNotElected) || time.Since(began) > 3*leadingTerm {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// What fails keeps its own error, and the role is free again.
func TestLeaderThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &ballot{}
		rolledBack := reason.Because(reason.AuditRollback, nil)
		err := elector(b, "one").leading(t.Context(), "role", func(context.Context) error { return rolledBack })
		if !errors.Is(err, rolledBack) || time.Now().Before(b.until) {
			t.Errorf("%v, free: %v", err, !time.Now().Before(b.until))
		}
	})
}

// A node that starts while the database fails for a moment waits for it; what does not pass
// ends it.
func TestAStartWaitsOutWhatPasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &ballot{err: reason.Because(reason.QueueBusy, nil), leader: "other", until: time.Now().Add(time.Hour)}
		s := &Service{Station: elector(b, "one")}
		s.cfg.Database, s.cfg.Vault, s.cfg.Serve.Roles = "postgres://", "s3://bucket/prefix", []config.Role{config.RoleRetention}
		const outage = 3*time.Second + idle/2
		began := time.Now()
		time.AfterFunc(outage, func() { b.set(func(b *ballot) { b.err = nil }) })
		if err := s.tidyUpFirst(t.Context()); err != nil {
			t.Errorf("it did not wait: %v", err)
		}
		if took := time.Since(began); took < outage || took > outage+idle {
			t.Errorf("it waited %v for an outage of %v", took, outage)
		}
		b.set(func(b *ballot) { b.err = reason.Because(reason.StationKeys, nil) })
		if err := s.tidyUpFirst(t.Context()); reason.Of(err) != reason.StationKeys {
			t.Errorf("what does not pass gave %v", err)
		}
		stopped, stop := context.WithCancel(t.Context())
		stop()
		if err := s.tidyUpFirst(stopped); err != nil {
			t.Errorf("a node that was told to stop: %v", err)
		}
	})
}

// An election shows once for each change, in the log and to whoever watches.
func TestElectionsShow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &ballot{}
		var said strings.Builder
		var told []string
		s := &Service{Station: elector(b, "one")}
		s.log = slog.New(slog.NewTextHandler(&said, nil))
		s.roles.tell = func(role string, has bool) { told = append(told, fmt.Sprintf("%s %t", role, has)) }
		s.cfg.Database, s.cfg.Vault, s.cfg.Serve.Roles = "postgres://", "s3://bucket/prefix", []config.Role{config.RoleRetention}
		s.cfg.Lease = time.Minute
		asks := func(want bool) {
			t.Helper()
			if leads, _ := s.janitor(t.Context()); leads != want {
				t.Errorf("leads: %v", leads)
			}
		}
		for range 3 {
			asks(true)
		}
		b.set(func(b *ballot) { b.leader, b.until = "other", time.Now().Add(time.Minute) })
		asks(false)
		asks(false)
		time.Sleep(time.Minute)
		asks(true)
		b.set(func(b *ballot) { b.err = reason.Because(reason.QueueBusy, nil) })
		asks(false)
		b.set(func(b *ballot) { b.err = nil })
		asks(true)
		s.retire()
		want := []string{"true", "false", "true", "false", "true", "false"}
		for i, w := range want {
			want[i] = queue.RoleJanitor + " " + w
		}
		if !slices.Equal(told, want) {
			t.Errorf("told %v, want %v", told, want)
		}
		if g, l := strings.Count(said.String(), "role gained"), strings.Count(said.String(), "role lost"); g != 3 || l != 3 {
			t.Errorf("%d gains and %d losses in the log:\n%s", g, l, said.String())
		}
	})
}
