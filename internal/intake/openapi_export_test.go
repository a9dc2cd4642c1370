package intake

import "time"

// Stop makes an API refuse what is new, as at the end of the service.
func Stop(a *API) { a.flights.stop() }

// Routes are the patterns that an API serves.
func Routes(a *API) []string { return a.routes }

// SetHeartbeat changes how often quiet streams get a comment.
func SetHeartbeat(a *API, d time.Duration) { a.heartbeat = d }
