package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blotter/internal/config"
)

func TestWebhookSettings(t *testing.T) {
	secrets := filepath.Join(t.TempDir(), "secrets")
	const line = "ehr whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=\n"
	if err := os.WriteFile(secrets, []byte(line+line), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=/x", "BLOTTER_ENGINES=/e", "BLOTTER_WEBHOOKS_SECRETS_FILE=" + secrets}
	load := func(more ...string) (config.Config, error) {
		return config.Load(config.Source{Env: append(env, more...)})
	}
	c, err := load("BLOTTER_WEBHOOKS_ENDPOINTS=ehr:clinic=https://ehr.example.org/in", "BLOTTER_WEBHOOKS_ATTEMPTS=3")
	if err != nil {
		t.Fatal(err)
	}
	if e := c.Webhooks.Endpoints; len(e) != 1 || e[0].Name != "ehr" || len(e[0].Secrets) != 2 || c.Webhooks.Backoff.Attempts != 3 {
		t.Errorf("got %d endpoints, %+v", len(e), c.Webhooks.Backoff)
	}
	if names := c.Webhooks.Names(); len(names("clinic")) != 1 || names("other") != nil {
		t.Error("the wrong tenant is told")
	}
	for want, more := range map[string]string{
		"has no secret":         "BLOTTER_WEBHOOKS_ENDPOINTS=lab:clinic=https://ehr.example.org/in",
		"is not https":          "BLOTTER_WEBHOOKS_ENDPOINTS=ehr:clinic=http://ehr.example.org/in",
		"name:tenant=URL":       "BLOTTER_WEBHOOKS_ENDPOINTS=https://ehr.example.org/in",
		"two webhook endpoints": "BLOTTER_WEBHOOKS_ENDPOINTS=ehr:a=https://a.example.org/,ehr:b=https://b.example.org/",
		`secret of "ehr", which no endpoint is called`: "BLOTTER_WEBHOOKS_ATTEMPTS=3",
		"secrets_file cannot be":                       "BLOTTER_WEBHOOKS_SECRETS_FILE=/nowhere",
	} {
		if _, err := load(more); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: no %q in: %v", more, want, err)
		}
	}
	if err := os.Chmod(secrets, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := load(); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("secrets that everybody may read: %v", err)
	}
}
