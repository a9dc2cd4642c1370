package ops

import "github.com/prometheus/client_golang/prometheus"

// Slots are this node's places for documents of any lane.
type Slots interface {
	Places() int // how many there are
	Busy() int   // how many of them compute
	Parked() int // jobs that gave theirs on and wait for another
}

// places shows them at a scrape.
type places struct {
	slots        Slots
	count, state *prometheus.Desc
}

func newPlaces(s Slots) places {
	return places{
		s, prometheus.NewDesc("blotter_slots", "Places of this node for documents of any lane.", nil, nil),
		prometheus.NewDesc("blotter_slot_jobs", "Jobs on this node: computing in a place, or parked between two images.", []string{"state"}, nil),
	}
}

// Describe implements prometheus.Collector.
func (p places) Describe(out chan<- *prometheus.Desc) { out <- p.count; out <- p.state }

// Collect implements prometheus.Collector.
func (p places) Collect(out chan<- prometheus.Metric) {
	out <- prometheus.MustNewConstMetric(p.count, prometheus.GaugeValue, float64(p.slots.Places()))
	out <- prometheus.MustNewConstMetric(p.state, prometheus.GaugeValue, float64(p.slots.Busy()), "busy")
	out <- prometheus.MustNewConstMetric(p.state, prometheus.GaugeValue, float64(p.slots.Parked()), "parked")
}
