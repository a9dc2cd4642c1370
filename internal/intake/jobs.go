package intake

import "net/http"

// jobs registers what shows and changes jobs.
func (a *API) jobs(mux *http.ServeMux) {}
