package intake_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/intake"
	"blotter/internal/queue"
	"blotter/internal/reason"
)

// description is the document as a test last read it.
var description openAPI

// TestMain holds the tests of this package against the document, once they all ran: each
// status that is described for an operation must have been answered in one of them.
func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if untried := untried(); code == 0 && whole() && len(untried) > 0 {
		fmt.Printf("FAIL: statuses in the document that no test was answered with:\n%s\n", strings.Join(untried, "\n"))
		code = 1
	}
	os.Exit(code)
}

// whole reports whether no test was left out.
func whole() bool {
	for _, name := range []string{"test.run", "test.skip", "test.fuzz", "test.list"} {
		if flag.Lookup(name).Value.String() != "" {
			return false
		}
	}
	return !testing.Short()
}

func untried() (list []string) {
	for path, methods := range description.Paths {
		for method, d := range methods {
			route := routeOf(method, path)
			for status := range d.Responses {
				if n, err := strconv.Atoi(status); err != nil || !intake.Answered.With(route, n) {
					list = append(list, route+" "+status)
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

// routeOf is the pattern under which a path of the document is served.
func routeOf(method, path string) string {
	if path == "/" {
		path = "/{$}"
	}
	return strings.ToUpper(method) + " " + path
}

// each does something with every operation of the document.
func (o *office) each(do func(method, path, target string, d described)) {
	o.Helper()
	doc, _ := o.openAPI()
	for path, methods := range doc.Paths {
		for method, d := range methods {
			target := strings.NewReplacer("{id}", string(document.NewID()), "{n}", "1").Replace(path)
			do(strings.ToUpper(method), path, target, d)
		}
	}
}

func TestEveryOperationIsHeldToTheRate(t *testing.T) {
	o := newOffice(t, func(c *intake.Config) { c.RatePerSecond, c.RateBurst = 0.001, 1 })
	o.each(func(method, _, target string, d described) {
		if len(d.Security) == 0 {
			return
		}
		key := o.key(north, access.Admin)
		if first := o.ask(method, target, key); first.StatusCode == http.StatusTooManyRequests {
			t.Errorf("%s %s: the first request was refused", method, target)
		}
		o.refused(o.ask(method, target, key), reason.APIRate)
	})
}

// A service that stops says so, to everybody who still comes.
func TestEveryOperationStops(t *testing.T) {
	o := newOffice(t, nil)
	key := o.key(north, access.Admin)
	stopped := false
	o.each(func(method, path, target string, _ described) {
		if !stopped { // the document was read
			intake.Stop(o.api)
			stopped = true
		}
		answer := o.ask(method, target, key)
		o.refused(answer, reason.APIStopping)
		intake.Answered.Note(routeOf(method, path), answer.StatusCode) // it stops before any route
	})
}

// tripping is an answer whose header cannot be had the second time: a handler that uses it
// panics, what clears up behind it does not.
type tripping struct {
	*httptest.ResponseRecorder
	asked int
}

func (w *tripping) Header() http.Header {
	if w.asked++; w.asked == 2 {
		panic("tripped")
	}
	return w.ResponseRecorder.Header()
}

// noKeys is a store of keys in which every step panics.
type noKeys struct{ access.Store }

func TestEveryOperationSurvivesAPanic(t *testing.T) {
	o := newOffice(t, nil)
	key := o.key(north, access.Admin)
	deps := o.deps(t.TempDir())
	deps.Keys = &access.Keyring{Store: noKeys{}}
	broken := intake.New(intake.Default(), deps).Handler()
	o.each(func(method, _, target string, d described) {
		r := httptest.NewRequest(method, target, nil)
		r.Header.Set("Authorization", "Bearer "+key)
		w := &tripping{ResponseRecorder: httptest.NewRecorder()}
		if len(d.Security) > 0 {
			w.asked = 2 // it is the keyring that panics
		}
		broken.ServeHTTP(w, r)
		answer := w.Result()
		answer.Request = r
		o.refused(answer, reason.Internal)
	})
}

// lost are results whose images cannot be had.
type lost struct {
	intake.Results
	why reason.Code
}

func (l lost) Derivative(context.Context, queue.Job, int) (io.ReadCloser, int64, document.Digest, error) {
	return nil, 0, document.Digest{}, reason.Because(l.why, nil)
}

func (l lost) Original(context.Context, queue.Job, int, string) (io.ReadCloser, int64, error) {
	return nil, 0, reason.Because(l.why, nil)
}

func TestImagesWhoseTimeIsOver(t *testing.T) {
	o := newOffice(t, nil)
	id, key := o.ended(north, document.Released, ""), o.key(north, access.Admin)
	for _, why := range []reason.Code{reason.VaultKeyGone, reason.VaultDamaged, reason.VaultUnavailable} {
		deps := o.deps(t.TempDir())
		deps.Results = lost{deps.Results, why}
		srv := httptest.NewServer(intake.New(intake.Default(), deps).Handler())
		o.url = srv.URL
		for _, image := range []string{"derivative", "original"} {
			answer := o.ask("GET", at(id, "/assets/1/", image), key)
			if o.refused(answer, why); answer.Header.Get("Content-Disposition") != "" {
				t.Errorf("a refusal names a file: %v", answer.Header)
			}
		}
		srv.Close()
	}
}
