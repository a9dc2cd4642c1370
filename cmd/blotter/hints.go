package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// decodeHints demands one JSON object of known fields and nothing behind it.
func decodeHints(body []byte) (hints, error) {
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
