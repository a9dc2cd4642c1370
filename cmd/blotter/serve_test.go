package main_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"blotter/client"
	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/receipt"
)

// service is a running `blotter serve`.
type service struct {
	*running
	s        *station
	url, ops string
	key      string // the first key, of the run that made it
	greeting string
	said     io.Reader // standard output; what was read of it is in out
}

var (
	listening  = regexp.MustCompile(`Listening on (http://\S+)/ |Running without the API`)
	privately  = regexp.MustCompile(`Metrics, health and profiles: (http://\S+)/`)
	tokenShown = regexp.MustCompile(access.Pattern)
)

// serve starts the service on free ports and returns once it listens.
func (s *station) serve(env ...string) *service {
	s.t.Helper()
	v := &service{running: &running{Cmd: s.command(program(s.t), "serve", "--listen", "127.0.0.1:0")}, s: s}
	v.Env = append(append(v.Env, "BLOTTER_SERVE_OPS_LISTEN=127.0.0.1:0", "BLOTTER_SERVE_DISK_FREE_BYTES=0"), env...)
	out, err := v.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	v.Stderr = &v.err
	if err := v.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { v.Process.Kill() })
	v.said = io.TeeReader(out, &v.out)
	lines := bufio.NewScanner(v.said)
	for lines.Scan() {
		v.greeting += lines.Text() + "\n"
		if listening.MatchString(lines.Text()) {
			break
		}
	}
	if !listening.MatchString(v.greeting) {
		v.Wait()
		s.t.Fatalf("the service did not start:\n%s%s", v.greeting, v.err.String())
	}
	v.url, v.ops = listening.FindStringSubmatch(v.greeting)[1], privately.FindStringSubmatch(v.greeting)[1]
	v.key = tokenShown.FindString(v.greeting)
	return v
}

// client speaks to the service with a key; with the first one where key is empty.
func (v *service) client(key string, o ...client.Option) *client.Client {
	v.s.t.Helper()
	if key == "" {
		key = v.key
	}
	c, err := client.New(v.url, key, o...)
	if err != nil {
		v.s.t.Fatal(err)
	}
	return c
}

// stop tells the service to stop, as an orchestrator does, and wants it to end well.
func (v *service) stop() {
	v.s.t.Helper()
	v.signal(v.s.t, syscall.SIGTERM)
	if _, err := io.Copy(io.Discard, v.said); err != nil {
		v.s.t.Error(err)
	}
	if code := v.exit(v.s.t); code != 0 {
		v.s.t.Errorf("the service ended with %d:\n%s", code, v.err.String())
	}
}

// addKey makes a key on the command line.
func (s *station) addKey(args ...string) string {
	s.t.Helper()
	r := s.run(program(s.t), append([]string{"keys", "add"}, args...)...)
	key := tokenShown.FindString(r.out)
	if r.exit != 0 || key == "" {
		s.t.Fatalf("keys add %v ended with %d:\n%s%s", args, r.exit, r.out, r.err)
	}
	return key
}

// limited bounds a test that waits for a service.
func limited(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

func upload(t *testing.T, ctx context.Context, c *client.Client, body []byte, o client.UploadOptions) client.Accepted {
	t.Helper()
	got, err := c.Upload(ctx, bytes.NewReader(body), o)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// wants checks that a call failed for a reason.
func wants(t *testing.T, err error, code string) {
	t.Helper()
	if !client.Is(err, code) {
		t.Errorf("got %v, want %s", err, code)
	}
}

// TestServe is the main use of the service: upload, wait, download, verify offline.
func TestServe(t *testing.T) {
	t.Parallel()
	s := newStation(t)
	v := s.serve()
	ctx, c := limited(t), v.client("")
	body := read(t, tiny(t))
	took := upload(t, ctx, c, body, client.UploadOptions{IdempotencyKey: "first"})
	if took.State != "queued" || took.SHA256 != document.Sum(body).String() || took.Bytes != int64(len(body)) {
		t.Errorf("accepted %+v", took)
	}
	j, err := c.Wait(ctx, took.ID)
	if err != nil || j.State != "released" || len(j.Assets) != 1 || j.Assets[0].Links.Derivative == "" || j.Event < 0 {
		t.Fatalf("the job is %+v, %v", j, err)
	}
	for _, stage := range document.Stages() {
		if _, timed := j.TimingsMS[stage.String()]; !timed {
			t.Errorf("no time for %s", stage)
		}
	}
	dir, trust := filepath.Join(t.TempDir(), "result"), filepath.Join(t.TempDir(), "trust.json")
	var list bytes.Buffer
	if err := errors.Join(c.Save(ctx, took.ID, dir), c.Trust(ctx, &list)); err != nil {
		t.Fatal(err)
	}
	write(t, trust, list.Bytes())
	var kinds []string
	for e, err := range c.Events(ctx, took.ID, -1) {
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, string(e.Kind))
	}
	if all := strings.Join(kinds, " "); !strings.HasPrefix(all, "staged received claimed staged unstaged redacted") {
		t.Errorf("the trail of the job: %s", all)
	}
	v.stop()
	if r := s.run(program(t), "verify", "--trust", trust, dir); r.exit != 0 {
		t.Errorf("verify ended with %d:\n%s%s", r.exit, r.out, r.err)
	}
	s.checkAtRest()

	again := s.serve() // a repeated request after a restart gets the first job
	if again.key != "" {
		t.Error("a second first key was made")
	}
	c = again.client(v.key)
	if repeated := upload(t, ctx, c, body, client.UploadOptions{IdempotencyKey: "first"}); repeated != took {
		t.Errorf("the repeated request got %+v, the first %+v", repeated, took)
	}
	_, err = c.Upload(ctx, strings.NewReader("another"), client.UploadOptions{IdempotencyKey: "first"})
	wants(t, err, "api.idempotency_key_reused")
	again.stop()
}

// TestServeRefusals: what belongs elsewhere ends with a reason that says where.
func TestServeRefusals(t *testing.T) {
	t.Parallel()
	s := newStation(t)
	v := s.serve()
	ctx, c := limited(t), v.client("")
	for name, body := range map[string]string{
		"sniff.video":       "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom" + strings.Repeat("\x00", 100),
		"sniff.audio":       "ID3\x03\x00\x00\x00\x00\x00\x21" + strings.Repeat("\xff\xfb\x90\x00", 50),
		"sniff.archive":     "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03" + strings.Repeat("x", 100),
		"sniff.script":      "#!/bin/sh\necho hello\n",
		"sniff.interactive": "<!DOCTYPE html><html><body><form></form></body></html>",
	} {
		took := upload(t, ctx, c, []byte(body), client.UploadOptions{})
		j, err := c.Wait(ctx, took.ID)
		if err != nil || j.State != "rejected" || j.Reason == nil || j.Reason.Code != name || j.Attempt != 1 {
			t.Errorf("%s: the job is %+v (%+v), %v", name, j, j.Reason, err)
		}
		_, err = c.Redact(ctx, strings.NewReader(body))
		wants(t, err, name)
	}
	_, err := c.Upload(ctx, strings.NewReader(""), client.UploadOptions{})
	wants(t, err, "sniff.empty")
	_, err = c.Redact(ctx, bytes.NewReader(make([]byte, 1<<20+1)))
	wants(t, err, "api.body_limit")
	v.stop()
	s.checkAtRest()
}

// TestServeSynchronously redacts a small image within its request.
func TestServeSynchronously(t *testing.T) {
	t.Parallel()
	s := newStation(t)
	v := s.serve()
	ctx, c := limited(t), v.client("")
	got, err := c.Redact(ctx, bytes.NewReader(read(t, tiny(t))))
	if err != nil || !bytes.HasPrefix(got.PNG, []byte("\x89PNG")) {
		t.Fatalf("%d bytes, %v", len(got.PNG), err)
	}
	j, err := c.Job(ctx, got.Job)
	if err != nil || j.State != "released" || j.Assets[0].Derivative.SHA256 != document.Sum(got.PNG).String() {
		t.Errorf("its job is %+v, %v", j, err)
	}
	_, err = c.Redact(ctx, bytes.NewReader(read(t, "../../examples/referral-letter.pdf")))
	wants(t, err, "sniff.not_an_image")
	v.stop()
	s.checkAtRest()
}

// TestServeKeepsTenantsApart: what is another's does not exist.
func TestServeKeepsTenantsApart(t *testing.T) {
	t.Parallel()
	s := newStation(t)
	v := s.serve()
	ctx := limited(t)
	ours := v.client(s.addKey("--tenant", "ours", "--role", "client"))
	theirs := v.client(s.addKey("--tenant", "theirs", "--role", "admin", "--lanes", "interactive,bulk"))
	took := upload(t, ctx, ours, read(t, tiny(t)), client.UploadOptions{IdempotencyKey: "k"})
	if _, err := ours.Wait(ctx, took.ID); err != nil {
		t.Fatal(err)
	}
	_, job := theirs.Job(ctx, took.ID)
	_, cancel := theirs.Cancel(ctx, took.ID)
	_, replay := theirs.Replay(ctx, took.ID)
	for what, err := range map[string]error{
		"job": job, "cancel": cancel, "replay": replay,
		"derivative": theirs.Derivative(ctx, took.ID, 1, io.Discard), "receipt": theirs.Receipt(ctx, took.ID, io.Discard),
		"result": theirs.Result(ctx, took.ID, io.Discard), "original": theirs.Original(ctx, took.ID, 1, io.Discard),
	} {
		if !client.Is(err, "api.not_found") {
			t.Errorf("%s of another tenant's job: %v", what, err)
		}
	}
	for j, err := range theirs.Jobs(ctx, client.Filter{}) {
		t.Errorf("a list shows another's job %s, %v", j.ID, err)
	}
	if same := upload(t, ctx, theirs, read(t, tiny(t)), client.UploadOptions{IdempotencyKey: "k"}); same.ID == took.ID {
		t.Error("one tenant's key gave another's job")
	}
	wants(t, ours.Original(ctx, took.ID, 1, io.Discard), "api.forbidden")
	_, err := ours.Upload(ctx, bytes.NewReader(read(t, tiny(t))), client.UploadOptions{Lane: "interactive"})
	wants(t, err, "api.forbidden")
	v.stop()
}

// TestServeShowsOriginalsOnRecord: who looks at unredacted pixels stands in the trail.
func TestServeShowsOriginalsOnRecord(t *testing.T) {
	t.Parallel()
	s := newStation(t)
	v := s.serve()
	ctx, c := limited(t), v.client("")
	took := upload(t, ctx, c, read(t, tiny(t)), client.UploadOptions{Originals: true})
	if _, err := c.Wait(ctx, took.ID); err != nil {
		t.Fatal(err)
	}
	reviewer := v.client(s.addKey("--tenant", "default", "--role", "reviewer"))
	var pixels bytes.Buffer
	if err := reviewer.Original(ctx, took.ID, 1, &pixels); err != nil || !bytes.HasPrefix(pixels.Bytes(), []byte("\x89PNG")) {
		t.Fatalf("%d bytes, %v", pixels.Len(), err)
	}
	v.stop()
	db, _ := s.open()
	for _, e := range s.events(db) {
		if e.Kind == receipt.Viewed {
			if e.Job != took.ID || !strings.HasPrefix(e.Actor, "k") || e.Artifact.Class != "original" {
				t.Errorf("the view is on record as %+v", e)
			}
			return
		}
	}
	t.Error("nobody knows who looked")
}

// TestServeReferences fetches from a directory that the operator has named, and from
// nowhere else.
func TestServeReferences(t *testing.T) {
	t.Parallel()
	s := newStation(t)
	root := t.TempDir()
	inside, outside := filepath.Join(root, "scans"), filepath.Join(root, "secret.png")
	body := read(t, tiny(t))
	if err := os.Mkdir(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(inside, "a.png"), body)
	write(t, outside, body)
	if err := os.Symlink(outside, filepath.Join(inside, "link.png")); err != nil {
		t.Fatal(err)
	}
	v := s.serve("BLOTTER_SERVE_SOURCES=default=file://" + inside + "/")
	ctx, c := limited(t), v.client("")
	end := func(ref client.Reference) client.Job {
		t.Helper()
		took, err := c.Refer(ctx, ref, "")
		if err != nil {
			t.Fatal(err)
		}
		j, err := c.Wait(ctx, took.ID)
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	digest := document.Sum(body).String()
	if j := end(client.Reference{Source: "file://" + inside + "/a.png", SHA256: digest}); j.State != "released" || j.Input.Bytes != int64(len(body)) {
		t.Errorf("the job is %+v", j)
	}
	other := document.Sum([]byte("x")).String()
	if j := end(client.Reference{Source: "file://" + inside + "/a.png", SHA256: other}); j.Reason == nil || j.Reason.Code != "source.digest_mismatch" || j.Attempt != 1 {
		t.Errorf("with another digest: %+v", j)
	}
	if j := end(client.Reference{Source: "file://" + inside + "/link.png", SHA256: digest}); j.State != "rejected" {
		t.Errorf("a link out of the prefix was followed: %+v", j)
	}
	_, err := c.Refer(ctx, client.Reference{Source: "file://" + outside, SHA256: digest}, "")
	wants(t, err, "source.outside_prefixes")
	_, err = c.Refer(ctx, client.Reference{Source: "file://" + inside + "/../secret.png", SHA256: digest}, "")
	wants(t, err, "source.bad_reference")
	_, err = c.Refer(ctx, client.Reference{Source: "file://" + inside + "/a.png"}, "")
	wants(t, err, "source.bad_reference")
	stranger := v.client(s.addKey("--tenant", "stranger", "--role", "client"))
	_, err = stranger.Refer(ctx, client.Reference{Source: "file://" + inside + "/a.png", SHA256: digest}, "")
	wants(t, err, "source.outside_prefixes")
	v.stop()
	if got := read(t, filepath.Join(inside, "a.png")); !bytes.Equal(got, body) {
		t.Error("the governed original was changed")
	}
	s.checkAtRest()
}
