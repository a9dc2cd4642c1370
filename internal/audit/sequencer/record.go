package sequencer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"blotter/internal/durable"
)

// writeFile writes every file of this package; fault tests replace it.
var writeFile = durable.WriteFile

const recordSchema = "blotter.log-record/1"

// Records keep, outside the database, what was signed. They are what makes it safe that
// several processes take themselves for the sequencer, so what they promise counts:
//
//   - A record is there before its batch is in the database, because Put has returned nil
//     by then.
//   - Where several processes share them, of all records of one base the first one put
//     stays, for as long as it may be the last. A Put under a base that was pruned long
//     ago may succeed; it is never the last, and its batch finds that the log has moved.
type Records interface {
	// Last returns the record of the greatest base; nil where there never was one.
	Last(ctx context.Context) ([]byte, error)
	// Put keeps a record for good. Putting the same bytes again is no error; errTaken means
	// that another record has the base.
	Put(ctx context.Context, base int64, body []byte) error
}

// errTaken says that another sequencer has signed for a base.
var errTaken = errors.New("another sequencer has signed these numbers")

// file is the one record of a directory that one process at a time holds the lock of.
type file string

func (f file) Last(context.Context) ([]byte, error) {
	data, err := os.ReadFile(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// Put writes even what stands there already: the last time may not have been synced.
func (f file) Put(_ context.Context, _ int64, body []byte) error {
	return writeFile(string(f), body, 0o600)
}

// record is a batch, kept outside the database: where the log stood, what was added, and
// the checkpoint after.
type record struct {
	Schema    string   `json:"schema"`
	Base      int64    `json:"base"`   // size of the tree before
	Before    []byte   `json:"before"` // checkpoint over Base entries; empty for an empty log
	Pending   []int64  `json:"pending"`
	Envelopes [][]byte `json:"envelopes"`
	After     []byte   `json:"after"` // checkpoint over all
}

// size is the number of entries after the batch.
func (r record) size() int64 { return r.Base + int64(len(r.Envelopes)) }

// lastRecord returns a zero record where there is none yet.
func (s *Sequencer) lastRecord(ctx context.Context) (record, error) {
	data, err := s.records().Last(ctx)
	if err != nil {
		return record{}, unavailable("read the record", err)
	}
	if data == nil {
		return record{}, nil
	}
	var r record
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return record{}, unavailable("read the record", err)
	}
	if r.Schema != recordSchema || r.Base < 0 || len(r.Envelopes) == 0 || len(r.Pending) != len(r.Envelopes) {
		return record{}, unavailable("read the record", errors.New("it is damaged"))
	}
	return r, nil
}

func (s *Sequencer) putRecord(ctx context.Context, r record) error {
	data, err := json.Marshal(r)
	if err == nil {
		err = s.records().Put(ctx, r.Base, data)
	}
	if err != nil {
		return unavailable(fmt.Sprintf("write the record of base %d", r.Base), err)
	}
	return nil
}

func (s *Sequencer) records() Records {
	if s.cfg.Records != nil {
		return s.cfg.Records
	}
	return file(s.path(recordFile))
}
