package intake

import (
	"net/http"

	"blotter/internal/access"
)

// around puts what every request passes through around the API's handlers.
func (a *API) around(next http.Handler) http.Handler { return next }

// authorise finds the key of a request and checks that it has the right.
func (a *API) authorise(r *http.Request, right access.Right) (access.Key, error) {
	return access.Key{}, access.ErrUnauthorised
}

// problem answers with an error.
func (a *API) problem(w http.ResponseWriter, r *http.Request, err error) {}
