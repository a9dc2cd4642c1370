package receipt_test

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"blotter/receipt"
	"golang.org/x/mod/sumdb/tlog"
)

// failing lists the names of the statements that do not hold.
func failing(r receipt.Report) string {
	var out []string
	for _, s := range r.Statements {
		if !s.OK {
			out = append(out, s.Name)
		}
	}
	return strings.Join(out, " ")
}

func TestVerifyNamesWhatFails(t *testing.T) {
	l := fullLog(t)
	good := l.receipt(6, 7)
	other := fullLog(t)
	other.key = testKey(9)
	otherReceipt := other.receipt(6, 7)
	stranger := l.trust
	stranger.Origin = "blotter.local/ffffffffffffffff"
	strangers := newTestLog(t)
	strangers.key = testKey(9)
	strangers.add(receipt.Event{Kind: receipt.Received, Actor: "cli"})

	tests := []struct {
		name    string
		data    []byte
		trust   receipt.TrustList
		failing string
		code    string
	}{
		{"nothing", nil, l.trust, "format key signature checkpoint inclusion", receipt.CodeMalformed},
		{"not canonical", append([]byte(" "), good...), l.trust, "format key signature checkpoint inclusion", receipt.CodeMalformed},
		{"checkpoint of an unknown key", otherReceipt, l.trust, "checkpoint", receipt.CodeUntrusted},
		{"event and checkpoint of an unknown key", strangers.receipt(1, 2), l.trust, "key signature checkpoint", receipt.CodeUntrusted},
		{"another log", good, stranger, "checkpoint", receipt.CodeUntrusted},
		{"proof of another entry", build(t, l, 6, 4, 7, l.checkpoint(7)), l.trust, "inclusion", receipt.CodeInclusion},
		{"another tree", build(t, l, 6, 6, 7, forged(t, l, 7)), l.trust, "inclusion", receipt.CodeInclusion},
		{"the old key signs on", oldKeySignsOn(t), l.trust, "key signature checkpoint", receipt.CodeUntrusted},
	}
	for _, tt := range tests {
		report, err := receipt.Verify(tt.data, tt.trust)
		if got := failing(report); got != tt.failing || receipt.CodeOf(err) != tt.code {
			t.Errorf("%s: fails in %q with %v; want %q with %s", tt.name, got, err, tt.failing, tt.code)
		}
	}
}

// build makes a receipt of entry n with the proof of another.
func build(t *testing.T, l *testLog, n, proofOf, size int64, checkpoint []byte) []byte {
	t.Helper()
	proof, err := tlog.ProveRecord(size, proofOf, l)
	if err != nil {
		t.Fatal(err)
	}
	out, err := receipt.Build(l.envelopes[n], n, proof, checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// forged signs a root that is not the log's.
func forged(t *testing.T, l *testLog, size int64) []byte {
	t.Helper()
	signed, err := receipt.SignCheckpoint(receipt.Checkpoint{Origin: l.trust.Origin, Size: size, Root: tlog.Hash{1}}, l.key)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// oldKeySignsOn is what a thief of the first key can make after the rotation.
func oldKeySignsOn(t *testing.T) []byte {
	l := fullLog(t)
	l.key = testKey(1)
	n := l.add(receipt.Event{Kind: receipt.Received, Actor: "cli"})
	return l.receipt(n, n+1)
}

func TestWrongSignatureIsSeen(t *testing.T) {
	l := fullLog(t)
	good := string(l.receipt(6, 7))
	env, err := receipt.Open(l.envelopes[6])
	if err != nil {
		t.Fatal(err)
	}
	sig := bytes.Clone(env.Signature)
	sig[3] ^= 1
	bad := strings.Replace(good, b64(env.Signature), b64(sig), 1)
	report, err := receipt.Verify([]byte(bad), l.trust)
	if failing(report) != "signature inclusion" || receipt.CodeOf(err) != receipt.CodeSignature {
		t.Errorf("fails in %q with %v", failing(report), err)
	}
	if _, err := receipt.VerifyEnvelope(l.envelopes[6], l.trust); err != nil {
		t.Error(err)
	}
}

func TestRevokedKey(t *testing.T) {
	l := fullLog(t)
	l.trust.Keys[0].Revoked = true
	if _, err := receipt.Verify(l.receipt(3, 7), l.trust); err != nil {
		t.Errorf("an old entry under the new key's checkpoint: %v", err)
	}
	l.key = testKey(1)
	report, err := receipt.Verify(l.receipt(3, 5), l.trust)
	if failing(report) != "checkpoint" || receipt.CodeOf(err) != receipt.CodeUntrusted {
		t.Errorf("a revoked key's checkpoint: fails in %q with %v", failing(report), err)
	}
}

func TestSecondSignatureLineMustBeValidToo(t *testing.T) {
	l := fullLog(t)
	first := l.checkpoint(5)
	l.key = testKey(1)
	second := l.checkpoint(5)
	line := func(signed []byte) []byte { return signed[bytes.Index(signed, []byte("\n\n"))+2:] }
	both := append(bytes.Clone(first), line(second)...)
	if _, err := receipt.VerifyCheckpoint(both, l.trust); err != nil {
		t.Errorf("two valid signatures: %v", err)
	}
	for name, signed := range map[string][]byte{
		"repeated": append(bytes.Clone(first), line(first)...),
		"unknown":  append(bytes.Clone(first), bytes.Replace(line(second), []byte(" AAA"), []byte(" BBB"), 1)...),
		"broken":   append(bytes.Clone(first), bytes.Replace(line(second), line(second)[60:64], []byte("AAAA"), 1)...),
	} {
		if name == "unknown" {
			l.key = testKey(9)
			signed = append(bytes.Clone(first), line(l.checkpoint(5))...)
		}
		if _, err := receipt.VerifyCheckpoint(signed, l.trust); err == nil {
			t.Errorf("a %s second signature was accepted", name)
		}
	}
}

func TestVerifyConsistency(t *testing.T) {
	l := fullLog(t)
	newer := l.checkpoint(7)
	l.key = testKey(1)
	for old := int64(1); old <= 6; old++ {
		proof, err := tlog.ProveTree(7, old, l)
		if err != nil {
			t.Fatal(err)
		}
		if err := receipt.VerifyConsistency(l.checkpoint(old), newer, proof, l.trust); err != nil {
			t.Errorf("%d is a prefix of 7: %v", old, err)
		}
		if err := receipt.VerifyConsistency(forged(t, l, old), newer, proof, l.trust); receipt.CodeOf(err) != receipt.CodeInconsistent {
			t.Errorf("a forked log of %d: %v", old, err)
		}
	}
	if err := receipt.VerifyConsistency(newer, l.checkpoint(6), nil, l.trust); receipt.CodeOf(err) != receipt.CodeInconsistent {
		t.Errorf("a log that shrank: %v", err)
	}
}

func TestHugeTreeSizesEnd(t *testing.T) {
	l := newTestLog(t)
	for _, size := range []string{"9007199254740991", "9007199254740992", "9223372036854775807", "18446744073709551615"} {
		text := strings.Replace(string(l.receipt(0, 1)), `\n1\n`, `\n`+size+`\n`, 1)
		if _, err := receipt.Verify([]byte(text), l.trust); err == nil {
			t.Errorf("a tree of %s was accepted", size)
		}
	}
}

func b64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }
