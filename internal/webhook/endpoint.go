package webhook

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"blotter/internal/document"
)

// Endpoint is where a tenant's ended jobs are told.
type Endpoint struct {
	Name    string // opaque; what store, logs and metrics know it by
	Tenant  document.Tenant
	URL     string   // https, or http where private addresses are allowed; never stored or logged
	Secrets []Secret // the current one first; during a rotation every message is signed with each
}

// Secret signs messages.
type Secret []byte

// secretPrefix begins the text of a secret (Standard Webhooks, "Signature scheme").
const secretPrefix = "whsec_"

// ParseSecret reads whsec_ and the base64 of 24 to 64 random bytes.
func ParseSecret(text string) (Secret, error) {
	body, ok := strings.CutPrefix(text, secretPrefix)
	if !ok {
		return nil, errors.New("a webhook secret begins with " + secretPrefix)
	}
	b, err := base64.StdEncoding.DecodeString(body)
	if err != nil || len(b) < 24 || len(b) > 64 {
		return nil, errors.New("a webhook secret is " + secretPrefix + " and the base64 of 24 to 64 random bytes")
	}
	return b, nil
}

var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)

// ParseEndpoint reads "name:tenant=URL". Secrets come from elsewhere.
func ParseEndpoint(text string) (Endpoint, error) {
	who, address, ok := strings.Cut(text, "=")
	name, tenant, both := strings.Cut(who, ":")
	if !ok || !both {
		return Endpoint{}, errors.New("a webhook endpoint is name:tenant=URL")
	}
	if !nameForm.MatchString(name) {
		return Endpoint{}, errors.New("a webhook endpoint's name has 1 to 63 letters a–z, digits, _ and -")
	}
	t, err := document.ParseTenant(tenant)
	if err != nil {
		return Endpoint{}, err
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Fragment != "" || (u.Scheme != "https" && u.Scheme != "http") {
		return Endpoint{}, fmt.Errorf("the URL of webhook endpoint %s is none of https or http", name) // without the URL: it may hold a credential
	}
	return Endpoint{Name: name, Tenant: t, URL: address}, nil
}

// isHTTPS reports whether what is sent to the URL is encrypted.
func isHTTPS(address string) bool { return strings.HasPrefix(strings.ToLower(address), "https://") }

// ParseSecrets reads lines of a name and a secret. A name with several lines is in rotation;
// its first line is the secret that will stay. Empty lines and those with # are left out.
func ParseSecrets(text string) (map[string][]Secret, error) {
	out := map[string][]Secret{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) != 2 || !nameForm.MatchString(fields[0]) {
			return nil, fmt.Errorf("line %d of the webhook secrets is not the name of an endpoint and a secret", n)
		}
		s, err := ParseSecret(fields[1])
		if err != nil {
			return nil, fmt.Errorf("line %d of the webhook secrets: %w", n, err)
		}
		out[fields[0]] = append(out[fields[0]], s)
	}
	return out, nil
}
