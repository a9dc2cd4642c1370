// Package ops is what an operator watches and nobody else sees: metrics, health,
// readiness and profiles on a private listener, and traces.
//
// It guarantees that nothing it shows can carry a document's text, a file's name, a path
// or a key: every label and every trace attribute is checked against an enumeration, a
// reason code, or the bounded set of tenants, whatever its caller passes on (mission
// lines M30 to M32). It guarantees too that a scrape ends: a store that does not answer
// is reported as down, not waited for. docs/metrics.md lists every metric.
//
// It does not decide when an alarm goes off: docs/alerts.yaml is for Prometheus.
package ops
