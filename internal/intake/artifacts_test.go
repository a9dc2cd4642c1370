package intake_test

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/receipt"
)

func TestPartsOfAJob(t *testing.T) {
	o := newOffice(t, nil)
	k, token, err := o.keys.Add(t.Context(), north, access.Reviewer, nil, "test")
	o.must(err)
	id := o.ended(north, document.Released, "")
	for rest, name := range map[string]string{
		"/result": "result.json", "/receipt": "receipt.json", "/assets/1/derivative": "asset-0001.png", "/assets/1/original": "asset-0001.original.png",
	} {
		answer := o.ask("GET", at(id, rest), token)
		body := o.read(answer, http.StatusOK)
		_, params, err := mime.ParseMediaType(answer.Header.Get("Content-Disposition"))
		if err != nil || params["filename"] != name || answer.Header.Get("Content-Length") != strconv.Itoa(len(body)) ||
			!strings.Contains(answer.Header.Get("Cache-Control"), "no-store") {
			t.Errorf("%s: headers %v, %v", rest, answer.Header, err)
		}
		if want := "sha-256=:" + sha256Base64(string(body)) + ":"; rest != "/assets/1/original" && answer.Header.Get("Content-Digest") != want {
			t.Errorf("%s: digest %s, want %s", rest, answer.Header.Get("Content-Digest"), want)
		}
		head := o.ask("HEAD", at(id, rest), token)
		if b := o.read(head, http.StatusOK); len(b) > 0 || head.ContentLength != int64(len(body)) || head.Header.Get("Content-Type") != answer.Header.Get("Content-Type") {
			t.Errorf("HEAD %s: %d bytes, headers %v", rest, len(b), head.Header)
		}
		if strings.HasSuffix(rest, "derivative") && !bytes.Equal(body, picture) {
			t.Error("the derivative is another")
		}
	}
	if len(o.viewed) != 2 || o.viewed[0] != k.ID {
		t.Errorf("the original was viewed by %v, want twice %s", o.viewed, k.ID)
	}
}

func TestPartsThatAreNotThere(t *testing.T) {
	o := newOffice(t, nil)
	key := o.key(north, access.Admin)
	waiting, sealing := o.enqueue(north, document.Bulk), o.enqueue(north, document.Bulk)
	o.finish(o.claim(sealing), document.Released, "")
	for _, id := range []document.ID{waiting, sealing} { // nothing is readable before its event is signed
		for _, rest := range []string{"/result", "/receipt", "/assets/1/derivative", "/assets/1/original"} {
			o.refused(o.ask("GET", at(id, rest), key), reason.JobNotEnded)
		}
	}
	o.seal()
	for _, n := range []string{"0", "2", "-1", "01", "1.0", "x", "2147483648", "99999999999999999999", "%2e"} {
		o.refused(o.ask("GET", at(sealing, "/assets/", n, "/derivative"), key), reason.JobNoResult)
	}
	answer := o.ask("GET", at(sealing, "/assets/2/derivative"), key)
	if o.refused(answer, reason.JobNoResult); answer.Header.Get("Content-Disposition") != "" || answer.Header.Get("Content-Digest") != "" {
		t.Errorf("a refusal names a file: %v", answer.Header)
	}
}

func TestTrust(t *testing.T) {
	o := newOffice(t, nil)
	for _, role := range access.Roles() {
		body := o.read(o.ask("GET", "/v1/trust", o.key(north, role)), http.StatusOK)
		var list receipt.TrustList
		if err := json.Unmarshal(body, &list); err != nil || len(list.Keys) != 1 {
			t.Errorf("%s: %s, %v", role, body, err)
		}
	}
	o.refused(o.ask("GET", "/v1/trust", ""), reason.APIUnauthorised)
}
