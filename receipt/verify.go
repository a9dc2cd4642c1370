package receipt

import (
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// Statement is one thing that a verifier looked at.
type Statement struct {
	Name   string `json:"name"` // stable: "format", "key", …
	OK     bool   `json:"ok"`
	Code   string `json:"code,omitempty"` // why it fails; empty where it holds
	Detail string `json:"detail"`         // for a person
}

// Report is everything that was looked at, in order. Event and Checkpoint are what the
// receipt says; they mean something only where every statement holds.
type Report struct {
	Statements []Statement
	Event      Event
	KeyID      string // of the key that signed the event
	Checkpoint Checkpoint
}

// Err returns the first statement that fails as an *Error; nil where all hold.
func (r Report) Err() error { return FirstFailure(r.Statements) }

// FirstFailure returns the first statement that fails as an *Error; nil where all hold.
func FirstFailure(list []Statement) error {
	for _, s := range list {
		if !s.OK {
			return &Error{Code: s.Code, Err: errors.New(s.Detail)}
		}
	}
	return nil
}

// Verify checks a receipt offline against a trust list and reports five statements:
//
//	format      receipt, envelope, event, proof and checkpoint are canonical: written again they give the same bytes
//	key         the event's key is in the trust list and good for its number
//	signature   the event is signed by that key
//	checkpoint  the checkpoint is of the list's log and each of its signatures is valid and trusted
//	inclusion   the event stands in the checkpoint's tree at its own number
//
// The error is the first that fails. Any bit changed in a receipt fails at least one.
func Verify(data []byte, trust TrustList) (Report, error) {
	var r Report
	if err := trust.Validate(); err != nil {
		return r, err
	}
	p, err := parse(data)
	r.state("format", err, "receipt, event, proof and checkpoint are in canonical form")
	if err != nil {
		for _, name := range []string{"key", "signature", "checkpoint", "inclusion"} {
			r.state(name, failf(CodeMalformed, "not checked: the receipt could not be read"), "")
		}
		return r, r.Err()
	}
	r.Event, r.KeyID, r.Checkpoint = p.envelope.Event, p.envelope.KeyID, p.checkpoint
	r.checkEvent(p, trust)
	_, err = VerifyCheckpoint(p.signed, trust)
	r.state("checkpoint", err, fmt.Sprintf("signed by a trusted key: %s at %d entries", p.checkpoint.Origin, p.checkpoint.Size))
	r.state("inclusion", p.included(), fmt.Sprintf("event %d stands in the log of %d entries", p.index, p.checkpoint.Size))
	return r, r.Err()
}

func (r *Report) checkEvent(p parts, trust TrustList) {
	key, err := trust.entryKey(p.envelope)
	r.state("key", err, fmt.Sprintf("key %.16s… is trusted for event %d", p.envelope.KeyID, p.envelope.Event.Sequence))
	switch {
	case err != nil:
		err = failf(CodeUntrusted, "not checked: there is no trusted key to check it with")
	case !p.envelope.signedBy(key):
		err = failf(CodeSignature, "the signature is not that of the trusted key over this event")
	}
	r.state("signature", err, "the event is signed by that key")
}

func (p parts) included() error {
	if p.index != p.envelope.Event.Sequence {
		return failf(CodeInclusion, "the proof is for entry %d, the event says %d", p.index, p.envelope.Event.Sequence)
	}
	leaf := tlog.RecordHash(p.leaf)
	if err := tlog.CheckRecord(p.hashes, p.checkpoint.Size, p.checkpoint.Root, p.index, leaf); err != nil {
		return failf(CodeInclusion, "the proof does not lead from the event to the checkpoint")
	}
	return nil
}

// state adds a statement: err where it fails, the detail where it holds.
func (r *Report) state(name string, err error, detail string) {
	r.Statements = append(r.Statements, stated(name, err, detail))
}

func stated(name string, err error, detail string) Statement {
	if err == nil {
		return Statement{Name: name, OK: true, Detail: detail}
	}
	var e *Error
	if errors.As(err, &e) {
		return Statement{Name: name, Code: e.Code, Detail: e.Err.Error()}
	}
	return Statement{Name: name, Code: CodeMalformed, Detail: err.Error()}
}
