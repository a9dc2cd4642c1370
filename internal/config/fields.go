package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"blotter/internal/cell/wire"
	"blotter/internal/intake"
	"blotter/internal/strictyaml"
)

// prefix begins every variable of ours.
const prefix = "BLOTTER_"

// foreign are variables with our prefix that are no settings: where the file lies, where
// a crash test kills the process, and what tests tell their children.
var foreign = []string{prefix + "CONFIG", prefix + "CRASH", prefix + "TEST"}

// draft holds what is read in one form and kept in another.
type draft struct {
	*Config
	logLevel string
	accept   []string
	rate     int // requests a second
	roles    []string

	database string
	migrate  bool

	weights        []string // of tenants
	endpoints      []string // of webhooks
	webhookSecrets string   // file
}

// minCellMemory is the least resident memory of a cell, 640 MiB: with less, honest pages
// (the examples took up to 610 million bytes) would be rejected for the node's sake.
const minCellMemory = 640 << 20

func newDraft(c *Config) *draft {
	c.API = intake.Default() // ReserveFor, which follows from others, is no setting
	return &draft{Config: c}
}

// listFields are the settings that are lists; in a variable their items stand between commas.
var listFields = []string{"cell.accept_missing", "classifier.labels", "queue.weights", "serve.roles", "serve.policies", "serve.sources", "webhooks.endpoints"}

// fields lists every setting in the order of the default file.
func (d *draft) fields() []strictyaml.Field {
	return slices.Concat(d.nodeFields(), d.fleetFields(), d.classifierFields(), d.serveFields(), d.apiFields(), d.webhookFields(), d.budgetFields())
}

// nodeFields are the settings of every command.
func (d *draft) nodeFields() []strictyaml.Field {
	c := d.Config
	return []strictyaml.Field{
		{Path: "data", Set: strictyaml.Text(&c.Data, nil)},
		{Path: "engines", Set: strictyaml.Text(&c.Engines, nil)},
		{Path: "workdir", Set: strictyaml.Text(&c.WorkDir, nil)},
		{Path: "log_level", Set: strictyaml.OneOf(&d.logLevel, "error", "warn", "info", "debug")},
		{Path: "workers", Set: strictyaml.Whole(&c.Workers, 0, 1024)},
		{Path: "queue.lease", Set: strictyaml.Duration(&c.Lease, time.Second, time.Hour)},
		{Path: "queue.backoff_base", Set: strictyaml.Duration(&c.Backoff.Base, time.Millisecond, 24*time.Hour)},
		{Path: "queue.backoff_cap", Set: strictyaml.Duration(&c.Backoff.Cap, time.Millisecond, 24*time.Hour)},
		{Path: "queue.attempts", Set: strictyaml.Whole(&c.Backoff.Attempts, 1, 100)},
		{Path: "queue.weights", Set: strictyaml.List(&d.weights, checkWeight)},
		{Path: "queue.quantum", Set: strictyaml.Duration(&c.Quantum, 0, 24*time.Hour)},
		{Path: "queue.parked", Set: strictyaml.Whole(&c.Parked, -1, 1024)},
		{Path: "cell.memory_bytes", Set: strictyaml.Whole(&c.Cell.MemoryBytes, minCellMemory, 1<<44)},
		{Path: "cell.address_space_bytes", Set: strictyaml.Whole(&c.Cell.AddressSpaceBytes, 1<<26, 1<<46)},
		{Path: "cell.threads", Set: strictyaml.Whole(&c.Cell.Threads, 0, 256)},
		{Path: "cell.nice", Set: strictyaml.Whole(&c.Cell.Nice, 0, 19)},
		{Path: "cell.bulk_nice", Set: strictyaml.Whole(&c.BulkNice, 0, 19)},
		{Path: "cell.start_timeout", Set: strictyaml.Duration(&c.Cell.StartTimeout, time.Second, 10*time.Minute)},
		{Path: "cell.accept_missing", Set: strictyaml.List(&d.accept, checkProtection)},
	}
}

// readEnv applies the variables. One that names no setting is a problem, because a
// misspelt limit must not pass for a set one.
func (d *draft) readEnv(env map[string]string) error {
	fields := map[string]strictyaml.Field{}
	for _, f := range d.fields() {
		fields[prefix+strings.ToUpper(strings.ReplaceAll(f.Path, ".", "_"))] = f
	}
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if !strings.HasPrefix(name, prefix) || isForeign(name) {
			continue
		}
		f, known := fields[name]
		if !known {
			problems = append(problems, fmt.Errorf("%s is not a setting", name))
			continue
		}
		if err := f.Set(fromVariable(f.Path, env[name])); err != nil {
			problems = append(problems, fmt.Errorf("%s %w", name, err))
		}
	}
	return errors.Join(problems...)
}

func isForeign(name string) bool {
	return slices.ContainsFunc(foreign, func(f string) bool { return name == f || strings.HasPrefix(name, f+"_") })
}

func fromVariable(path, text string) strictyaml.Value {
	if !slices.Contains(listFields, path) {
		return strictyaml.Value{Text: text}
	}
	v := strictyaml.Value{List: true, Items: []string{}}
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			v.Items = append(v.Items, item)
		}
	}
	return v
}

func checkProtection(name string) error {
	if _, ok := wire.ParseProtection(name); !ok {
		return fmt.Errorf("names %q, which is none of %s", name, strings.Join(wire.AllProtections.Names(), ", "))
	}
	return nil
}

func (d *draft) acceptMissing() error {
	for _, name := range d.accept {
		p, ok := wire.ParseProtection(name)
		if !ok {
			return checkProtection(name)
		}
		d.Cell.Accept |= p
	}
	return nil
}
