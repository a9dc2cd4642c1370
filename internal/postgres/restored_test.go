package postgres_test

import (
	"testing"

	"blotter/internal/postgres"
	"blotter/internal/reason"
	"blotter/receipt"
)

// A node that runs while its database is restored knows nothing of the one before: what it
// brings then is whole, its policy included.
func TestDatabaseIsRestoredUnderANode(t *testing.T) {
	url := migrated.New(t)
	node, admin := open(t, url, &clock{}), open(t, url, &clock{})
	enqueue(t, node, newJob("a"))
	for _, step := range []string{ // to a state without the policy
		"TRUNCATE jobs, waiting, policies",
		"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
	} {
		if err := postgres.Exec(t.Context(), admin, step); err != nil {
			t.Fatal(err)
		}
	}
	j := newJob("a")
	for added := false; !added; {
		var err error
		_, added, err = node.Enqueue(t.Context(), j, event(receipt.Received, j.ID))
		if err != nil && reason.Of(err) != reason.QueueBusy { // the old connections have to fail first
			t.Fatal(err)
		}
	}
	if got, err := node.Job(t.Context(), j.ID); err != nil || string(got.Policy.Body) != "policy" {
		t.Errorf("the job that was brought afterwards: %+v, %v", got.Policy, err)
	}
}
