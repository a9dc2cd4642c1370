package intake

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
)

const letter = "a letter, as far as intake is concerned"

func sf(doc string) string {
	sum := sha256.Sum256([]byte(doc))
	return "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
}

// job reads what was stored of a job.
func (o *office) job(id string) (queue.Job, plainOrder) {
	o.Helper()
	j, err := o.db.Job(context.Background(), document.ID(id))
	o.must(err)
	plain, err := o.vault.Unseal(context.Background(), j.ID, j.Sealed)
	o.must(err)
	var order plainOrder
	o.must(json.Unmarshal(plain, &order))
	return j, order
}

func TestARawBodyBecomesAJob(t *testing.T) {
	o := newOffice(t, testConfig())
	r := o.send("POST", documentsPath+"?policy=default&lane=interactive&originals=true", strings.NewReader(letter), map[string]string{
		keyHeader: "one", "Content-Digest": sf(letter), "Repr-Digest": "md5=:AAAA:, " + sf(letter),
		"Traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
	})
	a := o.accepted(r)
	j, order := o.job(a.ID)
	if r.Header.Get("Location") != "/v1/jobs/"+a.ID || r.Header.Get(digestHeader) != sf(letter) {
		t.Errorf("headers: %v", r.Header)
	}
	if a.State != "queued" || a.SHA256 != document.Sum([]byte(letter)).String() || a.Bytes != int64(len(letter)) || !a.Created.Equal(j.Created) {
		t.Errorf("answered %+v", a)
	}
	if j.Tenant != "alpha" || j.Lane != document.Interactive || j.State != document.Queued || j.Bytes != a.Bytes || j.Input.String() != a.SHA256 ||
		j.Policy.Name != "default" || !strings.HasPrefix(j.Trace, "00-0af7651916cd43dd8448eb211c80319c-") {
		t.Errorf("stored %+v", j)
	}
	if !order.Originals || order.Small || len(order.Hints) > 0 || o.document(a.ID) != letter {
		t.Errorf("order %+v", order)
	}
	if len(o.notes.moved) != 1 || o.notes.took != a.Bytes {
		t.Errorf("told %+v", o.notes)
	}
}

// Without a lane in the request the key decides: bulk, if it may.
func TestLanes(t *testing.T) {
	o := newOffice(t, testConfig())
	_, fast := o.newKey("alpha", access.Client, []document.Lane{document.Interactive})
	for _, c := range []struct {
		key, query string
		want       document.Lane
	}{
		{o.key, "", document.Bulk}, {fast, "", document.Interactive}, {o.key, "?lane=interactive", document.Interactive}, {fast, "?lane=bulk", ""},
	} {
		r := o.send("POST", documentsPath+c.query, strings.NewReader(letter), map[string]string{
			keyHeader: "k" + c.query + c.key[len(c.key)-8:], "Authorization": "Bearer " + c.key,
		})
		if c.want == "" {
			o.refused(r, reason.APIForbidden)
			continue
		}
		if j, _ := o.job(o.accepted(r).ID); j.Lane != c.want {
			t.Errorf("%q: lane %q", c.query, j.Lane)
		}
	}
}

// form writes a multipart form: fields in the order given, then the file.
func formBody(fields [][2]string, doc string) (contentType, body string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range fields {
		if f[0] == filePart {
			part, _ := w.CreateFormFile(filePart, "Mrs Miller.pdf")
			_, _ = io.WriteString(part, doc)
			continue
		}
		_ = w.WriteField(f[0], f[1])
	}
	_ = w.Close()
	return w.FormDataContentType(), b.String()
}

func TestAFormBecomesAJob(t *testing.T) {
	o := newOffice(t, testConfig())
	contentType, body := formBody([][2]string{
		{"sha256", document.Sum([]byte(letter)).String()}, {"lane", "bulk"}, {"originals", "true"},
		{"hints", ` {"dates": ["1970-01-31"], "names":["Mary Miller"]} `}, {"file", ""},
	}, letter)
	a := o.accepted(o.post("form", body, map[string]string{"Content-Type": contentType, "Content-Digest": sf(body)}))
	_, order := o.job(a.ID)
	if string(order.Hints) != `{"names":["Mary Miller"],"dates":["1970-01-31"]}` || !order.Originals || o.document(a.ID) != letter || a.Bytes != int64(len(letter)) {
		t.Errorf("order %+v, answered %+v", order, a)
	}
	// The same settings in another order and spelling are the same request.
	contentType, body = formBody([][2]string{
		{"hints", `{"names":["Mary Miller"],"dates":["1970-01-31"]}`}, {"originals", "true"},
		{"sha256", document.Sum([]byte(letter)).String()}, {"lane", "bulk"}, {"file", ""},
	}, letter)
	if again := o.accepted(o.post("form", body, map[string]string{"Content-Type": contentType})); again != a {
		t.Errorf("answered %+v, then %+v", a, again)
	}
}

func TestAReferenceBecomesAJob(t *testing.T) {
	o := newOffice(t, testConfig())
	url := "file://" + o.source + "/0001.pdf"
	send := func(key, source, more string) reply {
		return o.post(key, fmt.Sprintf(`{"source":%q,"sha256":%q%s}`, source, document.Sum([]byte(letter)), more), map[string]string{"Content-Type": "application/json"})
	}
	a := o.accepted(send("ref", url, `,"hints":{"numbers":["123-45-6789"]}`))
	j, order := o.job(a.ID)
	if order.URL != url || string(order.Hints) != `{"numbers":["123-45-6789"]}` || a.Bytes != 0 || j.Input != document.Sum([]byte(letter)) {
		t.Errorf("order %+v, answered %+v", order, a)
	}
	if again := o.accepted(send("ref", url, `,"hints":{"numbers":["123-45-6789"]}`)); again != a {
		t.Errorf("answered %+v, then %+v", a, again)
	}
	o.refused(send("ref", url, ``), reason.APIKeyReused)
	o.refused(send("ref2", "file:///etc/passwd", ``), reason.SourceOutside)
	o.refused(send("ref2", "http://example.org/a", ``), reason.SourceReference)
	if blobs, err := o.vault.List(context.Background(), ""); err != nil || len(blobs) > 0 {
		t.Errorf("blobs %v, %v", blobs, err)
	}
	if n := o.count("keys"); n != 1 {
		t.Errorf("%d data keys; only the order's was needed", n)
	}
}

func TestWhatIsRefusedLeavesNothing(t *testing.T) {
	cfg := testConfig()
	cfg.MaxBodyBytes, cfg.SyncBytes = 1000, 1000
	o := newOffice(t, cfg)
	big := strings.Repeat("x", 1001)
	sum := document.Sum([]byte(letter)).String()
	other := sf("another letter")
	send := func(query, body string, headers ...string) reply {
		all := map[string]string{keyHeader: "refused"}
		for i := 0; i < len(headers); i += 2 {
			all[headers[i]] = headers[i+1]
		}
		// No length is known beforehand: all is found out on the way.
		return o.send("POST", documentsPath+query, io.MultiReader(strings.NewReader(body)), all)
	}
	form := func(doc string, names ...string) reply {
		var fields [][2]string
		for _, n := range names {
			name, value, _ := strings.Cut(n, "=")
			fields = append(fields, [2]string{name, value})
		}
		contentType, body := formBody(fields, doc)
		return send("", body, "Content-Type", contentType)
	}
	json := func(body string) reply { return send("", body, "Content-Type", "application/json") }
	const multi = "multipart/form-data; boundary=b"
	for name, c := range map[string]struct {
		r    reply
		want reason.Code
	}{
		"empty":                  {send("", ""), reason.SniffEmpty},
		"too large":              {send("", big), reason.SourceBytes},
		"digest":                 {send("", letter, "Content-Digest", other), reason.SourceDigest},
		"repr digest":            {send("", letter, "Repr-Digest", other), reason.SourceDigest},
		"malformed digest":       {send("", letter, "Content-Digest", "sha-256=47DEQpj8"), reason.APIRequest},
		"policy":                 {send("?policy=none", letter), reason.PolicyUnknown},
		"unknown parameter":      {send("?polcy=x", letter), reason.APIRequest},
		"parameter twice":        {send("?lane=bulk&lane=bulk", letter), reason.APIRequest},
		"lane":                   {send("?lane=fast", letter), reason.APIRequest},
		"originals":              {send("?originals=yes", letter), reason.APIRequest},
		"query":                  {send("?a=%zz", letter), reason.APIRequest},
		"coding":                 {send("", letter, "Content-Encoding", "gzip"), reason.APIMediaType},
		"other parts":            {send("", letter, "Content-Type", "multipart/mixed; boundary=b"), reason.APIMediaType},
		"form: no boundary":      {send("", letter, "Content-Type", "multipart/form-data"), reason.APIRequest},
		"form: query":            {send("?lane=bulk", letter, "Content-Type", multi), reason.APIRequest},
		"form: not one":          {send("", letter, "Content-Type", multi), reason.APIRequest},
		"form: no file":          {form("", "sha256="+sum), reason.APIRequest},
		"form: no digest":        {form(letter, "file"), reason.APIRequest},
		"form: digest later":     {form(letter, "file", "sha256="+sum), reason.APIRequest},
		"form: field later":      {form(letter, "sha256="+sum, "file", "lane=bulk"), reason.APIRequest},
		"form: two files":        {form(letter, "sha256="+sum, "file", "file"), reason.APIRequest},
		"form: unknown":          {form(letter, "sha256="+sum, "polcy=x", "file"), reason.APIRequest},
		"form: twice":            {form(letter, "sha256="+sum, "sha256="+sum, "file"), reason.APIRequest},
		"form: other digest":     {form("another letter", "sha256="+sum, "file"), reason.SourceDigest},
		"form: digest of zeros":  {form(letter, "sha256="+strings.Repeat("0", 64), "file"), reason.SourceDigest},
		"form: empty":            {form("", "sha256="+sum, "file"), reason.SniffEmpty},
		"form: too large":        {form(big, "sha256="+document.Sum([]byte(big)).String(), "file"), reason.SourceBytes},
		"form: hints":            {form(letter, "sha256="+sum, `hints={"name":["x"]}`, "file"), reason.APIRequest},
		"form: policy":           {form(letter, "sha256="+sum, "policy=none", "file"), reason.PolicyUnknown},
		"form: cut off":          {send("", "--b\r\nContent-Disposition: form-data; name=\"sha256\"\r\n\r\n"+sum+"\r\n--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nhalf", "Content-Type", multi), reason.APIRequest},
		"reference: no digest":   {json(`{"source":"file:///x"}`), reason.SourceReference},
		"reference: no source":   {json(`{"sha256":"` + sum + `"}`), reason.SourceReference},
		"reference: twice":       {json(`{"source":"file:///x","source":"file:///y","sha256":"` + sum + `"}`), reason.APIRequest},
		"reference: unknown":     {json(`{"sauce":"file:///x","sha256":"` + sum + `"}`), reason.APIRequest},
		"reference: case":        {json(`{"Source":"file:///x","sha256":"` + sum + `"}`), reason.APIRequest},
		"reference: more":        {json(`{"source":"file:///x","sha256":"` + sum + `"} {}`), reason.APIRequest},
		"reference: lane":        {json(`{"source":"file:///x","lane":"fast","sha256":"` + sum + `"}`), reason.APIRequest},
		"reference: too large":   {json(`{"source":"` + strings.Repeat("x", maxReference) + `"}`), reason.APITooLarge},
		"reference: hints' date": {json(`{"source":"file:///x","sha256":"` + sum + `","hints":{"dates":["31.1.1970"]}}`), reason.APIRequest},
	} {
		t.Run(name, func(t *testing.T) {
			o := *o
			o.T = t
			o.refused(c.r, c.want)
		})
	}
	o.empty()
	if n := o.count("reservations WHERE idempotency <> ''"); n > 0 {
		t.Errorf("%d keys are still taken", n)
	}
}

// A request that is refused by its header is answered before its body is sent.
func TestRefusalsDoNotAskForTheBody(t *testing.T) {
	cfg := testConfig()
	cfg.MaxBodyBytes, cfg.SyncBytes = 1000, 1000
	o := newOffice(t, cfg)
	_, reader := o.newKey("alpha", access.Reader, nil)
	for name, c := range map[string]struct {
		headers string
		want    reason.Code
	}{
		"no key":         {"", reason.APIUnauthorised},
		"no right":       {"Authorization: Bearer " + reader + "\r\n", reason.APIForbidden},
		"no idempotency": {"Authorization: Bearer " + o.key + "\r\n", reason.APIKeyMissing},
		"too large":      {"Authorization: Bearer " + o.key + "\r\nIdempotency-Key: k\r\n", reason.SourceBytes},
	} {
		t.Run(name, func(t *testing.T) {
			o := *o
			o.T = t
			conn := o.dial()
			o.say(conn, "POST /v1/documents HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1000000\r\n"+c.headers+"\r\n")
			o.refused(o.hear(conn), c.want)
		})
	}
	o.empty()
}

func TestContinueIsSaidWhereTheBodyIsWanted(t *testing.T) {
	o := newOffice(t, testConfig())
	conn := o.dial()
	o.say(conn, "POST /v1/documents HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 6\r\nIdempotency-Key: k\r\nAuthorization: Bearer "+o.key+"\r\n\r\n")
	line, err := conn.lines.ReadString('\n')
	if blank, _ := conn.lines.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") || blank != "\r\n" {
		t.Fatalf("%q %q %v", line, blank, err)
	}
	o.say(conn, "letter")
	if a := o.accepted(o.hear(conn)); o.document(a.ID) != "letter" {
		t.Error("another document")
	}
}

// A digest may come behind the body.
func TestTrailers(t *testing.T) {
	o := newOffice(t, testConfig())
	send := func(key, trailer string) reply {
		conn := o.dial()
		o.say(conn, "POST /v1/documents HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTrailer: Content-Digest\r\nIdempotency-Key: "+key+
			"\r\nAuthorization: Bearer "+o.key+"\r\n\r\n6\r\nletter\r\n0\r\nContent-Digest: "+trailer+"\r\n\r\n")
		return o.hear(conn)
	}
	o.accepted(send("right", sf("letter")))
	o.refused(send("wrong", sf("litter")), reason.SourceDigest)
	o.refused(send("none", "sha-256"), reason.APIRequest)
}

// Many clients read no answer before they have sent the whole body.
func TestARefusalReachesAClientThatSendsAllFirst(t *testing.T) {
	cfg := testConfig()
	cfg.MaxBodyBytes, cfg.SyncBytes = 1000, 1000
	o := newOffice(t, cfg)
	body := strings.Repeat("x", 16<<20) // more than the kernel takes in
	length := "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	chunked := "Transfer-Encoding: chunked\r\n\r\n" + strconv.FormatInt(int64(len(body)), 16) + "\r\n" + body + "\r\n0\r\n\r\n"
	key := "Idempotency-Key: k\r\nAuthorization: Bearer " + o.key + "\r\n"
	for name, c := range map[string]struct {
		rest string
		want reason.Code
	}{
		"no key":              {length, reason.APIUnauthorised},
		"no key, chunked":     {chunked, reason.APIUnauthorised},
		"too large":           {key + length, reason.SourceBytes},
		"too large, chunked":  {key + chunked, reason.SourceBytes},
		"too large, expected": {key + "Expect: 100-continue\r\n" + chunked, reason.SourceBytes},
	} {
		t.Run(name, func(t *testing.T) {
			o := *o
			o.T = t
			conn := o.dial()
			o.say(conn, "POST /v1/documents HTTP/1.1\r\nHost: x\r\n"+c.rest)
			if strings.Contains(c.rest, "Expect") {
				o.must(errors.Join(second(conn.lines.ReadString('\n')), second(conn.lines.ReadString('\n')))) // 100 Continue
			}
			o.refused(o.hear(conn), c.want)
		})
	}
	o.empty()
}

func second(_ string, err error) error { return err }

func TestUploadsAreBounded(t *testing.T) {
	cfg := testConfig()
	cfg.UploadsPerKey, cfg.UploadsTotal = 1, 2
	o := newOffice(t, cfg)
	_, second := o.newKey("beta", access.Client, document.Lanes())
	_, third := o.newKey("gamma", access.Client, document.Lanes())
	o.holdUpload("first", o.key)
	o.refused(o.post("another", letter, nil), reason.APIUploads)
	other := o.holdUpload("first", second)
	o.refused(o.post("third", letter, map[string]string{"Authorization": "Bearer " + third}), reason.APIUploads)
	o.say(other, "6\r\nletter\r\n0\r\n\r\n")
	o.accepted(o.hear(other))
	o.accepted(o.post("third", letter, map[string]string{"Authorization": "Bearer " + third}))
}

func TestTheBacklogIsBounded(t *testing.T) {
	cfg := testConfig()
	cfg.Backlog = queue.Backlog{Tenant: 1, Total: 2}
	o := newOffice(t, cfg)
	first := o.accepted(o.post("1", letter, nil))
	o.refused(o.post("2", letter, nil), reason.QueueFull)
	if again := o.accepted(o.post("1", letter, nil)); again != first {
		t.Error("a full backlog kept a repetition from its answer")
	}
}

func TestNothingIsTakenInWhereTheHostSaysNo(t *testing.T) {
	o := newOffice(t, testConfig())
	full := reason.Because(reason.HostDisk, nil)
	o.admit.Store(&full)
	r := o.post("k", letter, nil)
	o.refused(r, reason.HostDisk)
	if r.Header.Get("Retry-After") != "60" {
		t.Errorf("headers %v", r.Header)
	}
	o.empty()
}

func TestAKeyOfEveryTenantSendsNothing(t *testing.T) {
	o := newOffice(t, testConfig())
	_, admin := o.newKey(access.Everyone, access.Admin, nil)
	r := o.post("k", letter, map[string]string{"Authorization": "Bearer " + admin})
	if r.StatusCode != http.StatusForbidden {
		t.Errorf("answered %d %s", r.StatusCode, r.body)
	}
	o.empty()
}
