package main_test

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"blotter/internal/cell/engine"
	"blotter/internal/checkup"
	"blotter/internal/objectstore/objectstoretest"
	"blotter/internal/postgres/pgtest"
)

// What must never stand in a report: the password, and words of addresses and paths.
const (
	rightPassword = "hunter2right"
	wrongPassword = "hunter2wrong"
)

// doctored is a node on a PostgreSQL that asks for passwords and a bucket that can be
// made to fail, which blotter doctor looks at.
type doctored struct {
	*station
	database *pgtest.Cluster
	port     string
	keys     string
	vault    string
	bucket   atomic.Value // how it fails: "", "denied", "down" or "silent"
}

func newDoctored(t *testing.T) *doctored {
	port := freePort(t)
	d := &doctored{port: port, keys: t.TempDir(), database: pgtest.Own(t, pgtest.Options{Settings: []string{"listen_addresses = '127.0.0.1'", "port = " + port}})}
	d.bucket.Store("")
	conn, err := pgx.Connect(t.Context(), d.database.URL("postgres")+"&port="+port)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"CREATE ROLE node LOGIN PASSWORD '" + rightPassword + "'", "CREATE DATABASE station OWNER node", "CREATE DATABASE empty OWNER node"} {
		if _, err := conn.Exec(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.database.Files(), "pg_hba.conf"), []byte("host all node 127.0.0.1/32 scram-sha-256\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := d.database.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	silent := make(chan struct{})
	d.vault = objectstoretest.Listen(t, func(w http.ResponseWriter, r *http.Request, bucket http.Handler) {
		switch d.bucket.Load() {
		case "denied":
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>no</Message></Error>`)) // nobody to tell
		case "down":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "silent":
			<-silent
		default:
			bucket.ServeHTTP(w, r)
		}
	})
	t.Cleanup(func() { close(silent) }) // before the server is closed
	d.station = newStation(t, append([]string{"BLOTTER_DATABASE=" + d.at(port, rightPassword, "station"), "BLOTTER_VAULT=" + d.vault, "BLOTTER_WORKERS=1",
		"BLOTTER_STATION_KEY=" + filepath.Join(d.keys, "station.key"), "BLOTTER_AUDIT_KEY=" + filepath.Join(d.keys, "signing.key")},
		objectstoretest.Environment...)...)
	return d
}

func (d *doctored) at(port, password, database string) string {
	return "postgres://node:" + password + "@127.0.0.1:" + port + "/" + database
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// examined is what blotter doctor says, with settings before the node's own. It must
// fail where a finding fails, and name no place and no secret.
func (d *doctored) examined(t *testing.T, env ...string) checkup.Report {
	t.Helper()
	s := *d.station
	s.env = append(append([]string{}, d.env...), env...)
	r := s.run(program(t), "doctor", "--json")
	var report checkup.Report
	if err := json.Unmarshal([]byte(r.out), &report); err != nil {
		t.Fatalf("%v, exit %d:\n%s%s", err, r.exit, r.out, r.err)
	}
	want := 0
	if report.Failed > 0 {
		want = 1
	}
	if r.exit != want {
		t.Errorf("%d findings failed, exit status %d", report.Failed, r.exit)
	}
	for _, secret := range []string{rightPassword, wrongPassword, "127.0.0.1", d.port, "AKIATESTS", "tests alone", "://", d.data, d.keys, "station.key", "a/prefix"} {
		if strings.Contains(r.out+r.err, secret) {
			t.Errorf("%q stands in\n%s%s", secret, r.out, r.err)
		}
	}
	for _, f := range report.Findings {
		if f.Status != checkup.Pass && f.Do == "" {
			t.Errorf("nothing to do about %+v", f)
		}
	}
	return report
}

// fails wants one finding to fail and no other, with words in what was found or what to do.
func fails(t *testing.T, r checkup.Report, part, check string, words ...string) {
	t.Helper()
	for _, f := range r.Findings {
		switch {
		case f.Status != checkup.Fail:
		case f.Part != part || f.Check != check:
			t.Errorf("%s, %s fails too: %s", f.Part, f.Check, f.Found)
		default:
			for _, w := range words {
				if !strings.Contains(f.Found+" "+f.Do, w) {
					t.Errorf("%s, %s: %q. %s; wanted %q", part, check, f.Found, f.Do, w)
				}
			}
			return
		}
	}
	t.Errorf("%s, %s does not fail: %d failed", part, check, r.Failed)
}

// A node on PostgreSQL and a bucket is whole before its first start, while it runs and
// afterwards; whatever breaks is told by itself, with what to do.
func TestDoctorOfANodeOnPostgreSQLAndABucket(t *testing.T) {
	t.Parallel()
	d := newDoctored(t)
	const database, vault, answers = "database", "vault", "answers"
	before := d.examined(t)
	if before.Failed > 0 || find(before, database, answers).Status != checkup.Unknown {
		t.Errorf("before the first start: %+v", before)
	}
	s := d.serve()
	r := d.examined(t)
	if r.Failed > 0 {
		t.Errorf("beside the service: %+v", r)
	}
	for _, f := range []checkup.Finding{find(r, database, answers), find(r, vault, answers), find(r, "clock", "beside the database's"),
		find(r, "keys", "station key"), find(r, "keys", "signing key"), find(r, "working directory", "writable"), find(r, "cell", "read blotter's own files")} {
		if f.Status != checkup.Pass {
			t.Errorf("beside the service: %+v", f)
		}
	}
	s.stop()

	fails(t, d.examined(t, "BLOTTER_DATABASE="+d.at(d.port, wrongPassword, "station")), database, answers, "28P01", "password")
	fails(t, d.examined(t, "BLOTTER_DATABASE="+d.at(d.port, rightPassword, "elsewhere")), database, answers, "3D000", "no database of that name")
	l, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	fails(t, d.examined(t, "BLOTTER_DATABASE="+d.at(port, rightPassword, "station")), database, answers, "no answer in 10s", "network")

	for how, words := range map[string][]string{"denied": {"403 AccessDenied"}, "down": {"503"}, "silent": {"no answer in 10s"}} {
		d.bucket.Store(how)
		fails(t, d.examined(t), vault, answers, words...)
	}
	d.bucket.Store("")
	fails(t, d.examined(t, "BLOTTER_VAULT="+strings.Replace(d.vault, "s3://station/", "s3://elsewhere/", 1)), vault, answers, "404", "NoSuchBucket")
	fails(t, d.examined(t, "AWS_ACCESS_KEY_ID=", "AWS_SECRET_ACCESS_KEY="), vault, answers, "403", "credentials")

	d.withKeys(t, database, vault)
	if err := d.database.Stop(); err != nil {
		t.Fatal(err)
	}
	fails(t, d.examined(t), database, answers, "queue.store_busy", "whether PostgreSQL runs")
}

// withKeys looks at keys that are open to others, of another station, and gone.
func (d *doctored) withKeys(t *testing.T, database, vault string) {
	t.Helper()
	key := filepath.Join(d.keys, "signing.key")
	if err := os.Chmod(key, 0o644); err != nil {
		t.Fatal(err)
	}
	fails(t, d.examined(t), "keys", "signing key", "mode 0644", "chmod go=")
	if err := os.Chmod(key, 0o600); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other.key")
	if err := os.WriteFile(other, []byte("no key at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	fails(t, d.examined(t, "BLOTTER_STATION_KEY="+other), vault, "answers")
	r := d.examined(t, "BLOTTER_STATION_KEY="+other+".gone")
	if f := find(r, "keys", "station key"); f.Status != checkup.Unknown || !strings.Contains(f.Do, "restore it") {
		t.Errorf("a station key that is gone: %+v", f)
	}
	if find(r, database, "answers").Status != checkup.Pass || find(r, vault, "answers").Status != checkup.Unknown {
		t.Errorf("without a station key: %+v", r)
	}
}

func find(r checkup.Report, part, check string) checkup.Finding {
	for _, f := range r.Findings {
		if f.Part == part && f.Check == check {
			return f
		}
	}
	return checkup.Finding{}
}

// An engine that is not the pinned one, byte for byte, is told by its name.
func TestDoctorOfChangedEngines(t *testing.T) {
	t.Parallel()
	from, err := engine.Dir()
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(from)
	if err != nil {
		t.Skip("no engines: run make setup")
	}
	to := t.TempDir()
	for _, f := range files {
		old, path := filepath.Join(from, f.Name()), filepath.Join(to, f.Name())
		if f.Name() != "dictionary.txt" {
			if err := os.Symlink(old, path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		b, err := os.ReadFile(old)
		if err != nil {
			t.Fatal(err)
		}
		b[len(b)/2] ^= 1
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d := &doctored{station: newStation(t), keys: "no keys here", port: "no port here"}
	fails(t, d.examined(t, "BLOTTER_ENGINES="+to), "engines", "files", "cell.engines")
}
