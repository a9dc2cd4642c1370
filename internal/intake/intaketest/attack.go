// Package intaketest attacks a running service with requests that it makes out of the
// service's own OpenAPI document: valid ones, and ones that are wrong in as many ways as it
// knows. It holds every answer against that document: the status must be described for the
// operation, a problem's reason must stand in the table with that status, a body must have
// the shape of its schema, and nothing may end as an error of the server that it does not
// own up to. The same seed makes the same requests.
//
// It is for tests: of this package's parent, and of the whole program.
package intaketest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// Target is a running service.
type Target struct {
	URL  string
	HTTP *http.Client // must not follow redirects
	Keys []string     // API keys of several roles; the first may do everything
	Jobs []string     // identifiers of jobs, in as many states as there are
}

// Seen counts answers by operation and status.
type Seen map[string]map[int]int

// maxFailures is how many failures are told before an attack gives up.
const maxFailures = 20

// Attack makes rounds requests and returns what was answered.
func Attack(t testing.TB, target Target, seed uint64, rounds int) Seen {
	t.Helper()
	a := &attack{TB: t, Target: target, rand: rand.New(rand.NewPCG(seed, 1)), seen: Seen{}}
	a.load()
	for round := range rounds {
		req := a.next()
		if wrong := a.try(req); wrong != "" {
			t.Errorf("seed %d, round %d: %s\n%s", seed, round, req, wrong)
			if a.failures++; a.failures == maxFailures {
				t.Fatal("too many failures")
			}
		}
	}
	return a.seen
}

type attack struct {
	testing.TB
	Target
	rand       *rand.Rand
	doc        document
	operations []operation
	seen       Seen
	failures   int
}

// document is what is read of an OpenAPI document.
type document struct {
	Paths      map[string]map[string]operation
	Components struct{ Schemas map[string]*schema }
}

type operation struct {
	method, path string
	ID           string `json:"operationId"`
	Parameters   []parameter
	RequestBody  *struct{ Content map[string]media }
	Responses    map[string]response
}

type parameter struct {
	Name, In string
	Required bool
	Example  any
	Schema   *schema
}

type media struct{ Schema *schema }

type response struct {
	Content map[string]media
	Reasons []string `json:"x-reasons"`
}

func (a *attack) load() {
	a.Helper()
	answer, err := a.HTTP.Get(a.URL + "/openapi.json")
	if err != nil {
		a.Fatal(err)
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&a.doc); err != nil {
		a.Fatal(err)
	}
	for path, methods := range a.doc.Paths {
		for method, o := range methods {
			o.method, o.path = strings.ToUpper(method), path
			a.operations = append(a.operations, o)
		}
	}
	slices.SortFunc(a.operations, func(x, y operation) int { return strings.Compare(x.ID, y.ID) })
	if len(a.operations) == 0 {
		a.Fatal("the document describes no operation")
	}
}

// request is one request, and the operation that it is meant for.
type request struct {
	operation
	target  string // path and query
	header  http.Header
	body    string
	strange bool // the path or method is not the operation's any more
}

// String is the request in a form in which it can be made again by hand.
func (r request) String() string {
	body := r.body
	if len(body) > 300 {
		body = fmt.Sprintf("%s… (%d bytes)", body[:300], len(body))
	}
	return fmt.Sprintf("%s: %s %q\n%q\n%q", r.ID, r.method, r.target, r.header, body)
}

// try makes a request and says what is wrong with its answer; "" where nothing is.
func (a *attack) try(req request) string {
	ctx, cancel := context.WithCancel(a.Context())
	defer cancel() // a stream of events would go on
	r, err := http.NewRequestWithContext(ctx, req.method, a.URL, strings.NewReader(req.body))
	if err != nil {
		return "" // not even a request
	}
	r.URL.Opaque, r.Header = req.target, req.header
	if !strings.HasPrefix(req.target, "/") || strings.HasPrefix(req.target, "//") {
		r.URL.Opaque = "/" + strings.TrimLeft(req.target, "/")
	}
	answer, err := a.HTTP.Do(r)
	if err != nil {
		return "no answer: " + err.Error()
	}
	defer answer.Body.Close()
	var body []byte
	if answer.Header.Get("Content-Type") != "text/event-stream" {
		if body, err = io.ReadAll(answer.Body); err != nil {
			return "the answer broke off: " + err.Error()
		}
	}
	if !req.strange {
		if a.seen[req.ID] == nil {
			a.seen[req.ID] = map[int]int{}
		}
		a.seen[req.ID][answer.StatusCode]++
	}
	return a.judge(req, answer, body)
}
