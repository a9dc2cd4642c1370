package receipt_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"blotter/receipt"
)

var update = flag.Bool("update", false, "write the vectors in testdata anew")

// vectors are the files of testdata, by name.
func vectors(t testing.TB) map[string][]byte {
	t.Helper()
	before := fullLog(t)
	before.key = testKey(1)
	after := fullLog(t)
	trust, err := after.trust.Encode()
	if err != nil {
		t.Fatal(err)
	}
	e := redactedEvent(t)
	result, err := resultOf(e).Encode()
	if err != nil {
		t.Fatal(err)
	}
	payload, err := receipt.Open(after.envelopes[3])
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{
		"trust.json":                     trust,
		"event.json":                     payload.Payload,
		"envelope.json":                  after.envelopes[3],
		"checkpoint.txt":                 after.checkpoint(7),
		"first.receipt.json":             before.receipt(0, 1),
		"rejected.receipt.json":          before.receipt(4, 5),
		"last-of-old-key.receipt.json":   before.receipt(5, 6),
		"old-entry-new-key.receipt.json": after.receipt(2, 7),
		"new-key.receipt.json":           after.receipt(6, 7),
		"output/receipt.json":            after.receipt(3, 7),
		"output/result.json":             result,
		"output/asset-0001.png":          testPNG(t),
	}
	for _, bad := range badReceipts(t) {
		all["bad/"+bad.name+".receipt.json"] = bad.data
		all["bad/codes.tsv"] = fmt.Appendf(all["bad/codes.tsv"], "%s.receipt.json\t%s\t%s\n", bad.name, bad.code, bad.failing)
	}
	return all
}

// A badReceipt must be refused under trust.json.
type badReceipt struct {
	name, code string
	failing    string // names of the statements that fail
	data       []byte
}

// badReceipts are what another verifier may wrongly accept.
func badReceipts(t testing.TB) []badReceipt {
	l := fullLog(t)
	good := l.receipt(6, 7)
	const unread = "format key signature checkpoint inclusion"
	edit := func(old, new string) []byte {
		out := bytes.Replace(good, []byte(old), []byte(new), 1)
		if bytes.Equal(out, good) {
			t.Fatalf("%q is not in the receipt", old)
		}
		return out
	}
	thief := fullLog(t)
	thief.key = testKey(1)
	beyond := thief.add(receipt.Event{Kind: receipt.Received, Actor: "cli"})
	stranger := fullLog(t)
	stranger.key = testKey(9)
	foreign := stranger.add(receipt.Event{Kind: receipt.Received, Actor: "cli"})
	return []badReceipt{
		{"newline-at-end", receipt.CodeMalformed, unread, append(bytes.Clone(good), '\n')},
		{"repeated-member", receipt.CodeMalformed, unread, edit(`"schema":"blotter.receipt/1"`, `"schema":"x","schema":"blotter.receipt/1"`)},
		{"capital-member", receipt.CodeMalformed, unread, edit(`"schema":"blotter.receipt/1"`, `"Schema":"blotter.receipt/1"`)},
		{"escaped-letter", receipt.CodeMalformed, unread, edit(`"keyid"`, `"\u006beyid"`)},
		{"loose-base64", receipt.CodeMalformed, unread, edit(`","payloadType"`, `\n","payloadType"`)},
		{"index-with-zero", receipt.CodeMalformed, unread, edit(`index 6`, `index 06`)},
		{"size-with-zero", receipt.CodeMalformed, unread, edit(`\n7\n`, `\n07\n`)},
		{"extra-line", receipt.CodeMalformed, unread, edit(`index 6`, `extra \nindex 6`)},
		{"carriage-return", receipt.CodeMalformed, unread, edit(`index 6\n`, `index 6\r\n`)},
		{"other-index", receipt.CodeInclusion, "inclusion", edit(`index 6`, `index 5`)},
		{"other-size", receipt.CodeCheckpoint, "checkpoint inclusion", edit(`\n7\n`, `\n8\n`)},
		{"old-key-signs-on", receipt.CodeUntrusted, "key signature checkpoint", thief.receipt(beyond, beyond+1)},
		{"unknown-key", receipt.CodeUntrusted, "key signature checkpoint", stranger.receipt(foreign, foreign+1)},
	}
}

func TestBadVectorsAreRefused(t *testing.T) {
	for _, bad := range badReceipts(t) {
		report, err := receipt.Verify(readFile(t, "testdata/bad/"+bad.name+".receipt.json"), readTrust(t))
		if failing(report) != bad.failing || receipt.CodeOf(err) != bad.code {
			t.Errorf("%s: fails in %q with %v; want %q with %s", bad.name, failing(report), err, bad.failing, bad.code)
		}
	}
}

// The vectors are what other programs are tested with: they change only with the
// format's version.
func TestVectors(t *testing.T) {
	for name, want := range vectors(t) {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s has changed", name)
		}
	}
}

func TestVectorsVerify(t *testing.T) {
	trust := readTrust(t)
	for _, path := range receiptFiles(t) {
		data := readFile(t, path)
		report, err := receipt.Verify(data, trust)
		if err != nil || len(report.Statements) != 5 {
			t.Errorf("%s: %v, %+v", path, err, report.Statements)
		}
	}
}

// The test that the format is built for: no bit of a receipt can change unnoticed.
func TestEveryFlippedBitIsDetected(t *testing.T) {
	t.Parallel()
	trust := readTrust(t)
	for _, path := range receiptFiles(t) {
		data := readFile(t, path)
		for i := 0; i < len(data); i += stride {
			for bit := range 8 {
				data[i] ^= 1 << bit
				if _, err := receipt.Verify(data, trust); err == nil {
					t.Errorf("%s: bit %d of byte %d was flipped and nobody saw it", path, bit, i)
				} else if receipt.CodeOf(err) == "" {
					t.Errorf("%s: byte %d: an error without a code: %v", path, i, err)
				}
				data[i] ^= 1 << bit
			}
		}
	}
}

// A byte too many or too few, anywhere.
func TestEveryInsertedOrRemovedByteIsDetected(t *testing.T) {
	t.Parallel()
	trust := readTrust(t)
	data := readFile(t, "testdata/new-key.receipt.json")
	for i := 0; i <= len(data); i += stride {
		for _, c := range []byte{' ', 'A', '0'} {
			longer := append(append(bytes.Clone(data[:i]), c), data[i:]...)
			if _, err := receipt.Verify(longer, trust); err == nil {
				t.Errorf("%q was put in at byte %d and nobody saw it", c, i)
			}
		}
		if i < len(data) {
			shorter := append(bytes.Clone(data[:i]), data[i+1:]...)
			if _, err := receipt.Verify(shorter, trust); err == nil {
				t.Errorf("byte %d was removed and nobody saw it", i)
			}
		}
	}
}

func receiptFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.receipt.json")
	if err != nil || len(files) < 5 {
		t.Fatalf("vectors are missing: %v, %v", files, err)
	}
	return append(files, "testdata/output/receipt.json")
}

func readTrust(t testing.TB) receipt.TrustList {
	t.Helper()
	trust, err := receipt.ParseTrustList(readFile(t, "testdata/trust.json"))
	if err != nil {
		t.Fatal(err)
	}
	return trust
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
