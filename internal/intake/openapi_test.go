package intake_test

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"blotter/internal/access"
	"blotter/internal/intake"
	"blotter/internal/reason"
)

// openAPI is what these tests read of the document.
type openAPI struct {
	OpenAPI    string
	Paths      map[string]map[string]described
	Components struct {
		Schemas map[string]struct {
			Properties map[string]struct{ Description string }
		}
		SecuritySchemes map[string]any
	}
	Tags []struct{ Name string }
}

type described struct {
	OperationID string
	Summary     string
	Tags        []string
	Parameters  []parameter
	RequestBody *struct {
		Required bool
		Content  map[string]any
	}
	Responses map[string]answerDescribed
	Security  []map[string][]string
	Samples   []struct{ Source string } `json:"x-codeSamples"`
	Roles     []string                  `json:"x-roles"`
}

type parameter struct {
	Name, In, Description string
	Required              bool
	Example               any
	Schema                struct {
		Type, Pattern    string
		Enum             []any
		Minimum, Maximum *float64
	}
}

type answerDescribed struct {
	Description string
	Headers     map[string]any
	Content     map[string]struct{ Schema map[string]any }
	Reasons     []string `json:"x-reasons"`
}

func (o *office) openAPI() (doc openAPI, raw []byte) {
	o.Helper()
	raw = o.read(o.ask("GET", "/openapi.json", ""), http.StatusOK)
	o.must(json.Unmarshal(raw, &doc))
	description = doc
	return doc, raw
}

var pathParam = regexp.MustCompile(`\{[a-z]+\}`)

func TestEveryRouteIsDescribedAndEveryDescriptionRouted(t *testing.T) {
	o := newOffice(t, nil)
	doc, _ := o.openAPI()
	if doc.OpenAPI != "3.1.0" {
		t.Errorf("version %q", doc.OpenAPI)
	}
	var described []string
	for path, methods := range doc.Paths {
		for method := range methods {
			described = append(described, strings.ToUpper(method)+" "+path)
		}
	}
	var routed []string
	for _, pattern := range intake.Routes(o.api) {
		routed = append(routed, strings.TrimSuffix(pattern, "{$}"))
	}
	slices.Sort(described)
	slices.Sort(routed)
	if !slices.Equal(described, routed) {
		t.Errorf("described:\n%s\nrouted:\n%s", strings.Join(described, "\n"), strings.Join(routed, "\n"))
	}
}

func TestRightsAreThoseOfTheDescription(t *testing.T) {
	o := newOffice(t, nil)
	doc, _ := o.openAPI()
	for path, methods := range doc.Paths {
		for method, d := range methods {
			target := pathParam.ReplaceAllString(path, "1")
			answer := o.ask(strings.ToUpper(method), target, "")
			if len(d.Security) == 0 {
				if answer.StatusCode >= 400 {
					t.Errorf("%s %s is open and answers %d", method, path, answer.StatusCode)
				}
				continue
			}
			o.refused(answer, reason.APIUnauthorised)
			for _, role := range access.Roles() {
				answer := o.ask(strings.ToUpper(method), target, o.key(north, role))
				if slices.Contains(d.Roles, string(role)) == (answer.StatusCode == http.StatusForbidden) {
					t.Errorf("%s %s: a key of role %s is answered %d; described for %v", method, path, role, answer.StatusCode, d.Roles)
				}
			}
		}
	}
}

func TestDescriptionIsWhole(t *testing.T) {
	o := newOffice(t, nil)
	doc, _ := o.openAPI()
	seen := map[string]bool{}
	for path, methods := range doc.Paths {
		for method, d := range methods {
			name := method + " " + path
			if d.OperationID == "" || seen[d.OperationID] || d.Summary == "" || len(d.Tags) != 1 || len(d.Samples) != 1 {
				t.Errorf("%s: %+v", name, d)
			}
			seen[d.OperationID] = true
			checkParameters(t, name, path, d.Parameters)
			checkAnswers(t, name, d)
		}
	}
}

func checkParameters(t *testing.T, name, path string, list []parameter) {
	t.Helper()
	var inPath []string
	for _, p := range list {
		if p.Description == "" || p.Schema.Type == "" {
			t.Errorf("%s: parameter %+v", name, p)
		}
		if p.In == "path" {
			inPath = append(inPath, "{"+p.Name+"}")
			if !p.Required || p.Example == nil {
				t.Errorf("%s: a parameter of the path must be required and have an example: %+v", name, p)
			}
		}
	}
	if want := pathParam.FindAllString(path, -1); !slices.Equal(inPath, want) {
		t.Errorf("%s: path parameters %v, want %v", name, inPath, want)
	}
}

func checkAnswers(t *testing.T, name string, d described) {
	t.Helper()
	good := 0
	for status, r := range d.Responses {
		problem := status >= "400"
		if !problem {
			good++
		}
		if _, ok := r.Content["application/problem+json"]; r.Description == "" || problem != ok || problem == (len(r.Reasons) == 0) {
			t.Errorf("%s: answer %s: %+v", name, status, r)
		}
		for _, code := range r.Reasons {
			if e, ok := reason.Lookup(reason.Code(code)); !ok || http.StatusText(e.HTTP) == "" || status != statusOf(e) {
				t.Errorf("%s: answer %s has the reason %s", name, status, code)
			}
		}
	}
	if good == 0 {
		t.Errorf("%s: no answer is a success", name)
	}
}

func statusOf(e reason.Entry) string {
	text, _ := json.Marshal(e.HTTP)
	return string(text)
}

func TestReferencesResolve(t *testing.T) {
	o := newOffice(t, nil)
	doc, raw := o.openAPI()
	refs := regexp.MustCompile(`"\$ref": "([^"]*)"`).FindAllSubmatch(raw, -1)
	used := map[string]bool{}
	for _, ref := range refs {
		name, ok := strings.CutPrefix(string(ref[1]), "#/components/schemas/")
		used[name] = true
		if _, found := doc.Components.Schemas[name]; !ok || !found {
			t.Errorf("%s leads nowhere", ref[1])
		}
	}
	for name := range doc.Components.Schemas {
		if !used[name] && name != "Hints" {
			t.Errorf("nothing uses the schema %s", name)
		}
	}
	for name, s := range doc.Components.Schemas {
		for member, p := range s.Properties {
			if p.Description == "" {
				t.Errorf("%s.%s has no description", name, member)
			}
		}
	}
	if len(doc.Components.SecuritySchemes) != 1 {
		t.Errorf("security schemes %v", doc.Components.SecuritySchemes)
	}
}

func TestTheDocsPageStandsAlone(t *testing.T) {
	o := newOffice(t, nil)
	answer := o.ask("GET", "/docs", "")
	page := string(o.read(answer, http.StatusOK))
	policy := answer.Header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
		t.Errorf("policy %q", policy)
	}
	style := page[strings.Index(page, "<style>")+len("<style>") : strings.Index(page, "</style>")]
	if !strings.Contains(policy, "'sha256-"+sha256Base64(style)+"'") {
		t.Error("the policy does not let the page's own style pass")
	}
	for _, foreign := range []string{"<script", "<link", "<img", "<iframe", " style=", "@import", "url(", "//", " onload", "javascript:"} {
		if strings.Contains(strings.ReplaceAll(page, "https://", ""), foreign) {
			t.Errorf("the page holds %q", foreign)
		}
	}
	doc, _ := o.openAPI()
	for path, methods := range doc.Paths {
		for _, d := range methods {
			if !strings.Contains(page, `id="`+d.OperationID+`"`) || !strings.Contains(page, path) {
				t.Errorf("the page does not show %s", d.OperationID)
			}
			for _, r := range d.Responses {
				for _, code := range r.Reasons {
					if !strings.Contains(page, "<code>"+code+"</code>") {
						t.Errorf("the page does not show %s", code)
					}
				}
			}
		}
	}
	if root := o.ask("GET", "/", ""); root.StatusCode != http.StatusFound || root.Header.Get("Location") != "/docs" {
		t.Errorf("the root leads to %d %v", root.StatusCode, root.Header)
	}
	same := o.ask("GET", "/docs", "", "If-None-Match: "+answer.Header.Get("ETag"))
	if body, _ := io.ReadAll(same.Body); same.StatusCode != http.StatusNotModified || len(body) > 0 {
		t.Errorf("the same page again: %d", same.StatusCode)
	}
}
