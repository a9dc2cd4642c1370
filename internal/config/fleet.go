package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blotter/internal/document"
	"blotter/internal/objectstore"
	"blotter/internal/strictyaml"
	"blotter/internal/vault"
)

// DSN says which PostgreSQL holds the database, in a URL or in libpq's words; empty: SQLite
// in the data directory. It may hold a password, so it never prints itself.
type DSN string

// String hides what it says.
func (d DSN) String() string {
	if d == "" {
		return "sqlite"
	}
	return "postgres"
}

// GoString hides what it says.
func (d DSN) GoString() string { return d.String() }

// LogValue hides what it says.
func (d DSN) LogValue() slog.Value { return slog.StringValue(d.String()) }

// Role is a part of the work of a service that nodes may share.
type Role string

// The roles.
const (
	RoleAPI       Role = "api"       // takes requests, and small images at once
	RoleWorker    Role = "worker"    // takes jobs from the queue
	RoleAudit     Role = "audit"     // signs, where it is elected
	RoleRetention Role = "retention" // expires leases and what is stored, where it is elected
)

// Roles lists every role.
func Roles() []Role { return []Role{RoleAPI, RoleWorker, RoleAudit, RoleRetention} }

// Has reports whether a node has a role.
func (s Serve) Has(r Role) bool { return slices.Contains(s.Roles, r) }

// ParseRoles reads a list of roles, each once.
func ParseRoles(names []string) ([]Role, error) {
	if len(names) == 0 {
		return nil, errors.New("name one role at least")
	}
	var out []Role
	for _, name := range names {
		if err := checkRole(name); err != nil {
			return nil, err
		}
		if !slices.Contains(out, Role(name)) {
			out = append(out, Role(name))
		}
	}
	return out, nil
}

func checkRole(name string) error {
	if !slices.Contains(Roles(), Role(name)) {
		return fmt.Errorf("names %q, which is none of api, worker, audit and retention", name)
	}
	return nil
}

// fleetFields are the settings that nodes have in common, or that tell them apart.
func (d *draft) fleetFields() []strictyaml.Field {
	c := d.Config
	return []strictyaml.Field{
		{Path: "database", Set: strictyaml.Text(&d.database, nil)},
		{Path: "database_file", Set: strictyaml.Text(&d.DatabaseFile, checkAbsolute)},
		{Path: "database_migrate", Set: strictyaml.Bool(&d.migrate)},
		{Path: "vault", Set: strictyaml.Text(&c.Vault, checkVault)},
		{Path: "node", Set: strictyaml.Text(&c.Node, checkNode)},
		{Path: "station_key", Set: strictyaml.Text(&c.StationKey, checkAbsolute)},
		{Path: "audit_key", Set: strictyaml.Text(&c.AuditKey, checkAbsolute)},
	}
}

func checkVault(where string) error {
	if where == "" || !strings.Contains(where, "://") {
		return checkAbsolute(where)
	}
	if _, err := objectstore.Parse(where); err != nil {
		return fmt.Errorf("must be an absolute path or the URL of a bucket: %w", err)
	}
	return nil
}

func checkNode(name string) error {
	if name == "" {
		return nil
	}
	if _, err := document.ParseTenant(name); err != nil { // the same letters
		return errors.New("must be 1 to 64 of a-z, 0-9, _ and -")
	}
	return nil
}

// finishFleet finds the database and fills in what depends on the data directory and the
// host.
func (d *draft) finishFleet() error {
	c := d.Config
	dsn, err := d.readDSN()
	c.Database, c.AsItIs = dsn, !d.migrate
	c.Complete()
	roles, problem := ParseRoles(d.roles)
	if problem != nil {
		problem = fmt.Errorf("serve.roles: %w", problem)
	}
	c.Serve.Roles = roles
	if vault.IsBucket(c.Vault) && dsn == "" {
		problem = errors.Join(problem, errors.New("vault: a bucket needs a database that nodes can share; set database, or leave vault empty"))
	}
	return errors.Join(err, problem)
}

// Complete fills in what is empty and depends on the data directory.
func (c *Config) Complete() {
	for dst, name := range map[*string]string{&c.Vault: "vault", &c.StationKey: "station.key", &c.AuditKey: "audit/signing.key"} {
		if *dst == "" {
			*dst = filepath.Join(c.Data, filepath.FromSlash(name))
		}
	}
	if c.Node == "" {
		c.Node = nodeName(c.Database, c.WorkDir)
	}
}

// local is the name of the only node of a data directory.
const local = "local"

// nodeName tells this disk's node from others, and says nothing else of the host.
func nodeName(dsn DSN, workdir string) string {
	if dsn == "" {
		return local
	}
	host, err := os.Hostname()
	if err != nil {
		host = "" // the directory alone tells it from others of this host
	}
	sum := sha256.Sum256([]byte(host + "\n" + workdir))
	return "n" + hex.EncodeToString(sum[:8])
}

// errDSN repeats nothing: what is wrong may be a password.
var errDSN = errors.New("database: must be postgres://user@host:5432/name, or libpq's words such as host=… dbname=…")

func (d *draft) readDSN() (DSN, error) {
	text := d.database
	if d.DatabaseFile != "" {
		if text != "" {
			return "", errors.New("database and database_file are both set: one of them says where the database is")
		}
		st, err := os.Stat(d.DatabaseFile)
		if err != nil {
			return "", fmt.Errorf("database_file cannot be read: %w", err)
		}
		if st.Mode().Perm()&0o077 != 0 {
			return "", errors.New("database_file: others may read it; its mode must be 0600")
		}
		body, err := readBounded(d.DatabaseFile)
		if err != nil {
			return "", fmt.Errorf("database_file cannot be read: %w", err)
		}
		if text = strings.TrimSpace(string(body)); text == "" {
			return "", errors.New("database_file is empty")
		}
	}
	switch {
	case text == "", strings.HasPrefix(text, "postgres://"), strings.HasPrefix(text, "postgresql://"):
		return DSN(text), nil
	case strings.Contains(text, "=") && !strings.Contains(text, "://"):
		return DSN(text), nil
	}
	return "", errDSN
}
