package ops

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
)

// panel is a graph of the dashboard: queries with their legends.
type panel struct {
	title, unit string
	queries     [][2]string
}

// board is the dashboard: rows of panels, each row one question.
var board = []struct {
	row    string
	panels []panel
}{
	{"Does it work?", []panel{
		{"Store answers", "bool", [][2]string{{`blotter_store_up`, "{{instance}}"}}},
		{"Signs, and tidies up", "bool", [][2]string{{`max by (role) (blotter_leader)`, "{{role}}"}}},
		{"Dead jobs", "short", [][2]string{{`max(blotter_dead_jobs)`, "dead"}}},
		{"Builds", "short", [][2]string{{`count by (version, revision) (blotter_build_info)`, "{{version}} {{revision}}"}}},
	}},
	{"Capacity: grows with the queue", []panel{
		{"Queue wait, 95 of 100", "s", [][2]string{{`histogram_quantile(0.95, sum by (le, lane) (rate(blotter_queue_wait_seconds_bucket[10m])))`, "{{lane}}"}}},
		{"Backlog", "short", [][2]string{{`max by (tenant, lane, state) (blotter_backlog_jobs)`, "{{tenant}} {{lane}} {{state}}"}}},
		{"Oldest ready job", "s", [][2]string{{`max by (tenant, lane) (blotter_backlog_age_seconds)`, "{{tenant}} {{lane}}"}}},
		{"Leases expired", "short", [][2]string{{`sum by (lane) (increase(blotter_leases_expired_total[15m]))`, "{{lane}}"}}},
	}},
	{"Places and those who are told", []panel{
		{"Places taken", "short", [][2]string{{`sum by (state) (blotter_slot_jobs)`, "{{state}}"}, {`sum(blotter_slots)`, "places"}}},
		{"Places given on", "short", [][2]string{{`sum(increase(blotter_yields_total[15m]))`, "parked"}}},
		{"Webhook messages", "short", [][2]string{{`max by (status) (blotter_webhooks)`, "{{status}}"}, {`sum by (reason) (increase(blotter_webhook_attempts_total[15m]))`, "attempts: {{reason}}"}, {`sum by (reason) (increase(blotter_webhooks_given_up_total[15m]))`, "given up: {{reason}}"}}},
		{"Webhook times", "s", [][2]string{{`histogram_quantile(0.95, sum by (le) (rate(blotter_webhook_attempt_duration_seconds_bucket[15m])))`, "attempt, 95 of 100"}, {`max(blotter_webhook_age_seconds)`, "oldest"}}},
	}},
	{"Input: grows with the documents", []panel{
		{"Seconds per megapixel", "s", [][2]string{
			{`histogram_quantile(0.5, sum by (le) (rate(blotter_decode_seconds_per_megapixel_bucket[30m])))`, "median"},
			{`histogram_quantile(0.9, sum by (le) (rate(blotter_decode_seconds_per_megapixel_bucket[30m])))`, "90 of 100"},
		}},
		{"Pixels decoded", "short", [][2]string{{`sum(rate(blotter_decoded_pixels_total[10m]))`, "pixels/s"}}},
		{"Stage, 95 of 100", "s", [][2]string{{`histogram_quantile(0.95, sum by (le, stage) (rate(blotter_stage_duration_seconds_bucket[30m])))`, "{{stage}}"}}},
		{"Stages over budget", "percentunit", [][2]string{{`sum by (stage) (rate(blotter_stages_over_budget_total[30m])) / sum by (stage) (rate(blotter_stage_duration_seconds_count[30m]))`, "{{stage}}"}}},
	}},
	{"Outcomes", []panel{
		{"Jobs ended", "short", [][2]string{{`sum by (state, reason) (rate(blotter_jobs_ended_total[10m]))`, "{{state}} {{reason}}"}}},
		{"Retries", "short", [][2]string{{`sum by (reason, owner) (rate(blotter_job_retries_total[10m]))`, "{{reason}} ({{owner}})"}}},
		{"Cells killed", "short", [][2]string{{`sum by (cause) (increase(blotter_cells_killed_total[30m]))`, "{{cause}}"}}},
	}},
	{"The trail and its copies", []panel{
		{"Oldest unsigned event", "s", [][2]string{{`max(blotter_audit_outbox_age_seconds)`, "age"}}},
		{"Unsigned events", "short", [][2]string{{`max(blotter_audit_outbox_events)`, "events"}}},
		{"Working copies", "short", [][2]string{{`max(blotter_working_copies)`, "copies"}}},
		{"Oldest working copy", "s", [][2]string{{`max(blotter_working_copy_age_seconds)`, "age"}}},
	}},
	{"The API", []panel{
		{"Requests", "reqps", [][2]string{{`sum by (route, status) (rate(blotter_http_requests_total[10m]))`, "{{route}} {{status}}"}}},
		{"Answer time, 99 of 100", "s", [][2]string{{`histogram_quantile(0.99, sum by (le, route) (rate(blotter_http_request_duration_seconds_bucket[10m])))`, "{{route}}"}}},
		{"Refusals", "short", [][2]string{{`sum by (reason, owner) (rate(blotter_http_requests_refused_total[10m]))`, "{{reason}} ({{owner}})"}}},
		{"Documents", "short", [][2]string{{`sum by (tenant, lane) (rate(blotter_documents_received_total[10m]))`, "{{tenant}} {{lane}}"}}},
		{"Bytes", "Bps", [][2]string{{`sum by (tenant, lane) (rate(blotter_documents_received_bytes_total[10m]))`, "{{tenant}} {{lane}}"}}},
	}},
	{"The process", []panel{
		{"Resident memory", "bytes", [][2]string{{`process_resident_memory_bytes{job="blotter"}`, "{{instance}}"}}},
		{"Open files", "short", [][2]string{{`process_open_fds{job="blotter"}`, "{{instance}}"}}},
		{"Goroutines", "short", [][2]string{{`go_goroutines{job="blotter"}`, "{{instance}}"}}},
		{"Spans lost", "short", [][2]string{{`sum(rate(blotter_trace_spans_lost_total[15m]))`, "spans/s"}}},
	}},
}

type object = map[string]any

// source names the data source that the importer of the dashboard chooses.
var source = object{"type": "prometheus", "uid": "${DS_PROMETHEUS}"}

const (
	width  = 24 // columns of Grafana's grid
	height = 8
)

func dashboard() object {
	var panels []object
	for at, row := range board {
		y := at * (height + 1)
		panels = append(panels, object{"type": "row", "title": row.row, "collapsed": false, "id": len(panels) + 1, "gridPos": object{"x": 0, "y": y, "w": width, "h": 1}, "panels": []object{}})
		for i, p := range row.panels {
			w := width / len(row.panels)
			panels = append(panels, graph(p, len(panels)+1, object{"x": i * w, "y": y + 1, "w": w, "h": height}))
		}
	}
	return object{
		"__inputs": []object{{"name": "DS_PROMETHEUS", "label": "Prometheus", "type": "datasource", "pluginId": "prometheus", "pluginName": "Prometheus"}},
		"title":    "blotter", "uid": "blotter", "schemaVersion": 39, "version": 1, "editable": true, "refresh": "30s", "tags": []string{"blotter"},
		"time": object{"from": "now-6h", "to": "now"}, "templating": object{"list": []object{}}, "annotations": object{"list": []object{}}, "panels": panels,
	}
}

func graph(p panel, id int, place object) object {
	var targets []object
	for i, q := range p.queries {
		targets = append(targets, object{"refId": string(rune('A' + i)), "expr": q[0], "legendFormat": q[1], "datasource": source})
	}
	return object{
		"type": "timeseries", "title": p.title, "id": id, "gridPos": place, "datasource": source, "targets": targets,
		"fieldConfig": object{"defaults": object{"unit": p.unit, "min": 0}, "overrides": []object{}},
		"options":     object{"legend": object{"displayMode": "list", "placement": "bottom", "showLegend": true}, "tooltip": object{"mode": "multi", "sort": "desc"}},
	}
}

// The dashboard asks for metrics that exist, and shows every one.
func TestDashboardShowsTheMetrics(t *testing.T) {
	known, shown := catalogue(t), map[string]bool{}
	for _, row := range board {
		for _, p := range row.panels {
			for i, q := range p.queries {
				for _, m := range named(t, fmt.Sprintf("%s, query %d", p.title, i), q[0], known) {
					shown[m] = true
				}
			}
		}
	}
	for name := range known {
		if !shown[name] {
			t.Errorf("no panel shows %s", name)
		}
	}
}

func TestDashboardIsCurrent(t *testing.T) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(dashboard()); err != nil {
		t.Fatal(err)
	}
	current(t, dashboardFile, b.String())
}
