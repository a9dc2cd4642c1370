package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// Config says what may be read, and for whom.
type Config struct {
	// Prefixes are the places under which documents may lie, each "URL" for every tenant
	// or "tenant=URL" for one. The URL is file:///dir/, s3://bucket/prefix/,
	// gs://bucket/prefix/ or azblob://container/prefix/; a query belongs to the driver of
	// the store (region, endpoint, use_path_style, …) and holds no secret: credentials
	// come from where the store's own tools look for them. None: nothing may be read.
	Prefixes []string

	// Private are directories of blotter's own, absolute: no prefix may cover one or lie in
	// it, so that no reference reads a key or a database.
	Private []string

	// Timeout bounds one document, from the first request to its last byte; 0:
	// DefaultTimeout.
	Timeout time.Duration
}

// DefaultTimeout lets 25 MiB, the default limit of a document, come in at 220 KB/s.
const DefaultTimeout = 2 * time.Minute

// Stores are the governed stores of a node. Their methods may be called concurrently.
type Stores struct {
	prefixes []*prefix // the longest first, and a tenant's own before everyone's
	timeout  time.Duration
}

// prefix is one entry of the configuration.
type prefix struct {
	location
	tenant document.Tenant // empty: every tenant
	store  store
}

// store opens the documents under one prefix.
type store interface {
	// open opens a document that the prefix covers. The error carries a code of this room
	// and no name.
	open(ctx context.Context, l location) (io.ReadCloser, error)
	close() error
}

// Open makes the stores. It reads no document and asks no network; a bucket's first
// document does. The error has the code config.invalid and joins every problem.
func Open(cfg Config) (*Stores, error) {
	s := &Stores{timeout: cmp.Or(cfg.Timeout, DefaultTimeout)}
	var problems []error
	if cfg.Timeout < 0 {
		problems = append(problems, errors.New("the time-out of sources must not be negative"))
	}
	for i, entry := range cfg.Prefixes {
		p, err := openPrefix(entry)
		if err == nil && p.touches(cfg.Private) {
			err = errors.Join(errors.New("it holds, or lies in, a directory of blotter's own"), p.store.close())
		}
		if err == nil && slices.ContainsFunc(s.prefixes, p.same) {
			err = errors.Join(errors.New("it is given twice"), p.store.close())
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("entry %d of sources: %w", i+1, err))
			continue
		}
		s.prefixes = append(s.prefixes, p)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, reason.Because(reason.ConfigInvalid, errors.Join(err, s.Close()))
	}
	slices.SortStableFunc(s.prefixes, byPrecedence)
	return s, nil
}

// touches reports whether a directory of files holds one of dirs or lies in it, links
// resolved. One that is not there yet cannot be reached through a link.
func (p *prefix) touches(dirs []string) bool {
	if p.scheme != "file" {
		return false
	}
	ours := resolved(p.path())
	return slices.ContainsFunc(dirs, func(dir string) bool {
		dir = resolved(dir)
		return within(ours, dir) || within(dir, ours)
	})
}

func resolved(dir string) string {
	if r, err := filepath.EvalSymlinks(dir); err == nil {
		return r
	}
	return filepath.Clean(dir)
}

func within(dir, outer string) bool {
	rel, err := filepath.Rel(outer, dir)
	return err == nil && filepath.IsLocal(rel)
}

func (p *prefix) same(q *prefix) bool {
	return p.tenant == q.tenant && p.scheme == q.scheme && p.bucket == q.bucket && slices.Equal(p.segments, q.segments)
}

func byPrecedence(a, b *prefix) int {
	return cmp.Or(cmp.Compare(len(b.segments), len(a.segments)), cmp.Compare(len(b.tenant), len(a.tenant)))
}

// Close releases the connections to the stores. No fetch may be under way.
func (s *Stores) Close() error {
	var problems []error
	for _, p := range s.prefixes {
		problems = append(problems, p.store.close())
	}
	return errors.Join(problems...)
}

// Parse judges a client's reference and opens nothing. Errors: source.bad_reference for
// what is not a document's URL in its one form; source.outside_prefixes for what lies
// under no prefix of the tenant.
func (s *Stores) Parse(t document.Tenant, url string) (Ref, error) {
	if _, err := document.ParseTenant(string(t)); err != nil {
		return Ref{}, badReference(err)
	}
	l, err := parseLocation(url)
	if err != nil {
		return Ref{}, badReference(err)
	}
	if len(l.segments) == 0 {
		return Ref{}, badReference(errors.New("it names a store and no document"))
	}
	if s.find(t, l) == nil {
		return Ref{}, errOutside
	}
	return l.ref(t), nil
}

var errOutside = reason.Because(reason.SourceOutside, errors.New("source: under no prefix of the tenant"))

// find returns the prefix that a tenant's document lies under, the longest where there
// are several; nil where there is none.
func (s *Stores) find(t document.Tenant, l location) *prefix {
	for _, p := range s.prefixes {
		if (p.tenant == "" || p.tenant == t) && p.covers(l) {
			return p
		}
	}
	return nil
}

// Fetch copies the document to dst, as Copy does. The prefixes are asked again, because
// the configuration may have changed since the reference was taken: errors are those of
// Copy and source.outside_prefixes, source.not_found, source.denied, and
// source.unavailable for whatever may pass. A file of the command line needs no prefix.
func (s *Stores) Fetch(ctx context.Context, r Ref, dst io.Writer, limit int64, want document.Digest) (int64, error) {
	if r.Kind() == commandLine {
		return Fetch(ctx, r, dst, limit, want)
	}
	l, err := r.where()
	if err != nil {
		return 0, badReference(err)
	}
	p := s.find(r.Tenant, l)
	if p == nil {
		return 0, errOutside
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.timeout, errLate)
	defer cancel()
	src, err := p.store.open(ctx, l)
	if err != nil {
		return 0, cmp.Or(context.Cause(ctx), err)
	}
	defer src.Close()
	return Copy(ctx, dst, nameless{src, l.scheme}, limit, want)
}

var errLate = reason.Because(reason.SourceUnreadable, errors.New("source: the store took too long"))

// nameless hides what a store says of a failed read: drivers put addresses there.
type nameless struct {
	io.Reader
	scheme string
}

func (n nameless) Read(p []byte) (int, error) {
	k, err := n.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = failed(reason.SourceUnreadable, n.scheme)
	}
	return k, err
}

// failed is an error that says of which kind of store it is, and nothing more.
func failed(code reason.Code, scheme string) error {
	return reason.Because(code, fmt.Errorf("source: a %s store", scheme))
}
