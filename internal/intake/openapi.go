package intake

import (
	"cmp"
	"fmt"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"blotter/client"
	"blotter/internal/access"
	"blotter/internal/reason"
)

// operation is one thing that the API does, in one place: what serves it, who may ask for
// it, and what its callers read about it. The OpenAPI document and the page are made from
// these; handlers and description cannot drift apart unseen (openapi_test.go).
type operation struct {
	pattern string // of net/http's ServeMux
	right   access.Right
	open    bool // needs no key
	serve   serve

	id, tag, summary, text string
	params                 []*huma.Param
	body                   *huma.RequestBody
	success                []success
	reasons                []reason.Code // beside those that every operation can give
	curl                   string        // an example, with $BLOTTER, $KEY and $JOB
}

// success is an answer that is no problem.
type success struct {
	status  int
	text    string
	content string // media type; empty: no body
	schema  any    // a value of the body's type, or a *huma.Schema
	headers []string
}

// Tags group operations on the page.
const (
	tagDocuments = "Documents"
	tagJobs      = "Jobs"
	tagResults   = "Results"
	tagOperate   = "Operation"
	tagManual    = "About"
)

// Reasons that every operation can give, and every one that needs a key.
var (
	everywhere = []reason.Code{reason.APIStopping, reason.Internal}
	withKey    = []reason.Code{reason.APIUnauthorised, reason.APIRate, reason.QueueBusy}
)

const (
	problemType = "application/problem+json"
	schemas     = "#/components/schemas/"
	bearer      = "bearer"
)

// describe makes the OpenAPI document of the operations.
func describe(operations []operation, version string) *huma.OpenAPI {
	registry := huma.NewMapRegistry(schemas, schemaName)
	doc := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "blotter", Version: version,
			Description: "Destroys the personal data in the images of documents, and proves what it did. " +
				"Errors are RFC 9457 problems with a stable reason code.",
		},
		Components: &huma.Components{Schemas: registry, SecuritySchemes: map[string]*huma.SecurityScheme{bearer: {
			Type: "http", Scheme: "bearer",
			Description: "An API key, as `blotter keys add` shows it once. It has a tenant, a role and lanes.",
		}}},
		Tags: []*huma.Tag{
			{Name: tagDocuments, Description: "Send documents"},
			{Name: tagJobs, Description: "See what became of them"},
			{Name: tagResults, Description: "Fetch what may be handed out, and its proof"},
			{Name: tagOperate, Description: "Decide about dead jobs"},
			{Name: tagManual, Description: "This description"},
		},
	}
	for _, t := range requestSchemas {
		registry.Schema(t, true, "")
	}
	for _, o := range operations {
		doc.AddOperation(o.describe(registry))
	}
	tidySchemas(registry)
	return doc
}

// schemaName keeps types of the public receipt format apart from the API's own.
func schemaName(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name := huma.DefaultSchemaNamer(t, hint)
	if path.Base(t.PkgPath()) == "receipt" {
		return "Receipt" + name
	}
	return name
}

// tidySchemas corrects what the generator assumes: answers may gain members, which clients
// must ignore, and no array is ever null. Requests stay closed.
func tidySchemas(r huma.Registry) {
	for name, s := range r.Map() {
		if name != "Reference" && name != "Hints" && s.AdditionalProperties == false {
			s.AdditionalProperties = nil
		}
		for _, p := range s.Properties {
			p.Nullable = false
		}
		explainReceipts(s)
	}
}

func (o operation) describe(r huma.Registry) *huma.Operation {
	method, at, _ := strings.Cut(o.pattern, " ")
	out := &huma.Operation{
		Method: method, Path: strings.TrimSuffix(at, "{$}"), OperationID: o.id, Tags: []string{o.tag},
		Summary: o.summary, Description: o.text, Parameters: o.params, RequestBody: o.body,
		Responses:  map[string]*huma.Response{},
		Extensions: map[string]any{"x-codeSamples": []map[string]string{{"lang": "Shell", "source": o.curl}}},
	}
	if !o.open {
		out.Security = []map[string][]string{{bearer: {}}}
		out.Extensions["x-roles"] = rolesWith(o.right)
	}
	for _, s := range o.success {
		out.Responses[strconv.Itoa(s.status)] = s.describe(r)
	}
	o.addProblems(out, r)
	return out
}

// rolesWith lists the roles that have a right.
func rolesWith(right access.Right) (out []access.Role) {
	for _, role := range access.Roles() {
		if (access.Key{Role: role}).May(right) {
			out = append(out, role)
		}
	}
	return out
}

func (s success) describe(r huma.Registry) *huma.Response {
	out := &huma.Response{Description: s.text, Headers: map[string]*huma.Param{}}
	for _, name := range s.headers {
		out.Headers[name] = &huma.Param{Description: headers[name], Schema: &huma.Schema{Type: huma.TypeString}}
	}
	if s.content == "" {
		return out
	}
	schema, ok := s.schema.(*huma.Schema)
	if !ok {
		schema = r.Schema(reflect.TypeOf(s.schema), true, "")
	}
	out.Content = map[string]*huma.MediaType{s.content: {Schema: schema}}
	return out
}

// addProblems describes one answer for each status that the operation's reasons have.
func (o operation) addProblems(out *huma.Operation, r huma.Registry) {
	codes := append(slices.Clone(o.reasons), everywhere...)
	if !o.open {
		codes = append(codes, withKey...)
	}
	if !o.open && len(rolesWith(o.right)) < len(access.Roles()) {
		codes = append(codes, reason.APIForbidden)
	}
	byStatus := map[int][]reason.Entry{}
	for _, c := range codes {
		e := reason.Must(c)
		byStatus[e.HTTP] = append(byStatus[e.HTTP], e)
	}
	for status, entries := range byStatus {
		out.Responses[strconv.Itoa(status)] = problemAnswer(status, entries, r)
	}
}

func problemAnswer(status int, entries []reason.Entry, r huma.Registry) *huma.Response {
	slices.SortFunc(entries, func(a, b reason.Entry) int { return cmp.Compare(a.Number, b.Number) })
	entries = slices.CompactFunc(entries, func(a, b reason.Entry) bool { return a.Number == b.Number })
	var text strings.Builder
	fmt.Fprintf(&text, "%s.", http.StatusText(status))
	var codes []string
	for _, e := range entries {
		fmt.Fprintf(&text, "\n- `%s`: %s", e.Code, e.Text)
		codes = append(codes, string(e.Code))
	}
	out := &huma.Response{
		Description: text.String(), Extensions: map[string]any{"x-reasons": codes},
		Content: map[string]*huma.MediaType{problemType: {
			Schema: r.Schema(reflect.TypeFor[client.Problem](), true, ""), Example: exampleProblem(entries[0]),
		}},
	}
	switch status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		out.Headers = map[string]*huma.Param{"Retry-After": {Description: headers["Retry-After"], Schema: &huma.Schema{Type: huma.TypeInteger}}}
	case http.StatusUnauthorized:
		out.Headers = map[string]*huma.Param{"WWW-Authenticate": {Description: headers["WWW-Authenticate"], Schema: &huma.Schema{Type: huma.TypeString}}}
	}
	return out
}

func exampleProblem(e reason.Entry) client.Problem {
	return client.Problem{
		Type: "urn:blotter:reason:" + string(e.Code), Title: http.StatusText(e.HTTP), Status: e.HTTP,
		Detail: e.Text, Reason: string(e.Code), Class: string(e.Class), Owner: string(e.Owner),
	}
}

// headers say what the headers of answers mean.
var headers = map[string]string{
	"Location":            "Path of the job",
	"ETag":                "Names this representation; send it as If-None-Match to be answered 304 while nothing has changed",
	"Preference-Applied":  "The wait that was granted, as in RFC 7240",
	"Content-Digest":      "SHA-256 of the body, as in RFC 9530",
	"Content-Disposition": "The file name under which `blotter verify` expects the body",
	"Content-Length":      "Length of the body in bytes",
	"Retry-After":         "Seconds after which to try again",
	"WWW-Authenticate":    "The scheme in which a key must come: Bearer",
	"Blotter-Job":         "Identifier of the job",
	digestHeader:          "SHA-256 of the document that was sent, in the form of RFC 9530",
}
