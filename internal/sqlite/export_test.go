package sqlite

import (
	"context"
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

// Together makes statements as writes that waited together, and returns what became of each.
func Together(db *DB, statements ...string) (errs []error) {
	var writes []*waitingWrite
	for _, s := range statements {
		writes = append(writes, &waitingWrite{
			ctx: context.Background(), finished: make(chan struct{}), err: errAbandoned,
			do: func(t *tx) error { _, err := t.exec(s); return err },
		})
	}
	db.together(writes)
	for _, w := range writes {
		<-w.finished
		errs = append(errs, w.err)
	}
	return errs
}

// Hold keeps every write of the handle waiting.
func Hold(db *DB) (release func()) {
	db.group.lead <- struct{}{}
	return func() { <-db.group.lead }
}
