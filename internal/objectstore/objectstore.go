// Package objectstore keeps objects in a bucket that speaks the S3 protocol. It knows
// nothing of blotter and stands in a low layer, so that the vault and the signer may use
// it.
//
// Guarantees:
//
//   - An object is there as a whole or not at all, and kept by the store when the call
//     that wrote it has returned nil.
//   - Create makes an object only where none is under that name; of several callers one
//     succeeds. Probe finds out whether a store keeps to that.
//   - No call hangs: a store that is silent for Patience fails the call. The SDK tries
//     three times what may be tried again, with growing pauses.
//   - No error carries a name, an address or a credential: what the store said is cut down
//     to its status and code.
//
// It trusts nobody who can write to the bucket; who uses it signs or encrypts.
package objectstore

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/blob/s3blob"
	"gocloud.dev/gcerrors"
)

// Patience is how long a store may be silent before a call fails: ten times what a slow
// one takes for a first byte.
const Patience = 30 * time.Second

// slowest is the least rate, in bytes a second, at which a store takes what was written.
const slowest = 100_000

// partSize is the size of the parts that a large object is sent in, in bytes: the least
// that S3 takes. Objects under 16 MiB are sent at once.
const partSize = 5 << 20

// Errors that callers branch on.
var (
	ErrMissing = errors.New("objectstore: there is no such object")
	ErrTaken   = errors.New("objectstore: there is another object under that name")
)

// Store is a prefix in a bucket. Its methods may be called concurrently.
type Store struct {
	bucket *blob.Bucket
	prefix string // ends with a slash, or is empty
}

// settings are those of a store's URL that blotter passes on to the SDK.
var settings = []string{
	"region", "endpoint", "use_path_style", "profile", "hostname_immutable", "disable_https", "dualstack", "fips",
	"ssetype", "kmskeyid", "request_checksum_calculation", "response_checksum_validation",
}

// Parse judges the URL of a store, s3://bucket/prefix?region=…, and opens nothing. What is
// wrong is said without repeating the URL.
func Parse(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, errors.New("it is no URL")
	case u.Scheme != "s3" || u.Host == "" || u.Port() != "":
		return nil, errors.New("it is not of the form s3://bucket/prefix?region=…")
	case u.User != nil || u.Fragment != "":
		return nil, errors.New("it has a user or a fragment: credentials come from the environment")
	}
	if clean := strings.Trim(u.Path, "/"); clean != "" && path.Clean(clean) != clean {
		return nil, errors.New("its prefix has an empty or a dot segment")
	}
	for name := range u.Query() {
		if !slices.Contains(settings, name) {
			return nil, fmt.Errorf("it has a setting that is none of %s", strings.Join(settings, ", "))
		}
	}
	return u, nil
}

// Open opens a store by its URL. Credentials are found as Amazon's own tools find them. It
// asks the store nothing.
func Open(ctx context.Context, raw string) (*Store, error) {
	u, err := Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("objectstore: the URL cannot be used: %w", err)
	}
	q := u.Query()
	for _, checksum := range []string{"request_checksum_calculation", "response_checksum_validation"} {
		if !q.Has(checksum) { // what is stored is authenticated anyway, and many stores do not know Amazon's own
			q.Set(checksum, "when_required")
		}
	}
	with := url.URL{Scheme: u.Scheme, Host: u.Host, RawQuery: q.Encode()}
	bucket, err := new(s3blob.URLOpener).OpenBucketURL(ctx, &with)
	if err != nil {
		return nil, errors.New("objectstore: a setting of the URL, or of the environment, cannot be used")
	}
	return On(bucket, strings.Trim(u.Path, "/")), nil
}

// On is a store in a bucket that is open, under a prefix without slashes around it.
func On(bucket *blob.Bucket, prefix string) *Store {
	if prefix != "" {
		prefix += "/"
	}
	return &Store{bucket: bucket, prefix: prefix}
}

// Under is the part of a store below a name. Only one of the two may be closed.
func (s *Store) Under(name string) *Store {
	return &Store{bucket: s.bucket, prefix: s.prefix + name + "/"}
}

// Close releases the connections. Readers and writers must be closed before.
func (s *Store) Close() error { return s.bucket.Close() }

// Create makes an object of these bytes. Where one is there already it is compared: the
// same bytes are no error, because an earlier try may have succeeded without its answer
// having arrived; others give ErrTaken, and are left as they are.
func (s *Store) Create(ctx context.Context, key string, body []byte) error {
	ctx, done := within(ctx, writingTime(len(body)))
	defer done()
	err := s.bucket.WriteAll(ctx, s.prefix+key, body, &blob.WriterOptions{ContentType: binary, IfNotExist: true})
	if gcerrors.Code(err) != gcerrors.FailedPrecondition {
		return failed(ctx, "create an object", err)
	}
	there, err := s.Get(ctx, key, len(body)+1)
	switch {
	case errors.Is(err, ErrMissing), err == nil && !bytes.Equal(there, body):
		return ErrTaken
	}
	return err
}

// binary is the type of every object: there is nothing to guess from its bytes.
const binary = "application/octet-stream"

// Get reads a small object, at most limit bytes of it. ErrMissing: there is none.
func (s *Store) Get(ctx context.Context, key string, limit int) ([]byte, error) {
	r, err := s.Reader(ctx, key)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(r, int64(limit)))
	return body, errors.Join(err, r.Close())
}

// List visits the names under a prefix, in their order, as far as visit returns nil. What
// is made or deleted meanwhile may be visited or not.
func (s *Store) List(ctx context.Context, prefix string, visit func(key string) error) error {
	objects := s.bucket.List(&blob.ListOptions{Prefix: s.prefix + prefix})
	for {
		key, err := s.next(ctx, objects)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := visit(key); err != nil {
			return err
		}
	}
}

func (s *Store) next(ctx context.Context, objects *blob.ListIterator) (string, error) {
	ctx, done := within(ctx, Patience)
	defer done()
	o, err := objects.Next(ctx)
	if errors.Is(err, io.EOF) {
		return "", io.EOF
	}
	if err != nil {
		return "", failed(ctx, "list objects", err)
	}
	return strings.TrimPrefix(o.Key, s.prefix), nil
}

// Delete deletes an object. That there is none is no error.
func (s *Store) Delete(ctx context.Context, key string) error {
	ctx, done := within(ctx, Patience)
	defer done()
	err := s.bucket.Delete(ctx, s.prefix+key)
	if missing(err) {
		return nil
	}
	return failed(ctx, "delete an object", err)
}

// Probe makes sure that the store keeps what it is given and that Create never overwrites:
// a store that ignores the condition would do so in silence. It leaves nothing behind.
// unsafe is true where the store answered and overwrote.
func (s *Store) Probe(ctx context.Context) (unsafe bool, err error) {
	var id [8]byte
	rand.Read(id[:]) // never fails since Go 1.24
	key := "probe-" + hex.EncodeToString(id[:])
	defer func() { err = errors.Join(err, s.Delete(context.WithoutCancel(ctx), key)) }()
	if err := s.Create(ctx, key, []byte("first")); err != nil {
		return false, err
	}
	err = s.Create(ctx, key, []byte("second"))
	switch {
	case errors.Is(err, ErrTaken):
		return false, nil
	case err == nil:
		return true, errors.New("objectstore: the store overwrites an object that it was told to create only where there is none")
	}
	return false, err
}

// errSilent is the cause of a call that the store kept waiting.
var errSilent = errors.New("the store was silent for too long")

func within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, errSilent)
}

// writingTime is how long sending so many bytes may take.
func writingTime(n int) time.Duration {
	return Patience + time.Duration(n)*time.Second/slowest
}

func missing(err error) bool {
	return gcerrors.Code(err) == gcerrors.NotFound && errorCode(err) != "NoSuchBucket"
}

// failed says what was attempted, why ctx ended or what the store answered, and no name.
func failed(ctx context.Context, doing string, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("objectstore: %s: %w", doing, cause)
	}
	if missing(err) {
		return ErrMissing
	}
	var answered interface {
		error
		HTTPStatusCode() int
	}
	if errors.As(err, &answered) && answered.HTTPStatusCode() != 0 {
		return fmt.Errorf("objectstore: %s: the store answered %d %s", doing, answered.HTTPStatusCode(), errorCode(err))
	}
	return fmt.Errorf("objectstore: %s: the store did not answer, or there are no credentials for it", doing)
}

// errorCode is the protocol's own name of a failure; "" where there is none, or something
// that no store of sound mind would call so.
func errorCode(err error) string {
	var coded interface {
		error
		ErrorCode() string
	}
	const letters, longest = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", 64
	if !errors.As(err, &coded) || len(coded.ErrorCode()) > longest || strings.Trim(coded.ErrorCode(), letters) != "" {
		return ""
	}
	return coded.ErrorCode()
}
