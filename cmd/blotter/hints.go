package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// decodeHints demands one JSON object of known fields and nothing behind it.
func decodeHints(body []byte) (hints, error) {
	if err := eachOnce(body); err != nil {
		return hints{}, err
	}
	var h hints
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&h); err != nil {
		return hints{}, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return hints{}, errors.New("there is more behind the object")
	}
	return h, nil
}

// eachOnce demands an object whose members differ: of two with one name the decoder
// would drop the first in silence.
func eachOnce(body []byte) error {
	dec := json.NewDecoder(bytes.NewReader(body))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return errors.New("not an object")
	}
	seen := map[string]bool{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		key := strings.ToLower(fmt.Sprint(name)) // the decoder does not tell case apart
		if seen[key] {
			return errors.New("a member is given twice")
		}
		seen[key] = true
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
	}
	return nil
}
