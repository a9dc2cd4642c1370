package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"testing"

	"blotter/internal/document"
	"blotter/internal/postgres"
	"blotter/internal/queue"
)

// More tenants wait than a look reads, and every charge leaves its share behind its place: a
// claim lends in the order of virtual time all the same.
func TestPlacesFollowVirtualTime(t *testing.T) {
	db := nodes(t, 1)[0]
	first := newJob("t000")
	enqueue(t, db, first)
	const many = 300
	err := postgres.Exec(t.Context(), db, fmt.Sprintf(`
		INSERT INTO shares (lane, tenant, virtual, place, mean_ms, active, since, wakes)
		SELECT lane, 't' || lpad(n::text, 3, '0'), (n * 7919) %% 1000 * 100, 0, 1000, true, since, 0
		FROM shares, generate_series(1, %d) AS n WHERE tenant = 't000';
		WITH filled AS (
			INSERT INTO jobs (id, tenant, lane, state, created, not_before, input, policy_name, policy_version, policy_digest)
			SELECT 'filled' || n, 't' || lpad((n %% %d)::text, 3, '0'), lane, 'queued', not_before, not_before, input,
			       policy_name, policy_version, policy_digest
			FROM jobs, generate_series(1, %d) AS n WHERE id = '%s'
			RETURNING lane, tenant, not_before, seq
		)
		INSERT INTO waiting (line, not_before, seq) SELECT line, not_before, seq FROM filled JOIN shares USING (lane, tenant)`,
		many-1, many, 3*many, first.ID))
	if err != nil {
		t.Fatal(err)
	}
	for i := range many {
		due := ""
		err := postgres.Read(t.Context(), db, &due, `SELECT tenant FROM shares
			WHERE active AND EXISTS (SELECT 1 FROM waiting WHERE waiting.line = shares.line) ORDER BY virtual, since, tenant LIMIT 1`)
		if err != nil {
			t.Fatal(err)
		}
		if j := claim(t, db, lease); string(j.Tenant) != due {
			t.Fatalf("claim %d lent a job of %s, and it was the turn of %s", i, j.Tenant, due)
		}
	}
	if n := count(t, db, "SELECT count(*) FROM shares WHERE place > virtual"); n != 0 {
		t.Errorf("%d shares stand behind their virtual time", n)
	}
}

// What the server ends for others' sake is made again, whatever is made together.
func TestWorkIsTriedAgainAfterAConflict(t *testing.T) {
	db := nodes(t, 1)[0]
	enqueue(t, db, newJob("a"))
	running := claim(t, db, lease)
	for range 2 {
		enqueue(t, db, newJob("a"))
	}
	err := postgres.Exec(t.Context(), db, `
		CREATE SEQUENCE conflicts;
		CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN
			IF nextval('conflicts') = 1 THEN RAISE SQLSTATE '40P01'; END IF;
			RETURN NULL;
		END $$;
		CREATE TRIGGER conflicting AFTER INSERT ON outbox FOR EACH STATEMENT EXECUTE FUNCTION conflict()`)
	if err != nil {
		t.Fatal(err)
	}
	waiting, release := postgres.HoldWork(db)
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			if _, err := db.Claim(context.WithoutCancel(t.Context()), queue.Claim{Lease: lease}, claimed); err != nil {
				t.Error(err)
			}
		})
	}
	all.Go(func() {
		if err := db.Finish(context.WithoutCancel(t.Context()), leaseOf(running), released(running.ID)); err != nil {
			t.Error(err)
		}
	})
	until(func() bool { return waiting() == 3 })
	release()
	all.Wait()
	if n := count(t, db, "SELECT last_value::int FROM conflicts"); n != 2 {
		t.Errorf("the outbox was written %d times", n)
	}
}

// Jobs that wait, and shares that are ahead, are what they were after the change of schema.
func TestLinesOutliveTheMigration(t *testing.T) {
	url := migrated.New(t)
	before := open(t, url, &clock{})
	files, err := fs.Glob(os.DirFS("migrations"), "000[1-4]_*.sql")
	if err != nil || len(files) != 4 {
		t.Fatal(files, err)
	}
	old := "DROP SCHEMA public CASCADE; CREATE SCHEMA public; CREATE TABLE schema_version (one int PRIMARY KEY, version int NOT NULL);" +
		"INSERT INTO schema_version VALUES (1, 4);"
	for _, f := range files {
		text, err := os.ReadFile("migrations/" + f)
		if err != nil {
			t.Fatal(err)
		}
		old += string(text)
	}
	old += `
		INSERT INTO policies VALUES (sha256('p'), 'p');
		INSERT INTO shares VALUES ('bulk', 'ahead', 9000, 8000, 1000, true, 1, 0), ('bulk', 'behind', 2000, 1000, 1000, true, 2, 0);
		INSERT INTO jobs (id, tenant, lane, state, created, not_before, input, policy_name, policy_version, policy_digest)
		SELECT 'j' || n, CASE n WHEN 2 THEN 'behind' ELSE 'ahead' END, 'bulk', 'queued', n, n, sha256('i'), 'p', '1', sha256('p')
		FROM generate_series(1, 3) AS n;
		INSERT INTO waiting SELECT lane, tenant, not_before, seq FROM jobs`
	if err := postgres.Exec(t.Context(), before, old); err != nil {
		t.Fatal(err)
	}
	db := open(t, url, &clock{})
	var got []string
	for {
		j, err := db.Claim(t.Context(), queue.Claim{Lane: document.Bulk, Lease: lease}, claimed)
		if errors.Is(err, queue.ErrNoJob) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(j.ID))
	}
	if s := strings.Join(got, " "); s != "j2 j1 j3" {
		t.Errorf("lent %s", s)
	}
	level := 0
	if err := postgres.Read(t.Context(), db, &level, "SELECT max(reached)::int FROM levels WHERE stripe = 0"); err != nil || level < 8000 {
		t.Errorf("the lane's level is %d, %v", level, err)
	}
}
