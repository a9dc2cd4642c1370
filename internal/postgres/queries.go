package postgres

import (
	"context"
	"embed"
	"fmt"
	"sync"

	"blotter/internal/document"
	"blotter/internal/sqlfiles"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

//go:embed *.sql migrations/*.sql
var files embed.FS

var queries = sqlfiles.MustLoad(files)

// query returns the text of a named query.
func query(name string) string { return queries.Must(name) }

// named are the arguments of a query, by the names that it writes as @name. One too few
// or too many is an error.
type named map[string]any

// numbered is a query whose arguments have numbers instead of names.
type numbered struct {
	text  string
	names []string // of $1, $2 …
}

var numberedQueries sync.Map // by the text with names; as many as there are queries

// RewriteQuery implements pgx.QueryRewriter. Each text is read once.
func (n named) RewriteQuery(ctx context.Context, conn *pgx.Conn, text string, args []any) (string, []any, error) {
	known, ok := numberedQueries.Load(text)
	if !ok {
		q, err := number(ctx, conn, text, n, args)
		if err != nil {
			return "", nil, err
		}
		known, _ = numberedQueries.LoadOrStore(text, q)
	}
	q := known.(numbered)
	if len(n) != len(q.names) {
		return "", nil, fmt.Errorf("a query takes %d arguments and got %d", len(q.names), len(n))
	}
	values := make([]any, len(q.names))
	for i, name := range q.names {
		v, ok := n[name]
		if !ok {
			return "", nil, fmt.Errorf("a query got no argument %s", name)
		}
		values[i] = plain(v)
	}
	return q.text, values, nil
}

// number has pgx put numbers for names: each name is its own value meanwhile.
func number(ctx context.Context, conn *pgx.Conn, text string, n named, args []any) (q numbered, err error) {
	own := pgx.StrictNamedArgs{}
	for name := range n {
		own[name] = name
	}
	text, values, err := own.RewriteQuery(ctx, conn, text, args)
	q.text = text
	for _, v := range values {
		q.names = append(q.names, v.(string))
	}
	return q, err
}

// plain gives a list the type that pgx encodes without reflection.
func plain(v any) any {
	switch v := v.(type) {
	case []document.ID:
		return texts(v)
	case []document.Tenant:
		return texts(v)
	case []document.State:
		return texts(v)
	case []document.Lane:
		return texts(v)
	case [][]byte:
		return pgtype.FlatArray[[]byte](v)
	}
	return v
}

func texts[T ~string](in []T) []string {
	if in == nil {
		return nil
	}
	out := make([]string, len(in))
	for i, v := range in {
		out[i] = string(v)
	}
	return out
}
