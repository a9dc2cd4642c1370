package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"blotter/internal/reason"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

// failed says what was attempted and gives an error of the engine its reason. Errors
// that have one keep it; so do those of a context that ended.
func failed(what string, err error) error {
	if err == nil {
		return nil
	}
	wrapped := fmt.Errorf("sqlite: %s: %w", what, err)
	var coded *reason.Error
	if errors.As(err, &coded) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return wrapped
	}
	switch {
	case unavailable(err):
		return reason.Because(reason.QueueBusy, wrapped)
	case damaged(err):
		return reason.Because(reason.VaultDamaged, wrapped)
	}
	return wrapped
}

// damaged tells a file whose bytes are not those that were written.
func damaged(err error) bool {
	var e *driver.Error
	if !errors.As(err, &e) {
		return false
	}
	code := e.Code() & 0xff
	return code == codes.SQLITE_CORRUPT || code == codes.SQLITE_NOTADB
}

// unavailable tells errors of the surroundings (locks, disk, permissions), which may
// pass, from mistakes of ours.
func unavailable(err error) bool {
	var file *fs.PathError // the directory cannot be made, or the file not opened
	if errors.Is(err, sql.ErrConnDone) || errors.As(err, &file) {
		return true
	}
	var e *driver.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code() & 0xff { // the rest of an extended code only says more
	case codes.SQLITE_BUSY, codes.SQLITE_LOCKED, codes.SQLITE_IOERR, codes.SQLITE_FULL,
		codes.SQLITE_CANTOPEN, codes.SQLITE_READONLY, codes.SQLITE_PROTOCOL:
		return true
	}
	return false
}

func busy(err error) bool { return reason.Of(err) == reason.QueueBusy }
