package intake

import "time"

// Routes are the patterns that an API serves.
func Routes(a *API) []string { return a.routes }

// SetHeartbeat changes how often quiet streams get a comment.
func SetHeartbeat(a *API, d time.Duration) { a.heartbeat = d }
