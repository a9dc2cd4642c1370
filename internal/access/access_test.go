package access_test

import (
	"encoding/base64"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/internal/sqlite"
	"blotter/receipt"
)

// keyring is one over a fresh store.
func keyring(t *testing.T) (*access.Keyring, *sqlite.DB) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "blotter.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return &access.Keyring{Store: db}, db
}

// events counts what the store wants to have signed, by kind.
func events(t *testing.T, db *sqlite.DB) map[receipt.Kind]int {
	t.Helper()
	pending, err := db.Pending(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[receipt.Kind]int{}
	for _, p := range pending {
		kinds[p.Event.Kind]++
	}
	return kinds
}

func TestNew(t *testing.T) {
	both := []document.Lane{document.Interactive, document.Bulk}
	for _, c := range []struct {
		tenant document.Tenant
		role   access.Role
		lanes  []document.Lane
		want   []document.Lane
		ok     bool
	}{
		{"ward", access.Client, nil, []document.Lane{document.Bulk}, true},
		{"ward", access.Client, both, []document.Lane{document.Bulk, document.Interactive}, true},
		{"ward", access.Client, append(both, both...), []document.Lane{document.Bulk, document.Interactive}, true},
		{"ward", access.Client, []document.Lane{"express"}, nil, false},
		{"ward", access.Reader, nil, nil, true},
		{"ward", access.Reader, both, nil, false},
		{"ward", access.Reviewer, nil, nil, true},
		{"ward", "king", nil, nil, false},
		{"ward", "", nil, nil, false},
		{"", access.Client, nil, nil, false},
		{"Ward", access.Client, nil, nil, false},
		{document.Tenant(strings.Repeat("a", 65)), access.Client, nil, nil, false},
		{access.Everyone, access.Client, nil, nil, false},
		{access.Everyone, access.Reader, nil, nil, false},
		{access.Everyone, access.Reviewer, nil, nil, false},
		{access.Everyone, access.Operator, nil, nil, true},
		{access.Everyone, access.Admin, nil, []document.Lane{document.Bulk}, true},
	} {
		k, token, err := access.New(c.tenant, c.role, c.lanes)
		if (err == nil) != c.ok {
			t.Errorf("New(%q, %q, %v): %v", c.tenant, c.role, c.lanes, err)
			continue
		}
		if err != nil {
			if reason.Of(err) != reason.UsageWrong || token != "" {
				t.Errorf("New(%q, %q, %v): %v, token %q", c.tenant, c.role, c.lanes, err, token)
			}
			continue
		}
		if !slices.Equal(k.Lanes, c.want) || k.Tenant != c.tenant || k.Role != c.role {
			t.Errorf("New(%q, %q, %v) = %+v", c.tenant, c.role, c.lanes, k)
		}
	}
}

// A token has the documented form, and the key does not hold its secret.
func TestTokenForm(t *testing.T) {
	form := regexp.MustCompile("^" + access.Pattern + "$")
	seen := map[string]bool{}
	for range 200 {
		k, token, err := access.New("ward", access.Client, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !form.MatchString(token) || seen[token] || seen[k.ID] {
			t.Fatalf("token %s, key %s", token, k.ID)
		}
		seen[token], seen[k.ID] = true, true
		secret, err := base64.RawURLEncoding.DecodeString(token[len(token)-43:])
		if err != nil || k.Hash != document.Sum(secret) {
			t.Fatalf("the hash is not the secret's: %v", err)
		}
		if !strings.Contains(token, k.ID[1:]) || k.ID[0] != 'k' {
			t.Fatalf("token %s does not name key %s", token, k.ID)
		}
	}
}

func TestCheckFindsTheKey(t *testing.T) {
	ring, _ := keyring(t)
	made, token, err := ring.Add(t.Context(), "ward", access.Client, nil, "cli")
	if err != nil {
		t.Fatal(err)
	}
	got, err := ring.Check(t.Context(), token)
	if err != nil || got.ID != made.ID || got.Tenant != "ward" || got.Created.IsZero() {
		t.Errorf("Check = %+v, %v", got, err)
	}
}

// Whatever is wrong with a token, the answer is the very same error.
func TestEveryWrongTokenGivesTheSameError(t *testing.T) {
	ring, db := keyring(t)
	_, good, err := ring.Add(t.Context(), "ward", access.Client, nil, "cli")
	if err != nil {
		t.Fatal(err)
	}
	_, other, err := ring.Add(t.Context(), "ward", access.Client, nil, "cli")
	if err != nil {
		t.Fatal(err)
	}
	gone, revoked, err := ring.Add(t.Context(), "ward", access.Client, nil, "cli")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ring.Revoke(t.Context(), gone.ID, "cli"); err != nil {
		t.Fatal(err)
	}
	_, unknown, err := access.New("ward", access.Client, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, token := range wrongTokens(good, other) {
		if _, err := ring.Check(t.Context(), token); !errors.Is(err, access.ErrUnauthorised) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, token := range map[string]string{"revoked": revoked, "unknown": unknown} {
		if k, err := ring.Check(t.Context(), token); !errors.Is(err, access.ErrUnauthorised) || k.ID != "" {
			t.Errorf("%s: %+v, %v", name, k, err)
		}
	}
	// A stored key without a hash is nobody's.
	bare, hashless, err := access.New("ward", access.Client, nil)
	if err != nil {
		t.Fatal(err)
	}
	bare.Hash = document.Digest{}
	if _, err := db.AddAccess(t.Context(), bare, false, access.Granted(bare, "cli")); err != nil {
		t.Fatal(err)
	}
	if _, err := ring.Check(t.Context(), hashless); !errors.Is(err, access.ErrUnauthorised) {
		t.Errorf("no hash: %v", err)
	}
}

// wrongTokens are changes of a good one that must not pass.
func wrongTokens(good, other string) map[string]string {
	wrong := map[string]string{
		"empty": "", "word alone": "blotter_", "short": good[:len(good)-1], "long": good + "A",
		"space before": " " + good, "space behind": good + " ", "newline behind": good + "\n", "padding": good + "=",
		"upper case": strings.ToUpper(good[:34]) + good[34:], "other word": "blotted_" + good[8:],
		"another key's secret": good[:35] + other[35:], "another key's name": other[:35] + good[35:],
		"secret with a newline": good[:60] + "\n" + good[61:], "standard alphabet": good[:60] + "+" + good[61:],
		"no separator": good[:34] + "-" + good[35:],
	}
	for i := range good {
		wrong["bit of "+good[:i]] = good[:i] + string(good[i]^1) + good[i+1:]
	}
	// The last character holds two bits that say nothing: set, they make another token.
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := strings.IndexByte(alphabet, good[len(good)-1])
	wrong["spare bits"] = good[:len(good)-1] + alphabet[last|1:last|1+1]
	return wrong
}

// Who cannot look must not say no.
func TestStoreErrorsStayStoreErrors(t *testing.T) {
	ring, db := keyring(t)
	_, token, err := ring.Add(t.Context(), "ward", access.Client, nil, "cli")
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := ring.Check(t.Context(), token); err == nil || reason.Of(err) == reason.APIUnauthorised {
		t.Errorf("Check: %v", err)
	}
	if token, made, err := ring.First(t.Context()); err == nil || made || token != "" {
		t.Errorf("First: %q, %v, %v", token, made, err)
	}
	if _, token, err := ring.Add(t.Context(), "ward", access.Client, nil, "cli"); err == nil || token != "" {
		t.Errorf("Add: %q, %v", token, err)
	}
}

// The first key is made once, however many processes begin at once, and never again.
func TestFirst(t *testing.T) {
	ring, db := keyring(t)
	var tokens []string
	var mu sync.Mutex
	var starts sync.WaitGroup
	for range 8 {
		starts.Go(func() {
			token, made, err := ring.First(t.Context())
			if err != nil || made != (token != "") {
				t.Errorf("First = %q, %v, %v", token, made, err)
			}
			mu.Lock()
			defer mu.Unlock()
			if made {
				tokens = append(tokens, token)
			}
		})
	}
	starts.Wait()
	if n := events(t, db)[receipt.AccessGranted]; len(tokens) != 1 || n != 1 {
		t.Fatalf("%d first keys, %d events", len(tokens), n)
	}
	k, err := ring.Check(t.Context(), tokens[0])
	if err != nil || k.Tenant != access.FirstTenant || k.Role != access.Admin ||
		!k.MayUse(document.Interactive) || !k.MayUse(document.Bulk) {
		t.Errorf("the first key is %+v, %v", k, err)
	}
	if _, err := ring.Revoke(t.Context(), k.ID, "cli"); err != nil {
		t.Fatal(err)
	}
	if _, made, err := ring.First(t.Context()); made || err != nil {
		t.Errorf("after the only key was revoked another was made: %v, %v", made, err)
	}
}

func TestRevoke(t *testing.T) {
	ring, db := keyring(t)
	made, _, err := ring.Add(t.Context(), "ward", access.Client, nil, "cli")
	if err != nil {
		t.Fatal(err)
	}
	first, err := ring.Revoke(t.Context(), made.ID, "cli")
	if err != nil || first.Revoked.IsZero() {
		t.Fatalf("Revoke = %+v, %v", first, err)
	}
	again, err := ring.Revoke(t.Context(), made.ID, "cli")
	if n := events(t, db)[receipt.AccessRevoked]; err != nil || !again.Revoked.Equal(first.Revoked) || n != 1 {
		t.Errorf("Revoke = %+v, %v with %d events", again, err, n)
	}
	if _, err := ring.Revoke(t.Context(), "kabsent", "cli"); reason.Of(err) != reason.AccessUnknown {
		t.Errorf("Revoke of no key: %v", err)
	}
}

// The events say who may do what, and hold neither secret nor hash.
func TestEvents(t *testing.T) {
	k, token, err := access.New("ward", access.Client, document.Lanes())
	if err != nil {
		t.Fatal(err)
	}
	for kind, e := range map[receipt.Kind]receipt.Event{
		receipt.AccessGranted: access.Granted(k, "cli"), receipt.AccessRevoked: access.Revoked(k, "cli"),
	} {
		if err := e.Validate(); err != nil || e.Kind != kind || e.Actor != "cli" {
			t.Errorf("%s: %+v, %v", kind, e, err)
		}
		a := *e.Access
		if a.ID != k.ID || a.Tenant != "ward" || a.Role != "client" || !slices.Equal(a.Lanes, []string{"bulk", "interactive"}) {
			t.Errorf("%s: %+v", kind, a)
		}
		for _, value := range append([]string{a.ID, a.Tenant, a.Role, e.Actor}, a.Lanes...) {
			if strings.Contains(value, token[35:]) || strings.Contains(value, k.Hash.String()) {
				t.Errorf("%s shows the secret", kind)
			}
		}
	}
}

func TestRights(t *testing.T) {
	for role, want := range map[access.Role]map[access.Right]bool{
		access.Reader:   {access.Read: true, access.Fetch: true},
		access.Client:   {access.Submit: true, access.Read: true, access.Fetch: true, access.Cancel: true},
		access.Reviewer: {access.Read: true, access.Fetch: true, access.Originals: true},
		access.Operator: {access.Read: true, access.Cancel: true, access.Operate: true},
		access.Admin:    {access.Submit: true, access.Read: true, access.Fetch: true, access.Originals: true, access.Cancel: true, access.Operate: true},
		"":              {},
	} {
		for right := access.Submit; right <= access.Operate; right <<= 1 {
			if got := (access.Key{Role: role}).May(right); got != want[right] {
				t.Errorf("%q may %b: %v", role, right, got)
			}
		}
	}
	if k := (access.Key{Tenant: "ward"}); !k.Sees("ward") || k.Sees("other") || k.Sees(access.Everyone) {
		t.Error("a tenant's key sees the wrong jobs")
	}
	if k := (access.Key{Tenant: access.Everyone}); !k.Sees("ward") {
		t.Error("a key for every tenant does not see a tenant's jobs")
	}
}
