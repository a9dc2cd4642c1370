package receipt

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"

	"github.com/transparency-dev/formats/log"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Checkpoint is what a log's signed note says: its whole content at one size.
type Checkpoint struct {
	Origin string
	Size   int64 // entries in the tree
	Root   tlog.Hash
}

// SignCheckpoint signs a C2SP tlog-checkpoint.
func SignCheckpoint(c Checkpoint, key crypto.Signer) ([]byte, error) {
	pub, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		return nil, failf(CodeUntrusted, "the signing key is not Ed25519")
	}
	v, err := NewTrustedKey(pub).verifier(c.Origin)
	if err != nil {
		return nil, err
	}
	return note.Sign(&note.Note{Text: c.text()}, noteSigner{v, key})
}

func (c Checkpoint) text() string {
	return string(log.Checkpoint{Origin: c.Origin, Size: uint64(c.Size), Hash: c.Root[:]}.Marshal())
}

// noteSigner lets a crypto.Signer sign notes under a verifier's name and hash.
type noteSigner struct {
	note.Verifier
	key crypto.Signer
}

func (s noteSigner) Sign(msg []byte) ([]byte, error) {
	return s.key.Sign(rand.Reader, msg, crypto.Hash(0))
}

// ParseCheckpoint reads a signed checkpoint without checking its signatures. It fails
// with receipt.malformed unless the bytes are exactly what SignCheckpoint writes.
func ParseCheckpoint(signed []byte) (Checkpoint, error) {
	c, _, err := parseCheckpoint(signed)
	return c, err
}

func parseCheckpoint(signed []byte) (Checkpoint, *note.Note, error) {
	n, err := readNote(signed)
	if err != nil {
		return Checkpoint{}, nil, failf(CodeMalformed, "checkpoint: %w", err)
	}
	var body log.Checkpoint
	rest, err := body.Unmarshal([]byte(n.Text))
	if err != nil || len(rest) != 0 || len(body.Hash) != tlog.HashSize || body.Size > maxInteger {
		return Checkpoint{}, nil, failf(CodeMalformed, "checkpoint: it must be origin, size and root hash")
	}
	c := Checkpoint{Origin: body.Origin, Size: int64(body.Size), Root: tlog.Hash(body.Hash)}
	if c.text() != n.Text {
		return Checkpoint{}, nil, failf(CodeMalformed, "checkpoint: not in canonical form")
	}
	return c, n, nil
}

// readNote parses a note with no verifier at hand and demands that writing it again
// gives the same bytes: note.Open drops repeated signature lines in silence.
func readNote(signed []byte) (*note.Note, error) {
	_, err := note.Open(signed, nil)
	var unverified *note.UnverifiedNoteError
	if !errors.As(err, &unverified) {
		return nil, err
	}
	n := unverified.Note
	if len(n.UnverifiedSigs) > MaxCheckpointSignatures {
		return nil, errors.New("too many signatures")
	}
	again := []byte(n.Text + "\n")
	for _, s := range n.UnverifiedSigs {
		again = append(again, "— "+s.Name+" "+s.Base64+"\n"...)
	}
	if !bytes.Equal(again, signed) {
		return nil, errors.New("not in canonical form")
	}
	return n, nil
}

// VerifyCheckpoint checks that the checkpoint is of the list's log and that every
// signature line is valid and of a key that may sign a tree of that size.
func VerifyCheckpoint(signed []byte, trust TrustList) (Checkpoint, error) {
	c, n, err := parseCheckpoint(signed)
	if err != nil {
		return Checkpoint{}, err
	}
	if c.Origin != trust.Origin {
		return Checkpoint{}, failf(CodeUntrusted, "the checkpoint is of another log than the trust list")
	}
	for _, s := range n.UnverifiedSigs {
		v, err := trust.checkpointKey(s.Name, s.Hash, c.Size)
		if err != nil {
			return Checkpoint{}, err
		}
		raw, err := base64.StdEncoding.Strict().DecodeString(s.Base64)
		if err != nil || base64.StdEncoding.EncodeToString(raw) != s.Base64 {
			return Checkpoint{}, failf(CodeMalformed, "checkpoint: a signature is not strict base64")
		}
		if !v.Verify([]byte(n.Text), raw[4:]) { // note.Open saw at least 5 bytes; the first 4 are the key hash
			return Checkpoint{}, failf(CodeCheckpoint, "a signature of the checkpoint is not valid")
		}
	}
	return c, nil
}

// VerifyConsistency checks that an old checkpoint's tree is a prefix of a new one's,
// both being signed by keys of the list: nothing was removed, changed or slipped in.
func VerifyConsistency(old, new []byte, proof tlog.TreeProof, trust TrustList) error {
	before, err := VerifyCheckpoint(old, trust)
	if err != nil {
		return err
	}
	after, err := VerifyCheckpoint(new, trust)
	if err != nil {
		return err
	}
	if err := tlog.CheckTree(proof, after.Size, after.Root, before.Size, before.Root); err != nil {
		return failf(CodeInconsistent, "the log of %d entries does not extend the log of %d: %w", after.Size, before.Size, err)
	}
	return nil
}
