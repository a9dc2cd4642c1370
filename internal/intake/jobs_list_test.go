package intake_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"blotter/client"
	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/reason"
)

func (o *office) list(key, query string) (ids []string, next string) {
	o.Helper()
	var page client.Jobs
	o.must(json.Unmarshal(o.read(o.ask("GET", "/v1/jobs?"+query, key), http.StatusOK), &page))
	ids = []string{}
	for _, j := range page.Jobs {
		ids = append(ids, j.ID)
		if len(j.Assets) > 0 {
			o.Errorf("a list shows images: %+v", j)
		}
	}
	return ids, page.Next
}

func TestListFiltersAndKeepsTenantsApart(t *testing.T) {
	o := newOffice(t, nil)
	queued := string(o.enqueue(north, document.Interactive))
	released := string(o.ended(north, document.Released, ""))
	rejected := string(o.ended(north, document.Rejected, reason.SniffVideo))
	foreign := string(o.ended(south, document.Rejected, reason.SniffVideo))
	one, everyone := o.key(north, access.Reader), o.key(access.Everyone, access.Operator)
	for query, want := range map[string][]string{
		"": {rejected, released, queued}, "state=released": {released}, "lane=interactive": {queued},
		"reason=sniff.video": {rejected}, "state=dead": {}, "tenant=north&state=rejected": {rejected},
		"state=rejected&reason=sniff.audio": {},
	} {
		if got, next := o.list(one, query); !slices.Equal(got, want) || next != "" {
			t.Errorf("%q: %v, next %q; want %v", query, got, next, want)
		}
	}
	for query, want := range map[string][]string{
		"": {foreign, rejected, released, queued}, "tenant=south": {foreign}, "tenant=west": {}, "state=rejected": {foreign, rejected},
	} {
		if got, _ := o.list(everyone, query); !slices.Equal(got, want) {
			t.Errorf("for a key of every tenant %q: %v; want %v", query, got, want)
		}
	}
	o.refused(o.ask("GET", "/v1/jobs?tenant=south", one), reason.APIForbidden)
}

func TestListIsPaged(t *testing.T) {
	o := newOffice(t, nil)
	key := o.key(north, access.Reader)
	var want []string
	for range 5 {
		want = append(want, string(o.enqueue(north, document.Bulk)))
		o.enqueue(south, document.Bulk)
	}
	slices.Reverse(want)
	var got []string
	for cursor, pages := "", 0; ; pages++ {
		query := "limit=2"
		if pages > 0 {
			query += "&cursor=" + cursor
		}
		ids, next := o.list(key, query)
		if got = append(got, ids...); next == "" {
			break
		}
		o.enqueue(north, document.Bulk) // what comes meanwhile moves no page
		cursor = next
		if pages > 3 {
			t.Fatal("the list does not end")
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("paged %v, want %v", got, want)
	}
}

func TestListRefusesWhatItDoesNotUnderstand(t *testing.T) {
	o := newOffice(t, nil)
	key := o.key(north, access.Reader)
	raw := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	for _, query := range []string{
		"state=", "state=Released", "state=expired", "lane=fast", "reason=nothing", "tenant=*", "tenant=A", "tenant=" + strings.Repeat("a", 65),
		"limit=0", "limit=201", "limit=-1", "limit=1.0", "limit=01", "limit=99999999999999999999", "limit=5&limit=6", "cursor=x", "cursor=" + raw("a1."),
		"cursor=" + raw("a1.-1"), "cursor=" + raw("a1.0"), "cursor=" + raw("b1.5"), "cursor=" + raw("a1.5") + "=", "cursor=" + raw("a1.9999999999999999999"),
		"sate=released", "state=%zz", "a;b", "state=released&secret-name=1",
	} {
		p := o.refused(o.ask("GET", "/v1/jobs?"+query, key), reason.APIRequest)
		if len(p.Faults) == 0 || strings.Contains(p.Detail, "secret-name") || strings.Contains(p.Detail, "zz") {
			t.Errorf("%q: %+v", query, p)
		}
		if _, err := url.ParseQuery(query); err == nil && strings.HasPrefix(query, "limit") && !strings.HasPrefix(p.Faults[0], "query limit") {
			t.Errorf("%q: the fault is %q", query, p.Faults)
		}
	}
}
