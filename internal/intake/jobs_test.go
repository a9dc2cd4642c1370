package intake_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"blotter/client"
	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/intake"
	"blotter/internal/reason"
	"blotter/internal/vault"
	"blotter/receipt"
)

const (
	north document.Tenant = "north"
	south document.Tenant = "south"
)

func TestShowFollowsAJobsLife(t *testing.T) {
	o := newOffice(t, nil)
	key := o.key(north, access.Client)
	id := o.enqueue(north, document.Interactive)
	j := o.show(o.ask("GET", at(id), key))
	if j.ID != string(id) || j.State != "queued" || j.Ended || j.Lane != "interactive" || j.Tenant != "north" || j.Event != -1 ||
		j.Reason != nil || len(j.Assets) != 0 || j.Links.Self != at(id) || j.Links.Events != at(id, "/events") || j.Links.Receipt != "" ||
		j.Policy.Name != "default" || j.Input.SHA256 != document.Sum([]byte("the document")).String() || j.BudgetsMS["queue"] != 5000 || len(j.BudgetsMS) != 2 {
		t.Errorf("queued: %+v", j)
	}
	lent := o.claim(id)
	if j := o.show(o.ask("GET", at(id), key)); j.State != "leased" || j.Attempt != 1 {
		t.Errorf("leased: %+v", j)
	}
	o.finish(lent, document.AwaitingReview, reason.ReadUnread)
	if j := o.show(o.ask("GET", at(id), key)); j.State != "sealing" || j.Ended || j.Reason != nil || len(j.Assets) != 0 || j.Links.Result != "" {
		t.Errorf("before its event is signed a job shows %+v", j)
	}
	o.seal()
	j = o.show(o.ask("GET", at(id), key))
	if j.State != "awaiting_review" || !j.Ended || j.Event < 0 || j.Reason.Code != string(reason.ReadUnread) || j.Reason.Owner != "compliance" ||
		j.Input.MediaType != "application/pdf" || j.Pixels != 16 || j.TimingsMS["read"] != 3000 ||
		!slices.Equal(j.Signals, []string{"capacity", "input"}) || !slices.Equal(j.OverBudget, []string{"queue", "read"}) {
		t.Errorf("ended: %+v", j)
	}
	if len(j.Assets) != 2 || j.Assets[0].Links.Derivative != at(id, "/assets/1/derivative") || j.Assets[0].Links.Original != at(id, "/assets/1/original") ||
		j.Assets[1].Links.Derivative != "" || j.Assets[1].Reason != string(reason.ReadUnread) {
		t.Errorf("assets: %+v", j.Assets)
	}
}

func TestAnotherTenantsJobDoesNotExist(t *testing.T) {
	o := newOffice(t, nil)
	id := o.ended(north, document.Released, "")
	key, everyone := o.key(south, access.Admin), o.key(access.Everyone, access.Admin)
	paths := map[string][]string{
		"GET":    {"", "/events", "/result", "/receipt", "/assets/1/derivative", "/assets/1/original"},
		"DELETE": {""}, "POST": {"/replay", "/discard"},
	}
	for method, rests := range paths {
		for _, rest := range rests {
			foreign := o.read(o.ask(method, at(id, rest), key), http.StatusNotFound)
			for _, other := range []document.ID{document.NewID(), "j1", "%00", document.ID(strings.ToUpper(string(id))), "j" + document.ID(strings.Repeat("u", 26))} {
				if unknown := o.read(o.ask(method, at(other, rest), key), http.StatusNotFound); !bytes.Equal(foreign, unknown) {
					t.Errorf("%s …%s: another tenant's job is told from %q:\n%s\n%s", method, rest, other, foreign, unknown)
				}
			}
		}
	}
	if got := o.job(id); got.State != document.Released {
		t.Errorf("another tenant's key moved the job to %s", got.State)
	}
	if j := o.show(o.ask("GET", at(id), everyone)); j.Tenant != "north" {
		t.Errorf("a key of every tenant sees %+v", j)
	}
}

func TestETag(t *testing.T) {
	o := newOffice(t, nil)
	key := o.key(north, access.Reader)
	id := o.enqueue(north, document.Bulk)
	first := o.ask("GET", at(id), key)
	tag := first.Header.Get("ETag")
	o.read(first, http.StatusOK)
	for _, match := range []string{tag, `"other", W/` + tag, "*"} {
		same := o.ask("GET", at(id), key, "If-None-Match: "+match)
		if body := o.read(same, http.StatusNotModified); len(body) > 0 || same.Header.Get("ETag") != tag {
			t.Errorf("unchanged: %v %q", same.Header, body)
		}
	}
	o.claim(id)
	o.read(o.ask("GET", at(id), key, "If-None-Match: "+tag), http.StatusOK)
}

func TestPreferredWaits(t *testing.T) {
	o := newOffice(t, nil)
	key := o.key(north, access.Reader)
	id := o.ended(north, document.Released, "")
	for prefer, applied := range map[string]string{
		"wait=3": "wait=3", "wait=31": "wait=30", "respond-async, Wait = 5 ; x=y": "wait=5", `wait="7"`: "wait=7", "wait=0": "wait=0",
		"wait=99999999999999999999": "wait=30", "respond-async": "", "return=minimal; wait=4": "",
		"wait": "", "wait=": "", "wait=-1": "", "wait=soon": "", "wait=1.5": "",
	} {
		answer := o.ask("GET", at(id), key, "Prefer: "+prefer)
		if o.read(answer, http.StatusOK); answer.Header.Get("Preference-Applied") != applied {
			t.Errorf("%q: applied %q, want %q", prefer, answer.Header.Get("Preference-Applied"), applied)
		}
	}
}

func TestWaitingEndsWithTheJob(t *testing.T) {
	o := newOffice(t, nil)
	key := o.key(north, access.Reader)
	id := o.enqueue(north, document.Bulk)
	lent := o.claim(id)
	answers := o.later(func() *http.Response { return o.ask("GET", at(id), key, "Prefer: wait=30") })
	<-o.watches
	o.finish(lent, document.Released, "") // wakes it; the end is not signed yet
	o.seal()
	if j := o.show(<-answers); j.State != "released" {
		t.Errorf("after the wait: %+v", j)
	}
}

func TestWaitingEndsInTime(t *testing.T) {
	o := newOffice(t, nil)
	id := o.enqueue(north, document.Bulk)
	if j := o.show(o.ask("GET", at(id), o.key(north, access.Reader), "Prefer: wait=1")); j.State != "queued" {
		t.Errorf("after the wait: %+v", j)
	}
}

func TestWaitersAreBounded(t *testing.T) {
	o := newOffice(t, func(c *intake.Config) { c.Waiters = 3 })
	first, second, third := o.key(north, access.Reader), o.key(north, access.Reader), o.key(north, access.Reader)
	id := o.enqueue(north, document.Bulk)
	wait := func(key string) <-chan *http.Response {
		answers := o.later(func() *http.Response { return o.ask("GET", at(id), key, "Prefer: wait=30") })
		<-o.watches
		return answers
	}
	waiting := []<-chan *http.Response{wait(first)}
	o.refused(o.ask("GET", at(id), first, "Prefer: wait=30"), reason.APIWaiters) // one key has half of the places
	waiting = append(waiting, wait(second), wait(third))
	answer := o.ask("GET", at(id, "/events"), o.key(north, access.Reader))
	if o.refused(answer, reason.APIWaiters); answer.Header.Get("Retry-After") == "" || answer.Header.Get("Preference-Applied") != "" {
		t.Errorf("headers %v", answer.Header)
	}
	o.show(o.ask("GET", at(id), first)) // without waiting
	o.api.StopWaiting()
	for _, answers := range waiting {
		if j := o.show(<-answers); j.State != "queued" {
			t.Errorf("a wait that was ended shows %+v", j)
		}
	}
	o.show(o.ask("GET", at(id), first, "Prefer: wait=30")) // a place is free again, and nobody waits any more
}

// later makes a request in the background.
func (o *office) later(ask func() *http.Response) <-chan *http.Response {
	out := make(chan *http.Response, 1)
	go func() {
		defer close(out) // where ask fails, nobody waits for what never comes
		out <- ask()
	}()
	return out
}

func TestCancel(t *testing.T) {
	o := newOffice(t, nil)
	k, token, err := o.keys.Add(t.Context(), north, access.Client, document.Lanes(), "test")
	o.must(err)
	for _, state := range []document.State{document.Queued, document.Leased} {
		id := o.enqueue(north, document.Bulk)
		if state == document.Leased {
			o.claim(id)
		}
		if j := o.show(o.ask("DELETE", at(id), token)); j.State != "sealing" || j.Ended {
			t.Errorf("%s: the answer is %+v", state, j)
		}
		if last := o.lastEvent(id); last.Kind != receipt.Cancelled || last.Actor != k.ID || last.State != "cancelled" || last.Reason != "job.cancelled" ||
			last.Tenant != "north" || last.Input == nil || last.Policy == nil {
			t.Errorf("%s: the event is %+v", state, last)
		}
		if j := o.show(o.ask("GET", at(id), token)); j.State != "cancelled" || j.Reason.Code != "job.cancelled" || j.Links.Result != "" || j.Links.Receipt == "" {
			t.Errorf("%s: the job is %+v", state, j)
		}
		o.refused(o.ask("DELETE", at(id), token), reason.JobEnded)
		o.refused(o.ask("GET", at(id, "/result"), token), reason.JobNoResult)
	}
}

func TestReplayAndDiscard(t *testing.T) {
	o := newOffice(t, nil)
	k, token, err := o.keys.Add(t.Context(), access.Everyone, access.Operator, nil, "test")
	o.must(err)
	id := o.ended(north, document.Dead, reason.QueueAttempts)
	o.refused(o.ask("POST", at(o.enqueue(north, document.Bulk), "/replay"), token), reason.JobNotDead)
	if j := o.show(o.ask("POST", at(id, "/replay"), token)); j.State != "queued" || j.Ended || j.Reason != nil || j.Attempt != 0 || j.Event != -1 {
		t.Errorf("replayed: %+v", j)
	}
	if e := o.lastEvent(id); e.Kind != receipt.Replayed || e.Actor != k.ID || e.State != "queued" || e.Reason != "" {
		t.Errorf("the event is %+v", e)
	}
	o.refused(o.ask("POST", at(o.deadWithoutOrder(), "/replay"), token), reason.JobNoReplay)
	id = o.ended(north, document.Dead, reason.QueueAttempts)
	o.show(o.ask("POST", at(id, "/discard"), token))
	if last := o.lastEvent(id); last.Kind != receipt.Cancelled || last.Actor != k.ID || last.Reason != "job.discarded" || last.State != "cancelled" {
		t.Errorf("the event is %+v", last)
	}
	o.refused(o.ask("POST", at(id, "/discard"), token), reason.JobNotDead)
	o.refused(o.ask("POST", at(id, "/replay"), o.key(north, access.Client)), reason.APIForbidden)
}

// Many dead jobs are replayed by their reason, in steps, each on record by itself; another
// reason's, another tenant's and those without their order stay dead.
func TestReplayByReason(t *testing.T) {
	o := newOffice(t, nil)
	k, token, err := o.keys.Add(t.Context(), north, access.Operator, nil, "test")
	o.must(err)
	var dead []document.ID
	for range 3 {
		dead = append(dead, o.ended(north, document.Dead, reason.SourceUnreadable))
	}
	others := []document.ID{o.ended(north, document.Dead, reason.QueueAttempts), o.ended(south, document.Dead, reason.SourceUnreadable)}
	replay := func(token, query string) (out client.Replayed) {
		t.Helper()
		o.must(json.Unmarshal(o.read(o.ask("POST", "/v1/jobs/replay?"+query, token), http.StatusOK), &out))
		return out
	}
	first := replay(token, "reason=source.unavailable&limit=2")
	if len(first.Jobs) != 2 || first.Jobs[0].ID != string(dead[2]) || first.Jobs[0].State != "queued" || first.Next == "" {
		t.Errorf("the first two: %+v", first)
	}
	second := replay(token, "reason=source.unavailable&limit=2&cursor="+first.Next)
	if len(second.Jobs) != 1 || second.Jobs[0].ID != string(dead[0]) || second.Next != "" {
		t.Errorf("the rest: %+v", second)
	}
	for _, id := range dead {
		if e := o.lastEvent(id); e.Kind != receipt.Replayed || e.Actor != k.ID || e.Job != string(id) || e.State != "queued" {
			t.Errorf("the event is %+v", e)
		}
	}
	for _, id := range others {
		if j := o.job(id); j.State != document.Dead {
			t.Errorf("%s of %s is %s", j.Reason, j.Tenant, j.State)
		}
	}
	without := o.deadWithoutOrder()
	if got := replay(token, "reason=queue.attempts_used_up"); got.Passed != 1 || len(got.Jobs) != 1 || o.job(without).State != document.Dead {
		t.Errorf("with one whose document is gone: %+v", got)
	}
	everyone := o.key(access.Everyone, access.Operator)
	if got := replay(everyone, "reason=source.unavailable&tenant=south"); len(got.Jobs) != 1 || got.Jobs[0].Tenant != "south" {
		t.Errorf("a key of every tenant: %+v", got)
	}
	for query, why := range map[string]reason.Code{
		"": reason.APIRequest, "limit=1": reason.APIRequest, "reason=none.such": reason.APIRequest, "reason=source.unavailable&limit=101": reason.APIRequest,
		"reason=source.unavailable&limit=0": reason.APIRequest, "reason=source.unavailable&state=dead": reason.APIRequest,
		"reason=source.unavailable&tenant=south": reason.APIForbidden,
	} {
		o.refused(o.ask("POST", "/v1/jobs/replay?"+query, token), why)
	}
	for _, role := range []access.Role{access.Client, access.Reader, access.Reviewer} {
		o.refused(o.ask("POST", "/v1/jobs/replay?reason=source.unavailable", o.key(north, role)), reason.APIForbidden)
	}
}

// deadWithoutOrder is a dead job whose order was destroyed.
func (o *office) deadWithoutOrder() document.ID {
	o.Helper()
	id := o.ended(north, document.Dead, reason.QueueAttempts)
	_, err := o.db.PutKey(o.Context(), id, vault.Task, []byte("a wrapped key"))
	o.must(err)
	e := eventOf(receipt.Deleted, o.job(id), document.Dead, "")
	e.Artifact = &receipt.Artifact{ID: string(id), Class: "task"}
	o.must(o.db.DestroyKey(o.Context(), id, vault.Task, e))
	return id
}

func TestRolesOfParts(t *testing.T) {
	o := newOffice(t, nil)
	id := o.ended(north, document.Released, "")
	allowed := map[access.Role]string{
		access.Client: "/result /receipt /assets/1/derivative", access.Reader: "/result /receipt /assets/1/derivative",
		access.Reviewer: "/result /receipt /assets/1/derivative /assets/1/original", access.Operator: "",
		access.Admin: "/result /receipt /assets/1/derivative /assets/1/original",
	}
	for role, may := range allowed {
		key := o.key(north, role)
		for _, rest := range []string{"/result", "/receipt", "/assets/1/derivative", "/assets/1/original"} {
			if answer := o.ask("GET", at(id, rest), key); slices.Contains(strings.Fields(may), rest) {
				o.read(answer, http.StatusOK)
			} else {
				o.refused(answer, reason.APIForbidden)
			}
		}
	}
}
