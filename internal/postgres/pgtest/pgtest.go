// Package pgtest gives tests a private PostgreSQL: the newest server that is installed,
// in a temporary directory, reached by a socket that nobody else may use, run by an
// unprivileged user where the tests run as root. It lives no longer than the process that
// started it, however that ends.
//
// Tests of one binary share a cluster and get a fresh database each (New, Template). A test
// that stops or kills its server takes one of its own (Own).
//
// Where no server is installed, tests skip; if the environment says
// BLOTTER_TEST_POSTGRES=required, they fail instead.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Need is the variable that makes a missing server a failure; its value is "required".
const Need = "BLOTTER_TEST_POSTGRES"

var shared = sync.OnceValues(func() (*Cluster, error) { return Start(context.Background(), Options{}) })

// Shared is the cluster that the tests of this binary have in common. It ends with the
// process.
func Shared(t testing.TB) *Cluster {
	t.Helper()
	return settle(t)(shared())
}

// Own starts a cluster that only this test uses, and ends it with the test.
func Own(t testing.TB, o Options) *Cluster {
	t.Helper()
	c := settle(t)(Start(t.Context(), o))
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// settle skips or fails a test that gets no cluster.
func settle(t testing.TB) func(*Cluster, error) *Cluster {
	return func(c *Cluster, err error) *Cluster {
		t.Helper()
		if errors.Is(err, ErrMissing) && os.Getenv(Need) != "required" {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
}

// New makes an empty database in the shared cluster, drops it at the test's end, and
// returns its URL.
func New(t testing.TB) string {
	t.Helper()
	return fresh(t, Shared(t), "template1")
}

// Template is a prepared database of the shared cluster that tests get copies of: faster
// than preparing each.
type Template struct {
	// Prepare fills the template. It must leave no connection open.
	Prepare func(ctx context.Context, url string) error

	once sync.Once
	name string
	err  error
}

// New makes a copy of the template, drops it at the test's end, and returns its URL.
func (p *Template) New(t testing.TB) string {
	t.Helper()
	c := Shared(t)
	p.once.Do(func() { p.name, p.err = c.prepare(context.Background(), p.Prepare) })
	if p.err != nil {
		t.Fatal(p.err)
	}
	return fresh(t, c, p.name)
}

func (c *Cluster) prepare(ctx context.Context, fill func(context.Context, string) error) (string, error) {
	name := unusedName("template")
	if err := c.Create(ctx, name, "template1"); err != nil {
		return "", err
	}
	if err := fill(ctx, c.URL(name)); err != nil {
		return "", fmt.Errorf("pgtest: prepare a template: %w", err)
	}
	// A connection to a template would stop every copy.
	return name, c.exec(ctx, "ALTER DATABASE "+name+" ALLOW_CONNECTIONS false")
}

func fresh(t testing.TB, c *Cluster, template string) string {
	t.Helper()
	name := unusedName("test")
	if err := c.Create(t.Context(), name, template); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Drop(context.Background(), name); err != nil {
			t.Error(err)
		}
	})
	return c.URL(name)
}

var names atomic.Int64

func unusedName(kind string) string { return fmt.Sprintf("%s_%d", kind, names.Add(1)) }

// Create makes a database as a copy of another; "template1" is empty. Names are plain
// words of the caller's.
func (c *Cluster) Create(ctx context.Context, name, template string) error {
	return c.exec(ctx, "CREATE DATABASE "+name+" TEMPLATE "+template)
}

// Drop removes a database, whoever is connected to it.
func (c *Cluster) Drop(ctx context.Context, name string) error {
	return c.exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
}

// Cut ends every connection to a database, as a fault of the network or a failover would,
// and returns how many it ended.
func (c *Cluster) Cut(ctx context.Context, database string) (n int, err error) {
	err = c.with(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx,
			"SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend' AND pid <> pg_backend_pid()",
			database).Scan(&n)
	})
	return n, err
}

func (c *Cluster) exec(ctx context.Context, statement string) error {
	return c.with(ctx, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, statement)
		return err
	})
}

// with connects to the one database that is always there.
func (c *Cluster) with(ctx context.Context, do func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, c.URL("postgres"))
	if err != nil {
		return fmt.Errorf("pgtest: %w", err)
	}
	if err := errors.Join(do(conn), conn.Close(context.WithoutCancel(ctx))); err != nil {
		return fmt.Errorf("pgtest: %w", err)
	}
	return nil
}
