// Package document is blotter's vocabulary: the values that every room of the
// pipeline passes on. It does no I/O, knows no database and no decoder, and holds
// no recognised text: nothing in it can carry what a document says.
package document

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// ID names a job. It is opaque and random, so that it tells nothing of the document.
type ID string

var idEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// NewID returns a fresh identifier: "j" and 26 characters of Crockford's base32,
// 128 bits from the system's random source.
func NewID() ID {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic("document: no randomness: " + err.Error()) // crypto/rand never returns an error since Go 1.24
	}
	return ID("j" + idEncoding.EncodeToString(b[:]))
}

// ParseID accepts exactly what NewID makes. Anything else is an error, so that an
// identifier can stand in a storage key without further thought.
func ParseID(s string) (ID, error) {
	if len(s) != 27 || s[0] != 'j' {
		return "", errors.New("document: not a job identifier")
	}
	if _, err := idEncoding.DecodeString(s[1:]); err != nil {
		return "", errors.New("document: not a job identifier")
	}
	return ID(s), nil
}

// Tenant names whose documents these are; opaque, at most 64 of [a-z0-9_-].
type Tenant string

// ParseTenant accepts 1 to 64 of [a-z0-9_-].
func ParseTenant(s string) (Tenant, error) {
	if s == "" || len(s) > 64 || strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
		return "", errors.New("document: a tenant is 1 to 64 of a-z, 0-9, _ and -")
	}
	return Tenant(s), nil
}

// Local is the tenant of documents that were given to the command line.
const Local Tenant = "local"

// Digest is a SHA-256.
type Digest [sha256.Size]byte

// Sum returns the digest of b.
func Sum(b []byte) Digest { return sha256.Sum256(b) }

// String returns 64 lower-case hexadecimal digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// IsZero reports whether no digest was set.
func (d Digest) IsZero() bool { return d == Digest{} }

// MarshalText writes lower-case hexadecimal; a zero digest is the empty string.
func (d Digest) MarshalText() ([]byte, error) {
	if d.IsZero() {
		return nil, nil
	}
	return []byte(d.String()), nil
}

// UnmarshalText reads what MarshalText writes and nothing else.
func (d *Digest) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*d = Digest{}
		return nil
	}
	p, err := ParseDigest(string(b))
	*d = p
	return err
}

// ParseDigest reads 64 lower-case hexadecimal digits.
func ParseDigest(s string) (Digest, error) {
	var d Digest
	if len(s) != 2*len(d) || strings.ToLower(s) != s {
		return Digest{}, fmt.Errorf("document: a SHA-256 is %d lower-case hexadecimal digits", 2*len(d))
	}
	if _, err := hex.Decode(d[:], []byte(s)); err != nil {
		return Digest{}, fmt.Errorf("document: a SHA-256 is %d lower-case hexadecimal digits", 2*len(d))
	}
	return d, nil
}
