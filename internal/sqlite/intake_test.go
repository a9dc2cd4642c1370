package sqlite_test

import (
	"database/sql"
	"strings"
	"testing"

	"blotter/internal/sqlite"
)

// What is asked often, or counted, is answered by an index that holds what waits and
// nothing else, or that fits the filter. Only the few living reservations are walked.
func TestPlansUseTheirIndex(t *testing.T) {
	db, _, _ := openNew(t)
	args := []any{
		sql.Named("now", 1), sql.Named("tenant", "t"), sql.Named("key", "k"), sql.Named("tenant_bound", 1), sql.Named("total_bound", 1),
		sql.Named("before", 1), sql.Named("lane", ""), sql.Named("reason", ""), sql.Named("state", "dead"), sql.Named("n", 1),
		sql.Named("job", "j"), sql.Named("after", 1), sql.Named("id", "j"),
	}
	for name, want := range map[string][]string{
		"reserve_look": {
			"SEARCH jobs USING INDEX jobs_accepted (tenant=? AND idempotency=?)",
			"SEARCH reservations USING INDEX reservations_idempotency (tenant=? AND idempotency=?)",
			"SEARCH jobs USING COVERING INDEX jobs_of_tenant_in_state (tenant=? AND state=?)",
			"SEARCH jobs USING COVERING INDEX jobs_in_state (state=?)",
			"SEARCH reservations USING COVERING INDEX reservations_until (until>?)",
		},
		"jobs_all":                {"SEARCH jobs USING INTEGER PRIMARY KEY (rowid<?)"},
		"jobs_of_tenant":          {"SEARCH jobs USING INDEX jobs_of_tenant (tenant=? AND seq<?)"},
		"jobs_in_state":           {"SEARCH jobs USING INDEX jobs_in_state (state=? AND seq<?)"},
		"jobs_of_tenant_in_state": {"SEARCH jobs USING INDEX jobs_of_tenant_in_state (tenant=? AND state=? AND seq<?)"},
		"trail":                   {"SEARCH trail USING PRIMARY KEY (job=? AND sequence>?)"},
		"enqueue_known":           {"SEARCH jobs USING INDEX jobs_idempotency (tenant=? AND idempotency=?)"},
		"depths":                  {"SCAN jobs USING COVERING INDEX jobs_ready", "SCAN jobs USING INDEX jobs_leased"},
	} {
		plan := explain(t, db, sqlite.Query(name), named(sqlite.Query(name), args)...)
		for _, step := range want {
			if !strings.Contains(plan, step) {
				t.Errorf("%s: no step %q in %s", name, step, plan)
			}
		}
		ordered := name != "depths" && strings.Contains(plan, "TEMP B-TREE")
		if ordered || strings.Contains(plan, "SCAN jobs;") || strings.HasSuffix(plan, "SCAN jobs") {
			t.Errorf("%s sorts or walks all jobs: %s", name, plan)
		}
	}
}

// named are the arguments that a query has.
func named(query string, args []any) (out []any) {
	for _, a := range args {
		if strings.Contains(query, ":"+a.(sql.NamedArg).Name) {
			out = append(out, a)
		}
	}
	return out
}
