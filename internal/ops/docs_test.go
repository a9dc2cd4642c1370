package ops

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"blotter/internal/reason"
)

var update = flag.Bool("update", false, "write docs/metrics.md and docs/dashboard.json")

const (
	alertsFile    = "../../docs/alerts.yaml"
	metricsFile   = "../../docs/metrics.md"
	dashboardFile = "../../docs/dashboard.json"
)

// alerts is a file of Prometheus rules.
type alerts struct {
	Groups []struct {
		Name  string
		Rules []alert
	}
}

type alert struct {
	Alert, Expr, For    string
	Labels, Annotations map[string]string
}

func readAlerts(t *testing.T) []alert {
	t.Helper()
	body, err := os.ReadFile(alertsFile)
	if err != nil {
		t.Fatal(err)
	}
	var file alerts
	if err := yaml.UnmarshalWithOptions(body, &file, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	if len(file.Groups) != 1 {
		t.Fatalf("%d groups of rules", len(file.Groups))
	}
	return file.Groups[0].Rules
}

// isWait accepts a time such as 10m.
var isWait = regexp.MustCompile(`^([0-9]+[smhd])?$`)

// Every alert asks for metrics that exist, calls a team, and says what to do; every
// metric is asked for.
func TestAlertsAskForMetricsThatExist(t *testing.T) {
	known, asked, names := catalogue(t), map[string]bool{}, map[string]bool{}
	for _, a := range readAlerts(t) {
		for _, m := range named(t, a.Alert, a.Expr, known) {
			asked[m] = true
		}
		if names[a.Alert] || !strings.HasPrefix(a.Alert, "Blotter") {
			t.Errorf("%q is there twice, or its name says nothing of blotter", a.Alert)
		}
		names[a.Alert] = true
		checkAlert(t, a)
	}
	for name := range known {
		if !asked[name] {
			t.Errorf("no alert asks for %s", name)
		}
	}
}

func checkAlert(t *testing.T, a alert) {
	t.Helper()
	owner, byReason := a.Labels["owner"], strings.Contains(a.Expr, "by (reason, owner)")
	if byReason != (owner == "{{ $labels.owner }}") || !byReason && !isOwner(owner) {
		t.Errorf("%s calls %q", a.Alert, owner)
	}
	if s := a.Labels["severity"]; s != "page" && s != "ticket" {
		t.Errorf("%s has the severity %q", a.Alert, s)
	}
	if !isWait.MatchString(a.For) || a.Annotations["summary"] == "" || a.Annotations["action"] == "" || len(a.Annotations) != 3 || len(a.Labels) != 2 {
		t.Errorf("%s is not whole, or has too much", a.Alert)
	}
	if got, want := a.Annotations["runbook"], "docs/runbook.md#"+strings.ToLower(a.Alert); got != want {
		t.Errorf("%s leads to %s, its entry is %s", a.Alert, got, want)
	}
}

func isOwner(s string) bool {
	return slices.ContainsFunc(reason.Table(), func(e reason.Entry) bool { return string(e.Owner) == s })
}

// The reasons that alerts choose exist.
func TestAlertsChooseReasonsThatExist(t *testing.T) {
	chosen := regexp.MustCompile(`reason=~?"([^"]*)"`)
	for _, a := range readAlerts(t) {
		for _, m := range chosen.FindAllStringSubmatch(a.Expr, -1) {
			for _, pattern := range strings.Split(m[1], "|") {
				if !someReason(regexp.MustCompile("^(?:" + pattern + ")$")) {
					t.Errorf("%s: no reason is %s", a.Alert, pattern)
				}
			}
		}
	}
}

func someReason(r *regexp.Regexp) bool {
	return slices.ContainsFunc(reason.Table(), func(e reason.Entry) bool { return r.MatchString(string(e.Code)) })
}

// units of metrics, by a part of their name; the first that fits.
var units = []struct{ part, unit string }{
	{"seconds_per_megapixel", "s/megapixel"}, {"_seconds", "s"}, {"_bytes", "bytes"}, {"_pixels", "pixels"}, {"_store_up", "0 or 1"}, {"_leader", "0 or 1"}, {"_info", "1"},
	{"_slots", "places"}, {"_yields", "jobs"}, {"_webhook_attempts", "attempts"}, {"_webhooks", "messages"},
	{"_jobs", "jobs"}, {"_job_", "attempts"}, {"_events", "events"}, {"_copies", "copies"}, {"_stages", "stages"}, {"_leases", "leases"},
	{"_cells", "cells"}, {"_requests", "requests"}, {"_documents", "documents"}, {"_spans", "spans"},
}

func unitOf(t *testing.T, name string) string {
	t.Helper()
	for _, u := range units {
		if strings.Contains(name, u.part) {
			return u.unit
		}
	}
	t.Errorf("%s has no unit", name)
	return ""
}

const metricsHead = `# Metrics and alerts

<!-- Written by: go test ./internal/ops -update. Do not edit. -->

The private listener answers Prometheus at ` + "`/metrics`" + `, with Go's and the process's own metrics beside those below. It also has
` + "`/healthz`" + ` (the process lives), ` + "`/readyz`" + ` (200, or 503 with the check that failed and its reason) and ` + "`/debug/pprof/`" + `. It has no
authentication: bind it to an address that only operators reach.

- [alerts.yaml](alerts.yaml) holds the alerts below as Prometheus rules, [runbook.md](runbook.md) what to do for each, [dashboard.json](dashboard.json) a dashboard for Grafana.
- Two causes of slowness stand apart: **capacity** (` + "`blotter_queue_wait_seconds`" + ` grows: too few workers) and **input**
  (` + "`blotter_decode_seconds_per_megapixel`" + ` grows: harder documents).
- Labels hold words of enumerations, reason codes and tenants, and nothing else. ` + "`owner`" + ` is the team that a reason calls, as in
  [reasons.md](reasons.md); ` + "`other`" + ` is a value that is in no enumeration.
- At most 50 tenants have series of their own: in the backlog those with the most waiting, in counters those that came first
  since the start. The rest is summed as ` + "`(other)`" + `.
- What waits in the store is asked for at a scrape, for 3 seconds at most, and kept for 2. A store that does not answer shows as
  ` + "`blotter_store_up 0`" + `, and what it would have told is missing rather than old. Several processes on one store tell the same:
  take the maximum, not the sum.

## Metrics

| metric | type | unit | labels | what it tells | alerts |
|---|---|---|---|---|---|
`

const alertsHead = `
## Alerts

Thresholds are to start with. *By reason* means that the owner of the reason is called.

| alert | owner | severity | what happened | what to do |
|---|---|---|---|---|
`

func metricsDocument(t *testing.T) string {
	t.Helper()
	known, rules := catalogue(t), readAlerts(t)
	asking := make(map[string][]string)
	for _, a := range rules {
		for _, m := range named(t, a.Alert, a.Expr, known) {
			if !slices.Contains(asking[m], a.Alert) {
				asking[m] = append(asking[m], a.Alert)
			}
		}
	}
	var b strings.Builder
	b.WriteString(metricsHead)
	for _, name := range slices.Sorted(maps.Keys(known)) {
		m := known[name]
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", name, m.kind, unitOf(t, name), strings.Join(m.labels, ", "), m.help, strings.Join(asking[name], ", "))
	}
	b.WriteString(alertsHead)
	for _, a := range rules {
		owner := a.Labels["owner"]
		if !isOwner(owner) {
			owner = "by reason"
		}
		say := strings.NewReplacer("{{ $labels.reason }}", "*reason*", "{{ $labels.cause }}", "*cause*")
		fmt.Fprintf(&b, "| [%s](runbook.md#%s) | %s | %s | %s | %s |\n", a.Alert, strings.ToLower(a.Alert), owner, a.Labels["severity"], say.Replace(a.Annotations["summary"]), a.Annotations["action"])
	}
	return b.String()
}

// current compares a generated file with what it should hold, and writes it with -update.
func current(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is out of date: go test ./internal/ops -update", path)
	}
}

func TestMetricsDocumentIsCurrent(t *testing.T) { current(t, metricsFile, metricsDocument(t)) }
