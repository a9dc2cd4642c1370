package intaketest

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// next makes a request: a valid one for some operation, and then, mostly, something wrong
// with it.
func (a *attack) next() request {
	req := a.plain(a.operations[a.rand.IntN(len(a.operations))])
	for a.rand.IntN(3) > 0 {
		a.spoil(&req)
	}
	return req
}

func pick[T any](a *attack, of ...T) T { return of[a.rand.IntN(len(of))] }

// parts of a request that is being made.
type parts struct {
	path  map[string]string
	query []string // "name=value", escaped
}

// plain is a valid request for an operation.
func (a *attack) plain(o operation) request {
	req := request{operation: o, header: http.Header{}}
	req.header.Set("Authorization", "Bearer "+a.Keys[0])
	p := parts{path: map[string]string{}}
	for _, param := range o.Parameters {
		value := a.value(param)
		switch {
		case param.In == "path":
			p.path[param.Name] = url.PathEscape(value)
		case !param.Required && a.rand.IntN(3) > 0:
		case param.In == "query":
			p.query = append(p.query, param.Name+"="+url.QueryEscape(value))
		case param.In == "header":
			req.header.Set(param.Name, value)
		}
	}
	req.target = p.target(o.path)
	if o.RequestBody != nil {
		a.fill(&req)
	}
	return req
}

func (p parts) target(path string) string {
	for name, value := range p.path {
		path = strings.ReplaceAll(path, "{"+name+"}", value)
	}
	if len(p.query) > 0 {
		path += "?" + strings.Join(p.query, "&")
	}
	return path
}

// value is a possible value of a parameter.
func (a *attack) value(p parameter) string {
	switch {
	case p.Name == "id":
		return pick(a, a.Jobs...)
	case p.Name == "n":
		return pick(a, "1", "2", "7")
	case p.Name == "Prefer":
		return pick(a, "wait=0", "respond-async") // longer ones would only take time
	case p.Name == "Idempotency-Key":
		return fmt.Sprint("key-", a.rand.Uint64())
	case strings.HasSuffix(p.Name, "-Digest"):
		return "sha-512=:AAAA:" // of an algorithm that is not checked
	case p.Name == "cursor":
		return "YTEuMg"
	case p.Name == "policy":
		return "default"
	case p.Name == "tenant":
		return "north"
	case p.Name == "If-None-Match":
		return pick(a, `"x"`, "*")
	case len(p.Schema.Enum) > 0:
		return fmt.Sprint(pick(a, p.Schema.Enum...))
	case p.Schema.Type == "integer":
		return pick(a, "1", "2", "50")
	case p.Schema.Type == "boolean":
		return pick(a, "true", "false")
	}
	return fmt.Sprint(p.Example)
}

// spoil makes one thing of a request wrong, or at least unusual.
func (a *attack) spoil(req *request) {
	switch a.rand.IntN(7) {
	case 0:
		a.spoilKey(req)
	case 1:
		a.spoilMethod(req)
	case 2:
		a.spoilPath(req)
	case 3:
		a.spoilQuery(req)
	case 4, 5:
		a.spoilHeader(req)
	case 6:
		a.spoilBody(req)
	}
}

func (a *attack) spoilKey(req *request) {
	key := pick(a, a.Keys...)
	switch a.rand.IntN(6) {
	case 0:
		req.header.Del("Authorization")
	case 1:
		req.header["Authorization"] = []string{"Bearer " + key, "Bearer " + key}
	case 2:
		req.header.Set("Authorization", pick(a, "Basic eDp5", "Bearer", "Bearer ", key, "Bearer "+key[:len(key)-1], "Bearer "+headerSafe(a.nasty()), "Digest x=\"y\""))
	default:
		req.header.Set("Authorization", "Bearer "+key)
	}
}

func (a *attack) spoilMethod(req *request) {
	if req.method == http.MethodGet && a.rand.IntN(2) == 0 {
		req.method = http.MethodHead // GET's twin
		return
	}
	req.method = pick(a, "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW", "get", "PROPFIND")
	a.place(req)
}

func (a *attack) spoilPath(req *request) {
	path, query, asked := strings.Cut(req.target, "?")
	steps := strings.Split(path, "/")
	i := 1 + a.rand.IntN(len(steps)-1)
	switch a.rand.IntN(4) {
	case 0:
		steps[i] = url.PathEscape(a.nasty())
	case 1:
		steps = append(steps, pick(a, "", ".", "..", "%2e%2e", "x", "events"))
	case 2:
		steps[i] = pick(a, "", ".", "..", "%00", "%ff%fe", "%2f", strings.ToUpper(steps[i]), steps[i]+"%20", "j0123456789abcdefghjkmnpqrs", "-1", "0", "4294967297")
	case 3:
		steps[i] = strings.Repeat("a", 1+a.rand.IntN(4000))
	}
	req.target = strings.Join(steps, "/")
	if asked {
		req.target += "?" + query
	}
	a.place(req)
}

// place finds out which operation a request is for, now that method or path are others.
func (a *attack) place(req *request) {
	path, _, _ := strings.Cut(req.target, "?")
	for _, o := range a.operations {
		method := req.method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		if o.method == method && fits(o.path, path) {
			as := req.method
			req.operation, req.strange = o, false
			req.method = as
			return
		}
	}
	req.strange = true
}

// fits reports whether a path is one of a template's, as net/http matches them: a parameter
// is one segment that is not empty.
func fits(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		text, err := url.PathUnescape(got[i])
		switch {
		case err != nil || text == "" && want[i] != "" || got[i] == "." || got[i] == "..":
			return false
		case strings.HasPrefix(want[i], "{"):
		case text != want[i]:
			return false
		}
	}
	return true
}

func (a *attack) spoilQuery(req *request) {
	more := pick(a, "limit=-1", "limit=1e9", "limit=0", "limit=200&limit=1", "state=nowhere", "state=", "lane=fast", "reason=none", "tenant=*", "tenant=north",
		"cursor=%ff", "cursor=AAAA", "after=x", "after=-2", "after=99999999999999999999", "after=3", "policy=none", "policy="+strings.Repeat("p", 300), "originals=maybe",
		"unknown=1", "a=%zz", "%", ";", "=", "&&", "a[]=1", url.QueryEscape(a.nasty())+"="+url.QueryEscape(a.nasty()), "limit="+url.QueryEscape(a.nasty()))
	if strings.Contains(req.target, "?") {
		req.target += "&" + more
	} else {
		req.target += "?" + more
	}
}

// spoilHeader leaves Expect alone: net/http itself answers 417 to all but 100-continue.
func (a *attack) spoilHeader(req *request) {
	name := pick(a, "Idempotency-Key", "Prefer", "Content-Type", "Content-Digest", "Repr-Digest", "Accept", "If-None-Match", "Last-Event-ID",
		"Content-Encoding", "Range", "traceparent", "tracestate", "X-Forwarded-For", "Cookie", "Origin", "If-Match", "Accept-Encoding", "Forwarded")
	switch a.rand.IntN(4) {
	case 0:
		req.header.Del(name)
	case 1:
		req.header.Set(name, headerSafe(a.nasty()))
	case 2:
		req.header.Add(name, headerSafe(a.nasty()))
	case 3:
		req.header.Set(name, pick(a, "", "*", "wait=-1", "wait=soon", "sha-256=:AAAA:", "sha-256=1", "sha-256=:"+strings.Repeat("A", 43)+"=:", "text/html", "multipart/form-data",
			"multipart/form-data; boundary="+strings.Repeat("b", 80), "multipart/mixed; boundary=x", "application/json; charset=utf-16", "gzip", "bytes=0-1", "-5", "7", strings.Repeat("k", 256), "W/\"x\""))
	}
}

// headerSafe leaves out what Go's own client would not send.
func headerSafe(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, s)
	return s[:min(len(s), 2000)]
}

// nasty is a text that programs stumble over.
func (a *attack) nasty() string {
	return pick(a, "", " ", "\x00", "\xff\xfe", "\xc0\x80", "ä", "𝔄", "\u202e", "null", "true", "-0", "1e999", "NaN", "0x10", "9223372036854775808", "'; DROP TABLE jobs; --",
		"<script>alert(1)</script>", "../../../etc/passwd", "${jndi:ldap://x}", "%s%n", "{{.}}", "\r\nX: y", strings.Repeat("a", 3000), strings.Repeat("[", 1000), "\"", "\\", "a\tb")
}
