package config_test

import (
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"blotter/internal/cell"
	"blotter/internal/cell/engine"
	"blotter/internal/cell/wire"
	"blotter/internal/config"
	"blotter/internal/document"
	"blotter/internal/intake"
	"blotter/internal/ops"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/webhook"
)

var update = flag.Bool("update", false, "write docs/configuration.md from the default file")

func TestDefaults(t *testing.T) {
	c, err := config.Load(config.Source{Env: []string{"HOME=/home/x", "BLOTTER_ENGINES=/e"}})
	if err != nil {
		t.Fatal(err)
	}
	want := config.Config{
		Data: "/home/x/.local/state/blotter", Engines: "/e", WorkDir: "/home/x/.local/state/blotter/work",
		Vault: "/home/x/.local/state/blotter/vault", Node: "local",
		StationKey: "/home/x/.local/state/blotter/station.key", AuditKey: "/home/x/.local/state/blotter/audit/signing.key",
		LogLevel: slog.LevelWarn, Workers: c.Workers, Lease: 10 * time.Second, Backoff: queue.DefaultBackoff,
		Quantum: 30 * time.Second, Parked: -1, BulkNice: 10, Webhooks: webhook.Config{Backoff: webhook.DefaultBackoff},
		Cell: cell.Config{MemoryBytes: cell.DefaultMemory, AddressSpaceBytes: cell.DefaultAddressSpace,
			StartTimeout: cell.DefaultStartTimeout},
		Classifier: engine.ClassifierConfig{Labels: []string{}},
		Serve: config.Serve{Roles: config.Roles(), Listen: "127.0.0.1:8080", OpsListen: "127.0.0.1:9090", InteractiveWorkers: 1, SyncSlots: 1,
			Policies: []string{}, Sources: []string{}, DiskFreeBytes: 1 << 30},
		API: intake.Default(), Budgets: budgets(), Traces: ops.TraceConfig{Sample: 1},
	}
	if d := cmp.Diff(want, c, cmpopts.IgnoreUnexported(cell.Config{})); d != "" {
		t.Error(d)
	}
	if c.Workers < 1 {
		t.Errorf("%d workers", c.Workers)
	}
}

func budgets() document.Budgets {
	return document.Budgets{
		document.StageQueue: 30 * time.Second, document.StageFetch: 5 * time.Second, document.StageSniff: time.Second,
		document.StageExtract: 20 * time.Second, document.StageRead: time.Minute, document.StageDetect: 10 * time.Second,
		document.StageRedact: 20 * time.Second, document.StageVerify: time.Minute, document.StageStore: 5 * time.Second,
		document.StageSeal: 5 * time.Second,
	}
}

func TestServiceSettings(t *testing.T) {
	file := write(t, "serve: {listen: \"[::1]:0\", ops_listen: \"\", sources: [\"clinic=s3://b/p/\"]}\n"+
		"api: {rate_per_second: 7, body_idle: 40s, backlog_per_tenant: 3}\nbudgets: {read: 3s, queue: 0s}\n")
	c, err := config.Load(config.Source{File: file, Env: []string{"HOME=/x", "BLOTTER_ENGINES=/e", "BLOTTER_SERVE_POLICIES=/a, /b"}})
	if err != nil {
		t.Fatal(err)
	}
	if c.Serve.Listen != "[::1]:0" || c.Serve.OpsListen != "" || c.API.RatePerSecond != 7 || c.API.Backlog.Tenant != 3 ||
		!slices.Equal(c.Serve.Policies, []string{"/a", "/b"}) || !slices.Equal(c.Serve.Sources, []string{"clinic=s3://b/p/"}) ||
		c.Budgets[document.StageRead] != 3*time.Second || c.Budgets[document.StageQueue] != 0 {
		t.Errorf("got %+v", c)
	}
	if c.API.ReserveFor < 2*c.API.BodyIdle {
		t.Errorf("a reservation of %v is shorter than an upload may stand still", c.API.ReserveFor)
	}
	_, err = config.Load(config.Source{Env: []string{"HOME=/x", "BLOTTER_ENGINES=/e", "BLOTTER_SERVE_LISTEN=nowhere",
		"BLOTTER_API_UPLOADS_TOTAL=1", "BLOTTER_TELEMETRY_OTLP_ENDPOINT=x y", "BLOTTER_SERVE_TLS_CERT=/c"}})
	for _, want := range []string{"SERVE_LISTEN must be host:port", "uploads of one", "trace endpoint", "must be given together"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in:\n%v", want, err)
		}
	}
}

func TestPrecedence(t *testing.T) {
	file := write(t, "data: /from/file\nengines: /e\nworkers: 3\nlog_level: debug\nqueue: {lease: 30s}\n"+
		"cell:\n  accept_missing: [landlock, seccomp]\n")
	env := []string{"HOME=/home/x", "BLOTTER_CONFIG=" + file, "BLOTTER_DATA=/from/env", "BLOTTER_QUEUE_LEASE=20s",
		"BLOTTER_CELL_ACCEPT_MISSING=landlock_net, landlock_scope", "BLOTTER_CRASH=x", "BLOTTER_TEST_CHILD=1"}
	c, err := config.Load(config.Source{Env: env})
	if err != nil {
		t.Fatal(err)
	}
	if c.Data != "/from/env" || c.Workers != 3 || c.LogLevel != slog.LevelDebug || c.Lease != 20*time.Second ||
		c.Cell.Accept != wire.LandlockNet|wire.LandlockScope || c.WorkDir != "/from/env/work" {
		t.Errorf("got %+v", c)
	}
	if c, err = config.Load(config.Source{Env: env, Data: "/from/flag"}); err != nil || c.Data != "/from/flag" {
		t.Errorf("got %s, %v", c.Data, err)
	}
}

func TestFileInTheUsualPlace(t *testing.T) {
	home := t.TempDir()
	env := []string{"HOME=" + home, "XDG_CONFIG_HOME=relative is ignored", "BLOTTER_ENGINES=/e"}
	if err := os.MkdirAll(filepath.Join(home, ".config", "blotter"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".config", "blotter", "config.yaml"), []byte("workers: 7"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err := config.Load(config.Source{Env: env}); err != nil || c.Workers != 7 {
		t.Errorf("%d workers, %v", c.Workers, err)
	}
}

func TestEveryProblemIsReported(t *testing.T) {
	file := write(t, "workers: many\nqueue:\n  leese: 1s\n  backoff_base: 10m\nworkers: 2\n")
	_, err := config.Load(config.Source{File: file, Env: []string{
		"BLOTTER_QUEUE_LEASE=5", "BLOTTER_WROKERS=1", "BLOTTER_CELL_ACCEPT_MISSING=walls", "BLOTTER_ENGINES=/e",
		"BLOTTER_CELL_ADDRESS_SPACE_BYTES=1073741824",
	}})
	if reason.Of(err) != reason.ConfigInvalid {
		t.Fatalf("code %s", reason.Of(err))
	}
	for _, want := range []string{
		"line 1: workers must be", "line 3: \"queue.leese\" is not", "line 5: \"workers\" is given twice",
		"BLOTTER_QUEUE_LEASE must be", "BLOTTER_WROKERS is not a setting", `names "walls"`,
		"cap of the backoff must not be less", "address_space_bytes", "no data directory",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in:\n%v", want, err)
		}
	}
}

func TestFileThatWasAskedForMustBeThere(t *testing.T) {
	_, err := config.Load(config.Source{File: filepath.Join(t.TempDir(), "none"), Env: []string{"HOME=/x", "BLOTTER_ENGINES=/e"}})
	if reason.Of(err) != reason.ConfigInvalid {
		t.Error(err)
	}
}

const docsFile = "../../docs/configuration.md"

func TestDocsAreCurrent(t *testing.T) {
	want := "# Configuration\n\n<!-- Written by: go test ./internal/config -update. Do not edit. -->\n\n```yaml\n" +
		string(config.DefaultFile()) + "```\n"
	if *update {
		if err := os.WriteFile(docsFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(docsFile)
	if err != nil || string(got) != want {
		t.Errorf("docs/configuration.md is old (%v); run: go test ./internal/config -update", err)
	}
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
