package ops

import (
	"context"
	"net/http"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
)

// Options are what metrics are made from.
type Options struct {
	Version  string // of this build
	Revision string // of the source this build was made from; may be empty

	// Pressure asks the store how much waits (queue.Operations). It is called at a scrape,
	// never twice at once, and may take scrapeLimit. nil: no store is watched.
	Pressure func(context.Context) (queue.Pressure, error)

	// Slots are the node's places; nil: none are shown.
	Slots Slots
	// Undelivered asks the store for webhook messages that were not taken, as Pressure does;
	// nil: none are shown.
	Undelivered func(context.Context) (Undelivered, error)

	// Tenants is how many tenants have series of their own; the others share one. 0: 50.
	Tenants int
	// Routes are the patterns that may label requests; nil: none.
	Routes *Routes
}

// Metrics counts what this process does, and asks the store what waits. Its methods are
// those of worker.Meter and intake.Meter; none blocks, and all may be called
// concurrently.
type Metrics struct {
	registry *prometheus.Registry
	routes   *Routes
	tenants  *roster

	stages     *prometheus.HistogramVec
	overBudget *prometheus.CounterVec
	queueWait  *prometheus.HistogramVec
	decode     prometheus.Histogram
	pixels     prometheus.Counter
	ended      *prometheus.CounterVec
	retries    *prometheus.CounterVec
	leases     *prometheus.CounterVec
	yields     prometheus.Counter
	leads      *prometheus.GaugeVec
	cells      *prometheus.CounterVec

	webhooks     *prometheus.CounterVec
	webhooksDead *prometheus.CounterVec
	webhookTime  prometheus.Histogram
	requests     *prometheus.CounterVec
	durations    *prometheus.HistogramVec
	refused      *prometheus.CounterVec
	documents    *prometheus.CounterVec
	bytes        *prometheus.CounterVec
	spansLost    prometheus.Counter
}

// Upper bounds of histograms, in seconds.
var (
	// A stage takes from under a millisecond (sniff) to minutes (reading a long document).
	stageBounds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 180}
	// A wait is nothing while a slot is free, and hours behind a bulk import.
	waitBounds = []float64{.01, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14400}
	// An answer takes milliseconds; one that waits for a job takes half a minute.
	answerBounds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
	// Ordinary pages took 0.1 to 2 seconds a megapixel on two cores (docs/benchmarks.md).
	decodeBounds = []float64{.01, .025, .05, .1, .25, .5, 1, 2, 4, 8, 16}
)

const defaultTenants = 50

// NewMetrics makes metrics with a registry of their own.
func NewMetrics(o Options) *Metrics {
	if o.Tenants <= 0 {
		o.Tenants = defaultTenants
	}
	m := &Metrics{registry: prometheus.NewRegistry(), routes: o.Routes, tenants: newRoster(o.Tenants)}
	m.work()
	m.intake()
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), build(o))
	if o.Slots != nil {
		m.registry.MustRegister(newPlaces(o.Slots))
	}
	if o.Undelivered != nil {
		m.registry.MustRegister(newUndelivered(o.Undelivered))
	}
	if o.Pressure != nil {
		m.registry.MustRegister(newPressure(o.Pressure, o.Tenants))
	}
	return m
}

// work makes what workers tell.
func (m *Metrics) work() {
	m.stages = m.histograms("blotter_stage_duration_seconds", "Time that a stage of an attempt took.", stageBounds, "stage", "outcome")
	m.overBudget = m.counters("blotter_stages_over_budget_total", "Stages that took longer than their budget.", "stage")
	m.queueWait = m.histograms("blotter_queue_wait_seconds", "Time from ready to claimed: grows when capacity is short.", waitBounds, "lane")
	m.decode = m.histograms("blotter_decode_seconds_per_megapixel", "Decoding and reading time of a document per megapixel: grows when the input is harder.", decodeBounds).WithLabelValues().(prometheus.Histogram)
	m.pixels = m.counters("blotter_decoded_pixels_total", "Pixels decoded.").WithLabelValues()
	m.ended = m.counters("blotter_jobs_ended_total", "Jobs that ended.", "state", "reason", "owner")
	m.retries = m.counters("blotter_job_retries_total", "Attempts that failed and will be made again.", "reason", "owner")
	m.leases = m.counters("blotter_leases_expired_total", "Claims that were abandoned.", "lane")
	m.yields = m.counters("blotter_yields_total", "Bulk jobs that gave their place on to others and parked.").WithLabelValues()
	m.leads = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "blotter_leader", Help: "Whether this process has a role that one has at a time: 1 or 0.",
	}, []string{"role"})
	m.registry.MustRegister(m.leads)
	m.cells = m.counters("blotter_cells_killed_total", "Cells that did not end by themselves.", "cause")
	m.webhooks = m.counters("blotter_webhook_attempts_total", "Attempts to deliver a webhook message; reason none where it was taken.", "reason")
	m.webhooksDead = m.counters("blotter_webhooks_given_up_total", "Webhook messages that were given up.", "reason")
	m.webhookTime = m.histograms("blotter_webhook_attempt_duration_seconds", "Time that an attempt to deliver a webhook message took.", answerBounds).WithLabelValues().(prometheus.Histogram)
	for _, s := range document.Stages() {
		m.overBudget.WithLabelValues(s.String())
	}
	for _, l := range document.Lanes() {
		m.leases.WithLabelValues(string(l))
	}
	// What is there from the start, so that the first is seen to be an increase.
	for _, c := range causes {
		m.cells.WithLabelValues(string(c))
	}
	for _, r := range queue.Roles() {
		m.leads.WithLabelValues(r) // also where the node may not have it: that nobody has it must show
	}
	for _, c := range webhookEnds {
		m.webhooksDead.WithLabelValues(string(c))
	}
}

// intake makes what the API and the tracer tell.
func (m *Metrics) intake() {
	m.requests = m.counters("blotter_http_requests_total", "Requests to the API.", "route", "status")
	m.durations = m.histograms("blotter_http_request_duration_seconds", "Time from a request's header to the end of its answer.", answerBounds, "route")
	m.refused = m.counters("blotter_http_requests_refused_total", "Requests that were answered with a problem.", "reason", "owner")
	m.refused.WithLabelValues(labels(reasonLabels(reason.Internal))...) // so that the first is seen to be an increase
	m.documents = m.counters("blotter_documents_received_total", "Documents taken in.", "tenant", "lane")
	m.bytes = m.counters("blotter_documents_received_bytes_total", "Bytes of documents taken in.", "tenant", "lane")
	m.spansLost = m.counters("blotter_trace_spans_lost_total", "Spans that the trace collector did not take.").WithLabelValues()
}

func (m *Metrics) counters(name, help string, labels ...string) *prometheus.CounterVec {
	v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	m.registry.MustRegister(v)
	return v
}

func (m *Metrics) histograms(name, help string, bounds []float64, labels ...string) *prometheus.HistogramVec {
	v := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: slices.Clone(bounds)}, labels)
	m.registry.MustRegister(v)
	return v
}

// build is a constant 1 that says which build this is.
func build(o Options) prometheus.Collector {
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "blotter_build_info", Help: "Which build this is; always 1.",
		ConstLabels: prometheus.Labels{"version": o.Version, "revision": o.Revision},
	})
	g.Set(1)
	return g
}

// Handler answers a scrape.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 2 * scrapeLimit})
}
