// Package config reads how this node runs: one file and the environment, strictly, with
// every mistake reported together. What a document may cost stands in its policy.
//
// The file default.yaml is both the defaults and the manual.
package config

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"blotter/internal/cell"
	"blotter/internal/cell/engine"
	"blotter/internal/document"
	"blotter/internal/intake"
	"blotter/internal/ops"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/strictyaml"
	"blotter/internal/webhook"
)

// Config is the configuration of a node, complete: no field means "default" any more.
type Config struct {
	Data         string // data directory, absolute
	Engines      string // directory of the engines, absolute
	WorkDir      string // root of the working copies, absolute
	Database     DSN    // empty: SQLite in the data directory
	DatabaseFile string // that Database came from; empty: none
	AsItIs       bool   // an older schema is refused, not brought up to date
	Vault        string // absolute path, or the URL of a bucket
	Node         string // name of this node; no two that share a database have the same
	StationKey   string // file of the key that wraps data keys, absolute
	AuditKey     string // file of the signing key, absolute
	LogLevel     slog.Level
	Workers      int           // documents at once, ≥ 1
	Lease        time.Duration // length of a claim without a heartbeat
	Backoff      queue.Backoff
	Weights      map[document.Tenant]int // shares of tenants
	Quantum      time.Duration           // for which a bulk job computes before it gives way to others
	Parked       int                     // bulk jobs that may have given way at once; −1: as many as memory allows
	BulkNice     int                     // how far the priority of cells with bulk documents is lowered
	Cell         cell.Config             // but for Engines, which the application finds
	Classifier   engine.ClassifierConfig // which the operator brings; zero: none
	Serve        Serve
	API          intake.Config
	Webhooks     webhook.Config
	Budgets      document.Budgets
	Traces       ops.TraceConfig
}

// Serve is what only the service needs.
type Serve struct {
	Listen    string // host:port of the API
	OpsListen string // host:port of the private listener; empty: none
	Roles     []Role // what this node does, ≥ 1

	InteractiveWorkers int      // beside Workers, for interactive jobs alone
	SyncSlots          int      // images at once on the synchronous path; 0: closed
	Policies           []string // files; the first is the node's own
	Sources            []string // prefixes of governed stores, URL or tenant=URL
	DiskFreeBytes      int64    // below it nothing new is taken in
}

// Source is where the configuration comes from.
type Source struct {
	File string   // path of the file; empty: where the manual says
	Env  []string // environment, as of os.Environ
	Data string   // data directory of the command line; empty: none
}

//go:embed default.yaml
var defaultFile []byte

// DefaultFile returns the defaults as a commented file.
func DefaultFile() []byte { return append([]byte(nil), defaultFile...) }

// Load reads the configuration. The error has the code config.invalid and joins every
// problem, each with its line or the name of its variable.
func Load(s Source) (Config, error) {
	env := environment(s.Env)
	var c Config
	d := newDraft(&c)
	if err := strictyaml.Apply(defaultFile, d.fields()); err != nil {
		panic("config: the default file is broken: " + err.Error()) // a test reads it
	}
	err := errors.Join(d.readFile(s.File, env), d.readEnv(env))
	if s.Data != "" {
		c.Data = s.Data
	}
	if err = errors.Join(err, d.finish(env)); err != nil {
		return Config{}, reason.Because(reason.ConfigInvalid, err)
	}
	return c, nil
}

// readFile applies the file, if there is one. One that was asked for must be there.
func (d *draft) readFile(path string, env map[string]string) error {
	asked := true
	if path == "" {
		path = env[prefix+"CONFIG"]
	}
	if path == "" {
		asked = false
		path = under(env, "XDG_CONFIG_HOME", ".config", "config.yaml")
	}
	if path == "" {
		return nil
	}
	file, err := readBounded(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !asked:
		return nil
	case err != nil:
		return fmt.Errorf("the configuration cannot be read: %w", err)
	}
	if err := strictyaml.Apply(file, d.fields()); err != nil {
		return fmt.Errorf("%s:\n%w", path, err)
	}
	return nil
}

// readBounded reads what strictyaml will take at most, and a byte more for it to refuse.
func readBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, strictyaml.MaxBytes+1))
}

// under returns blotter/name in a base directory of the XDG specification, which is a
// directory of the home directory where the variable is not set; "" without either.
func under(env map[string]string, variable, home, name string) string {
	base := env[variable]
	if !filepath.IsAbs(base) { // the specification says to ignore a relative one
		if env["HOME"] == "" {
			return ""
		}
		base = filepath.Join(env["HOME"], home)
	}
	return filepath.Join(base, "blotter", name)
}

// finish fills in what depends on other settings and on the host, and checks the whole.
func (d *draft) finish(env map[string]string) error {
	c := d.Config
	var problems []error
	if c.Data == "" {
		if c.Data = under(env, "XDG_STATE_HOME", filepath.Join(".local", "state"), ""); c.Data == "" {
			problems = append(problems, errors.New("no data directory: set BLOTTER_DATA or HOME"))
		}
	}
	if c.Engines == "" {
		dir, err := engine.Dir()
		if err != nil {
			problems = append(problems, errors.New("no directory of engines: set BLOTTER_ENGINES or HOME"))
		}
		c.Engines = dir
	}
	if c.WorkDir == "" {
		c.WorkDir = filepath.Join(c.Data, "work")
	}
	for _, dir := range []*string{&c.Data, &c.Engines, &c.WorkDir} {
		abs, err := filepath.Abs(*dir)
		if err != nil {
			problems = append(problems, err)
		}
		*dir = abs
	}
	problems = append(problems, d.finishFleet())
	c.API.RatePerSecond = float64(d.rate)
	c.API.ReserveFor = max(c.API.ReserveFor, 2*c.API.BodyIdle)
	if c.Workers == 0 {
		c.Workers = max(1, runtime.NumCPU()/2)
	}
	problems = append(problems, c.LogLevel.UnmarshalText([]byte(d.logLevel)), d.acceptMissing(), d.joinWebhooks(), c.Backoff.Validate(), d.joinWeights(), c.Cell.Validate(), c.Classifier.Validate(), c.API.Validate(), c.Traces.Validate())
	return errors.Join(problems...)
}

// environment turns NAME=value lines into a map; the last of a name wins, as in a shell.
func environment(lines []string) map[string]string {
	env := make(map[string]string, len(lines))
	for _, line := range lines {
		name, value, _ := strings.Cut(line, "=")
		env[name] = value
	}
	return env
}
