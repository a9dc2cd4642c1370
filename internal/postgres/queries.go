package postgres

import (
	"embed"

	"blotter/internal/sqlfiles"

	"github.com/jackc/pgx/v5"
)

//go:embed *.sql migrations/*.sql
var files embed.FS

var queries = sqlfiles.MustLoad(files)

// query returns the text of a named query.
func query(name string) string { return queries.Must(name) }

// named are the arguments of a query, by the names that it writes as @name. One too few
// or too many is an error.
type named = pgx.StrictNamedArgs
