package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
)

// row is what sql.Row and sql.Rows have in common.
type row interface{ Scan(dest ...any) error }

// collect runs a query and scans every row.
func collect[T any](ctx context.Context, q querier, scan func(row) (T, error), query string, args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// scanJob reads a row of the view job_rows; queue.ErrNotFound where there is none.
func scanJob(r row) (queue.Job, error) {
	l, err := scanListed(r)
	return l.Job, err
}

// scanListed reads a row of either view, with the number of arrival.
func scanListed(r row) (queue.Listed, error) {
	var (
		j                              queue.Job
		seq                            int64
		created, notBefore, leaseUntil int64
		claimed                        int64
		seal                           int64
		input, policy                  []byte
	)
	err := r.Scan(&seq, &j.ID, &j.Tenant, &j.Lane, &j.State, &j.Target, &j.Reason, &j.Key, &j.Attempt, &j.Token,
		&created, &notBefore, &leaseUntil, &claimed, &j.Parked, &input, &j.Bytes, &j.Policy.Name, &j.Policy.Version, &policy,
		&j.Policy.Body, &j.Sealed, &j.Result, &j.FinalSeq, &j.Trace, &seal, &j.Delivered)
	if errors.Is(err, sql.ErrNoRows) {
		return queue.Listed{}, queue.ErrNotFound
	}
	if err != nil {
		return queue.Listed{}, err
	}
	j.SealTime = time.Duration(seal) * time.Millisecond
	j.Created, j.NotBefore, j.LeaseUntil, j.Claimed = fromMillis(created), fromMillis(notBefore), fromMillis(leaseUntil), fromMillis(claimed)
	if err := errors.Join(setDigest(&j.Input, input), setDigest(&j.Policy.Digest, policy)); err != nil {
		return queue.Listed{}, err
	}
	return queue.Listed{Job: j, Arrival: seq}, nil
}

func setDigest(d *document.Digest, b []byte) error {
	if len(b) != len(d) {
		return fmt.Errorf("a digest in the database has %d bytes", len(b))
	}
	copy(d[:], b)
	return nil
}
