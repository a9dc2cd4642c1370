package intake

import (
	"bytes"
	_ "embed" // the page's template and style
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"blotter/internal/access"
	"blotter/internal/reason"
)

//go:embed docs.html
var docsHTML string

//go:embed docs.css
var docsStyle string

var docsTemplate = template.Must(template.New("docs").Funcs(template.FuncMap{"prose": prose}).Parse(docsHTML))

// docsPage renders the OpenAPI document for people. What it shows is in the document; the
// list of operations gives the order only.
func docsPage(doc *huma.OpenAPI, operations []operation) []byte {
	v := pageView{
		Title: doc.Info.Title, Text: doc.Info.Description,
		Style:   template.CSS(strings.TrimSpace(docsStyle)), //nolint:gosec // embedded at build time
		Schemas: schemaViews(doc),
	}
	for _, tag := range doc.Tags {
		g := groupView{Name: tag.Name, Text: tag.Description}
		for _, o := range operations {
			if described := find(doc, o.pattern); o.tag == tag.Name {
				g.Operations = append(g.Operations, viewOf(described))
			}
		}
		v.Groups = append(v.Groups, g)
	}
	var out bytes.Buffer
	if err := docsTemplate.Execute(&out, v); err != nil {
		panic(fmt.Sprintf("intake: render the page: %v", err)) // made of constants
	}
	return out.Bytes()
}

// find returns the description of a pattern.
func find(doc *huma.OpenAPI, pattern string) *huma.Operation {
	method, at, _ := strings.Cut(pattern, " ")
	item := doc.Paths[strings.TrimSuffix(at, "{$}")]
	return map[string]*huma.Operation{"GET": item.Get, "POST": item.Post, "DELETE": item.Delete}[method]
}

// What the template shows.
type (
	pageView struct {
		Title, Text string
		Style       template.CSS
		Groups      []groupView
		Schemas     []schemaView
	}
	groupView struct {
		Name, Text string
		Operations []operationView
	}
	operationView struct {
		ID, Method, Path, Summary, Text string
		Roles                           []access.Role
		Params                          []memberView
		BodyText                        string
		Bodies                          []bodyView
		Answers                         []answerView
		Curl                            string
	}
	memberView struct {
		Name, In, Form, Schema, Text string
		Required                     bool
	}
	bodyView   struct{ MediaType, Schema, Text string }
	answerView struct {
		Status  string
		Good    bool
		Text    string
		Bodies  []bodyView
		Headers []memberView
		Reasons []reason.Entry
	}
	schemaView struct {
		Name    string
		Members []memberView
	}
)

func viewOf(o *huma.Operation) operationView {
	v := operationView{ID: o.OperationID, Method: o.Method, Path: o.Path, Summary: o.Summary, Text: o.Description}
	v.Roles, _ = o.Extensions["x-roles"].([]access.Role)
	if samples, ok := o.Extensions["x-codeSamples"].([]map[string]string); ok {
		v.Curl = samples[0]["source"]
	}
	for _, p := range o.Parameters {
		v.Params = append(v.Params, memberView{Name: p.Name, In: p.In, Form: form(p.Schema), Text: p.Description, Required: p.Required})
	}
	if o.RequestBody != nil {
		v.BodyText, v.Bodies = o.RequestBody.Description, bodies(o.RequestBody.Content)
	}
	for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
		v.Answers = append(v.Answers, answerOf(status, o.Responses[status]))
	}
	return v
}

func answerOf(status string, r *huma.Response) answerView {
	v := answerView{Status: status, Good: status < "400", Text: r.Description, Bodies: bodies(r.Content)}
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		v.Headers = append(v.Headers, memberView{Name: name, Text: r.Headers[name].Description})
	}
	list, _ := r.Extensions["x-reasons"].([]string)
	for _, code := range list {
		v.Reasons = append(v.Reasons, reason.Must(reason.Code(code)))
	}
	return v
}

func bodies(content map[string]*huma.MediaType) (out []bodyView) {
	for _, mediaType := range slices.Sorted(maps.Keys(content)) {
		s := content[mediaType].Schema
		out = append(out, bodyView{MediaType: mediaType, Schema: refName(s), Text: s.Description})
	}
	return out
}

func schemaViews(doc *huma.OpenAPI) (out []schemaView) {
	all := doc.Components.Schemas.Map()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		v := schemaView{Name: name}
		for _, member := range slices.Sorted(maps.Keys(all[name].Properties)) {
			p := all[name].Properties[member]
			v.Members = append(v.Members, memberView{
				Name: member, Form: form(p), Schema: refName(p), Text: p.Description,
				Required: slices.Contains(all[name].Required, member),
			})
		}
		out = append(out, v)
	}
	return out
}

// refName is the schema that s, or what an array of it holds, refers to.
func refName(s *huma.Schema) string {
	if s.Items != nil {
		s = s.Items
	}
	return strings.TrimPrefix(s.Ref, schemas)
}

// form says in words what a value looks like.
func form(s *huma.Schema) string {
	switch {
	case s.Ref != "":
		return huma.TypeObject
	case len(s.Enum) > maxListed:
		return "one of the codes below"
	case len(s.Enum) > 0:
		return "one of " + listed(s.Enum)
	case s.Minimum != nil && s.Maximum != nil:
		return "number from " + plain(*s.Minimum) + " to " + plain(*s.Maximum)
	case s.Type == huma.TypeArray:
		return "list of " + form(s.Items)
	case s.Format != "" && s.Type == huma.TypeString:
		return s.Format
	}
	return s.Type
}

// maxListed is how many values of an enumeration stand in a line.
const maxListed = 12

func listed(values []any) string {
	var out []string
	for _, v := range values {
		out = append(out, fmt.Sprint(v))
	}
	return strings.Join(out, ", ")
}

func plain(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// prose escapes a text and sets what stands between backquotes as code.
func prose(text string) template.HTML {
	var out strings.Builder
	for i, part := range strings.Split(text, "`") {
		escaped := template.HTMLEscapeString(part)
		if i%2 == 1 {
			escaped = "<code>" + escaped + "</code>"
		}
		out.WriteString(escaped)
	}
	return template.HTML(out.String()) //nolint:gosec // every part was escaped
}
