package intake

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"blotter/internal/reason"
)

func TestRates(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	l := newRates(2, 3)
	for range 3 {
		if err := l.take("a", now); err != nil {
			t.Fatal(err)
		}
	}
	err := l.take("a", now)
	if _, after := problemOf(err); reason.Of(err) != reason.APIRate || after < 500*time.Millisecond {
		t.Errorf("%v, after %v", err, after)
	}
	if err := l.take("b", now); err != nil {
		t.Error("one key's rate counts for another")
	}
	if err := l.take("a", now.Add(500*time.Millisecond)); err != nil {
		t.Error("a refused request used the next one's turn up")
	}
}

// Keys that come once must not make the memory grow.
func TestRatesForget(t *testing.T) {
	l := newRates(1, 1)
	now := time.Unix(1_000_000, 0)
	for i := range 3 * maxKnown {
		_ = l.take(fmt.Sprint(i), now)
		l.tried(sha256.Sum256([]byte{byte(i), byte(i >> 8)}), true, now)
	}
	if len(l.keys.by) != maxKnown || l.keys.order.Len() != maxKnown || len(l.tokens.by) > maxKnown {
		t.Errorf("%d keys, %d tokens", len(l.keys.by), len(l.tokens.by))
	}
	if err := l.take(fmt.Sprint(3*maxKnown-1), now); err == nil {
		t.Error("the latest was forgotten")
	}
}

func TestTokensThatFail(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	l := newRates(1, 1)
	valid, guess := [sha256.Size]byte{1}, [sha256.Size]byte{2}
	l.tried(valid, true, now)
	for range failuresAtOnce {
		if err := l.mayTry(guess, now); err != nil {
			t.Fatal(err)
		}
		l.tried(guess, false, now)
	}
	if err := l.mayTry(guess, now); reason.Of(err) != reason.APIRate {
		t.Errorf("guessing goes on: %v", err)
	}
	if err := l.mayTry(valid, now); err != nil {
		t.Errorf("a key that was valid is kept out: %v", err)
	}
	if err := l.mayTry(guess, now.Add(time.Second)); err != nil {
		t.Errorf("locked out for good: %v", err)
	}
}

func TestPlaces(t *testing.T) {
	p := newPlaces(2, 3)
	take := func(key string) func() {
		t.Helper()
		giveBack, err := p.take(key)
		if err != nil {
			t.Fatal(err)
		}
		return giveBack
	}
	first := take("a")
	take("a")
	if _, err := p.take("a"); reason.Of(err) != reason.APIUploads {
		t.Errorf("a third of one key: %v", err)
	}
	take("b")
	if _, err := p.take("c"); reason.Of(err) != reason.APIUploads {
		t.Errorf("a fourth: %v", err)
	}
	first()
	take("c")
}

func TestConfigReportsAllProblems(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Fatal(err)
	}
	err := Config{TLSCert: "cert.pem"}.Validate()
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) < 18 {
		t.Errorf("found %v", err)
	}
	for name, change := range map[string]func(*Config){
		"sync over all": func(c *Config) { c.SyncBytes = c.MaxBodyBytes + 1 },
		"idle":          func(c *Config) { c.BodyIdle = c.BodyTimeout + 1; c.ReserveFor = 3 * c.BodyIdle },
		"reservation":   func(c *Config) { c.ReserveFor = 2*c.BodyIdle - 1 },
		"uploads":       func(c *Config) { c.UploadsPerKey = c.UploadsTotal + 1 },
		"backlog":       func(c *Config) { c.Backlog.Tenant = c.Backlog.Total + 1 },
		"rate":          func(c *Config) { c.RatePerSecond = 0 },
		"header":        func(c *Config) { c.MaxHeaderBytes = 100 },
	} {
		c := Default()
		change(&c)
		if joined, ok := c.Validate().(interface{ Unwrap() []error }); !ok || len(joined.Unwrap()) != 1 {
			t.Errorf("%s: %v", name, c.Validate())
		}
	}
}
