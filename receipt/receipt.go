package receipt

import (
	"bytes"

	"github.com/transparency-dev/formats/proof"
	"golang.org/x/mod/sumdb/tlog"
)

// Schema names the format of a receipt.
const Schema = "blotter.receipt/1"

// file is receipt.json.
type file struct {
	Envelope dsse   `json:"envelope"`
	Proof    string `json:"proof"`
	Schema   string `json:"schema"`
}

// parts is a receipt taken apart: well-formed, nothing checked.
type parts struct {
	envelope   Envelope
	leaf       []byte // the canonical envelope
	index      int64
	hashes     tlog.RecordProof
	signed     []byte // the checkpoint with its signatures
	checkpoint Checkpoint
}

// Build makes a receipt from an entry's envelope, its number, its inclusion proof and
// the signed checkpoint over the tree that the proof leads to. It fails where one of
// them is malformed; whether they fit together is Verify's question.
func Build(envelope []byte, index int64, hashes tlog.RecordProof, checkpoint []byte) ([]byte, error) {
	var f file
	if err := decodeCanonical(envelope, &f.Envelope); err != nil {
		return nil, failf(CodeMalformed, "envelope: %w", err)
	}
	if index < 0 {
		return nil, failf(CodeMalformed, "proof: the index is negative")
	}
	p := proof.TLogProof{Index: uint64(index), Checkpoint: checkpoint}
	for _, h := range hashes {
		p.Hashes = append(p.Hashes, h)
	}
	f.Schema, f.Proof = Schema, string(p.Marshal())
	out, err := canonical(f)
	if err != nil {
		return nil, failf(CodeMalformed, "receipt: %w", err)
	}
	if _, err := parse(out); err != nil {
		return nil, err
	}
	return out, nil
}

// parse takes a receipt apart and demands that every part, written again, gives the
// bytes that were read.
func parse(data []byte) (parts, error) {
	var f file
	if len(data) > MaxReceiptBytes {
		return parts{}, failf(CodeMalformed, "receipt: over %d bytes", MaxReceiptBytes)
	}
	if err := decodeCanonical(data, &f); err != nil {
		return parts{}, failf(CodeMalformed, "receipt: %w", err)
	}
	if f.Schema != Schema {
		return parts{}, failf(CodeMalformed, "receipt: the schema is not %s", Schema)
	}
	env, err := f.Envelope.open()
	if err != nil {
		return parts{}, err
	}
	leaf, err := canonical(f.Envelope)
	if err != nil {
		return parts{}, failf(CodeMalformed, "envelope: %w", err)
	}
	p := parts{envelope: env, leaf: leaf}
	return p, p.readProof([]byte(f.Proof))
}

func (p *parts) readProof(text []byte) error {
	var t proof.TLogProof
	if err := t.Unmarshal(text); err != nil {
		return failf(CodeMalformed, "proof: %w", err)
	}
	if t.ExtraData != nil || len(t.Hashes) > MaxProofHashes || t.Index > maxInteger || !bytes.Equal(t.Marshal(), text) {
		return failf(CodeMalformed, "proof: not in canonical form")
	}
	for _, h := range t.Hashes {
		p.hashes = append(p.hashes, h)
	}
	p.index, p.signed = int64(t.Index), t.Checkpoint
	c, err := ParseCheckpoint(t.Checkpoint)
	p.checkpoint = c
	return err
}
