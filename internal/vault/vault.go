// Package vault keeps blobs (documents as they were sent, derivatives, extracted
// originals) encrypted under a key of their own per job and class, so that destroying the
// key destroys the data. Underneath is a directory or a bucket (gocloud.dev/blob); on top
// are streaming encryption (tink) and the promise that what Writer.Close has accepted is
// on disk, or kept by the store of the bucket.
//
// Guarantees:
//
//   - A blob is there as a whole or not at all: in a directory it is written beside its
//     place and renamed into it once it is synced; a bucket's store shows it once it has all.
//   - A reader gets the bytes that were written under that very Ref, or an error. A
//     flipped bit, a missing end, a blob moved to another job, class, token or index:
//     all give vault.damaged, never a short read that looks like success. What was read
//     before the error must still be thrown away: blobs are checked by the mebibyte.
//   - No caller's string becomes a file name: names are made of job identifier, class
//     and numbers.
//
// It does not defend against an older blob of the same Ref being put back, and it does
// not destroy keys: that is a transaction of whoever keeps them.
package vault

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"blotter/internal/document"
	"blotter/internal/objectstore"
	"blotter/internal/reason"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// Class is why a blob is kept; each class of a job has its own data key and expiry.
type Class string

// The classes.
const (
	Derivative Class = "derivative"
	Original   Class = "original"
	Task       Class = "task"   // source reference and hints; destroyed with the job's end
	Upload     Class = "upload" // the document that a client sent, stored before any lease exists
)

// Classes lists every class.
func Classes() []Class { return []Class{Task, Upload, Derivative, Original} }

// KeyName names a data key.
type KeyName struct {
	Job   document.ID
	Class Class
}

// Keys keeps the wrapped data keys, beside the jobs and in their transactions.
type Keys interface {
	// PutKey stores a wrapped key for the job and class unless there is one, and returns
	// the one that is stored. It lives for FirstLife unless something dates it. A key that
	// was destroyed is not made again: ErrKeyGone.
	PutKey(ctx context.Context, job document.ID, c Class, wrapped []byte) ([]byte, error)
	// Key returns the wrapped key; ErrKeyGone (vault.key_destroyed) where there is none.
	Key(ctx context.Context, job document.ID, c Class) ([]byte, error)
}

// Vault stores blobs in a directory or a bucket. Its methods may be called concurrently.
type Vault struct {
	place   place
	station tink.AEAD // wraps data keys
	naming  []byte    // key of fingerprints
	keys    Keys
}

// Open opens the vault at where: a directory, which it makes (mode 0700) where missing, or
// an s3://bucket/prefix?region=… whose bucket is there. The station's key is read from
// keyFile, or made there (mode 0600) the first time. Errors have the code
// vault.unavailable, or vault.damaged for a key file that is none.
func Open(ctx context.Context, where, keyFile string, keys Keys) (*Vault, error) {
	p, err := openPlace(ctx, where)
	if err != nil {
		return nil, err
	}
	v, err := inPlace(ctx, p, keyFile, keys)
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	return v, nil
}

// IsBucket reports whether Open would take where for the URL of a bucket.
func IsBucket(where string) bool { return strings.HasPrefix(where, "s3://") }

// blobs is the part of a bucket's prefix that the vault keeps to.
const blobs = "vault"

func openPlace(ctx context.Context, where string) (place, error) {
	if !IsBucket(where) {
		return openDirectory(where)
	}
	s, err := objectstore.Open(ctx, where)
	if err != nil {
		return nil, unavailable("open the bucket", err)
	}
	return bucket{s.Under(blobs)}, nil
}

func inPlace(ctx context.Context, p place, keyFile string, keys Keys) (*Vault, error) {
	station, err := stationKey(ctx, keyFile, p)
	if err != nil {
		return nil, err
	}
	naming, err := namingKey(keyFile)
	if err != nil {
		return nil, err
	}
	return &Vault{place: p, station: station, naming: naming, keys: keys}, nil
}

// Reach asks whether blobs can be had: it looks for one that is not there. Errors:
// vault.unavailable.
func (v *Vault) Reach(ctx context.Context) error {
	return v.walk(ctx, "reach/", func(string) error { return nil })
}

// Close releases the vault. Open readers and writers must be closed before.
func (v *Vault) Close() error {
	if err := v.place.close(); err != nil {
		return unavailable("close the bucket", err)
	}
	return nil
}

func unavailable(doing string, err error) error {
	err = fmt.Errorf("vault: %s: %w", doing, err)
	if reason.Of(err) != reason.Internal {
		return err
	}
	return reason.Because(reason.VaultUnavailable, err)
}

func damaged(what string, err error) error {
	return reason.Because(reason.VaultDamaged, fmt.Errorf("vault: %s: %w", what, err))
}
