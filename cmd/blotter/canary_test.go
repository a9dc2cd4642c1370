package main_test

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"blotter/internal/examples"
	"blotter/internal/sqlite"
	"blotter/internal/vault"
)

// What the service must not remember: what a document says, what the caller knows of
// the person, what the file is called.
var (
	printed = []string{"Quorndel", "Vashtimer", "K7731904", "Brindlecote"}
	hinted  = []string{"Ysmaranth", "Q5540917"}
	named   = []string{"zephyrwick", "ombrelune"}
)

// TestCanaries redacts a document whose words were read, and searches every byte that
// is left for them.
func TestCanaries(t *testing.T) {
	t.Parallel()
	s := newStation(t)
	dir := filepath.Join(t.TempDir(), named[0])
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	body, err := examples.Canary(printed...)
	if err != nil {
		t.Fatal(err)
	}
	file, hints := filepath.Join(dir, named[1]+".png"), filepath.Join(t.TempDir(), "hints.json")
	write(t, file, body)
	write(t, hints, []byte(`{"names":["`+hinted[0]+`"],"numbers":["`+hinted[1]+`"]}`))
	broken := filepath.Join(dir, named[1]+".jpg")
	write(t, broken, []byte(printed[0]+" is no picture"))

	out := filepath.Join(t.TempDir(), "out")
	r := s.run(program(t), "redact", "--json", "--out", out, "--hints", hints, file, broken)
	if r.exit != 3 {
		t.Fatalf("exit %d:\n%s%s", r.exit, r.out, r.err)
	}
	got := results(t, r.out)
	// That the words were read shows in what covers them: values of labels, and a name
	// after a title.
	var sources []string
	for _, b := range got[0].Assets[0].Boxes {
		sources = append(sources, b.Type+" by "+b.Source)
	}
	for _, want := range []string{"name by", "mrn by"} {
		if !slices.ContainsFunc(sources, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("the canaries were not read: nothing covered is a %q…; boxes: %q", want, sources)
		}
	}
	verified := s.run(program(t), "verify", out)
	if verified.exit != 0 {
		t.Errorf("verify: %s%s", verified.out, verified.err)
	}

	h := &hunt{t: t, needles: slices.Concat(printed, hinted, named)}
	h.search("what the commands printed", []byte(r.out+r.err+verified.out+verified.err))
	h.files(s.data)
	h.files(out)
	db, v := s.open()
	h.rows(db, s.data)
	h.blobs(v)
	if h.searched < 20 {
		t.Errorf("only %d pieces were searched", h.searched)
	}
}

func write(t *testing.T, path string, body []byte) {
	t.Helper()
	if err := os.WriteFile(path, body, 0o600); err != nil {
		t.Fatal(err)
	}
}

// hunt looks for needles in every disguise that data may take on its way.
type hunt struct {
	t        *testing.T
	needles  []string // words, in any case
	exact    []exact
	searched int
}

// exact are bytes that are looked for as they are, and in hexadecimal.
type exact struct {
	what     string
	raw, hex []byte
}

func (h *hunt) bytes(what string, raw []byte) {
	if slices.ContainsFunc(h.exact, func(e exact) bool { return e.what == what && bytes.Equal(e.raw, raw) }) {
		return
	}
	h.exact = append(h.exact, exact{what, raw, fmt.Appendf(nil, "%x", raw)})
}

// guessable adds words that must not be there as plain digests either: whoever has a
// list of names finds the one that was hashed.
func (h *hunt) guessable(words ...string) {
	for _, w := range words {
		sum := sha256.Sum256([]byte(w))
		h.bytes("the digest of "+w, sum[:])
	}
}

// TestHuntFinds makes sure that the search of TestCanaries sees each disguise.
func TestHuntFinds(t *testing.T) {
	var deflated bytes.Buffer
	w := zlib.NewWriter(&deflated)
	io.WriteString(w, "xx quorndel xx")
	w.Close()
	sum := sha256.Sum256([]byte("Vashtimer"))
	for name, data := range map[string][]byte{
		"raw": []byte("..QUORNDEL.."), "utf-16le": utf16Bytes("Quorndel", false), "utf-16be": utf16Bytes("Quorndel", true),
		"base64": []byte(base64.StdEncoding.EncodeToString([]byte("a Quorndel b"))), "hex": []byte(hex.EncodeToString([]byte("Quorndel"))),
		"base64 url, shifted": []byte(base64.RawURLEncoding.EncodeToString([]byte("abQuorndel"))), "deflated": append([]byte("junk"), deflated.Bytes()...),
		"deflated in base64": []byte(`{"x":"` + base64.StdEncoding.EncodeToString(deflated.Bytes()) + `"}`),
		"digest":             append([]byte("\xe9x"), sum[:]...), "digest, hex": []byte("k" + hex.EncodeToString(sum[:]) + "e"),
		"digest, base64": []byte("a" + base64.StdEncoding.EncodeToString(sum[:])),
	} {
		h := &hunt{t: t, needles: []string{"Quorndel"}}
		h.guessable("Vashtimer")
		if h.found(data, 0) == "" {
			t.Errorf("%s: not found", name)
		}
		if h.found([]byte("nothing of the kind"), 0) != "" {
			t.Errorf("%s: found where it is not", name)
		}
	}
}

func (h *hunt) search(where string, data []byte) {
	h.t.Helper()
	h.searched++
	if n := h.found(data, 0); n != "" {
		h.t.Errorf("%s holds a canary: %s", where, n)
	}
}

// found looks in data as it is, and in all that unpacks from it, three layers deep. It
// returns what it met first, with a few bytes of what follows; "" where there is none.
func (h *hunt) found(data []byte, depth int) string {
	lower := bytes.ToLower(data)
	for _, n := range h.needles {
		for _, disguise := range disguises(strings.ToLower(n)) {
			if at := bytes.Index(lower, bytes.ToLower(disguise)); at >= 0 {
				return fmt.Sprintf("%q in %q", n, lower[at:min(len(lower), at+80)])
			}
		}
	}
	for _, e := range h.exact {
		if bytes.Contains(data, e.raw) || bytes.Contains(lower, e.hex) {
			return e.what
		}
	}
	if depth == 3 {
		return ""
	}
	for _, inner := range slices.Concat(unbase64(data), inflate(data)) {
		if n := h.found(inner, depth+1); n != "" {
			return n
		}
	}
	return ""
}

func disguises(n string) [][]byte {
	return [][]byte{[]byte(n), utf16Bytes(n, false), utf16Bytes(n, true)}
}

func utf16Bytes(s string, bigEndian bool) []byte {
	var out []byte
	for _, u := range utf16.Encode([]rune(s)) {
		if bigEndian {
			out = append(out, byte(u>>8), byte(u))
		} else {
			out = append(out, byte(u), byte(u>>8))
		}
	}
	return out
}

// unbase64 decodes every run of the base64 alphabets that is long enough for a canary,
// from each of the four places where a group may begin, and every run of hexadecimal.
func unbase64(data []byte) [][]byte {
	const shortest = 10
	var out [][]byte
	in := func(b byte) bool {
		return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '+' || b == '/' || b == '-' || b == '_'
	}
	for i := 0; i < len(data); {
		j := i
		for j < len(data) && in(data[j]) {
			j++
		}
		if j-i >= shortest {
			run := strings.NewReplacer("-", "+", "_", "/").Replace(string(data[i:j]))
			for start := range 4 {
				out = append(out, decodeSome(run[start:]))
			}
			if b, err := hex.DecodeString(run); err == nil {
				out = append(out, b)
			}
		}
		i = j + 1
	}
	return out
}

// decodeSome decodes as much of a run as base64 allows: a last group of one is none.
func decodeSome(run string) []byte {
	if len(run)%4 == 1 {
		run = run[:len(run)-1]
	}
	b, _ := base64.RawStdEncoding.DecodeString(run)
	return b
}

// inflate unpacks whatever begins like zlib or gzip anywhere in data.
func inflate(data []byte) [][]byte {
	const most = 64 << 20
	var out [][]byte
	for i := 0; i+2 < len(data); i++ {
		var r io.Reader
		switch {
		case data[i]&0x0f == 8 && data[i]>>4 <= 7 && (int(data[i])<<8|int(data[i+1]))%31 == 0:
			z, err := zlib.NewReader(bytes.NewReader(data[i:]))
			if err != nil {
				continue
			}
			r = z
		case data[i] == 0x1f && data[i+1] == 0x8b && i+10 < len(data):
			r = flate.NewReader(bytes.NewReader(data[i+10:]))
		default:
			continue
		}
		if b, _ := io.ReadAll(io.LimitReader(r, most)); len(b) > 8 {
			out = append(out, b)
		}
	}
	return out
}

func (h *hunt) files(root string) {
	h.t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		h.search("the name "+d.Name(), []byte(d.Name()))
		if !d.Type().IsRegular() {
			return nil
		}
		body, err := os.ReadFile(path)
		h.search(path, body)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// rows searches what the database says when asked: signed events opened, results,
// policies, whatever is kept of the orders.
func (h *hunt) rows(db *sqlite.DB, data string) {
	h.t.Helper()
	ctx := context.Background()
	h.tables(filepath.Join(data, "blotter.db"))
	size, _, err := db.Head(ctx)
	if err != nil {
		h.t.Fatal(err)
	}
	for n := range size {
		e, err := db.Entry(ctx, n)
		if err != nil {
			h.t.Fatal(err)
		}
		h.search("an event", e.Envelope)
		var envelope struct{ Payload string }
		if err := json.Unmarshal(e.Envelope, &envelope); err != nil {
			h.t.Fatal(err)
		}
		payload, err := base64.StdEncoding.DecodeString(envelope.Payload)
		if err != nil {
			h.t.Fatal(err)
		}
		h.search("an event's payload", payload)
	}
}

// tables searches every value of every table.
func (h *hunt) tables(path string) {
	h.t.Helper()
	raw, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		h.t.Fatal(err)
	}
	defer raw.Close()
	for _, table := range h.query(raw, "SELECT name FROM sqlite_schema WHERE type = 'table'") {
		for _, value := range h.query(raw, "SELECT * FROM "+string(table)) {
			h.search("a row of "+string(table), value)
		}
	}
}

// query returns every value of every row.
func (h *hunt) query(db *sql.DB, q string) [][]byte {
	h.t.Helper()
	rows, err := db.Query(q)
	if err != nil {
		h.t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		h.t.Fatal(err)
	}
	var out [][]byte
	for rows.Next() {
		values, into := make([]sql.RawBytes, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			h.t.Fatal(err)
		}
		for _, v := range values {
			out = append(out, bytes.Clone(v))
		}
	}
	if err := rows.Err(); err != nil {
		h.t.Fatal(err)
	}
	return out
}

// blobs searches what the vault gives out to who has its keys: the derivatives. Uploads
// and originals hold the document by nature; their ciphertext is among the files.
func (h *hunt) blobs(v *vault.Vault) {
	h.t.Helper()
	ctx := context.Background()
	refs, err := v.List(ctx, "")
	refs = slices.DeleteFunc(refs, func(r vault.Ref) bool { return r.Class != vault.Derivative })
	if err != nil || len(refs) == 0 {
		h.t.Fatalf("the vault holds %d derivatives, %v", len(refs), err)
	}
	for _, ref := range refs {
		r, err := v.Open(ctx, ref)
		if err != nil {
			h.t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			h.t.Fatal(err)
		}
		h.search("a decrypted blob", body)
	}
}
