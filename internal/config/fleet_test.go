package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blotter/internal/config"
	"blotter/internal/reason"
)

const dsn = "postgres://blotter:hunter2@db.internal:5432/blotter"

func TestFleetSettings(t *testing.T) {
	env := []string{"HOME=/x", "BLOTTER_ENGINES=/e", "BLOTTER_DATABASE=" + dsn, "BLOTTER_VAULT=s3://b/p?region=r", "BLOTTER_SERVE_ROLES=audit, api",
		"BLOTTER_STATION_KEY=/k/station", "BLOTTER_DATABASE_MIGRATE=false"}
	c, err := config.Load(config.Source{Env: env})
	if err != nil {
		t.Fatal(err)
	}
	if string(c.Database) != dsn || c.Vault != "s3://b/p?region=r" || c.StationKey != "/k/station" || !c.AsItIs ||
		!slices.Equal(c.Serve.Roles, []config.Role{config.RoleAudit, config.RoleAPI}) || !c.Serve.Has(config.RoleAPI) || c.Serve.Has(config.RoleWorker) {
		t.Errorf("got %+v", c)
	}
	if c.Node == "local" || len(c.Node) < 10 {
		t.Errorf("the node is called %q", c.Node)
	}
	other, err := config.Load(config.Source{Env: append(env, "BLOTTER_WORKDIR=/elsewhere")})
	if err != nil || other.Node == c.Node {
		t.Errorf("two disks of a host are one node, %v", err)
	}
	if text := fmt.Sprintf("%v %+v %#v %s", c, c, c, c.Database); strings.Contains(text, "hunter2") || strings.Contains(text, "db.internal") {
		t.Errorf("the connection string shows: %s", text)
	}
}

func TestDatabaseFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dsn")
	if err := os.WriteFile(file, []byte(dsn+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=/x", "BLOTTER_ENGINES=/e", "BLOTTER_DATABASE_FILE=" + file}
	if c, err := config.Load(config.Source{Env: env}); err != nil || string(c.Database) != dsn {
		t.Errorf("got %q, %v", string(c.Database), err)
	}
	wants := func(says string, env ...string) {
		t.Helper()
		_, err := config.Load(config.Source{Env: env})
		if reason.Of(err) != reason.ConfigInvalid || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("no %q in: %v", says, err)
		}
	}
	wants("both set", append(env, "BLOTTER_DATABASE="+dsn)...)
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	wants("0600", env...)
	wants("database: must be", "HOME=/x", "BLOTTER_ENGINES=/e", "BLOTTER_DATABASE=mysql://root:hunter2@db/x")
	wants("cannot be read", "HOME=/x", "BLOTTER_ENGINES=/e", "BLOTTER_DATABASE_FILE=/none")
}

func TestWrongFleetSettings(t *testing.T) {
	for setting, says := range map[string]string{
		"VAULT=s3://b/p":                       "a bucket needs a database",
		"VAULT=s3://id:hunter2@b/p":            "credentials come from the environment",
		"VAULT=relative":                       "must be an absolute path",
		"VAULT=gs://b/p":                       "must be an absolute path or the URL of a bucket",
		"NODE=Dr. Who":                         "NODE must be 1 to 64",
		"AUDIT_KEY=signing.key":                "AUDIT_KEY must be an absolute path",
		"SERVE_ROLES=api,boss":                 `"boss"`,
		"SERVE_ROLES=":                         "name one role at least",
		"DATABASE=postgres:/hunter2@elsewhere": "database: must be",
	} {
		_, err := config.Load(config.Source{Env: []string{"HOME=/x", "BLOTTER_ENGINES=/e", "BLOTTER_" + setting}})
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: no %q in:\n%v", setting, says, err)
		}
	}
}
