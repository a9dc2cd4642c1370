package receipt_test

import (
	"bytes"
	"strings"
	"testing"

	"blotter/receipt"
)

func TestTrustListIsRead(t *testing.T) {
	want := fullLog(t).trust
	data, err := want.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := receipt.ParseTrustList(data)
	if err != nil || len(got.Keys) != 2 || got.Origin != want.Origin || *got.Keys[0].LastGood != 5 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestTrustListsRefused(t *testing.T) {
	data, err := fullLog(t).trust.Encode()
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	key := text[strings.Index(text, "{\n      \"algorithm\""):strings.Index(text, ",\n    {")]
	for name, bad := range map[string]string{
		"empty":             "",
		"no keys":           `{"keys":[],"origin":"a","schema":"blotter.trust/1"}`,
		"two documents":     text + text,
		"unknown member":    strings.Replace(text, `"origin"`, `"colour":"red","origin"`, 1),
		"repeated member":   strings.Replace(text, `"origin"`, `"origin":"x","origin"`, 1),
		"capital letters":   strings.Replace(text, `"origin"`, `"Origin"`, 1),
		"another schema":    strings.Replace(text, "trust/1", "trust/2", 1),
		"another algorithm": strings.Replace(text, `"ed25519"`, `"rsa"`, 1),
		"id of another key": strings.Replace(text, `"id": "`, `"id": "0`, 1),
		"key twice":         strings.Replace(text, key, key+","+key, 1),
		"space in origin":   strings.Replace(text, "blotter.local/", "blotter local/", 1),
		"plus in origin":    strings.Replace(text, "blotter.local/", "blotter+local/", 1),
		"negative bound":    strings.Replace(text, `"last_good": 5`, `"last_good": -5`, 1),
		"loose base64":      strings.Replace(text, `="`, `"`, 1),
	} {
		if bad == text {
			t.Fatalf("%s: nothing was changed", name)
		}
		if _, err := receipt.ParseTrustList([]byte(bad)); receipt.CodeOf(err) != receipt.CodeMalformed {
			t.Errorf("%s: %v", name, err)
		}
	}
	revoked := fullLog(t).trust
	revoked.Keys[1].Revoked = true
	if _, err := revoked.Encode(); receipt.CodeOf(err) != receipt.CodeMalformed {
		t.Errorf("revoked without a last good number: %v", err)
	}
}

func TestEventsRefused(t *testing.T) {
	good := redactedEvent(t)
	good.Schema, good.Time = receipt.EventSchema, "2026-11-29T12:00:00.250Z"
	if _, err := receipt.Seal(good, testKey(1)); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*receipt.Event){
		"schema":           func(e *receipt.Event) { e.Schema = "" },
		"negative number":  func(e *receipt.Event) { e.Sequence = -1 },
		"number over 2^53": func(e *receipt.Event) { e.Sequence = 1 << 53 },
		"kind":             func(e *receipt.Event) { e.Kind = "Two words" },
		"no actor":         func(e *receipt.Event) { e.Actor = "" },
		"local time":       func(e *receipt.Event) { e.Time = "2026-11-29T12:00:00.250+01:00" },
		"no milliseconds":  func(e *receipt.Event) { e.Time = "2026-11-29T12:00:00Z" },
		"capital digest":   func(e *receipt.Event) { e.Input.SHA256 = strings.ToUpper(e.Input.SHA256) },
		"short digest":     func(e *receipt.Event) { e.Assets[0].DerivativeSHA256 = "ab" },
		"not UTF-8":        func(e *receipt.Event) { e.Policy.Name = "\xff" },
		"huge integer":     func(e *receipt.Event) { e.Input.Bytes = 1 << 60 },
	} {
		e := redactedEvent(t)
		e.Schema, e.Time = good.Schema, good.Time
		change(&e)
		if _, err := receipt.Seal(e, testKey(1)); receipt.CodeOf(err) != receipt.CodeMalformed {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// RFC 8785 escapes like ECMAScript: quotes, backslash and control characters only.
func TestStringsAreEscapedAsRFC8785Says(t *testing.T) {
	e := receipt.Event{Schema: receipt.EventSchema, Kind: "received", Actor: "cli", Time: "2026-11-29T12:00:00.250Z"}
	e.Policy = &receipt.Policy{Name: "<é\u2028\u20ac\"\\/\b\t\n\f\r\x01\x7f😀>", SHA256: digestOf(nil)}
	envelope, err := receipt.Seal(e, testKey(1))
	if err != nil {
		t.Fatal(err)
	}
	env, err := receipt.Open(envelope)
	if err != nil {
		t.Fatal(err)
	}
	want := "\"name\":\"<é\u2028€\\\"\\\\/\\b\\t\\n\\f\\r\\u0001\x7f😀>\""
	if !bytes.Contains(env.Payload, []byte(want)) || env.Event.Policy.Name != e.Policy.Name {
		t.Errorf("got %s; want it to hold %s", env.Payload, want)
	}
}

// FuzzVerify: whatever is accepted is the one form of what it says. Parts that are
// well-formed, put together again, give the bytes that were read.
func FuzzVerify(f *testing.F) {
	trust := readTrust(f)
	for _, path := range receiptFiles(f) {
		f.Add(readFile(f, path))
	}
	f.Add([]byte(`{"envelope":{},"proof":"","schema":"blotter.receipt/1"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		report, err := receipt.Verify(data, trust)
		if err == nil && len(report.Statements) != 5 {
			t.Fatalf("accepted without five statements: %+v", report)
		}
		if err == nil != (report.Err() == nil) {
			t.Fatalf("error %v, report %+v", err, report)
		}
		if !report.Statements[0].OK {
			return
		}
		again, err := receipt.Rebuild(data)
		if err != nil || !bytes.Equal(again, data) {
			t.Fatalf("well-formed, but written again it differs (%v):\n%q\n%q", err, data, again)
		}
	})
}

// FuzzResult: reading what lies beside a receipt never panics.
func FuzzResult(f *testing.F) {
	f.Add(readFile(f, "testdata/output/result.json"))
	e := redactedEvent(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := receipt.ParseResult(data)
		if err != nil {
			return
		}
		again, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := receipt.ParseResult(again); err != nil {
			t.Fatalf("accepted, but not when written again: %v", err)
		}
		receipt.MatchResult(r, e)
	})
}
