package source

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// location is a place in a store: a prefix or a document under one.
type location struct {
	scheme, bucket string
	segments       []string // of the path, decoded; each a name and nothing else
}

// schemes are those of the stores that blotter reads.
var schemes = []string{"file", "s3", "gs", "azblob"}

// maxURL bounds a reference: an S3 key has 1024 bytes at most, each of which may be
// written as three, and a Linux path 4096.
const maxURL = 4096

// parseLocation reads a URL that names a place in one way only. What is wrong is said
// without repeating it, because a path may hold a name.
func parseLocation(raw string) (location, error) {
	if len(raw) > maxURL {
		return location{}, errors.New("it is longer than 4096 bytes")
	}
	if strings.ContainsAny(raw, `?#\`) {
		return location{}, errors.New("it has a query, a fragment or a backslash")
	}
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok || !slices.Contains(schemes, scheme) {
		return location{}, errors.New("it does not begin with file://, s3://, gs:// or azblob://")
	}
	bucket, path, _ := strings.Cut(rest, "/")
	l := location{scheme: scheme, bucket: bucket}
	if err := l.checkBucket(); err != nil {
		return location{}, err
	}
	if path == "" {
		return l, nil
	}
	for _, escaped := range strings.Split(path, "/") {
		name, err := url.PathUnescape(escaped)
		if err != nil {
			return location{}, errors.New("it has a malformed percent-encoding")
		}
		l.segments = append(l.segments, name)
	}
	return l, l.check()
}

// checkBucket: a file URL has no host, so that it speaks of this machine alone; a bucket
// has no user, no port and no encoding.
func (l location) checkBucket() error {
	if l.scheme == "file" {
		if l.bucket != "" {
			return errors.New("a file URL has three slashes and no host")
		}
		return nil
	}
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	if l.bucket == "" || len(l.bucket) > 222 || strings.Trim(l.bucket, letters) != "" { // 222: the longest of Google's
		return errors.New("its bucket is not a name of letters, digits, dots, dashes and underscores")
	}
	return nil
}

// check holds for every segment: a reference that was sealed long ago is checked again
// before it is used.
func (l location) check() error {
	for _, s := range l.segments {
		switch {
		case s == "":
			return errors.New("it has an empty segment")
		case s == "." || s == "..":
			return errors.New("it has a dot segment")
		case !utf8.ValidString(s), strings.ContainsFunc(s, unicode.IsControl):
			return errors.New("it has a control character or is not UTF-8")
		case strings.ContainsAny(s, `/\`):
			return errors.New("it has an encoded slash or backslash")
		case decodesAgain(s):
			return errors.New("it is percent-encoded twice")
		}
	}
	return nil
}

// decodesAgain finds a percent sign with two hexadecimal digits in a decoded segment: a
// store that decodes once more must not read another name.
func decodesAgain(s string) bool {
	for i := 0; i+2 < len(s); i++ {
		if s[i] == '%' && isHex(s[i+1]) && isHex(s[i+2]) {
			return true
		}
	}
	return false
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// covers reports whether a document lies under a prefix, segment by segment; a prefix
// does not lie under itself.
func (l location) covers(doc location) bool {
	n := len(l.segments)
	return l.scheme == doc.scheme && l.bucket == doc.bucket &&
		n < len(doc.segments) && slices.Equal(l.segments, doc.segments[:n])
}

// path is the absolute path of a file, or the key in a bucket.
func (l location) path() string {
	joined := strings.Join(l.segments, "/")
	if l.scheme == "file" {
		return "/" + joined
	}
	return joined
}

// where reads a reference back into its place.
func (r Ref) where() (location, error) {
	l := location{scheme: r.Scheme, bucket: r.Bucket}
	path, absolute := strings.CutPrefix(r.Path, "/")
	if !slices.Contains(schemes, l.scheme) || absolute != (l.scheme == "file") {
		return location{}, errors.New("its scheme and path do not fit")
	}
	l.segments = strings.Split(path, "/")
	return l, errors.Join(l.checkBucket(), l.check())
}

func (l location) ref(t document.Tenant) Ref {
	return Ref{Scheme: l.scheme, Bucket: l.bucket, Path: l.path(), Tenant: t}
}

func badReference(why error) error {
	return reason.Because(reason.SourceReference, errors.Join(errors.New("source: the reference cannot be used"), why))
}
