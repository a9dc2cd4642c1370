package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"blotter/internal/examples"
)

// The sessions of the documentation are run as a reader would type them: every block
// marked sh, in its order, in one bash, against the real program. A block marked text or
// json behind one shows what it prints; in it … stands for what differs from run to run.

// startsService is the block that a reader types in a terminal of its own.
const startsService = "bin/blotter serve\n"

// Addresses that the documentation names, and a directory of the operator's.
const (
	shownURL    = "http://127.0.0.1:8080"
	shownOpsURL = "http://127.0.0.1:9090"
	shownScans  = "/srv/scans"
)

// step is one block of a session, with the output that the documentation shows.
type step struct {
	line     int // of the file, where the commands begin
	commands string
	shown    string // empty: nothing is shown
}

// mostWaits is how often a wait of 30 seconds is given again, at most.
const mostWaits = 20

// waits reports whether the text tells the reader to give the step again until the job
// has ended: on a slow machine one wait is not enough.
func (s step) waits() bool {
	return strings.Contains(s.commands, "Prefer: wait=30") && strings.Contains(s.commands, "-o job.json")
}

// block is a fenced block of Markdown: its language and what stands in it.
var block = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

// steps reads the session of a Markdown file.
func steps(t *testing.T, text string) []step {
	t.Helper()
	var out []step
	end := 0 // of the latest block
	for _, at := range block.FindAllStringSubmatchIndex(text, -1) {
		language, body := text[at[2]:at[3]], text[at[4]:at[5]]
		follows := len(out) > 0 && strings.TrimSpace(text[end:at[0]]) == ""
		switch {
		case language == "sh":
			out = append(out, step{line: 1 + strings.Count(text[:at[4]], "\n"), commands: body})
		case follows && (language == "text" || language == "json"):
			out[len(out)-1].shown = body
		}
		end = at[1]
	}
	if len(out) == 0 {
		t.Fatal("there is no block of commands")
	}
	return out
}

// pattern matches what a session printed against what is shown.
func pattern(shown string) *regexp.Regexp {
	parts := strings.Split(strings.TrimSpace(shown), "…")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile(`(?s)^\s*` + strings.Join(parts, ".*?") + `\s*$`)
}

// session is a bash that types what a file shows.
type session struct {
	*station
	service *service
	file    string
	steps   []step
	real    *strings.Replacer // from what the documentation names to what is there
	dir     string
}

// open starts the service of a session and makes the directory that its reader is in.
func open(t *testing.T, file string, env ...string) *session {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Fatal("the sessions of the documentation need curl")
	}
	text := string(read(t, filepath.Join("..", "..", file)))
	d := &session{station: newStation(t), file: file, steps: steps(t, text), dir: t.TempDir()}
	scans := filepath.Join(d.dir, "srv")
	for i := range env {
		env[i] = strings.ReplaceAll(env[i], shownScans, scans)
	}
	d.furnish(scans)
	d.service = d.serve(append(env, "BLOTTER_API_SYNC_DEADLINE=3m")...)
	d.real = strings.NewReplacer(shownURL, d.service.url, shownOpsURL, d.service.ops, shownScans, scans)
	return d
}

// furnish lays out what a reader has: the checkout's binary and examples, a small picture
// of his own, and a directory that the service may read.
func (d *session) furnish(scans string) {
	d.t.Helper()
	here, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		d.t.Fatal(err)
	}
	card, err := examples.Tiny("Maude Ferrier", "03/09/1951")
	if err != nil {
		d.t.Fatal(err)
	}
	letter := read(d.t, filepath.Join(here, "examples", "report.docx"))
	for _, dir := range []string{filepath.Join(d.dir, "bin"), scans} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			d.t.Fatal(err)
		}
	}
	for _, failed := range []error{
		os.Symlink(program(d.t), filepath.Join(d.dir, "bin", "blotter")),
		os.Symlink(filepath.Join(here, "examples"), filepath.Join(d.dir, "examples")),
		os.WriteFile(filepath.Join(d.dir, "card.png"), card, 0o600),
		os.WriteFile(filepath.Join(scans, "0001.docx"), letter, 0o600),
	} {
		if failed != nil {
			d.t.Fatal(failed)
		}
	}
}

// script is the session as one bash program. What each step prints goes to a file of its
// own.
func (d *session) script() string {
	var out strings.Builder
	out.WriteString("set -e -o pipefail\n")
	for i, s := range d.steps {
		if s.commands == startsService {
			continue
		}
		commands := d.real.Replace(s.commands)
		fmt.Fprintf(&out, "exec > printed.%d\necho '%s, line %d' >&2\n", i, d.file, s.line)
		if s.waits() {
			commands = fmt.Sprintf("for ((n = 0; n < %d; n++)); do\n%s[[ $(<job.json) != *'\"ended\":true'* ]] || break\ndone\n", mostWaits, commands)
		}
		out.WriteString(commands)
	}
	return out.String()
}

// play runs the session and compares what it printed.
func (d *session) play() {
	d.t.Helper()
	cmd := d.command("bash", "-c", d.script())
	cmd.Dir = d.dir
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	if err := cmd.Run(); err != nil {
		d.t.Fatalf("the session failed: %v\n%s", err, complaints.String())
	}
	for i, s := range d.steps {
		if s.shown == "" {
			continue
		}
		printed := d.service.greeting
		if s.commands != startsService {
			printed = string(read(d.t, filepath.Join(d.dir, fmt.Sprint("printed.", i))))
		}
		if shown := d.real.Replace(s.shown); !pattern(shown).MatchString(printed) {
			d.t.Errorf("%s, line %d: shown is\n%s\nprinted was\n%s", d.file, s.line, shown, printed)
		}
	}
}

func TestReadmeSession(t *testing.T) {
	t.Parallel()
	d := open(t, "README.md")
	if d.steps[0].commands != startsService {
		t.Errorf("the session begins with %q", d.steps[0].commands)
	}
	d.play()
	d.service.stop()
	d.checkAtRest()
}

// unreachable is a store that nobody serves: what makes a job dead.
const unreachable = "clinic=s3://archive/?region=eu-central-1&endpoint=http://127.0.0.1:1&use_path_style=true"

// TestAPIDocSession runs docs/api.md and wants every operation of the OpenAPI document to
// have succeeded in it.
func TestAPIDocSession(t *testing.T) {
	t.Parallel()
	d := open(t, "docs/api.md",
		"BLOTTER_SERVE_SOURCES=clinic=file://"+shownScans+"/,"+unreachable, "AWS_ACCESS_KEY_ID=none", "AWS_SECRET_ACCESS_KEY=none",
		"BLOTTER_QUEUE_ATTEMPTS=1")
	wanted := operations(t, d.service.url)
	d.play()
	d.service.stop()
	for _, line := range strings.Split(d.service.err.String(), "\n") {
		var answered struct {
			Route  string
			Status int
		}
		if json.Unmarshal([]byte(line), &answered) == nil && answered.Status >= 200 && answered.Status < 400 {
			delete(wanted, answered.Route)
		}
	}
	for route := range wanted {
		t.Errorf("docs/api.md has no example of %s that succeeds", route)
	}
}

// operations lists what the API describes, in the words of the log.
func operations(t *testing.T, url string) map[string]bool {
	t.Helper()
	answer, err := http.Get(url + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(body, &doc); err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	word := strings.NewReplacer("/", ".", "{", "", "}", "")
	for path, methods := range doc.Paths {
		for method := range methods {
			out[strings.ToUpper(method)+word.Replace(path)] = true
		}
	}
	if len(out) < 16 {
		t.Fatalf("the description has only %d operations", len(out))
	}
	return out
}
