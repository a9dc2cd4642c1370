// Package sqlite holds every query of blotter's SQLite store: plain .sql files,
// embedded, one named query a step. It implements the interfaces that the rooms
// declare (queue.Store, audit.Log, vault.Keys, …) over one database file.
package sqlite
