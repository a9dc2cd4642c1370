package postgres

import (
	"errors"
	"fmt"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"

	"github.com/jackc/pgx/v5"
)

// scanJob reads a row of the view job_rows; queue.ErrNotFound where there is none.
func scanJob(r pgx.Row) (queue.Job, error) {
	l, err := scanListed(r)
	return l.Job, err
}

// scanListed reads a row of either view, with the number of arrival.
func scanListed(r pgx.Row) (queue.Listed, error) { return scanAfter(r) }

// scanAfter reads a row of either view after columns of the query's own.
func scanAfter(r pgx.Row, own ...any) (queue.Listed, error) {
	var (
		j                              queue.Job
		seq                            int64
		created, notBefore, leaseUntil int64
		claimed, seal                  int64
		input, policy                  []byte
	)
	err := r.Scan(append(own, &seq, &j.ID, &j.Tenant, &j.Lane, &j.State, &j.Target, &j.Reason, &j.Key, &j.Attempt, &j.Token,
		&created, &notBefore, &leaseUntil, &claimed, &j.Parked, &input, &j.Bytes, &j.Policy.Name, &j.Policy.Version, &policy,
		&j.Policy.Body, &j.Sealed, &j.Result, &j.FinalSeq, &j.Trace, &seal, &j.Delivered)...)
	if errors.Is(err, pgx.ErrNoRows) {
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
