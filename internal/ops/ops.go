// Package ops is the private listener: metrics, health, readiness, profiles. What it
// shows holds no text, name, path or key.
package ops
