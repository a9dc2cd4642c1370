package receipt

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// TrustSchema names the format of TrustList.
const TrustSchema = "blotter.trust/1"

// TrustList says whose signatures count. It reaches a verifier by a way that he
// trusts; a key found inside a receipt never does.
type TrustList struct {
	Keys   []TrustedKey `json:"keys"`
	Origin string       `json:"origin"` // name of the log: first line of its checkpoints and name in its signatures
	Schema string       `json:"schema"`
}

// TrustedKey is a key that signs, or once signed, for the log.
type TrustedKey struct {
	Algorithm string `json:"algorithm"` // "ed25519"
	ID        string `json:"id"`        // KeyID of the public key
	// LastGood is the highest sequence number that the key may have signed; absent: no
	// bound. Rotation sets it, so that a key that leaks afterwards signs nothing new.
	LastGood *int64 `json:"last_good,omitempty"`
	Public   string `json:"public"` // base64 of the 32 raw bytes
	// Revoked says that somebody else may have had the key: its checkpoints no longer
	// count, and its entries up to LastGood count only under another key's checkpoint.
	Revoked bool `json:"revoked,omitempty"`
}

// NewTrustedKey describes a key without a bound.
func NewTrustedKey(pub ed25519.PublicKey) TrustedKey {
	return TrustedKey{Algorithm: Ed25519, ID: KeyID(pub), Public: base64.StdEncoding.EncodeToString(pub)}
}

// ParseTrustList reads and validates a trust list. White space between tokens is free;
// apart from that the bytes must be canonical, so that nobody reads them otherwise.
func ParseTrustList(data []byte) (TrustList, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, data); err != nil {
		return TrustList{}, failf(CodeMalformed, "trust list: %w", err)
	}
	var t TrustList
	if err := decodeCanonical(compact.Bytes(), &t); err != nil {
		return TrustList{}, failf(CodeMalformed, "trust list: %w", err)
	}
	return t, t.Validate()
}

// Encode writes the list as ParseTrustList reads it, indented for people.
func (t TrustList) Encode() ([]byte, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	line, err := canonical(t)
	if err != nil {
		return nil, failf(CodeMalformed, "trust list: %w", err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, line, "", "  "); err != nil {
		return nil, failf(CodeMalformed, "trust list: %w", err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// Validate reports the first thing that is wrong with a list.
func (t TrustList) Validate() error {
	switch {
	case t.Schema != TrustSchema:
		return failf(CodeMalformed, "trust list: the schema is not %s", TrustSchema)
	case !validOrigin(t.Origin):
		return failf(CodeMalformed, "trust list: the origin must be 1 to 200 visible ASCII characters without '+'")
	case len(t.Keys) == 0:
		return failf(CodeMalformed, "trust list: there is no key")
	}
	seen := map[string]bool{}
	for _, k := range t.Keys {
		if err := k.validate(); err != nil {
			return err
		}
		if seen[k.ID] {
			return failf(CodeMalformed, "trust list: key %.8s… stands there twice", k.ID)
		}
		seen[k.ID] = true
	}
	return nil
}

func validOrigin(s string) bool {
	visible := func(r rune) bool { return r > ' ' && r < 0x7f && r != '+' }
	return s != "" && len(s) <= 200 && strings.IndexFunc(s, func(r rune) bool { return !visible(r) }) < 0
}

func (k TrustedKey) validate() error {
	if k.Algorithm != Ed25519 {
		return failf(CodeMalformed, "trust list: the algorithm of a key is not %s", Ed25519)
	}
	pub, err := decodeKey(k.Public)
	if err != nil {
		return failf(CodeMalformed, "trust list: %w", err)
	}
	if KeyID(pub) != k.ID {
		return failf(CodeMalformed, "trust list: a key's id is not that of its public key")
	}
	if k.LastGood != nil && (*k.LastGood < 0 || *k.LastGood > maxInteger) {
		return failf(CodeMalformed, "trust list: last_good of key %.8s… is out of range", k.ID)
	}
	if k.Revoked && k.LastGood == nil {
		return failf(CodeMalformed, "trust list: revoked key %.8s… needs last_good", k.ID)
	}
	return nil
}

// Key finds a key by its id.
func (t TrustList) Key(id string) (TrustedKey, bool) {
	i := slices.IndexFunc(t.Keys, func(k TrustedKey) bool { return k.ID == id })
	if i < 0 {
		return TrustedKey{}, false
	}
	return t.Keys[i], true
}

// entryKey finds the public key for an envelope: listed, and good for its number.
func (t TrustList) entryKey(env Envelope) (ed25519.PublicKey, error) {
	k, ok := t.Key(env.KeyID)
	if !ok {
		return nil, failf(CodeUntrusted, "the signing key is not in the trust list")
	}
	if k.LastGood != nil && env.Event.Sequence > *k.LastGood {
		return nil, failf(CodeUntrusted, "the signing key is good up to event %d only", *k.LastGood)
	}
	pub, err := decodeKey(k.Public)
	if err != nil {
		return nil, failf(CodeMalformed, "trust list: %w", err)
	}
	return pub, nil
}

// checkpointKey finds the verifier for a signature line over a tree of size entries.
func (t TrustList) checkpointKey(name string, hash uint32, size int64) (note.Verifier, error) {
	for _, k := range t.Keys {
		v, err := k.verifier(t.Origin)
		if err != nil {
			return nil, err
		}
		if v.Name() != name || v.KeyHash() != hash {
			continue
		}
		if k.Revoked {
			return nil, failf(CodeUntrusted, "the checkpoint was signed by a key that is revoked")
		}
		if k.LastGood != nil && size > *k.LastGood+1 {
			return nil, failf(CodeUntrusted, "the checkpoint's key is good up to event %d only", *k.LastGood)
		}
		return v, nil
	}
	return nil, failf(CodeUntrusted, "the checkpoint's key is not in the trust list")
}

func (k TrustedKey) verifier(origin string) (note.Verifier, error) {
	pub, err := decodeKey(k.Public)
	if err != nil {
		return nil, failf(CodeMalformed, "trust list: %w", err)
	}
	vkey, err := note.NewEd25519VerifierKey(origin, pub)
	if err != nil {
		return nil, failf(CodeMalformed, "trust list: %w", err)
	}
	v, err := note.NewVerifier(vkey)
	if err != nil {
		return nil, failf(CodeMalformed, "trust list: %w", err)
	}
	return v, nil
}
