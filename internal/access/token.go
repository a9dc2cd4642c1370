package access

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// Pattern is the form of a token as a regular expression, for secret scanners and for
// tests that look for leaks: a fixed word, the key's identifier without its "k", and 32
// random bytes in base64url. Word, lengths and alphabets are narrow enough that nothing
// else matches by chance, so that no checksum is needed.
const Pattern = `blotter_[0-9a-hjkmnp-tv-z]{26}_[A-Za-z0-9_-]{43}`

const (
	tokenWord   = "blotter_"
	idChars     = 26 // of the identifier, 128 bits
	secretBytes = 32
	secretChars = 43 // secretBytes in base64url without padding
	tokenChars  = len(tokenWord) + idChars + 1 + secretChars
)

var secretEncoding = base64.RawURLEncoding.Strict()

// New makes a key and its token, which is the only time that the token is there. Where
// no lanes are named, a key that may submit gets bulk. Errors: usage.wrong, in words that
// can be shown, for a tenant that is none, every tenant for another role than operator
// and admin, and lanes for a role that sends no documents.
//
// The hash is one plain SHA-256. Slow hashes and salts protect secrets that can be
// guessed; NIST SP 800-63B, section 5.1.2.2, asks for neither from 112 random bits on, and
// these are 256.
func New(tenant document.Tenant, role Role, lanes []document.Lane) (Key, string, error) {
	k := Key{ID: newID(), Tenant: tenant, Role: role, Lanes: lanes}
	if err := k.complete(); err != nil {
		return Key{}, "", reason.Because(reason.UsageWrong, err)
	}
	secret := make([]byte, secretBytes)
	if _, err := rand.Read(secret); err != nil {
		panic("access: no randomness: " + err.Error()) // crypto/rand never returns an error since Go 1.24
	}
	k.Hash = document.Sum(secret)
	return k, tokenWord + k.ID[1:] + "_" + secretEncoding.EncodeToString(secret), nil
}

// newID takes the form of a job's identifier, under another letter.
func newID() string { return "k" + string(document.NewID())[1:] }

// complete checks what was asked for, and brings the lanes into their order.
func (k *Key) complete() error {
	if !slices.Contains(Roles(), k.Role) {
		return fmt.Errorf("%q is no role", string(k.Role))
	}
	if k.Tenant == Everyone {
		if k.Role != Operator && k.Role != Admin {
			return fmt.Errorf("a key for every tenant must have the role operator or admin, not %s", k.Role)
		}
	} else if _, err := document.ParseTenant(string(k.Tenant)); err != nil {
		return errors.New("a tenant is 1 to 64 of a-z, 0-9, _ and -, or * for every tenant")
	}
	return k.completeLanes()
}

func (k *Key) completeLanes() error {
	if !k.May(Submit) {
		if len(k.Lanes) > 0 {
			return fmt.Errorf("the role %s sends no documents, so its keys have no lanes", k.Role)
		}
		return nil
	}
	for _, l := range k.Lanes {
		if !slices.Contains(document.Lanes(), l) {
			return fmt.Errorf("%q is no lane", string(l))
		}
	}
	if len(k.Lanes) == 0 {
		k.Lanes = []document.Lane{document.Bulk}
	}
	k.Lanes = slices.Compact(slices.Sorted(slices.Values(k.Lanes)))
	return nil
}

// parse takes a token apart. It accepts exactly what New makes, so that one key has one
// token.
func parse(token string) (id string, hash document.Digest, ok bool) {
	rest, ok := strings.CutPrefix(token, tokenWord)
	if !ok || len(token) != tokenChars || rest[idChars] != '_' {
		return "", hash, false
	}
	if _, err := document.ParseID("j" + rest[:idChars]); err != nil {
		return "", hash, false
	}
	secret, err := secretEncoding.DecodeString(rest[idChars+1:])
	if err != nil || len(secret) != secretBytes {
		return "", hash, false
	}
	return "k" + rest[:idChars], document.Sum(secret), true
}
