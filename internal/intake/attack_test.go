package intake_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/intake/intaketest"
	"blotter/internal/reason"
)

func TestAttack(t *testing.T) {
	rounds := 3000
	if testing.Short() {
		rounds = 500
	}
	o := newOffice(t, nil)
	target := intaketest.Target{URL: o.url, HTTP: o.http, Jobs: o.jobsInEveryState()}
	for _, role := range []access.Role{access.Admin, access.Client, access.Reader, access.Reviewer, access.Operator} {
		target.Keys = append(target.Keys, o.key(north, role))
	}
	target.Keys = append(target.Keys, o.key(access.Everyone, access.Admin), o.key(south, access.Client))
	seen := intaketest.Attack(t, target, 1, rounds)
	doc, _ := o.openAPI()
	for path, methods := range doc.Paths {
		for method, d := range methods {
			tellUnseen(t, method+" "+path, d, seen[d.OperationID])
		}
	}
}

// tellUnseen fails where no request of an operation succeeded: the attack would have tried
// its refusals only. Which described statuses never came is told for information: a full
// disk, for one, cannot be asked for.
func tellUnseen(t *testing.T, name string, d described, seen map[int]int) {
	t.Helper()
	var unseen []string
	succeeded := false
	for status := range d.Responses {
		n, err := strconv.Atoi(status)
		if err != nil {
			t.Errorf("%s: status %q", name, status)
		}
		succeeded = succeeded || (n < 400 && seen[n] > 0)
		if seen[n] == 0 {
			unseen = append(unseen, status)
		}
	}
	slices.Sort(unseen)
	t.Logf("%-45s saw %v, never %s", name, seen, strings.Join(unseen, " "))
	if !succeeded {
		t.Errorf("%s never succeeded", name)
	}
}

// jobsInEveryState are jobs of two tenants.
func (o *office) jobsInEveryState() (ids []string) {
	o.Helper()
	for range 10 { // those that wait are soon cancelled, and the dead replayed
		ids = append(ids, string(o.enqueue(north, document.Bulk)), string(o.ended(north, document.Dead, reason.QueueAttempts)))
		ids = append(ids, string(o.ended(north, document.Released, "")))
	}
	leased, sealing := o.enqueue(north, document.Interactive), o.enqueue(north, document.Bulk)
	o.claim(leased)
	for _, s := range []document.State{document.AwaitingReview, document.Rejected} {
		ids = append(ids, string(o.ended(north, s, "")))
	}
	ids = append(ids, string(leased), string(o.ended(south, document.Released, "")))
	o.finish(o.claim(sealing), document.Released, "")
	return append(ids, string(sealing), string(document.NewID()))
}
