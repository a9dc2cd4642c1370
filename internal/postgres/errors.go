package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"blotter/internal/reason"

	"github.com/jackc/pgx/v5/pgconn"
)

// failed says what was attempted and gives an error of the engine its reason. Errors
// that have one keep it; so do those of a context that ended. What the engine says is cut
// to its code and the names of our own tables: a message can hold values, and one of a
// connection its address and user.
func failed(what string, err error) error {
	if err == nil {
		return nil
	}
	wrapped := fmt.Errorf("postgres: %s: %w", what, quiet(err))
	var coded *reason.Error
	switch {
	case errors.As(err, &coded):
		return wrapped
	case refused(err):
		return reason.Because(reason.ConfigInvalid, wrapped)
	case unavailable(err):
		return reason.Because(reason.QueueBusy, wrapped)
	}
	return wrapped
}

// quieted is an error whose text may be shown.
type quieted struct {
	text  string
	cause error
}

func (e *quieted) Error() string { return e.text }
func (e *quieted) Unwrap() error { return e.cause }

// quiet hides the text of an error that may hold more than codes.
func quiet(err error) error {
	var engine *pgconn.PgError
	var connecting *pgconn.ConnectError
	var coded *reason.Error
	var network net.Error
	switch {
	case errors.As(err, &coded):
		return coded
	case errors.As(err, &engine):
		return &quieted{engineText(engine), err}
	case errors.As(err, &connecting):
		return &quieted{"no connection could be made; look at host, port and network, and whether PostgreSQL runs", err}
	case errors.As(err, &network):
		return &quieted{"the connection failed", err}
	}
	return err
}

func engineText(e *pgconn.PgError) string {
	text := "SQLSTATE " + e.Code
	if words := meaning[e.Code]; words != "" {
		text += ": " + words
	}
	if e.ConstraintName != "" {
		text += " (" + e.TableName + "." + e.ConstraintName + ")"
	}
	if strings.HasPrefix(e.Code, "42") { // a statement of ours that does not fit: names only
		text += ": " + e.Message
	}
	return text
}

// meaning is what the states that an operator meets ask for.
var meaning = map[string]string{
	"28P01": "the password is not this role's; correct it where the database is configured",
	"28000": "the server does not let this role in from here; look at pg_hba.conf",
	"3D000": "there is no database of that name; make it, or correct the name",
	"3F000": "there is no schema to work in; the role must own the database",
	"42501": "the role may not do that; it must own the database",
	"53100": "the server's disk is full; free space there",
	"53300": "the server has no connection left; raise its max_connections, or lower pool_max_conns",
	"25006": "the server is a standby; name the one that can be written to",
	"57P01": "the server is being stopped",
	"57P03": "the server is coming up or going down; wait for it",
}

// refused tells a server that does not let us in, which only a person can mend.
func refused(err error) bool {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case "3D000", "3F000", "42501": // no such database or schema, no privilege
		return true
	}
	return strings.HasPrefix(e.Code, "28") // authorization
}

// unavailable tells errors of the surroundings (locks, the network, a server that
// restarts), which may pass, from mistakes of ours. The context of a caller that ended is
// neither, but that of a write of ours is an answer that did not come.
func unavailable(err error) bool {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return passes(e.Code)
	}
	if errors.Is(err, context.Canceled) {
		return false
	}
	var network net.Error
	var connecting *pgconn.ConnectError
	return errors.As(err, &connecting) || errors.Is(err, errStalled) ||
		!errors.Is(err, context.DeadlineExceeded) && (errors.As(err, &network) ||
			errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
			errors.Is(err, os.ErrDeadlineExceeded) || pgconn.SafeToRetry(err))
}

// errStalled is the cause of a write's context that ran out.
var errStalled = errors.New("the server did not answer in time")

// passes tells the SQLSTATEs of a trouble that may be over when it is tried again.
func passes(code string) bool {
	switch code {
	case "55P03", // no lock within lock_timeout
		"57014",          // statement_timeout
		"25P03", "25006", // our own pause amid a transaction; a standby
		"57P01", "57P02", "57P03", "57P05": // the server goes down or comes up
		return true
	}
	switch code[:2] {
	case "08", "40", "53", "58": // connection, serialization and deadlock, resources, the system
		return true
	}
	return false
}

// conflicted tells a transaction that the server ended because of others.
func conflicted(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "40001" || e.Code == "40P01")
}
