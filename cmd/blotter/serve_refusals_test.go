package main_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"strings"

	"blotter/client"
	"blotter/internal/document"
)

// chunk is a part of a PNG file.
func chunk(kind, data string) []byte {
	body := []byte(kind + data)
	number := func(n uint32) []byte { return []byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)} }
	return append(append(number(uint32(len(data))), body...), number(crc32.ChecksumIEEE(body))...)
}

// refused wants a request to be refused for a reason.
func (c *courier) refused(code, method, path, body string, header ...string) {
	c.Helper()
	r := c.ask(method, path, body, header...)
	var p client.Problem
	if err := json.Unmarshal(r.body, &p); err != nil || p.Reason != code || p.Status != r.status {
		c.Errorf("%s %s was answered with %d: %.300s; want %s", method, path, r.status, r.body, code)
	}
}

// refusals makes requests that are refused, each for a canary somewhere in it.
func (c *courier) refusals(job string) {
	c.refusedCallers(job)
	c.refusedAddresses(job)
	c.refusedQueries(job)
	c.refusedHeaders(job)
	c.refusedForms()
	c.refusedReferences()
	c.refusedImages()
	c.refusedActs(job)
}

func (c *courier) refusedCallers(job string) {
	admin := c.keys["admin"]
	forged := c.plant("forgedsecret")
	forged = admin[:len(admin)-secretChars] + forged + strings.Repeat("A", secretChars-len(forged))
	for _, authorization := range []string{
		"", "Bearer " + c.plant("token"), "Basic " + c.plant("password"), "Bearer " + forged, "Bearer " + admin + c.plant("tail"),
	} {
		c.refused("api.unauthorized", "GET", "/v1/jobs/"+job, "", "Authorization", authorization)
	}
	reader := "Bearer " + c.keys["reader"]
	c.refused("api.forbidden", "POST", "/v1/documents", c.plant("bodyofareader"), "Authorization", reader, "Idempotency-Key", c.plant("keyofareader"))
	c.refused("api.forbidden", "GET", "/v1/jobs/"+job+"/assets/1/original", "", "Authorization", reader)
}

func (c *courier) refusedAddresses(job string) {
	for _, path := range []string{
		"/" + c.plant("path"), "/v1/jobs/" + c.plant("job"), "/v1/jobs/" + job + "/" + c.plant("part"), "/v1/../" + c.plant("dots"),
		"/v1//" + c.plant("slashes"), "/v1/jobs/" + c.plant("job") + "/events", "/" + c.plant("path") + "?q=" + c.plant("query"),
	} {
		c.refused("api.not_found", "GET", path, "")
	}
	c.refused("job.no_result", "GET", "/v1/jobs/"+job+"/assets/"+c.plant("asset")+"/derivative", "")
	c.refused("api.method_not_allowed", strings.ToUpper(c.plant("method")), "/v1/documents", "")
}

func (c *courier) refusedQueries(job string) {
	for _, query := range []string{
		c.plant("parameter") + "=1", "state=" + c.plant("state"), "lane=" + c.plant("lane"), "reason=" + c.plant("reason"),
		"cursor=" + c.plant("cursor"), "limit=" + c.plant("limit"), "state=dead&state=" + c.plant("state"), c.plant("parameter") + ";", "%" + c.plant("percent"),
	} {
		c.refused("api.bad_request", "GET", "/v1/jobs?"+query, "")
	}
	c.refused("api.forbidden", "GET", "/v1/jobs?tenant="+c.plant("tenant"), "")
	c.refused("api.bad_request", "GET", "/v1/jobs/"+job+"/events?after="+c.plant("after"), "")
	for query, code := range map[string]string{
		c.plant("parameter") + "=1": "api.bad_request", "lane=" + c.plant("lane"): "api.bad_request",
		"originals=" + c.plant("originals"): "api.bad_request", "policy=" + c.plant("policy"): "policy.unknown",
	} {
		c.refused(code, "POST", "/v1/documents?"+query, "a document", "Idempotency-Key", c.plant("keyofaquery"))
	}
}

func (c *courier) refusedHeaders(job string) {
	post := func(code string, header ...string) {
		c.Helper()
		c.refused(code, "POST", "/v1/documents", "a document", append([]string{"Idempotency-Key", c.plant("keyofaheader")}, header...)...)
	}
	post("api.idempotency_key_missing", "Idempotency-Key", "")
	post("api.idempotency_key_missing", "Idempotency-Key", c.plant("keywithblank")+" "+c.plant("keywithblank"))
	post("api.unsupported_media_type", "Content-Encoding", c.plant("coding"))
	post("api.unsupported_media_type", "Content-Type", "multipart/"+c.plant("multipart"))
	post("api.bad_request", "Content-Digest", "sha-256="+c.plant("digest"))
	sum := c.plant("promiseddigest") + strings.Repeat("x", 32)
	fmt.Fprintln(&c.sent, sum)
	post("source.digest_mismatch", "Content-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString([]byte(sum[:32]))+":")
	c.refused("api.bad_request", "GET", "/v1/jobs/"+job+"/events", "", "Last-Event-ID", c.plant("lasteventid"))
	for _, header := range []string{"Prefer", "If-None-Match", "Range", "Expect-Ct"} { // what means nothing is ignored
		if r := c.ask("GET", "/v1/jobs/"+job, "", header, c.plant("ignored")); r.status != http.StatusOK {
			c.Errorf("with a %s that means nothing: %d", header, r.status)
		}
	}
	// A key that was used says nothing of itself when it is used for something else.
	post("api.idempotency_key_reused", "Idempotency-Key", c.lastKey)
}

func (c *courier) refusedForms() {
	form := func(code string, parts ...string) {
		c.Helper()
		c.refused(code, "POST", "/v1/documents", strings.Join(parts, ""), "Idempotency-Key", c.plant("keyofaform"),
			"Content-Type", "multipart/form-data; boundary="+c.boundary())
	}
	sum := c.field("sha256", document.Sum([]byte("x")).String())
	file := c.file(c.plant("refusedfile"), c.plant("refusedbody"))
	form("api.bad_request", c.field(c.plant("field"), c.plant("value")), file)
	form("api.bad_request", file)
	form("api.bad_request", c.field("sha256", c.plant("formdigest")), file)
	form("api.bad_request", sum, c.field("lane", c.plant("formlane")), file)
	form("policy.unknown", sum, c.field("policy", c.plant("formpolicy")), file)
	form("api.bad_request", sum, c.field("hints", `{"names":["`+c.plant("brokenhint")), file)
	form("api.bad_request", sum, c.field("hints", `{"`+c.plant("hintmember")+`":[]}`), file)
	form("api.bad_request", sum, c.field("hints", `{"dates":["`+c.plant("hintdate")+`"]}`), file)
	form("source.digest_mismatch", sum, file)
	form("api.bad_request", sum, file, c.plant("epilogue"))
	form("api.bad_request", c.plant("preamble"))
}

func (c *courier) refusedReferences() {
	refer := func(code, body string) {
		c.Helper()
		c.refused(code, "POST", "/v1/documents", body, "Idempotency-Key", c.plant("keyofareference"), "Content-Type", "application/json")
	}
	sum := document.Sum(c.page)
	refer("api.bad_request", `{"source":"`+c.plant("brokenjson"))
	refer("api.bad_request", `{"`+c.plant("member")+`":1}`)
	refer("api.bad_request", `{"source":"`+c.plant("twice")+`","source":"x"}`)
	refer("source.bad_reference", c.referring(c.plant("nourl"), sum))
	refer("source.bad_reference", c.referring("ftp://"+c.plant("scheme")+"/x", sum))
	refer("source.bad_reference", c.referring("file://"+c.dir+"/../"+c.plant("dotsegment"), sum))
	refer("source.outside_prefixes", c.referring("file:///"+c.plant("outside")+"/x", sum))
	refer("source.outside_prefixes", c.referring("gs://"+c.plant("otherbucket")+"/x", sum))
	refer("source.bad_reference", `{"source":"file:///x","sha256":"`+c.plant("jsondigest")+`"}`)
	refer("api.bad_request", `{"source":"file:///x","sha256":"`+sum.String()+`","lane":"`+c.plant("jsonlane")+`"}`)
	refer("policy.unknown", `{"source":"file:///x","sha256":"`+sum.String()+`","policy":"`+c.plant("jsonpolicy")+`"}`)
}

func (c *courier) refusedImages() {
	c.refused("sniff.script", "POST", "/v1/redact", "#!/bin/sh\necho "+c.plant("syncscript")+"\n")
	c.refused("api.body_limit", "POST", "/v1/redact", c.plant("toolarge")+strings.Repeat("x", 1<<20))
	c.refused("api.bad_request", "POST", "/v1/redact?"+c.plant("syncparameter")+"=1", "x")
	c.refused("api.unsupported_media_type", "POST", "/v1/redact", "x", "Content-Type", "multipart/form-data; boundary="+c.boundary())
	c.refused("policy.unknown", "POST", "/v1/redact?policy="+c.plant("syncpolicy"), "x")
}

func (c *courier) refusedActs(job string) {
	c.refused("job.ended", "DELETE", "/v1/jobs/"+job+"?"+c.plant("reasonforcancelling"), "")
	for _, act := range []string{"/replay", "/discard"} {
		c.refused("job.not_dead", "POST", "/v1/jobs/"+job+act, `{"why":"`+c.plant("why")+`"}`, "Content-Type", "application/json")
	}
}

// malformed says what is no HTTP, so that net/http itself answers. All is said before
// the first answer is read, because net/http hangs up slowly.
func (c *courier) malformed() {
	said := map[string]net.Conn{}
	for _, base := range []string{c.v.url, c.v.ops} {
		for _, request := range []string{
			"GET /" + c.plant("noversion") + "\r\n\r\n",
			"GET / HTTP/9." + c.plant("version") + "\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: x\r\nbad header " + c.plant("badheader") + "\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: " + c.plant("badhost") + "\x01\r\n\r\n",
			"POST /v1/documents HTTP/1.1\r\nHost: x\r\nContent-Length: " + c.plant("length") + "\r\n\r\n",
			"POST /v1/documents HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: " + c.plant("transfercoding") + "\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: x\r\nCookie: " + strings.Repeat(c.plant("largeheader"), 2000) + "\r\n\r\n",
		} {
			said[base+" "+request] = c.say(strings.TrimPrefix(base, "http://"), request)
		}
	}
	for what, conn := range said {
		answer, err := io.ReadAll(conn)
		conn.Close()
		c.h.search(fmt.Sprintf("the answer to %.80q", what), answer)
		// Of a large request's answer a reset may cut off the end.
		if !strings.HasPrefix(string(answer), "HTTP/1.1 ") && (err == nil || len(what) < 1000) {
			c.Errorf("%.80q was answered with %q, %v", what, answer, err)
		}
	}
}

func (c *courier) say(address, request string) net.Conn {
	c.Helper()
	conn, err := new(net.Dialer).DialContext(c.ctx, "tcp", address)
	c.must(err)
	c.sent.WriteString(request)
	_, _ = io.WriteString(conn, request) // the other end may have hung up before the end of a large one
	return conn
}

// operators looks at all that the private listener shows.
func (c *courier) operators() {
	for path, want := range map[string]string{
		"/metrics": "blotter_jobs_ended_total", "/metrics?" + c.plant("opsquery") + ";": "blotter_http_", "/readyz?" + c.plant("opsquery"): `"ready"`,
		"/healthz": "ok", "/" + c.plant("opspath"): "404", "/debug/pprof/" + c.plant("opsprofile"): "Unknown profile",
		"/debug/pprof/goroutine?debug=2": "goroutine", "/debug/pprof/heap?debug=1": "heap profile", "/debug/pprof/cmdline": "404",
	} {
		r := c.askOf(c.v.ops, "GET", path, "", "Accept", c.plant("opsaccept"), "Authorization", "")
		if !strings.Contains(string(r.body), want) {
			c.Errorf("%s was answered with %d: %.300s", path, r.status, r.body)
		}
	}
}
