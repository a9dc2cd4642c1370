package ops

import (
	"slices"
	"strconv"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
)

const (
	// other is the label of what is in no enumeration. A caller's slip costs detail, and
	// shows nothing.
	other = "other"
	// none is the label of no reason, and of a request that matched no route.
	none = "none"
)

// causes are the codes of cells that did not end by themselves.
var causes = []reason.Code{reason.CellMemory, reason.CellTimeout, reason.CellCrashed, reason.CellKilled, reason.CellProtocol}

// webhookEnds are the codes of messages that can be given up.
var webhookEnds = []reason.Code{reason.WebhookUnreachable, reason.WebhookRefused, reason.WebhookGone, reason.WebhookPrivate, reason.WebhookRemoved}

// leastPixels is how much a document must have decoded, in pixels, for its time to say
// something of the input; below, what an image costs whatever its size prevails.
const leastPixels = 100_000

// Waited implements worker.Meter.
func (m *Metrics) Waited(lane document.Lane, d time.Duration) {
	m.queueWait.WithLabelValues(laneLabel(lane)).Observe(d.Seconds())
}

// Stage implements worker.Meter.
func (m *Metrics) Stage(stage document.Stage, end document.State, d time.Duration, over bool) {
	m.stages.WithLabelValues(stage.String(), stateLabel(end)).Observe(d.Seconds())
	if over {
		m.overBudget.WithLabelValues(stage.String()).Inc()
	}
}

// Decoded implements worker.Meter.
func (m *Metrics) Decoded(pixels int64, d time.Duration) {
	if pixels > 0 {
		m.pixels.Add(float64(pixels))
	}
	if pixels >= leastPixels {
		m.decode.Observe(d.Seconds() / (float64(pixels) / 1e6))
	}
}

// Ended implements worker.Meter.
func (m *Metrics) Ended(state document.State, why reason.Code) {
	code, owner := reasonLabels(why)
	m.ended.WithLabelValues(stateLabel(state), code, owner).Inc()
}

// Retried implements worker.Meter.
func (m *Metrics) Retried(why reason.Code) {
	m.retries.WithLabelValues(labels(reasonLabels(why))...).Inc()
}

// LeaseExpired implements worker.Meter.
func (m *Metrics) LeaseExpired(lane document.Lane) { m.leases.WithLabelValues(laneLabel(lane)).Inc() }

// Yielded implements worker.Meter.
func (m *Metrics) Yielded() { m.yields.Inc() }

// Leads notes that this process has a role of queue.Roles, or has it no more.
func (m *Metrics) Leads(role string, leads bool) {
	if !slices.Contains(queue.Roles(), role) {
		role = other
	}
	value := 0.0
	if leads {
		value = 1
	}
	m.leads.WithLabelValues(role).Set(value)
}

// Attempted implements webhook.Meter.
func (m *Metrics) Attempted(why reason.Code, took time.Duration) {
	code, _ := reasonLabels(why)
	m.webhooks.WithLabelValues(code).Inc()
	m.webhookTime.Observe(took.Seconds())
}

// GaveUp implements webhook.Meter.
func (m *Metrics) GaveUp(why reason.Code) {
	code, _ := reasonLabels(why)
	m.webhooksDead.WithLabelValues(code).Inc()
}

// CellKilled implements worker.Meter.
func (m *Metrics) CellKilled(why reason.Code) {
	cause := other
	if slices.Contains(causes, why) {
		cause = string(why)
	}
	m.cells.WithLabelValues(cause).Inc()
}

// Answered implements intake.Meter.
func (m *Metrics) Answered(route string, status int, code reason.Code, d time.Duration) {
	route = m.routeLabel(route)
	m.requests.WithLabelValues(route, statusLabel(status)).Inc()
	m.durations.WithLabelValues(route).Observe(d.Seconds())
	if code != "" {
		m.refused.WithLabelValues(labels(reasonLabels(code))...).Inc()
	}
}

// Took implements intake.Meter.
func (m *Metrics) Took(tenant document.Tenant, lane document.Lane, bytes int64) {
	t, l := m.tenants.label(tenant), laneLabel(lane)
	m.documents.WithLabelValues(t, l).Inc()
	m.bytes.WithLabelValues(t, l).Add(float64(max(0, bytes)))
}

// SpansLost counts spans that no collector took (TraceConfig.Lost).
func (m *Metrics) SpansLost(n int) { m.spansLost.Add(float64(n)) }

func labels(values ...string) []string { return values }

func laneLabel(l document.Lane) string {
	if slices.Contains(document.Lanes(), l) {
		return string(l)
	}
	return other
}

func stateLabel(s document.State) string {
	if slices.Contains(document.States(), s) {
		return string(s)
	}
	return other
}

// reasonLabels returns a code and the team that it calls. A code that is not in the table
// counts as an internal error.
func reasonLabels(c reason.Code) (code, owner string) {
	if c == "" {
		return none, none
	}
	e := reason.Must(c)
	return string(e.Code), string(e.Owner)
}

func (m *Metrics) routeLabel(pattern string) string {
	if pattern == none || m.routes.knows(pattern) {
		return pattern
	}
	return other
}

func statusLabel(status int) string {
	if status < 100 || status > 599 {
		return other
	}
	return strconv.Itoa(status)
}
