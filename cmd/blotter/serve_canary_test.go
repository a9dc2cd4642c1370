package main_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"blotter/client"
	"blotter/internal/document"
	"blotter/internal/examples"
)

// root begins every word that TestServiceCanaries writes where a request, a store or an
// operator has room for one; the rest of the word says where. It is in the alphabet that
// logs and labels let through, so that only their lists of keys and values stop it.
const root = "quillfennec"

// secretOfStore is the credential with which the service reads its bucket, and one that
// an operator misspelt for the collector.
const secretOfStore = root + "secretaccesskey"

// TestServiceCanaries uses the service in every way, with words that it must not
// remember in every place that has room for them, and searches all that it says and all
// that it leaves behind.
func TestServiceCanaries(t *testing.T) {
	t.Parallel()
	c := newCourier(t)
	defer c.wantAllPlanted()
	first := c.raw()
	c.parts(first)
	c.form()
	c.references()
	c.stalled()
	c.dead()
	c.rejected()
	c.synchronous()
	c.list()
	c.refusals(first)
	c.malformed()
	c.operators()
	c.v.stop()
	c.said()
	c.traced()
	c.told(first)
	c.left()
}

// courier is a client that says too much.
type courier struct {
	*testing.T
	ctx     context.Context
	h       *hunt
	s       *station
	v       *service
	spans   *collector
	keys    map[string]string // by role
	page    []byte            // the document whose words are read
	dir     string            // governed
	gone    string            // governed too, but it cannot be read for now
	lastKey string            // Idempotency-Key of the last document
	asked   chan string       // gets the Authorization of each request to the bucket that is left waiting
	planted []string
	sent    bytes.Buffer
	answers int // of the API
}

func newCourier(t *testing.T) *courier {
	program(t) // so that its building takes nothing of the test's time
	s := newStation(t, "BLOTTER_QUEUE_LEASE=30s", "BLOTTER_QUEUE_ATTEMPTS=1", "BLOTTER_API_RATE_BURST=10000", "BLOTTER_API_SYNC_DEADLINE=3m")
	c := &courier{
		T: t, ctx: limited(t), h: &hunt{t: t, needles: append([]string{root}, printed...)}, s: s,
		spans: newCollector(t), dir: filepath.Join(t.TempDir(), "scans"), gone: filepath.Join(t.TempDir(), "gone"), asked: make(chan string, 1),
	}
	c.page = c.document()
	c.must(os.MkdirAll(filepath.Join(c.dir, c.plant("directory")), 0o700), os.Mkdir(c.gone, 0o700))
	c.spans.complaint = c.plant("complaint")
	c.v = s.serve(c.spans.env(), "OTEL_EXPORTER_OTLP_HEADERS=authorization="+secretOfStore+"%zz", "OTEL_RESOURCE_ATTRIBUTES=host.name="+root,
		"BLOTTER_SERVE_SOURCES=default=file://"+c.dir+"/,default=file://"+c.gone+"/,"+c.bucket(),
		"AWS_ACCESS_KEY_ID="+c.plant("accesskeyid"), "AWS_SECRET_ACCESS_KEY="+secretOfStore,
		"AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null")
	c.must(os.Remove(c.gone))
	c.keys = map[string]string{"admin": c.v.key}
	for _, role := range []string{"reader", "reviewer"} {
		c.keys[role] = s.addKey("--tenant", "default", "--role", role)
	}
	for _, key := range c.keys {
		secret := key[len(key)-secretChars:]
		raw, err := base64.RawURLEncoding.DecodeString(secret)
		c.must(err)
		c.h.needles = append(c.h.needles, secret)
		c.h.bytes("the secret of a key", raw)
	}
	return c
}

// secretChars is the length of an API key's secret, at its end.
const secretChars = 43

// document is the page in print, with a canary among its metadata.
func (c *courier) document() []byte {
	c.Helper()
	body, err := examples.Canary(printed...)
	c.must(err)
	const header = 8 + 12 + 13 // signature and IHDR
	return slices.Concat(body[:header], chunk("tEXt", "Author\x00"+c.plant("metadata")), body[header:])
}

func (c *courier) must(errs ...error) {
	c.Helper()
	if err := errors.Join(errs...); err != nil {
		c.Fatal(err)
	}
}

// plant makes a canary for a place, which must be in what is sent until the test ends.
func (c *courier) plant(place string) string {
	if !slices.Contains(c.planted, root+place) {
		c.planted = append(c.planted, root+place)
	}
	return root + place
}

// wantAllPlanted makes sure that the canaries were there to be found, by the same search.
func (c *courier) wantAllPlanted() {
	for _, p := range c.planted {
		if h := (&hunt{t: c.T, needles: []string{p}}); h.found(c.sent.Bytes(), 3) == "" {
			c.Errorf("the canary %s was never sent", p)
		}
	}
	if len(c.planted) < 50 {
		c.Errorf("only %d canaries were planted", len(c.planted))
	}
}

// reply is an answer that was searched.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// ask makes a request of the API as an admin, with canaries in every header that clients
// send unasked, and searches the answer. An empty value takes a header away.
func (c *courier) ask(method, path, body string, header ...string) reply {
	c.Helper()
	c.answers++
	return c.askOf(c.v.url, method, path, body, header...)
}

func (c *courier) askOf(base, method, path, body string, header ...string) reply {
	c.Helper()
	r, err := http.NewRequestWithContext(c.ctx, method, base+path, strings.NewReader(body))
	c.must(err)
	if body == "" {
		r.Body = nil
	}
	r.Host = c.plant("host") + ".example"
	for i := 0; i+1 < len(unasked); i += 2 {
		r.Header.Set(unasked[i], unasked[i+1]+c.plant(strings.ToLower(strings.ReplaceAll(unasked[i], "-", ""))))
	}
	r.Header.Set("Authorization", "Bearer "+c.keys["admin"])
	for i := 0; i+1 < len(header); i += 2 {
		if r.Header.Set(header[i], header[i+1]); header[i+1] == "" {
			r.Header.Del(header[i])
		}
	}
	fmt.Fprintf(&c.sent, "%s %s %s\n%v\n%s\n", method, path, r.Host, r.Header, body)
	return c.answered(r)
}

// unasked are headers that clients and proxies add, each with how its value begins.
var unasked = []string{
	"User-Agent", "scanner/1 ", "Referer", "https://portal.example/", "Cookie", "session=", "X-Forwarded-For", "",
	"X-Request-Id", "", "Tracestate", "vendor=", "Baggage", "patient=", "From", "", "Accept-Language", "",
}

func (c *courier) answered(r *http.Request) reply {
	c.Helper()
	answer, err := http.DefaultTransport.RoundTrip(r)
	c.must(err)
	defer answer.Body.Close()
	var whole, body bytes.Buffer
	_, err = body.ReadFrom(answer.Body)
	c.must(err, answer.Header.Write(&whole))
	whole.Write(body.Bytes())
	c.h.search("the answer to "+r.Method+" "+r.URL.RequestURI(), whole.Bytes())
	return reply{answer.StatusCode, answer.Header, body.Bytes()}
}

// send brings a document in under a key of its own and returns its job.
func (c *courier) send(path, body string, header ...string) string {
	c.Helper()
	key := c.plant(fmt.Sprint("idempotencykey", c.answers))
	c.h.guessable(key)
	c.lastKey = key
	r := c.ask("POST", path, body, append(header, "Idempotency-Key", key)...)
	var took client.Accepted
	if err := json.Unmarshal(r.body, &took); err != nil || r.status != http.StatusAccepted {
		c.Fatalf("%s was answered with %d: %s", path, r.status, r.body)
	}
	return took.ID
}

// ended waits for the end of a job.
func (c *courier) ended(id, state, why string) client.Job {
	c.Helper()
	var j client.Job
	for !j.Ended {
		r := c.ask("GET", "/v1/jobs/"+id, "", "Prefer", "wait=30")
		c.must(json.Unmarshal(r.body, &j))
	}
	if j.State != state || (j.Reason == nil) != (why == "") || (why != "" && j.Reason.Code != why) {
		c.Errorf("the job is %+v (%+v), want %s, %s", j, j.Reason, state, why)
	}
	return j
}

// raw uploads the document as it is, follows its events, and makes sure that it was read.
func (c *courier) raw() string {
	name := c.plant("disposition") + ".png"
	c.h.guessable(name)
	id := c.send("/v1/documents?originals=true", string(c.page), "Content-Type", "image/png; title="+c.plant("mediatype"),
		"Content-Disposition", `attachment; filename="`+name+`"`, "Traceparent", "00-"+c.plant("traceparent")+"-00f067aa0ba902b7-01")
	events := c.ask("GET", "/v1/jobs/"+id+"/events", "", "Accept", "text/event-stream")
	for _, want := range []string{"event: received\n", "event: claimed\n", "event: redacted\n", "event: end\n"} {
		if !strings.Contains(string(events.body), want) {
			c.Errorf("no %q in the stream of events", want)
		}
	}
	c.wantRead(c.ended(id, "released", ""))
	return id
}

// wantRead wants values to be covered for what they say: the words were read.
func (c *courier) wantRead(j client.Job) {
	c.Helper()
	covered := map[string]bool{}
	for _, b := range j.Assets[0].Boxes {
		covered[b.Type] = true
	}
	if !covered["name"] || !covered["mrn"] {
		c.Errorf("the canaries were not read: covered are %v", covered)
	}
}

// parts fetches all that a job brought.
func (c *courier) parts(id string) {
	for path, size := range map[string]int{"/result": 500, "/receipt": 1000, "/assets/1/derivative": 1000} {
		if r := c.ask("GET", "/v1/jobs/"+id+path, "", "Authorization", "Bearer "+c.keys["reader"]); r.status != http.StatusOK || len(r.body) < size {
			c.Errorf("%s: %d with %d bytes", path, r.status, len(r.body))
		}
	}
	r := c.ask("GET", "/v1/jobs/"+id+"/assets/1/original", "", "Authorization", "Bearer "+c.keys["reviewer"])
	if r.status != http.StatusOK || !bytes.HasPrefix(r.body, []byte("\x89PNG")) {
		c.Errorf("original: %d with %d bytes", r.status, len(r.body))
	}
	for _, path := range []string{"/v1/trust", "/openapi.json", "/docs"} {
		if r := c.ask("GET", path, ""); r.status != http.StatusOK || len(r.body) < 100 {
			c.Errorf("%s: %d with %d bytes", path, r.status, len(r.body))
		}
	}
}

// form uploads the document in a form, with a file name and with what is known of the
// person.
func (c *courier) form() {
	name := c.plant("filename") + ".png"
	c.h.guessable(name)
	head := c.field("sha256", document.Sum(c.page).String()) + c.field("hints", c.hints("form"))
	id := c.send("/v1/documents", head+c.file(name, string(c.page)), "Content-Type", "multipart/form-data; boundary="+c.boundary())
	c.wantRead(c.ended(id, "released", ""))
}

func (c *courier) boundary() string { return c.plant("boundary") }

func (c *courier) field(name, value string) string {
	return "--" + c.boundary() + "\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
}

// file is the last part of a form.
func (c *courier) file(name, body string) string {
	return "--" + c.boundary() + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name +
		"\"\r\nContent-Type: image/" + c.plant("parttype") + "\r\n\r\n" + body + "\r\n--" + c.boundary() + "--\r\n"
}

// hints are of every kind.
func (c *courier) hints(way string) string {
	name, number, address := c.plant("hintname"+way), c.plant("hintnumber"+way), c.plant("hintaddress"+way)
	c.h.guessable(name, number, address)
	return `{"names":["` + name + `"],"dates":["1951-09-03"],"numbers":["` + number + `"],"addresses":["12 ` + address + ` Road"]}`
}

// reference asks for a document in a governed store.
func (c *courier) reference(url string, sum document.Digest) string {
	c.Helper()
	c.h.guessable(url)
	return c.send("/v1/documents", c.referring(url, sum), "Content-Type", "application/json")
}

func (c *courier) referring(url string, sum document.Digest) string {
	return `{"source":"` + url + `","sha256":"` + sum.String() + `","hints":` + c.hints("reference") + `}`
}

// references brings documents in that lie elsewhere, and some that do not.
func (c *courier) references() {
	body, err := examples.Tiny(printed[0], "03/09/1951") // that a page is read is known by now
	c.must(err)
	at := c.dir + "/" + c.plant("directory") + "/"
	write(c.T, at+c.plant("file")+".png", body)
	c.ended(c.reference("file://"+at+c.plant("file")+".png", document.Sum(body)), "released", "")
	c.ended(c.reference("file://"+at+c.plant("file")+".png", document.Sum([]byte("another"))), "rejected", "source.digest_mismatch")
	c.ended(c.reference("file://"+at+c.plant("absent")+".png", document.Sum(c.page)), "rejected", "source.not_found")
	c.ended(c.reference("s3://"+bucketName+"/in/"+c.plant("absentobject"), document.Sum(c.page)), "rejected", "source.not_found")
}

const bucketName = root + "bucket"

// bucket serves an empty bucket and returns its prefix as a setting. What is asked for
// under in/stalled waits until the asker goes.
func (c *courier) bucket() string {
	backend := s3mem.New()
	c.must(backend.CreateBucket(bucketName))
	fake := gofakes3.New(backend).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.URL.Path, "/in/stalled/") {
			fake.ServeHTTP(w, r)
			return
		}
		select {
		case c.asked <- r.Header.Get("Authorization"):
		default:
		}
		select {
		case <-r.Context().Done():
		case <-c.ctx.Done():
		}
	}))
	c.Cleanup(server.Close)
	return "default=s3://" + bucketName + "/in/?region=us-east-1&use_path_style=true&endpoint=" + server.URL
}

// stalled looks at the running processes while a document is being fetched, and cancels
// its job.
func (c *courier) stalled() {
	id := c.reference("s3://"+bucketName+"/in/stalled/"+c.plant("object"), document.Sum(c.page))
	select {
	case credentials := <-c.asked:
		fmt.Fprintln(&c.sent, credentials)
	case <-c.ctx.Done():
		c.Fatal("nobody asked the bucket")
	}
	c.processes()
	c.inUse(c.s.data)
	if r := c.ask("DELETE", "/v1/jobs/"+id, ""); r.status != http.StatusOK {
		c.Errorf("cancelling was answered with %d: %s", r.status, r.body)
	}
	c.ended(id, "cancelled", "job.cancelled")
}

// dead brings a document in that cannot be read for now, replays and discards it, and
// leaves another, with its order, for whoever looks into the data directory at the end.
func (c *courier) dead() {
	id := c.reference("file://"+c.gone+"/"+c.plant("unreadable"), document.Sum(c.page))
	for _, act := range []string{"/replay", "/discard"} {
		c.ended(id, "dead", "source.unavailable")
		if r := c.ask("POST", "/v1/jobs/"+id+act, c.plant("act"), "Content-Type", "text/plain"); r.status != http.StatusOK {
			c.Errorf("%s was answered with %d: %s", act, r.status, r.body)
		}
	}
	c.ended(id, "cancelled", "job.discarded")
	c.ended(c.reference("file://"+c.gone+"/"+c.plant("unreadable"), document.Sum(c.page)), "dead", "source.unavailable")
}

// rejected brings documents in that are none; their text is the canary.
func (c *courier) rejected() {
	c.ended(c.send("/v1/documents", printed[0]+" "+c.plant("plaintext")+" is no picture"), "rejected", "sniff.unsupported_format")
	c.ended(c.send("/v1/documents", "#!/bin/sh\necho "+c.plant("script")+"\n"), "rejected", "sniff.script")
}

// synchronous redacts the document within a request.
func (c *courier) synchronous() {
	r := c.ask("POST", "/v1/redact", string(c.page), "Content-Type", "image/png", "Idempotency-Key", c.plant("synckey"))
	if r.status != http.StatusOK || !bytes.HasPrefix(r.body, []byte("\x89PNG")) {
		c.Errorf("redact was answered with %d: %.300s", r.status, r.body)
	}
}

func (c *courier) list() {
	var page client.Jobs
	r := c.ask("GET", "/v1/jobs?limit=200", "")
	c.must(json.Unmarshal(r.body, &page))
	if len(page.Jobs) < 10 {
		c.Errorf("the list has %d jobs", len(page.Jobs))
	}
}
