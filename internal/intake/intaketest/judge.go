package intaketest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"

	"blotter/client"
	"blotter/internal/reason"
)

// judge says what is wrong with an answer.
func (a *attack) judge(req request, answer *http.Response, body []byte) string {
	status := answer.StatusCode
	said := fmt.Sprintf("answered %d: %.400q", status, body)
	if status >= 500 && status != http.StatusServiceUnavailable && status != http.StatusInsufficientStorage {
		return said + "\nan error of the server"
	}
	if status >= 400 {
		if wrong := a.problem(answer, body); wrong != "" {
			return said + "\n" + wrong
		}
	}
	if req.strange {
		return strange(status, answer, said)
	}
	described, ok := req.Responses[strconv.Itoa(status)]
	if !ok {
		return said + "\nthis status is not described for the operation"
	}
	if wrong := a.matches(described, answer, body); wrong != "" {
		return said + "\n" + wrong
	}
	return ""
}

// strange judges the answer to a request that no operation is meant for, or perhaps one by
// chance.
func strange(status int, answer *http.Response, said string) string {
	if status == http.StatusMethodNotAllowed && answer.Header.Get("Allow") == "" {
		return said + "\nno header says which methods are allowed"
	}
	if status < 300 {
		return said + "\na request that means nothing succeeded"
	}
	return ""
}

// problem judges the form of a problem.
func (a *attack) problem(answer *http.Response, body []byte) string {
	if answer.Header.Get("Content-Type") != "application/problem+json" {
		return "an error that is no problem: " + answer.Header.Get("Content-Type")
	}
	if answer.Request.Method == http.MethodHead {
		return ""
	}
	var p client.Problem
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return "the problem cannot be read: " + err.Error()
	}
	e, ok := reason.Lookup(reason.Code(p.Reason))
	switch {
	case !ok:
		return "the reason is not in the table"
	case e.HTTP != answer.StatusCode || p.Status != answer.StatusCode:
		return fmt.Sprintf("the reason has the status %d", e.HTTP)
	case p.Type != "urn:blotter:reason:"+p.Reason || p.Class != string(e.Class) || p.Owner != string(e.Owner) || p.Title == "" || p.Detail == "":
		return "the problem is not that of its reason"
	}
	return a.shape(p, answer, body)
}

func (a *attack) shape(p client.Problem, answer *http.Response, body []byte) string {
	again := p.Status == http.StatusTooManyRequests || p.Status == http.StatusServiceUnavailable
	if n, err := strconv.Atoi(answer.Header.Get("Retry-After")); again && (err != nil || n < 1) {
		return "nothing says when to try again"
	}
	return a.valid(&schema{Ref: schemas + "Problem"}, body)
}

// matches judges an answer by the description of its status.
func (a *attack) matches(described response, answer *http.Response, body []byte) string {
	mediaType, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if len(described.Content) == 0 {
		if len(body) > 0 && answer.StatusCode != http.StatusFound { // net/http explains a redirect in words
			return "a body that is not described"
		}
		return ""
	}
	m, ok := described.Content[mediaType]
	if err != nil || !ok {
		return "a media type that is not described: " + answer.Header.Get("Content-Type")
	}
	if answer.Request.Method == http.MethodHead || (mediaType != "application/json" && mediaType != "application/problem+json") {
		return ""
	}
	if len(described.Reasons) > 0 {
		var p client.Problem
		if err := json.Unmarshal(body, &p); err != nil || !slices.Contains(described.Reasons, p.Reason) {
			return "a reason that is not described for the operation"
		}
	}
	return a.valid(m.Schema, body)
}
