package sqlite

import (
	"database/sql"
	"io/fs"
)

// What the tests look at from outside.

func Writer(db *DB) *sql.DB { return db.writer }

func Reader(db *DB) *sql.DB { return db.reader }

func Query(name string) string { return query(name) }

// Migration is the text of a migration, by its number.
func Migration(n int) (string, error) {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return "", err
	}
	text, err := fs.ReadFile(files, names[n-1])
	return string(text), err
}
