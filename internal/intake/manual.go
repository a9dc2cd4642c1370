package intake

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// apiVersion is that of the paths (/v1/): which program serves them is nobody's business
// who has no key.
const apiVersion = "1"

// operations lists all that the API does, in the order of the page.
func (a *API) operations() []operation {
	return append(append(documentOperations(), a.jobOperations()...), manualOperations()...)
}

// manual registers the API's own description: /openapi.json and /docs. It is the same for
// everybody and needs no key. It is made once, from the list of operations.
func (a *API) manual(mux *http.ServeMux) {
	operations := a.operations()
	doc := describe(operations, apiVersion)
	encoded, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("intake: encode the OpenAPI document: %v", err)) // made of constants
	}
	page := docsPage(doc, operations)
	a.still(mux, "GET /openapi.json", "application/json", encoded)
	a.still(mux, "GET /docs", "text/html; charset=utf-8", page)
	a.free(mux, "GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/docs", http.StatusFound)
	})
}

// free registers a handler that needs no key.
func (a *API) free(mux *http.ServeMux, pattern string, h http.HandlerFunc) {
	a.routes = append(a.routes, pattern)
	mux.HandleFunc(pattern, h)
}

// still serves bytes that never change while the process lives.
func (a *API) still(mux *http.ServeMux, pattern, mediaType string, body []byte) {
	sum := sha256.Sum256(body)
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
	a.free(mux, pattern, func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", mediaType)
		h.Set("Cache-Control", "no-cache")
		h.Set("ETag", tag)
		h.Set("Content-Security-Policy", docsPolicy)
		if names(r.Header.Values("If-None-Match"), tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_ = answerBytes(w, r, mediaType, body) // the client has gone: there is nobody to tell
	})
}

func manualOperations() []operation {
	same := success{status: 304, text: "It is what If-None-Match names", headers: []string{"ETag"}}
	return []operation{{
		pattern: "GET /openapi.json", open: true,
		id: "getOpenAPI", tag: tagManual, summary: "This description for tools",
		params:  []*huma.Param{ifNoneMatch()},
		success: []success{{200, "The OpenAPI 3.1 document", "application/json", jsonObject("An OpenAPI document"), []string{"ETag"}}, same},
		curl:    `curl "$BLOTTER/openapi.json"`,
	}, {
		pattern: "GET /docs", open: true,
		id: "getDocs", tag: tagManual, summary: "This description for people",
		params:  []*huma.Param{ifNoneMatch()},
		success: []success{{200, "A page without scripts and without requests to anybody else", "text/html", &huma.Schema{Type: huma.TypeString}, []string{"ETag"}}, same},
		curl:    `curl "$BLOTTER/docs"`,
	}, {
		pattern: "GET /{$}", open: true,
		id: "getRoot", tag: tagManual, summary: "Lead to the description",
		success: []success{{status: 302, text: "To /docs", headers: []string{"Location"}}},
		curl:    `curl -L "$BLOTTER/"`,
	}}
}

// docsPolicy lets the page use its own style sheet, known by digest, and nothing else.
var docsPolicy = "default-src 'none'; style-src 'sha256-" + digestOfStyle() + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func digestOfStyle() string {
	sum := sha256.Sum256(bytes.TrimSpace([]byte(docsStyle)))
	return base64.StdEncoding.EncodeToString(sum[:])
}
