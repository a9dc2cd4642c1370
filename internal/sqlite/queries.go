package sqlite

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed *.sql migrations/*.sql
var files embed.FS

// queries holds the text of every named query.
var queries = mustParseQueries(files)

// query returns the text of a named query. It runs while the package is initialised,
// so that a slip in a name stops the first test.
func query(name string) string {
	text, ok := queries[name]
	if !ok {
		panic("sqlite: no query is named " + name)
	}
	return text
}

func mustParseQueries(f fs.FS) map[string]string {
	paths, err := fs.Glob(f, "*.sql")
	if err != nil {
		panic(err)
	}
	out := map[string]string{}
	for _, path := range paths {
		text, err := fs.ReadFile(f, path)
		if err != nil {
			panic(err)
		}
		if err := parseQueries(string(text), out); err != nil {
			panic(fmt.Sprintf("sqlite: %s: %v", path, err))
		}
	}
	return out
}

const nameMark = "-- name: "

// parseQueries cuts a file at its name marks. Comments after a mark belong to the query.
func parseQueries(text string, into map[string]string) error {
	parts := strings.Split("\n"+text, "\n"+nameMark)
	if strings.TrimSpace(parts[0]) != "" {
		return fmt.Errorf("text before the first name")
	}
	for _, part := range parts[1:] {
		name, body, _ := strings.Cut(part, "\n")
		body = strings.TrimSuffix(strings.TrimSpace(body), ";")
		if _, twice := into[name]; twice || body == "" {
			return fmt.Errorf("query %q is empty or there twice", name)
		}
		into[name] = body
	}
	return nil
}
