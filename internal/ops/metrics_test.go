package ops

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
)

const route = "GET /v1/jobs/{id}"

// busy is a store with work of three tenants.
func busy(context.Context) (queue.Pressure, error) {
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	return queue.Pressure{
		Depths: []queue.Depth{
			{Tenant: "a", Lane: document.Bulk, Ready: 1, Oldest: at.Add(-time.Minute)},
			{Tenant: "b", Lane: document.Bulk, Ready: 7, Later: 2, Leased: 1, Oldest: at.Add(-3 * time.Second)},
			{Tenant: "b", Lane: document.Interactive, Ready: 1, Oldest: at.Add(-time.Second)},
			{Tenant: "c", Lane: document.Bulk, Ready: 2, Oldest: at.Add(-time.Hour)},
		},
		Dead: 3, Copies: 2, OldestCopy: at.Add(-5 * time.Second), Outbox: 9, OldestOutbox: at.Add(-2 * time.Second), At: at,
	}, nil
}

// tellAll calls every method with what workers and the API tell.
func tellAll(m *Metrics) {
	m.Yielded()
	m.Leads(queue.RoleJanitor, true)
	m.Attempted("", time.Second)
	m.Attempted(reason.WebhookRefused, time.Second)
	m.GaveUp(reason.WebhookGone)
	for _, s := range document.Stages() {
		m.Stage(s, document.Released, time.Second, s == document.StageRead)
	}
	for _, l := range document.Lanes() {
		m.Waited(l, time.Second)
		m.LeaseExpired(l)
		m.Took("a", l, 1000)
	}
	m.Decoded(2_000_000, time.Second)
	m.Ended(document.Released, "")
	m.Ended(document.Rejected, reason.ExtractPixels)
	m.Retried(reason.CellMemory)
	m.CellKilled(reason.CellMemory)
	m.Answered(route, 429, reason.APIRate, 3*time.Millisecond)
	m.SpansLost(2)
}

// halfFull are the places of a node.
type halfFull struct{}

func (halfFull) Places() int { return 4 }
func (halfFull) Busy() int   { return 2 }
func (halfFull) Parked() int { return 1 }

func twoLate(context.Context) (Undelivered, error) { return Undelivered{Pending: 2, Dead: 3}, nil }

func exercised() *Metrics {
	routes := &Routes{}
	routes.Learn(route)
	m := NewMetrics(Options{Version: "1.2.3", Revision: "abc", Pressure: busy, Tenants: 2, Routes: routes, Slots: halfFull{}, Undelivered: twoLate})
	tellAll(m)
	return m
}

// scrape returns the text of a scrape.
func scrape(t *testing.T, m *Metrics) string {
	t.Helper()
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.Code != 200 {
		t.Fatalf("scrape: %d, %v", answer.Code, err)
	}
	return string(body)
}

func TestMetricsFollowTheConventions(t *testing.T) {
	problems, err := testutil.GatherAndLint(exercised().registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func TestScrapeShowsWhatWasTold(t *testing.T) {
	got := scrape(t, exercised())
	for _, line := range []string{
		`blotter_stage_duration_seconds_count{outcome="released",stage="read"} 1`,
		`blotter_stages_over_budget_total{stage="read"} 1`,
		`blotter_stages_over_budget_total{stage="seal"} 0`,
		`blotter_queue_wait_seconds_sum{lane="interactive"} 1`,
		`blotter_decode_seconds_per_megapixel_sum 0.5`,
		`blotter_decoded_pixels_total 2e+06`,
		`blotter_jobs_ended_total{owner="none",reason="none",state="released"} 1`,
		`blotter_jobs_ended_total{owner="document",reason="extract.pixel_limit",state="rejected"} 1`,
		`blotter_job_retries_total{owner="document",reason="cell.memory_limit"} 1`,
		`blotter_leases_expired_total{lane="bulk"} 1`,
		`blotter_yields_total 1`,
		`blotter_leader{role="janitor"} 1`, `blotter_leader{role="sequencer"} 0`,
		`blotter_slots 4`, `blotter_slot_jobs{state="busy"} 2`, `blotter_slot_jobs{state="parked"} 1`,
		`blotter_webhook_attempts_total{reason="none"} 1`, `blotter_webhook_attempts_total{reason="webhook.refused"} 1`,
		`blotter_webhooks_given_up_total{reason="webhook.gone"} 1`, `blotter_webhooks_given_up_total{reason="webhook.refused"} 0`,
		`blotter_webhook_attempt_duration_seconds_count 2`,
		`blotter_webhooks{status="pending"} 2`, `blotter_webhooks{status="dead"} 3`, `blotter_webhook_age_seconds 0`,
		`blotter_cells_killed_total{cause="cell.memory_limit"} 1`,
		`blotter_cells_killed_total{cause="cell.crashed"} 0`,
		`blotter_http_requests_total{route="GET /v1/jobs/{id}",status="429"} 1`,
		`blotter_http_request_duration_seconds_sum{route="GET /v1/jobs/{id}"} 0.003`,
		`blotter_http_requests_refused_total{owner="api",reason="api.rate_limited"} 1`,
		`blotter_documents_received_total{lane="bulk",tenant="a"} 1`,
		`blotter_documents_received_bytes_total{lane="interactive",tenant="a"} 1000`,
		`blotter_trace_spans_lost_total 2`,
		`blotter_build_info{revision="abc",version="1.2.3"} 1`,
		`blotter_store_up 1`,
		`blotter_dead_jobs 3`,
		`blotter_working_copies 2`,
		`blotter_working_copy_age_seconds 5`,
		`blotter_audit_outbox_events 9`,
		`blotter_audit_outbox_age_seconds 2`,
		`blotter_backlog_jobs{lane="bulk",state="ready",tenant="b"} 7`,
		`blotter_backlog_jobs{lane="bulk",state="later",tenant="b"} 2`,
		`blotter_backlog_jobs{lane="bulk",state="leased",tenant="b"} 1`,
		`blotter_backlog_age_seconds{lane="bulk",tenant="b"} 3`,
		`blotter_backlog_jobs{lane="bulk",state="ready",tenant="c"} 2`, // the two deepest: b and c
		`blotter_backlog_jobs{lane="bulk",state="ready",tenant="(other)"} 1`,
		`blotter_backlog_age_seconds{lane="bulk",tenant="(other)"} 60`,
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
}

// allowedLabels are the values that a label may have. Build labels come from the build.
func allowedLabels() map[string][]string {
	var codes, owners, states, stages, lanes []string
	for _, e := range reason.Table() {
		codes, owners = append(codes, string(e.Code)), append(owners, string(e.Owner))
	}
	for _, s := range document.States() {
		states = append(states, string(s))
	}
	for _, s := range document.Stages() {
		stages = append(stages, s.String())
	}
	for _, l := range document.Lanes() {
		lanes = append(lanes, string(l))
	}
	return map[string][]string{
		"role":  append(queue.Roles(), other),
		"stage": and(stages, "invalid"), "outcome": and(states, other), "lane": and(lanes, other),
		"state":  and(states, "ready", "later", "leased", "busy", "parked", other),
		"reason": and(codes, none), "owner": and(owners, none), "cause": and(codes, other),
		"route": {route, none, other}, "status": {"404", "429", "pending", "dead", other}, "tenant": {"a", "b", "c", others},
	}
}

func and(values []string, more ...string) []string { return slices.Concat(values, more) }

// A caller that passes on what a client sent, by a slip, must not get it into a label.
func TestLabelsComeFromEnumerations(t *testing.T) {
	const canary = "Marianne Canary/1970-01-01"
	m := exercised()
	m.Waited(canary, time.Second)
	m.Stage(document.Stage(200), canary, time.Second, true)
	m.Ended(canary, canary)
	m.Retried(canary)
	m.LeaseExpired(canary)
	m.CellKilled(canary)
	m.Attempted(canary, time.Second)
	m.GaveUp(canary)
	m.Leads("Canary", true)
	m.Answered("GET /v1/jobs/"+canary, 9999, canary, time.Second)
	m.Answered(none, 404, reason.APINotFound, time.Second)
	m.Took(canary, canary, 1)
	if got := scrape(t, m); strings.Contains(got, "Canary") {
		t.Error("the canary is in the scrape")
	}
	allowed := allowedLabels()
	for _, family := range families(t, m) {
		for _, label := range labelsOf(family) {
			if values, known := allowed[label.GetName()]; known && !slices.Contains(values, label.GetValue()) {
				t.Errorf("%s: %s=%q is in no enumeration", family.GetName(), label.GetName(), label.GetValue())
			} else if !known && family.GetName() != "blotter_build_info" {
				t.Errorf("%s: nobody says what %s may hold", family.GetName(), label.GetName())
			}
		}
	}
}

// families are blotter's own metrics.
func families(t *testing.T, m *Metrics) []*dto.MetricFamily {
	t.Helper()
	all, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(f *dto.MetricFamily) bool { return !strings.HasPrefix(f.GetName(), "blotter_") })
}

func labelsOf(f *dto.MetricFamily) []*dto.LabelPair {
	var out []*dto.LabelPair
	for _, m := range f.GetMetric() {
		out = append(out, m.GetLabel()...)
	}
	return out
}

func TestTenantsAreBounded(t *testing.T) {
	m := NewMetrics(Options{Tenants: 2})
	for _, tenant := range []document.Tenant{"a", "b", "c", "d", "a"} {
		m.Took(tenant, document.Bulk, 10)
	}
	want := map[string]float64{"a": 2, "b": 1, others: 2}
	got := map[string]float64{}
	for _, f := range families(t, m) {
		if f.GetName() != "blotter_documents_received_total" {
			continue
		}
		for _, s := range f.GetMetric() {
			for _, l := range s.GetLabel() {
				if l.GetName() == "tenant" {
					got[l.GetValue()] = s.GetCounter().GetValue()
				}
			}
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Small images cost what an image costs, whatever its size: they say nothing of the input.
func TestSmallImagesDoNotCountAsHardInput(t *testing.T) {
	m := NewMetrics(Options{})
	m.Decoded(1, time.Second)
	m.Decoded(-1, time.Second)
	got := scrape(t, m)
	if !strings.Contains(got, "blotter_decode_seconds_per_megapixel_count 0\n") || !strings.Contains(got, "blotter_decoded_pixels_total 1\n") {
		t.Error("a pixel was taken for a hard document, or not counted")
	}
}

func TestStoreThatFailsIsDown(t *testing.T) {
	fail := errors.New("no database")
	m := NewMetrics(Options{Pressure: func(context.Context) (queue.Pressure, error) { return queue.Pressure{Dead: 5}, fail }})
	got := scrape(t, m)
	if !strings.Contains(got, "blotter_store_up 0\n") || strings.Contains(got, "blotter_dead_jobs") || strings.Contains(got, "no database") {
		t.Errorf("a failed store shows as:\n%s", got)
	}
}

// A store that hangs, and does not even heed its context, holds up no scrape and is asked
// once; when it answers, it is up again.
func TestScrapeOutlivesAStoreThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang, calls := make(chan struct{}), atomic.Int32{}
		p := newPressure(func(context.Context) (queue.Pressure, error) {
			calls.Add(1)
			<-hang
			return queue.Pressure{Dead: 1}, nil
		}, 1)
		began := time.Now()
		if got := testutil.CollectAndCount(p); got != 1 {
			t.Errorf("a store that hangs shows %d metrics", got)
		}
		if waited := time.Since(began); waited != scrapeLimit {
			t.Errorf("the scrape waited %s", waited)
		}
		testutil.CollectAndCount(p)
		if waited := time.Since(began); waited != scrapeLimit || calls.Load() != 1 {
			t.Errorf("the second scrape waited until %s; %d questions", waited, calls.Load())
		}
		close(hang)
		synctest.Wait()
		if got := testutil.CollectAndCount(p, "blotter_dead_jobs"); got != 1 {
			t.Error("the store answered, and still counts as down")
		}
	})
}

func TestPressureIsCachedForAMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		p := newPressure(func(context.Context) (queue.Pressure, error) { calls++; return queue.Pressure{}, nil }, 1)
		testutil.CollectAndCount(p)
		testutil.CollectAndCount(p)
		if calls != 1 {
			t.Errorf("two scrapes at once asked %d times", calls)
		}
		time.Sleep(scrapeFresh)
		testutil.CollectAndCount(p)
		if calls != 2 {
			t.Errorf("an old answer was shown again: %d questions", calls)
		}
	})
}
