package source

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"blotter/internal/document"
)

// openPrefix reads an entry of the configuration.
func openPrefix(entry string) (*prefix, error) {
	p := &prefix{}
	raw := entry
	if tenant, rest, ok := strings.Cut(entry, "="); ok && !strings.Contains(tenant, ":") {
		t, err := document.ParseTenant(tenant)
		if err != nil {
			return nil, fmt.Errorf("%q is no tenant: 1 to 64 of a-z, 0-9, _ and -", tenant)
		}
		p.tenant, raw = t, rest
	}
	place, query, _ := strings.Cut(raw, "?")
	settings, err := url.ParseQuery(query)
	if err != nil {
		return nil, errors.New("its query is malformed")
	}
	place = strings.TrimSuffix(place, "/") // with one or without, it is the same prefix
	if strings.HasSuffix(place, "/") && !strings.HasSuffix(place, "://") {
		return nil, errors.New("it has an empty segment")
	}
	if p.location, err = parseLocation(place); err != nil {
		return nil, err
	}
	p.store, err = p.openStore(settings)
	return p, err
}

// openStore makes the store of a prefix. The drivers of S3 and Azure judge their
// settings at once; Google's looks for its credentials on the network, so that it is
// opened with its first document.
func (p *prefix) openStore(settings url.Values) (store, error) {
	if p.scheme == "file" {
		if len(settings) > 0 {
			return nil, errors.New("a directory has no settings")
		}
		return openDirectory(p.location)
	}
	b := &bucket{scheme: p.scheme, url: &url.URL{Scheme: p.scheme, Host: p.bucket, RawQuery: settings.Encode()}}
	if p.scheme == "gs" {
		return b, checkGoogle(settings)
	}
	if _, err := b.get(context.Background()); err != nil {
		return nil, fmt.Errorf("it cannot be used: %w", err)
	}
	return b, nil
}
