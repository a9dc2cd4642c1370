package receipt_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"image"
	"image/color"
	"image/png"
	"testing"

	"blotter/receipt"
	"golang.org/x/mod/sumdb/tlog"
)

// testLog is a small log in memory, with keys and times that never change, so that the
// vectors in testdata come out the same on every machine.
type testLog struct {
	t         testing.TB
	key       ed25519.PrivateKey
	trust     receipt.TrustList
	envelopes [][]byte
	hashes    []tlog.Hash
}

const testOrigin = "blotter.local/00112233aabbccdd"

// testKey is made of one byte: everybody can have it.
func testKey(b byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{b}, ed25519.SeedSize))
}

func publicOf(k ed25519.PrivateKey) ed25519.PublicKey { return k.Public().(ed25519.PublicKey) }

func newTestLog(t testing.TB) *testLog {
	key := testKey(1)
	l := &testLog{t: t, key: key, trust: receipt.TrustList{
		Schema: receipt.TrustSchema, Origin: testOrigin,
		Keys: []receipt.TrustedKey{receipt.NewTrustedKey(publicOf(key))},
	}}
	created := receipt.NewTrustedKey(publicOf(key))
	l.add(receipt.Event{Kind: receipt.KeyCreated, Actor: "sequencer", Key: &receipt.Key{
		ID: created.ID, Algorithm: created.Algorithm, Public: created.Public,
	}})
	return l
}

func (l *testLog) size() int64 { return int64(len(l.envelopes)) }

// add seals an event as the next entry and returns its number.
func (l *testLog) add(e receipt.Event) int64 {
	l.t.Helper()
	n := l.size()
	e.Schema, e.Sequence, e.Time = receipt.EventSchema, n, "2026-11-29T12:00:00.250Z"
	envelope, err := receipt.Seal(e, l.key)
	if err != nil {
		l.t.Fatal(err)
	}
	hashes, err := tlog.StoredHashes(n, envelope, l)
	if err != nil {
		l.t.Fatal(err)
	}
	l.envelopes, l.hashes = append(l.envelopes, envelope), append(l.hashes, hashes...)
	return n
}

func (l *testLog) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		out[i] = l.hashes[at]
	}
	return out, nil
}

// checkpoint signs the tree of the first size entries.
func (l *testLog) checkpoint(size int64) []byte {
	l.t.Helper()
	root, err := tlog.TreeHash(size, l)
	if err != nil {
		l.t.Fatal(err)
	}
	signed, err := receipt.SignCheckpoint(receipt.Checkpoint{Origin: l.trust.Origin, Size: size, Root: root}, l.key)
	if err != nil {
		l.t.Fatal(err)
	}
	return signed
}

// receipt builds the receipt of entry n under the checkpoint of size entries.
func (l *testLog) receipt(n, size int64) []byte {
	l.t.Helper()
	proof, err := tlog.ProveRecord(size, n, l)
	if err != nil {
		l.t.Fatal(err)
	}
	out, err := receipt.Build(l.envelopes[n], n, proof, l.checkpoint(size))
	if err != nil {
		l.t.Fatal(err)
	}
	return out
}

// rotate does what the sequencer does.
func (l *testLog) rotate(next ed25519.PrivateKey) {
	k := receipt.NewTrustedKey(publicOf(next))
	last := l.add(receipt.Event{Kind: receipt.KeyRotated, Actor: "sequencer", Key: &receipt.Key{
		ID: k.ID, Algorithm: k.Algorithm, Public: k.Public,
	}})
	l.trust.Keys[len(l.trust.Keys)-1].LastGood = &last
	l.trust.Keys = append(l.trust.Keys, k)
	l.key = next
}

func digestOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// testPNG is a derivative: white, with one black box.
func testPNG(t testing.TB) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 40, 20))
	for i := range img.Pix {
		img.Pix[i] = 0xff
	}
	for x := 4; x < 20; x++ {
		for y := 6; y < 12; y++ {
			img.SetGray(x, y, color.Gray{})
		}
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// redactedEvent has every field that a redacted event can have.
func redactedEvent(t testing.TB) receipt.Event {
	return receipt.Event{
		Kind: receipt.RedactedKind, Job: "j0123456789abcdefghjkmnpqrs", Tenant: "local", Actor: "worker",
		Input:  &receipt.Input{SHA256: digestOf([]byte("input")), Bytes: 5, MediaType: "application/pdf"},
		Policy: &receipt.Policy{Name: "default", Version: "1", SHA256: digestOf([]byte("policy"))},
		Code: &receipt.Code{Revision: "0123456789abcdef0123456789abcdef01234567", Module: "blotter v0.1.0",
			Engines: []receipt.Engine{{Name: "detection", SHA256: digestOf([]byte("detection"))}}},
		State: "released", NotCovered: []string{"metadata"}, Attempt: 1,
		Assets: []receipt.Asset{
			{Index: 1, Kind: "page", Page: 1, MediaType: "application/pdf", Width: 40, Height: 20,
				SHA256: digestOf([]byte("pixels")), Status: "redacted", DerivativeSHA256: digestOf(testPNG(t)),
				Boxes: []receipt.Box{{X: 4, Y: 6, W: 16, H: 6, Type: "name", PerMille: 930, Source: "label"}}},
			{Index: 2, Kind: "image", Page: 1, MediaType: "image/jp2", Width: 9, Height: 9,
				Status: "withheld", Reason: "extract.unsupported_encoding"},
		},
		TimingsMS:   map[string]int64{"queue": 1, "read": 1504, "redact": 12},
		Protections: []string{"landlock", "seccomp"},
	}
}

// resultOf is the result that belongs to an event.
func resultOf(e receipt.Event) receipt.Result {
	r := receipt.Result{
		Schema: receipt.ResultSchema, Job: e.Job, Input: *e.Input, State: e.State, Reason: e.Reason,
		NotCovered: e.NotCovered, Policy: *e.Policy, Code: *e.Code, TimingsMS: map[string]int64{"queue": 1, "seal": 3},
		OverBudget: e.OverBudget, Pixels: e.Pixels,
	}
	for _, a := range e.Assets {
		ra := receipt.ResultAsset{Index: a.Index, Kind: a.Kind, Within: a.Within, Page: a.Page, Frame: a.Frame, MediaType: a.MediaType,
			Width: a.Width, Height: a.Height, DPI: 200, SHA256: a.SHA256, Status: a.Status, Reason: a.Reason}
		for _, b := range a.Boxes {
			ra.Boxes = append(ra.Boxes, b.ResultBox())
		}
		if a.DerivativeSHA256 != "" {
			ra.Derivative = &receipt.ResultFile{File: receipt.DerivativeName(a.Index), SHA256: a.DerivativeSHA256, MediaType: "image/png"}
		}
		r.Assets = append(r.Assets, ra)
	}
	return r
}

// fullLog has entries of several kinds, before and after a rotation.
func fullLog(t testing.TB) *testLog {
	l := newTestLog(t)
	job := receipt.Event{Kind: receipt.Received, Job: "j0123456789abcdefghjkmnpqrs", Tenant: "local", Actor: "cli",
		Input: &receipt.Input{SHA256: digestOf([]byte("input"))}}
	l.add(job)
	l.add(receipt.Event{Kind: receipt.Staged, Job: job.Job, Tenant: "local", Actor: "worker",
		Artifact: &receipt.Artifact{ID: "w1", Class: "working_copy", Expires: "2026-11-29T13:00:00Z"}})
	l.add(redactedEvent(t)) // 3
	l.add(receipt.Event{Kind: receipt.RejectedKind, Job: "j0000000000000000000000000z", Tenant: "local", Actor: "worker",
		State: "rejected", Reason: "sniff.video", Attempt: 1}) // 4
	l.rotate(testKey(2)) // 5
	l.add(job)           // 6
	return l
}
