package intake

import "net/http"

// documents registers what takes documents in.
func (a *API) documents(mux *http.ServeMux) {}
