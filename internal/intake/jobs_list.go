package intake

import (
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"blotter/client"
	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
)

// Sizes of a page of a list, in jobs.
const (
	DefaultPage = 50
	MaxPage     = 200
)

// listJobs is GET /v1/jobs.
func (a *API) listJobs(w http.ResponseWriter, r *http.Request, caller access.Key) error {
	f, err := parseFilter(r.URL, caller, "state", "lane", "reason", "tenant", "limit", "cursor")
	if err != nil {
		return err
	}
	asked := f.Limit
	f.Limit++ // one more tells whether there is a next page
	list, err := a.Store.Jobs(r.Context(), f)
	if err != nil {
		return err
	}
	out := client.Jobs{Jobs: []client.Job{}}
	for i, l := range list {
		if i == asked {
			out.Next = cursor(list[i-1].Arrival)
			break
		}
		view, err := a.view(l.Job)
		if err != nil {
			return err
		}
		view.Assets = []client.Asset{} // hundreds for each of hundreds of jobs would be too much for one answer
		out.Jobs = append(out.Jobs, view)
	}
	return answerJSON(w, r, out)
}

// parseFilter reads the parameters of a list, of which an address knows some. One that it
// does not know is a mistake: a misspelt filter would choose jobs that were not asked for.
func parseFilter(u *url.URL, caller access.Key, knows ...string) (queue.Filter, error) {
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return queue.Filter{}, badRequest("query: not in the form that URLs have")
	}
	f := queue.Filter{Limit: DefaultPage}
	var faults []string
	for _, name := range slices.Sorted(maps.Keys(q)) {
		read := filters[name]
		switch {
		case !slices.Contains(knows, name):
			faults = append(faults, "query: a parameter that this address does not know")
		case len(q[name]) != 1 || !read(&f, q.Get(name)):
			faults = append(faults, "query "+name+": "+filterForms[name])
		}
	}
	if len(faults) > 0 {
		return queue.Filter{}, badRequest(slices.Compact(faults)...)
	}
	return f, confine(&f, caller)
}

// confine keeps a list to the caller's tenant. Only a key of every tenant may name one.
func confine(f *queue.Filter, caller access.Key) error {
	if caller.Tenant == access.Everyone {
		return nil
	}
	if f.Tenant != "" && f.Tenant != caller.Tenant {
		return reason.Because(reason.APIForbidden, nil)
	}
	f.Tenant = caller.Tenant
	return nil
}

// filters read one parameter each, and report whether it has its form.
var filters = map[string]func(f *queue.Filter, s string) bool{
	"state": func(f *queue.Filter, s string) bool {
		f.State = document.State(s)
		return slices.Contains(document.States(), f.State)
	},
	"lane": func(f *queue.Filter, s string) bool {
		f.Lane = document.Lane(s)
		return slices.Contains(document.Lanes(), f.Lane)
	},
	"reason": func(f *queue.Filter, s string) bool {
		f.Reason = reason.Code(s)
		_, ok := reason.Lookup(f.Reason)
		return ok
	},
	"tenant": func(f *queue.Filter, s string) (ok bool) {
		t, err := document.ParseTenant(s)
		f.Tenant = t
		return err == nil
	},
	"limit": func(f *queue.Filter, s string) bool {
		n, ok := parseDigits(s)
		f.Limit = int(n)
		return ok && n >= 1 && n <= MaxPage
	},
	"cursor": func(f *queue.Filter, s string) (ok bool) {
		f.Before, ok = parseCursor(s)
		return ok
	},
}

// filterForms say what each parameter must be.
var filterForms = map[string]string{
	"state":  "one state of a job, once",
	"lane":   "interactive or bulk, once",
	"reason": "one reason code, once",
	"tenant": "1 to 64 of a-z, 0-9, _ and -, once",
	"limit":  "a number from 1 to " + strconv.Itoa(MaxPage) + ", once",
	"cursor": "the cursor of an earlier page as it was given, once",
}

// A cursor is where the next page begins. Clients must not read it; the prefix lets a
// later version tell its own from these.
const cursorPrefix = "a1."

func cursor(arrival int64) string {
	return base64.RawURLEncoding.EncodeToString([]byte(cursorPrefix + strconv.FormatInt(arrival, 10)))
}

func parseCursor(s string) (int64, bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	digits, ok := strings.CutPrefix(string(b), cursorPrefix)
	if err != nil || !ok {
		return 0, false
	}
	n, ok := parseDigits(digits)
	return n, ok && n >= 1
}

// parseDigits reads a number of 1 to 18 decimal digits, without sign or leading zero.
func parseDigits(s string) (int64, bool) {
	if s == "" || len(s) > 18 || strings.Trim(s, "0123456789") != "" || (s[0] == '0' && len(s) > 1) {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}
