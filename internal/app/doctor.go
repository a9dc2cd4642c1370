package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"blotter/internal/cell"
	"blotter/internal/cell/engine"
	"blotter/internal/cell/wire"
	"blotter/internal/checkup"
	"blotter/internal/config"
	"blotter/internal/ops"
	"blotter/internal/reason"
	"blotter/internal/vault"
)

// Parts of a node, in the words of `blotter doctor`.
const (
	partEngines  = "engines"
	partWork     = "working directory"
	partData     = "data directory"
	partVault    = "vault"
	partDatabase = "database"
	partKeys     = "keys"
)

// reachWithin bounds each question to a database or a bucket.
const reachWithin = 10 * time.Second

// Doctor looks whether this host keeps what blotter promises, and whether the node is
// whole. It makes nothing: a node that was never started is told as unknown.
func Doctor(ctx context.Context, cfg config.Config) checkup.Report {
	cfg.Complete()
	found := checkup.Walls(ctx, cellConfig(cfg, engine.Set{}), wire.TryPaths{Read: ownFiles(cfg), Write: cfg.WorkDir})
	found = append(found, checkEngines(ctx, cfg)...)
	found = append(found, checkup.Directory(partWork, cfg.WorkDir, cfg.Serve.DiskFreeBytes, false)...)
	found = append(found, checkup.Directory(partData, cfg.Data, cfg.Serve.DiskFreeBytes, true)...)
	if !vault.IsBucket(cfg.Vault) {
		found = append(found, checkup.Directory(partVault, cfg.Vault, cfg.Serve.DiskFreeBytes, true)...)
	}
	found = append(found, checkup.File(partKeys, "station key", cfg.StationKey),
		checkup.File(partKeys, "signing key", cfg.AuditKey))
	found = append(found, checkup.Memory(hostMemory(), cellMemory(cfg), cfg.Workers+cfg.Serve.InteractiveWorkers+cfg.Serve.SyncSlots))
	found = append(found, checkup.Clock(time.Now(), built())...)
	return checkup.NewReport(append(found, checkStores(ctx, cfg)...))
}

// ownFiles lists what a cell must not reach of this node, as far as it is there.
func ownFiles(cfg config.Config) []string {
	var out []string
	for _, path := range []string{cfg.StationKey, cfg.AuditKey, cfg.DatabaseFile, databaseFile(cfg.Data)} {
		if path == "" {
			continue
		}
		if _, err := os.Stat(path); err == nil {
			out = append(out, path)
		}
	}
	return out
}

func cellMemory(cfg config.Config) int64 {
	if cfg.Cell.MemoryBytes > 0 {
		return cfg.Cell.MemoryBytes
	}
	return cell.DefaultMemory
}

// built is when the revision of this program was made; zero where the build does not say.
func built() time.Time {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return time.Time{}
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			t, _ := time.Parse(time.RFC3339, s.Value) // zero where it cannot be read
			return t
		}
	}
	return time.Time{}
}

// checkEngines looks at the pinned files, and starts a cell with them as a document would.
func checkEngines(ctx context.Context, cfg config.Config) []checkup.Finding {
	engines, err := OpenEngines(cfg)
	if err != nil {
		return []checkup.Finding{broken(partEngines, "files", err)}
	}
	var out []checkup.Finding
	for _, d := range engines.Digests() {
		out = append(out, checkup.Passed(partEngines, d.Name, "sha256:"+d.SHA256.String()))
	}
	began := time.Now()
	c, err := cell.Start(ctx, cellConfig(cfg, engines))
	if err != nil {
		return append(out, broken(partEngines, "a cell starts with them", err))
	}
	took := time.Since(began)
	_ = c.Close() // it is killed
	return append(out, checkup.Passed(partEngines, "a cell starts with them", fmt.Sprintf("in %d ms", took.Milliseconds())))
}

// broken is the finding of an error, in the words of its code.
func broken(part, check string, err error) checkup.Finding {
	code := reason.Of(err)
	if errors.Is(err, context.DeadlineExceeded) {
		return checkup.Failed(part, check, fmt.Sprintf("no answer in %s", reachWithin), "Look at the network, and at the load of what should answer.")
	}
	return checkup.Failed(part, check, string(code), reason.Must(code).Text)
}

// bucketSays begins what a bucket answered, and nothing that a directory does.
const bucketSays = "objectstore: "

// said is the finding of what a server refused. The packages that speak to servers take
// addresses, names and credentials out of their errors, so that what they say, behind
// their own names, may be shown: it tells a wrong password from a server that is down.
func said(part, check string, err error, by string) checkup.Finding {
	f := broken(part, check, err)
	if _, words, ok := strings.Cut(err.Error(), by); ok && !errors.Is(err, context.DeadlineExceeded) {
		f.Do = "It says: " + strings.TrimRight(words, " ") + ". Mend that, or correct the setting and the credentials."
	}
	return f
}

// checkStores asks the database and the place of blobs. Where nothing was made yet, nothing
// is made now.
func checkStores(ctx context.Context, cfg config.Config) []checkup.Finding {
	ctx, cancel := context.WithTimeout(ctx, 2*reachWithin)
	defer cancel()
	if cfg.Database == "" && !there(databaseFile(cfg.Data)) {
		return []checkup.Finding{checkup.NotKnown(partDatabase, "answers", "not there yet", "It is made at the first start; look again then.")}
	}
	cfg.AsItIs = true // what is older is told, not changed
	empty := false
	store, err := openStore(ctx, cfg, func(have, _ int) { empty = have == 0 })
	switch {
	case reason.Of(err) == reason.QueueSchemaOld && empty:
		return []checkup.Finding{checkup.NotKnown(partDatabase, "answers", "it does, and holds nothing yet",
			"Its tables are made at the first start, or by blotter migrate; look again then.")}
	case reason.Of(err) == reason.QueueSchemaOld:
		return []checkup.Finding{checkup.Failed(partDatabase, "answers", string(reason.QueueSchemaOld), "Run blotter migrate, once no node of the older version runs.")}
	case err != nil:
		return []checkup.Finding{said(partDatabase, "answers", err, "postgres: ")}
	}
	defer store.Close()
	return append(checkDatabase(ctx, store), checkVault(ctx, cfg, store)...)
}

func checkDatabase(ctx context.Context, store Store) []checkup.Finding {
	server, err := store.Server(ctx)
	if err != nil {
		return []checkup.Finding{broken(partDatabase, "answers", err)}
	}
	out := []checkup.Finding{checkup.Passed(partDatabase, "answers", server)}
	if theirs, err := store.Now(ctx); err != nil {
		out = append(out, broken(partDatabase, "clock", err))
	} else {
		out = append(out, checkup.Beside("the database's", time.Now(), theirs))
	}
	signed, err := lastSigned(ctx, store)
	switch {
	case err != nil:
		out = append(out, broken("clock", "beside the log's last event", err))
	case signed.IsZero():
		out = append(out, checkup.Passed("clock", "beside the log's last event", "the log is empty"))
	case ops.Clock(time.Now(), signed) != nil:
		out = append(out, broken("clock", "beside the log's last event", ops.Clock(time.Now(), signed)))
	default:
		out = append(out, checkup.Passed("clock", "beside the log's last event", "after it"))
	}
	return out
}

// checkVault asks the place of blobs, with the key that must be there: opening a vault
// without one would make it.
func checkVault(ctx context.Context, cfg config.Config, store Store) []checkup.Finding {
	const check = "answers"
	if !there(cfg.StationKey) {
		return []checkup.Finding{checkup.NotKnown(partVault, check, "the station key is not there, so it was not asked", "See the station key.")}
	}
	v, err := vault.Open(ctx, cfg.Vault, cfg.StationKey, store)
	if err != nil {
		return []checkup.Finding{said(partVault, check, err, bucketSays)}
	}
	defer v.Close()
	if err := v.Reach(ctx); err != nil {
		return []checkup.Finding{said(partVault, check, err, bucketSays)}
	}
	return []checkup.Finding{checkup.Passed(partVault, check, "yes")}
}
