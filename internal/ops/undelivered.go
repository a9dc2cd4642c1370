package ops

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Undelivered are webhook messages that no endpoint has taken.
type Undelivered struct {
	Pending, Dead int
	Oldest        time.Time // since when the oldest pending one waits; zero where none does
}

// undelivered shows them at a scrape, asked for as what waits in the queue is.
type undelivered struct {
	probe      *probe[Undelivered]
	count, age *prometheus.Desc
}

func newUndelivered(ask func(context.Context) (Undelivered, error)) *undelivered {
	return &undelivered{
		probe: &probe[Undelivered]{ask: ask, limit: scrapeLimit, fresh: scrapeFresh},
		count: prometheus.NewDesc("blotter_webhooks", "Webhook messages that were not taken: pending, or given up.", []string{"status"}, nil),
		age:   prometheus.NewDesc("blotter_webhook_age_seconds", "How long the oldest pending webhook message waits; 0 without one.", nil, nil),
	}
}

// Describe implements prometheus.Collector.
func (u *undelivered) Describe(out chan<- *prometheus.Desc) { out <- u.count; out <- u.age }

// Collect implements prometheus.Collector. A store that does not answer shows nothing.
func (u *undelivered) Collect(out chan<- prometheus.Metric) {
	now, err := u.probe.get()
	if err != nil {
		return
	}
	out <- prometheus.MustNewConstMetric(u.count, prometheus.GaugeValue, float64(now.Pending), "pending")
	out <- prometheus.MustNewConstMetric(u.count, prometheus.GaugeValue, float64(now.Dead), "dead")
	out <- prometheus.MustNewConstMetric(u.age, prometheus.GaugeValue, since(time.Now(), now.Oldest))
}
