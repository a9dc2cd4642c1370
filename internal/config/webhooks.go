package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"blotter/internal/strictyaml"
	"blotter/internal/webhook"
)

// webhookFields are the settings of webhooks.
func (d *draft) webhookFields() []strictyaml.Field {
	w := &d.Webhooks
	return []strictyaml.Field{
		{Path: "webhooks.endpoints", Set: strictyaml.List(&d.endpoints, nil)},
		{Path: "webhooks.secrets_file", Set: strictyaml.Text(&d.webhookSecrets, nil)},
		{Path: "webhooks.allow_private", Set: strictyaml.Bool(&w.AllowPrivate)},
		{Path: "webhooks.backoff_base", Set: strictyaml.Duration(&w.Backoff.Base, time.Millisecond, 24*time.Hour)},
		{Path: "webhooks.backoff_cap", Set: strictyaml.Duration(&w.Backoff.Cap, time.Millisecond, 24*time.Hour)},
		{Path: "webhooks.attempts", Set: strictyaml.Whole(&w.Backoff.Attempts, 1, 100)},
	}
}

// joinWebhooks puts endpoints and their secrets together.
func (d *draft) joinWebhooks() error {
	d.Webhooks.Endpoints = nil
	var problems []error
	for _, text := range d.endpoints {
		e, err := webhook.ParseEndpoint(text)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		d.Webhooks.Endpoints = append(d.Webhooks.Endpoints, e)
	}
	secrets, err := readSecrets(d.webhookSecrets)
	if err != nil {
		problems = append(problems, err)
	}
	var unknown []error
	for i := range d.Webhooks.Endpoints {
		e := &d.Webhooks.Endpoints[i]
		e.Secrets = secrets[e.Name]
	}
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		if slices.ContainsFunc(d.Webhooks.Endpoints, func(e webhook.Endpoint) bool { return e.Name == name }) || len(problems) > 0 {
			continue // what cannot be read may be of that name
		}
		unknown = append(unknown, fmt.Errorf("webhooks.secrets_file has a secret of %q, which no endpoint is called: correct the name, or take the line out", name))
	}
	return errors.Join(append(append(problems, unknown...), d.Webhooks.Validate())...)
}

// readSecrets reads the file of secrets, which nobody else may read; an empty name is none.
func readSecrets(path string) (map[string][]webhook.Secret, error) {
	if path == "" {
		return nil, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("webhooks.secrets_file cannot be read: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("webhooks.secrets_file has mode %04o: let nobody but blotter's user read it (chmod 600)", info.Mode().Perm())
	}
	text, err := readBounded(path)
	if err != nil {
		return nil, fmt.Errorf("webhooks.secrets_file cannot be read: %w", err)
	}
	return webhook.ParseSecrets(string(text))
}
