package intake

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// answerJSON answers 200 with v, or 304 where the client names the ETag of the same bytes.
func answerJSON(w http.ResponseWriter, r *http.Request, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("intake: write an answer: %w", err)
	}
	h := w.Header()
	h.Set("Cache-Control", "private, no-cache") // the ETag is of use, and only to who asked
	sum := sha256.Sum256(body)
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
	h.Set("ETag", tag)
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	if reads && names(r.Header.Values("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return answerBytes(w, r, "application/json", append(body, '\n'))
}

// names reports whether a list of entity tags holds one (RFC 9110, section 13.1.2; the
// comparison is weak, as it asks).
func names(lines []string, tag string) bool {
	for _, line := range lines {
		for _, t := range strings.Split(line, ",") {
			if t = strings.TrimSpace(t); t == "*" || strings.TrimPrefix(t, "W/") == tag {
				return true
			}
		}
	}
	return false
}

// answerBytes answers 200 with a body that is whole in memory.
func answerBytes(w http.ResponseWriter, r *http.Request, mediaType string, body []byte) error {
	w.Header().Set("Content-Type", mediaType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	if _, err := w.Write(body); err != nil {
		return errAnswered
	}
	return nil
}

// contentDigest writes a digest as RFC 9530 has it.
func contentDigest(d document.Digest) string {
	return "sha-256=:" + base64.StdEncoding.EncodeToString(d[:]) + ":"
}

// badRequest refuses a request whose named parts are wrong.
func badRequest(parts ...string) error { return fault(reason.APIRequest, parts...) }
