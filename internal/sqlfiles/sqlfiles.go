// Package sqlfiles reads named queries from plain .sql files: each begins with a line
// "-- name: its_name" and ends where the next begins. A store embeds its files and asks
// for each query by name while its package is initialised, so that a slip in a name stops
// the first test.
package sqlfiles

import (
	"fmt"
	"io/fs"
	"strings"
)

// Set holds the texts of queries by their names.
type Set map[string]string

// MustLoad reads every .sql file in the root of f. A file that it cannot read in whole is
// a mistake in the program: it panics.
func MustLoad(f fs.FS) Set {
	paths, err := fs.Glob(f, "*.sql")
	if err != nil {
		panic(err)
	}
	s := Set{}
	for _, path := range paths {
		text, err := fs.ReadFile(f, path)
		if err != nil {
			panic(err)
		}
		if err := s.add(string(text)); err != nil {
			panic(fmt.Sprintf("sqlfiles: %s: %v", path, err))
		}
	}
	return s
}

// Must returns the text of a query, and panics where there is none of that name.
func (s Set) Must(name string) string {
	text, ok := s[name]
	if !ok {
		panic("sqlfiles: no query is named " + name)
	}
	return text
}

const nameMark = "-- name: "

// add cuts a file at its name marks. Comments after a mark belong to the query.
func (s Set) add(text string) error {
	parts := strings.Split("\n"+text, "\n"+nameMark)
	if strings.TrimSpace(parts[0]) != "" {
		return fmt.Errorf("text before the first name")
	}
	for _, part := range parts[1:] {
		name, body, _ := strings.Cut(part, "\n")
		body = strings.TrimSuffix(strings.TrimSpace(body), ";")
		if _, twice := s[name]; twice || body == "" {
			return fmt.Errorf("query %q is empty or there twice", name)
		}
		s[name] = body
	}
	return nil
}
