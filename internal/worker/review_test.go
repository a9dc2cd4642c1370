package worker_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"blotter/internal/cell"
	"blotter/internal/document"
	"blotter/internal/policy"
)

// finds plays a cell that burned one box of a type.
func finds(typ document.Type, status document.Status) cells {
	return func(ctx context.Context, s cell.Sink) error {
		if err := hand(s); err != nil {
			return err
		}
		a := asset(status, "")
		a.Findings = []document.Finding{{Box: document.Box{W: 4, H: 4}, Type: typ, Score: 1, Source: document.ByLabel}}
		return s.Asset(a)
	}
}

// A policy may want a person to decide where something of a type was found: the box is
// burned as any other, and the job waits.
func TestReviewOfAType(t *testing.T) {
	for name, c := range map[string]struct {
		rule func(*policy.Policy)
		typ  document.Type
		want document.State
	}{
		"the type":                {func(p *policy.Policy) { p.Actions[document.Biometric] = document.Review }, document.Biometric, document.AwaitingReview},
		"another type":            {func(p *policy.Policy) { p.Actions[document.Biometric] = document.Review }, document.Date, document.Released},
		"unread text":             {func(p *policy.Policy) { p.Unread = document.ReviewUnread }, document.Unread, document.AwaitingReview},
		"unread text, else cover": {func(*policy.Policy) {}, document.Unread, document.Released},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStation(t)
			c.rule(&s.policy)
			s.play = finds(c.typ, document.Redacted)
			id := s.enqueue(nil)
			s.must(s.next())
			s.ended(id, c.want, "")
		})
	}
}

// Whatever a policy says of redaction reaches the cell as it stands there.
func TestTheCellGetsTheRules(t *testing.T) {
	s := newStation(t)
	p := &s.policy
	p.Actions[document.Staff], p.Thresholds[document.Date] = document.Keep, 0.3
	p.Unread, p.UnknownWords = document.WithholdUnread, document.AllWords
	p.KeepYear, p.KeepZIP3, p.AllAges, p.CodesPersonalOnly = true, true, true, true
	p.PaddingPX, p.Fill, p.Labels = 5, document.Colour{R: 1, G: 2, B: 3}, true
	s.enqueue(nil)
	s.must(s.next())
	if d := cmp.Diff(p.Rules, s.task.Rules); d != "" {
		t.Error(d)
	}
}
