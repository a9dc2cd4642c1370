// Package objectstoretest serves a bucket in memory, over HTTP on loopback, that speaks
// the S3 protocol; or gives tests a prefix of a real one.
package objectstoretest

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// Variable names the URL of a prefix in a real store, s3://bucket/prefix?…, under which
// Real makes each test one of its own. Credentials are in the environment.
const Variable = "BLOTTER_TEST_S3"

// Environment is what finds the credentials of Serve's buckets, as NAME=value.
var Environment = []string{
	"AWS_ACCESS_KEY_ID=AKIATESTS", "AWS_SECRET_ACCESS_KEY=of these tests alone",
	"AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null",
}

// Serve is Listen for what runs in the test's own process, which it gives Environment.
func Serve(t testing.TB, answer func(http.ResponseWriter, *http.Request, http.Handler)) string {
	t.Helper()
	for _, v := range Environment {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	return Listen(t, answer)
}

// Listen serves an empty bucket until the test ends and returns the URL of a prefix in it.
// The server stands behind answer, where the test gives one.
func Listen(t testing.TB, answer func(http.ResponseWriter, *http.Request, http.Handler)) string {
	t.Helper()
	fake, err := Handler()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer == nil {
			fake.ServeHTTP(w, r)
			return
		}
		answer(w, r, fake)
	}))
	t.Cleanup(server.Close)
	return URL(server.URL)
}

// Handler is an empty bucket in memory.
func Handler() (http.Handler, error) {
	backend := s3mem.New()
	if err := backend.CreateBucket(bucket); err != nil {
		return nil, err
	}
	return gofakes3.New(backend).Server(), nil
}

const bucket = "station"

// URL is that of a prefix in the bucket of a Handler that is served at an endpoint.
func URL(endpoint string) string {
	return "s3://" + bucket + "/a/prefix?region=us-east-1&use_path_style=true&endpoint=" + endpoint
}

// Real returns the URL of a fresh prefix in the store that the environment names; ok is
// false where it names none. What the test leaves there stays.
func Real(t testing.TB) (url string, ok bool) {
	t.Helper()
	base := os.Getenv(Variable)
	if base == "" {
		return "", false
	}
	var id [8]byte
	rand.Read(id[:]) // never fails since Go 1.24
	place, settings, _ := strings.Cut(base, "?")
	return strings.TrimSuffix(place, "/") + "/" + hex.EncodeToString(id[:]) + "?" + settings, true
}
