package main

import (
	"fmt"
	"math"
	"strings"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue/simulate"
)

// The plot is light: two panels, one above the other, labelled where the eye is.
const (
	width, height       = 860, 720
	left, right         = 90, 200 // margins of a panel
	upperTop, upperLow  = 70, 340
	lowerTop, lowerLow  = 450, 660
	red, blue, grey     = "#c2410c", "#1d4ed8", "#6b7280"
	ink, faint          = "#1f2937", "#e5e7eb"
	floorSeconds        = 0.01 // where a wait of nothing is drawn
	leastPower, topower = -2, 5
)

// panel maps values to places.
type panel struct {
	strings.Builder
	top, low   float64
	x, y       func(float64) float64
	xmin, xmax float64
}

func linear(from, to, a, b float64) func(float64) float64 {
	return func(v float64) float64 { return a + (v-from)/(to-from)*(b-a) }
}

func plot(r results) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13" fill="%s">`+"\n", width, height, ink)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", width, height)
	b.WriteString(waits(r))
	b.WriteString(shares(r))
	b.WriteString("</svg>\n")
	return b.String()
}

func (p *panel) text(x, y float64, anchor, style, s string) {
	fmt.Fprintf(p, `<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>`+"\n", x, y, anchor, style, s)
}

func (p *panel) title(s, note string) {
	p.text(left, p.top-34, "start", ` font-size="16" font-weight="bold"`, s)
	p.text(left, p.top-14, "start", fmt.Sprintf(` fill="%s"`, grey), note)
}

func (p *panel) line(x1, y1, x2, y2 float64, style string) {
	fmt.Fprintf(p, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" %s/>`+"\n", x1, y1, x2, y2, style)
}

// grid draws a level of the vertical axis.
func (p *panel) grid(v float64, label string) {
	p.line(left, p.y(v), width-right, p.y(v), `stroke="`+faint+`"`)
	p.text(left-8, p.y(v)+4, "end", "", label)
}

func (p *panel) axes(xlabel, ylabel string, step float64) {
	p.line(left, p.low, width-right, p.low, `stroke="`+ink+`"`)
	for v := p.xmin; v <= p.xmax; v += step {
		p.line(p.x(v), p.low, p.x(v), p.low+5, `stroke="`+ink+`"`)
		p.text(p.x(v), p.low+20, "middle", "", fmt.Sprintf("%g", v))
	}
	p.text((left+width-right)/2, p.low+42, "middle", "", xlabel)
	mid := (p.top + p.low) / 2
	p.text(22, mid, "middle", fmt.Sprintf(` transform="rotate(-90 22 %.1f)"`, mid), ylabel)
}

// waits is the upper panel: what requests in the bulk lane waited, by when they came.
func waits(r results) string {
	p := &panel{top: upperTop, low: upperLow, xmax: window.Minutes()}
	p.x = linear(p.xmin, p.xmax, left, width-right)
	p.y = func(v float64) float64 {
		return linear(leastPower, topower, upperLow, upperTop)(math.Log10(max(v, floorSeconds)))
	}
	p.title("What other tenants wait while one imports 100,000 documents", "Each dot is a request in the bulk lane; four slots take that lane")
	for _, level := range []struct {
		seconds float64
		label   string
	}{{0.01, "≤ 0.01 s"}, {0.1, "0.1 s"}, {1, "1 s"}, {10, "10 s"}, {60, "1 min"}, {600, "10 min"}, {3600, "1 h"}, {86400, "24 h"}} {
		p.grid(level.seconds, level.label)
	}
	p.axes("time of the request, minutes", "queue wait (log scale)", 20)
	for _, s := range []struct {
		lent          []simulate.Lent
		colour, label string
		shape         string
	}{
		{r.aged, red, "by age", `<rect x="%.1f" y="%.1f" width="5" height="5" transform="translate(-2.5 -2.5)" fill="%s" fill-opacity="0.75"/>`},
		{r.fair, blue, "fair", `<circle cx="%.1f" cy="%.1f" r="3" fill="%s" fill-opacity="0.75"/>`},
		{r.idle, grey, "without the import", `<circle cx="%.1f" cy="%.1f" r="4.5" fill="none" stroke="%s"/>`},
	} {
		var waited []time.Duration
		for _, l := range requests(s.lent, document.Bulk) {
			fmt.Fprintf(p, s.shape+"\n", p.x(l.Ready.Minutes()), p.y(l.Wait().Seconds()), s.colour)
			waited = append(waited, l.Wait())
		}
		at := min(p.y(simulate.Quantile(waited, 0.9).Seconds()), upperLow-24) // clear of the axis
		p.text(width-right+12, at+4, "start", fmt.Sprintf(` fill="%s" font-weight="bold"`, s.colour), s.label)
		p.text(width-right+12, at+20, "start", fmt.Sprintf(` fill="%s"`, s.colour), "p99 "+say(simulate.Quantile(waited, 0.99)))
	}
	return p.String()
}

// shares is the lower panel: what tenants had, against what their weights say.
func shares(r results) string {
	loads, settings := simulate.Shares(0, hour).Loads, simulate.ShareSettings()
	weights := 0
	for _, l := range loads {
		weights += settings.Weight(l.Tenant)
	}
	p := &panel{top: lowerTop, low: lowerLow, xmax: hour.Minutes()}
	p.x = linear(p.xmin, p.xmax, left, width-right)
	p.y = linear(0, 2.25, lowerLow, lowerTop)
	p.title("What four busy tenants get", "Lines: measured; bands: four slots divided by weight. Jobs of one are 25 times as long as another's")
	for v := 0.0; v <= 2; v += 0.5 {
		p.grid(v, fmt.Sprintf("%g h", v))
	}
	p.axes("time, minutes", "processing time had", 10)
	colours := []string{red, blue, "#15803d", "#7e22ce"}
	for i, l := range loads {
		w := settings.Weight(l.Tenant)
		due := 4 * hour.Hours() * float64(w) / float64(weights)
		p.line(p.x(0), p.y(0), p.x(p.xmax), p.y(due), `stroke="`+colours[i]+`" stroke-opacity="0.2" stroke-width="9"`)
		var points []string
		for m := time.Duration(0); m <= hour; m += time.Minute {
			points = append(points, fmt.Sprintf("%.1f,%.1f", p.x(m.Minutes()), p.y(simulate.Had(r.shares, 0, m)[l.Tenant].Hours())))
		}
		fmt.Fprintf(p, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.Join(points, " "), colours[i])
		shift := map[int]float64{0: 12, 1: -4}[i]
		p.text(width-right+12, p.y(due)+4+shift, "start", fmt.Sprintf(` fill="%s" font-weight="bold"`, colours[i]), fmt.Sprintf("%s (weight %d)", l.Tenant, w))
	}
	return p.String()
}
