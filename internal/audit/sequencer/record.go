package sequencer

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"blotter/internal/durable"
)

// writeFile writes every file of this package; fault tests replace it.
var writeFile = durable.WriteFile

const recordSchema = "blotter.log-record/1"

// record is the last batch, kept outside the database: where the log stood, what was
// added, and the checkpoint after. It is on disk before the batch is in the database.
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

// readRecord returns a zero record where there is none yet.
func readRecord(dir string) (record, error) {
	data, err := os.ReadFile(filepath.Join(dir, recordFile))
	if errors.Is(err, fs.ErrNotExist) {
		return record{}, nil
	}
	if err != nil {
		return record{}, unavailable("read the record", err)
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

func writeRecord(dir string, r record) error {
	data, err := json.Marshal(r)
	if err != nil {
		return unavailable("write the record", err)
	}
	if err := writeFile(filepath.Join(dir, recordFile), data, 0o600); err != nil {
		return unavailable("write the record", err)
	}
	return nil
}
