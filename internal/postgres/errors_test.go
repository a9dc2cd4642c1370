package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"

	"blotter/internal/postgres"
	"blotter/internal/postgres/pgtest"
	"blotter/internal/queue"
	"blotter/internal/reason"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestErrorsHaveReasons(t *testing.T) {
	for _, c := range []struct {
		err  error
		want reason.Code
	}{
		{&pgconn.PgError{Code: "40001"}, reason.QueueBusy},
		{&pgconn.PgError{Code: "40P01"}, reason.QueueBusy},
		{&pgconn.PgError{Code: "55P03"}, reason.QueueBusy},
		{&pgconn.PgError{Code: "57P01"}, reason.QueueBusy},
		{&pgconn.PgError{Code: "53300"}, reason.QueueBusy},
		{&pgconn.PgError{Code: "25P03"}, reason.QueueBusy},
		{&pgconn.PgError{Code: "28P01"}, reason.ConfigInvalid},
		{&pgconn.PgError{Code: "3D000"}, reason.ConfigInvalid},
		{&pgconn.PgError{Code: "23505"}, reason.Internal},
		{fmt.Errorf("read: %w", io.ErrUnexpectedEOF), reason.QueueBusy},
		{queue.ErrLeaseLost, reason.QueueLeaseLost},
		{errors.New("a slip of ours"), reason.Internal},
		{context.Canceled, reason.Internal},
	} {
		if got := reason.Of(postgres.Failed(c.err)); got != c.want {
			t.Errorf("%v has the reason %s, want %s", c.err, got, c.want)
		}
	}
	if err := postgres.Failed(context.DeadlineExceeded); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a caller's deadline became %v", err)
	}
}

// No error says where the database is, who asked, with which password or for what.
func TestErrorsAreQuiet(t *testing.T) {
	there, err := url.Parse(pgtest.New(t))
	if err != nil {
		t.Fatal(err)
	}
	nobody := *there
	nobody.User = url.UserPassword("stranger", "hush-password")
	nobody.Path = "/secret-database"
	for _, dsn := range []string{
		nobody.String(),
		"postgres://stranger:hush-password@127.0.0.1:1/secret-database",
		"postgres://stranger:hush-password@[::1/secret-database",
	} {
		_, err := postgres.Open(t.Context(), dsn, postgres.Options{})
		if code := reason.Of(err); code != reason.ConfigInvalid && code != reason.QueueBusy {
			t.Errorf("got the reason %q", code)
		}
		for _, word := range []string{"stranger", "hush", "secret", "127.0.0.1"} {
			if strings.Contains(fmt.Sprint(err), word) {
				t.Errorf("an error says %q: %v", word, err)
			}
		}
	}
	value := postgres.Failed(&pgconn.PgError{Code: "23505", Message: "secret", Detail: "secret", TableName: "jobs", ConstraintName: "jobs_id_key"})
	if text := value.Error(); strings.Contains(text, "secret") || !strings.Contains(text, "jobs.jobs_id_key") {
		t.Errorf("an error says %q", text)
	}
}
