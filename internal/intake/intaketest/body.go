package intaketest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"mime/multipart"
	"slices"
	"strings"
)

// fill gives a request a valid body of one of the types that its operation takes.
func (a *attack) fill(req *request) {
	types := slices.Sorted(maps.Keys(req.RequestBody.Content))
	switch mediaType := pick(a, types...); mediaType {
	case "application/json":
		req.header.Set("Content-Type", mediaType)
		req.body = a.reference()
		req.target, _, _ = strings.Cut(req.target, "?") // settings are members here
	case "multipart/form-data":
		a.form(req)
		req.target, _, _ = strings.Cut(req.target, "?")
	default:
		req.header.Set("Content-Type", mediaType)
		req.body = a.document()
	}
}

func (a *attack) document() string {
	return pick(a, "a document", "%PDF-1.7 not really", "\x89PNG\r\n\x1a\n", strings.Repeat("bytes ", 1+a.rand.IntN(5000)))
}

func digestOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func (a *attack) reference() string {
	ref := map[string]any{
		"source": pick(a, "file:///etc/passwd", "s3://bucket/key", "gs://b/k", "file:///nowhere/else"), "sha256": digestOf("x"),
	}
	if a.rand.IntN(2) == 0 {
		ref["hints"] = map[string]any{"names": []string{"Iris Example"}}
	}
	if a.rand.IntN(3) == 0 { // something wrong with a member
		name := pick(a, "source", "sha256", "policy", "lane", "originals", "hints", "extra")
		ref[name] = pick[any](a, nil, true, -1, 1e300, "", a.nasty(), []any{}, map[string]any{}, map[string]any{"names": a.nasty()}, map[string]any{"dates": []string{a.nasty()}},
			map[string]any{"names": slices.Repeat([]string{"n"}, 100)}, "file://"+a.nasty(), "http://x/y", strings.Repeat("f", 64))
	}
	text, _ := json.Marshal(ref) // of plain values
	return string(text)
}

// form is a form whose parts are right, or out of order, twice there, or missing.
func (a *attack) form(req *request) {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	_ = w.SetBoundary("a-boundary-of-this-test")
	doc := a.document()
	fields := [][2]string{{"sha256", digestOf(doc)}, {"file", doc}}
	switch a.rand.IntN(6) {
	case 0:
		slices.Reverse(fields)
	case 1:
		fields = slices.Insert(fields, 1, [2]string{pick(a, "sha256", "policy", "lane", "originals", "hints", "other", ""), a.nasty()})
	case 2:
		fields = fields[a.rand.IntN(3):]
	case 3:
		fields = append(fields, [2]string{pick(a, "file", "policy"), "more"})
	}
	for _, f := range fields {
		if f[0] == "file" {
			part, _ := w.CreateFormFile("file", pick(a, "a.pdf", "../../x", "\u202e", "")) // into memory
			_, _ = part.Write([]byte(f[1]))
			continue
		}
		_ = w.WriteField(f[0], f[1])
	}
	if a.rand.IntN(8) > 0 {
		_ = w.Close() // otherwise the form has no end
	}
	req.header.Set("Content-Type", w.FormDataContentType())
	req.body = body.String()
}

func (a *attack) spoilBody(req *request) {
	switch a.rand.IntN(6) {
	case 0:
		req.body = ""
	case 1:
		req.body = a.nasty()
	case 2:
		req.body = req.body[:a.rand.IntN(len(req.body)+1)]
	case 3:
		req.body = strings.Repeat("x", a.rand.IntN(3<<20))
	case 4:
		req.body = strings.Repeat(pick(a, `{"a":`, "[", "--a-boundary-of-this-test\r\n"), 5000)
	case 5:
		if req.body == "" {
			req.body = a.document() // where none is expected
			return
		}
		at := a.rand.IntN(len(req.body))
		req.body = req.body[:at] + string([]byte{byte(a.rand.IntN(256))}) + req.body[at:]
	}
}
