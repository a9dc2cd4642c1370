package ops

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"blotter/internal/queue"
)

const (
	// scrapeLimit is how long a scrape waits for the store. Prometheus itself gives up
	// after 10 s.
	scrapeLimit = 3 * time.Second
	// scrapeFresh is how long the store's answer serves further scrapes.
	scrapeFresh = 2 * time.Second
)

// pressure shows what waits in the store, asked for at a scrape.
type pressure struct {
	probe   *probe[queue.Pressure]
	tenants int

	up, jobs, age, dead, copies, copyAge, outbox, outboxAge *prometheus.Desc
}

func newPressure(ask func(context.Context) (queue.Pressure, error), tenants int) *pressure {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	return &pressure{
		probe:     &probe[queue.Pressure]{ask: ask, limit: scrapeLimit, fresh: scrapeFresh},
		tenants:   tenants,
		up:        desc("blotter_store_up", "Whether the store answered this scrape."),
		jobs:      desc("blotter_backlog_jobs", "Jobs that have not ended: ready to be claimed, waiting for a time, or leased.", "tenant", "lane", "state"),
		age:       desc("blotter_backlog_age_seconds", "How long the longest waiting job is ready; 0 where none waits.", "tenant", "lane"),
		dead:      desc("blotter_dead_jobs", "Jobs that wait for an operator."),
		copies:    desc("blotter_working_copies", "Working copies of documents that are alive."),
		copyAge:   desc("blotter_working_copy_age_seconds", "Age of the oldest working copy; 0 without one."),
		outbox:    desc("blotter_audit_outbox_events", "Events that wait to be signed."),
		outboxAge: desc("blotter_audit_outbox_age_seconds", "Age of the oldest event that waits to be signed; 0 without one."),
	}
}

// Describe implements prometheus.Collector.
func (p *pressure) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{p.up, p.jobs, p.age, p.dead, p.copies, p.copyAge, p.outbox, p.outboxAge} {
		out <- d
	}
}

// Collect implements prometheus.Collector. A store that does not answer shows as down and
// nothing more: old numbers would pass for new ones.
func (p *pressure) Collect(out chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	now, err := p.probe.get()
	if err != nil {
		gauge(p.up, 0)
		return
	}
	gauge(p.up, 1)
	gauge(p.dead, float64(now.Dead))
	gauge(p.copies, float64(now.Copies))
	gauge(p.copyAge, since(now.At, now.OldestCopy))
	gauge(p.outbox, float64(now.Outbox))
	gauge(p.outboxAge, since(now.At, now.OldestOutbox))
	for row, d := range bounded(now.Depths, p.tenants) {
		gauge(p.jobs, float64(d.Ready), row.tenant, row.lane, "ready")
		gauge(p.jobs, float64(d.Later), row.tenant, row.lane, "later")
		gauge(p.jobs, float64(d.Leased), row.tenant, row.lane, "leased")
		gauge(p.age, since(now.At, d.Oldest), row.tenant, row.lane)
	}
}

// row is what a line of the backlog is told by.
type row struct{ tenant, lane string }

// bounded keeps the lines of the n deepest tenants and sums the rest.
func bounded(depths []queue.Depth, n int) map[row]queue.Depth {
	kept := deepest(depths, n)
	rows := make(map[row]queue.Depth)
	for _, d := range depths {
		key := row{others, laneLabel(d.Lane)}
		if kept[d.Tenant] {
			key.tenant = string(d.Tenant)
		}
		rows[key] = plus(rows[key], d)
	}
	return rows
}

func plus(a, b queue.Depth) queue.Depth {
	a.Ready, a.Later, a.Leased = a.Ready+b.Ready, a.Later+b.Later, a.Leased+b.Leased
	if a.Oldest.IsZero() || (!b.Oldest.IsZero() && b.Oldest.Before(a.Oldest)) {
		a.Oldest = b.Oldest
	}
	return a
}

// since is the age of something by the store's clock, in seconds.
func since(now, then time.Time) float64 {
	if then.IsZero() {
		return 0
	}
	return max(0, now.Sub(then).Seconds())
}
