package receipt

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
)

// PayloadType is the DSSE payload type of an event.
const PayloadType = "application/vnd.blotter.event+json"

// Ed25519 is the one signature algorithm of this version.
const Ed25519 = "ed25519"

// dsse is the envelope of the Dead Simple Signing Envelope specification, version 1.
// []byte fields are standard base64 with padding in JSON.
type dsse struct {
	Payload     []byte      `json:"payload"`
	PayloadType string      `json:"payloadType"`
	Signatures  []signature `json:"signatures"`
}

type signature struct {
	KeyID string `json:"keyid"`
	Sig   []byte `json:"sig"`
}

// Envelope is an opened envelope. Its signature has not been checked.
type Envelope struct {
	Event     Event
	Payload   []byte // the canonical JSON of Event
	KeyID     string // of the key that the envelope says signed it
	Signature []byte
}

// Seal signs the canonical JSON of e and returns the canonical envelope: the bytes of
// a leaf of the log. The key must be an Ed25519 key; the event must be valid.
func Seal(e Event, key crypto.Signer) ([]byte, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	payload, err := canonical(e)
	if err != nil {
		return nil, failf(CodeMalformed, "event: %w", err)
	}
	pub, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		return nil, failf(CodeUntrusted, "the signing key is not Ed25519")
	}
	sig, err := key.Sign(rand.Reader, pae(PayloadType, payload), crypto.Hash(0))
	if err != nil {
		return nil, fmt.Errorf("signing an event: %w", err)
	}
	return canonical(dsse{
		Payload:     payload,
		PayloadType: PayloadType,
		Signatures:  []signature{{KeyID: KeyID(pub), Sig: sig}},
	})
}

// Open reads an envelope without checking its signature. It fails with
// receipt.malformed unless envelope and event are byte for byte what Seal writes.
func Open(envelope []byte) (Envelope, error) {
	var d dsse
	if err := decodeCanonical(envelope, &d); err != nil {
		return Envelope{}, failf(CodeMalformed, "envelope: %w", err)
	}
	return d.open()
}

func (d dsse) open() (Envelope, error) {
	if d.PayloadType != PayloadType {
		return Envelope{}, failf(CodeMalformed, "envelope: the payload is not a blotter event")
	}
	if len(d.Signatures) != 1 || len(d.Signatures[0].Sig) != ed25519.SignatureSize {
		return Envelope{}, failf(CodeMalformed, "envelope: there must be one signature of %d bytes", ed25519.SignatureSize)
	}
	var e Event
	if err := decodeCanonical(d.Payload, &e); err != nil {
		return Envelope{}, failf(CodeMalformed, "event: %w", err)
	}
	if err := e.Validate(); err != nil {
		return Envelope{}, err
	}
	s := d.Signatures[0]
	return Envelope{Event: e, Payload: d.Payload, KeyID: s.KeyID, Signature: s.Sig}, nil
}

// signedBy reports whether the key signed the envelope.
func (e Envelope) signedBy(k ed25519.PublicKey) bool {
	return ed25519.Verify(k, pae(PayloadType, e.Payload), e.Signature)
}

// VerifyEnvelope opens an envelope and checks its signature by a key of the list that
// may sign an entry of that number.
func VerifyEnvelope(envelope []byte, trust TrustList) (Envelope, error) {
	env, err := Open(envelope)
	if err != nil {
		return Envelope{}, err
	}
	key, err := trust.entryKey(env)
	if err != nil {
		return Envelope{}, err
	}
	if !env.signedBy(key) {
		return Envelope{}, failf(CodeSignature, "the signature of event %d is not valid", env.Event.Sequence)
	}
	return env, nil
}

// pae is DSSE's pre-authentication encoding: what is signed.
func pae(payloadType string, payload []byte) []byte {
	return fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(payloadType), payloadType, len(payload), payload)
}

// KeyID names a public key: 64 lower-case hexadecimal digits of the SHA-256 of
// "ed25519", a line feed and the 32 bytes of the key.
func KeyID(pub ed25519.PublicKey) string {
	sum := sha256.Sum256(append([]byte(Ed25519+"\n"), pub...))
	return hex.EncodeToString(sum[:])
}

// decodeKey reads the base64 of a raw public key, strictly.
func decodeKey(s string) (ed25519.PublicKey, error) {
	raw, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil || len(raw) != ed25519.PublicKeySize || base64.StdEncoding.EncodeToString(raw) != s {
		return nil, errors.New("a public key is the base64 of 32 bytes")
	}
	return raw, nil
}
