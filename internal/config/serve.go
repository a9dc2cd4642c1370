package config

import (
	"fmt"
	"net"
	"strings"
	"time"

	"blotter/internal/document"
	"blotter/internal/strictyaml"
	"blotter/internal/worker"
)

// serveFields are the settings of the service.
func (d *draft) serveFields() []strictyaml.Field {
	s, a, t := &d.Serve, &d.API, &d.Traces
	return []strictyaml.Field{
		{Path: "serve.roles", Set: strictyaml.List(&d.roles, checkRole)},
		{Path: "serve.listen", Set: strictyaml.Text(&s.Listen, checkAddress)},
		{Path: "serve.tls_cert", Set: strictyaml.Text(&a.TLSCert, nil)},
		{Path: "serve.tls_key", Set: strictyaml.Text(&a.TLSKey, nil)},
		{Path: "serve.ops_listen", Set: strictyaml.Text(&s.OpsListen, checkAddressOrNone)},
		{Path: "serve.interactive_workers", Set: strictyaml.Whole(&s.InteractiveWorkers, 0, 1024)},
		{Path: "serve.grace", Set: strictyaml.Duration(&a.Grace, time.Millisecond, time.Hour)},
		{Path: "serve.policies", Set: strictyaml.List(&s.Policies, nil)},
		{Path: "serve.sources", Set: strictyaml.List(&s.Sources, nil)},
		{Path: "serve.disk_free_bytes", Set: strictyaml.Whole(&s.DiskFreeBytes, 0, 1<<50)},
		{Path: "telemetry.otlp_endpoint", Set: strictyaml.Text(&t.Endpoint, nil)},
		{Path: "telemetry.trace_share", Set: strictyaml.Share(&t.Sample)},
	}
}

// apiFields are the bounds of what the API takes.
func (d *draft) apiFields() []strictyaml.Field {
	a := &d.API
	timeout := func(dst *time.Duration) func(strictyaml.Value) error {
		return strictyaml.Duration(dst, 10*time.Millisecond, time.Hour)
	}
	return []strictyaml.Field{
		{Path: "api.max_body_bytes", Set: strictyaml.Whole(&a.MaxBodyBytes, 1, 1<<40)},
		{Path: "api.max_header_bytes", Set: strictyaml.Whole(&a.MaxHeaderBytes, 4<<10, 1<<20)},
		{Path: "api.header_timeout", Set: timeout(&a.HeaderTimeout)},
		{Path: "api.body_timeout", Set: timeout(&a.BodyTimeout)},
		{Path: "api.body_idle", Set: timeout(&a.BodyIdle)},
		{Path: "api.idle_timeout", Set: timeout(&a.IdleTimeout)},
		{Path: "api.write_idle", Set: timeout(&a.WriteIdle)},
		{Path: "api.max_connections", Set: strictyaml.Whole(&a.MaxConnections, 1, 1<<20)},
		{Path: "api.uploads_per_key", Set: strictyaml.Whole(&a.UploadsPerKey, 1, 1<<16)},
		{Path: "api.uploads_total", Set: strictyaml.Whole(&a.UploadsTotal, 1, 1<<16)},
		{Path: "api.rate_per_second", Set: strictyaml.Whole(&d.rate, 1, 1<<20)},
		{Path: "api.rate_burst", Set: strictyaml.Whole(&a.RateBurst, 1, 1<<20)},
		{Path: "api.waiters", Set: strictyaml.Whole(&a.Waiters, 1, 1<<20)},
		{Path: "api.backlog_per_tenant", Set: strictyaml.Whole(&a.Backlog.Tenant, 1, 1<<30)},
		{Path: "api.backlog_total", Set: strictyaml.Whole(&a.Backlog.Total, 1, 1<<30)},
		{Path: "api.sync_slots", Set: strictyaml.Whole(&d.Serve.SyncSlots, 0, 64)},
		{Path: "api.sync_bytes", Set: strictyaml.Whole(&a.SyncBytes, 1, worker.SmallBytes)},
		{Path: "api.sync_deadline", Set: timeout(&a.SyncDeadline)},
	}
}

// budgetFields are the budgets of the stages, each under the stage's name.
func (d *draft) budgetFields() []strictyaml.Field {
	var out []strictyaml.Field
	for _, s := range document.Stages() {
		out = append(out, strictyaml.Field{
			Path: "budgets." + s.String(), Set: strictyaml.Duration(&d.Budgets[s], 0, 24*time.Hour),
		})
	}
	return out
}

func checkAddress(s string) error {
	if _, port, err := net.SplitHostPort(s); err != nil || port == "" || strings.ContainsAny(s, " \t") {
		return fmt.Errorf("must be host:port, such as 127.0.0.1:8080")
	}
	return nil
}

func checkAddressOrNone(s string) error {
	if s == "" {
		return nil
	}
	return checkAddress(s)
}
