package sqlite

import (
	"embed"

	"blotter/internal/sqlfiles"
)

//go:embed *.sql migrations/*.sql
var files embed.FS

var queries = sqlfiles.MustLoad(files)

// query returns the text of a named query.
func query(name string) string { return queries.Must(name) }
