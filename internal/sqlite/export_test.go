package sqlite

import "database/sql"

// What the tests look at from outside.

func Writer(db *DB) *sql.DB { return db.writer }

func Reader(db *DB) *sql.DB { return db.reader }

func Query(name string) string { return query(name) }
