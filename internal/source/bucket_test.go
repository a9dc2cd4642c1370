package source_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/internal/source"
)

// credentials gives the driver an identity as an operator would.
func credentials(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIATESTS")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "of this test alone")
	t.Setenv("AWS_CONFIG_FILE", "/dev/null")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
}

// s3 serves a bucket "scans" and returns its prefix in/ through the real driver. The
// server stands behind answer, where the test gives one.
func s3(t *testing.T, answer func(http.ResponseWriter, *http.Request, http.Handler)) *source.Stores {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("scans"); err != nil {
		t.Fatal(err)
	}
	for key, body := range map[string][]byte{
		"in/letter": letter, "in/п #1?+%": letter, "in/large": bytes.Repeat(letter, 1<<17), "in/other": []byte("another"), "in2/letter": letter,
	} {
		if _, err := backend.PutObject("scans", key, nil, bytes.NewReader(body), int64(len(body)), nil); err != nil {
			t.Fatal(err)
		}
	}
	fake := gofakes3.New(backend).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer == nil {
			fake.ServeHTTP(w, r)
			return
		}
		answer(w, r, fake)
	}))
	t.Cleanup(server.Close)
	return open(t, "s3://scans/in/?region=us-east-1&use_path_style=true&endpoint="+server.URL)
}

func TestFetchFromS3(t *testing.T) {
	credentials(t)
	asked := make(chan *http.Request, 10)
	s := s3(t, func(w http.ResponseWriter, r *http.Request, fake http.Handler) {
		asked <- r
		fake.ServeHTTP(w, r)
	})
	for name, want := range map[string]reason.Code{
		"letter": "", "%D0%BF%20%231%3F+%25": "", "absent": reason.SourceMissing, "other": reason.SourceDigest, "large": reason.SourceBytes,
	} {
		got, err := fetch(s, "s3://scans/in/"+name)
		if reason.Of(err) != want || (want == "" && !bytes.Equal(got, letter)) {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
		if err != nil && (strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "scans")) {
			t.Errorf("%s: the error names it: %v", name, err)
		}
		if r := <-asked; r.Method != http.MethodGet || !strings.Contains(r.Header.Get("Authorization"), "AKIATESTS") {
			t.Errorf("%s: asked by %s, signed %q", name, r.Method, r.Header.Get("Authorization"))
		}
	}
	if _, err := fetch(s, "s3://scans/in2/letter"); reason.Of(err) != reason.SourceOutside || len(asked) != 0 {
		t.Errorf("beside the prefix: %v, %d requests", err, len(asked))
	}
}

// What a store answers decides whether the job waits or ends.
func TestStoreFailures(t *testing.T) {
	credentials(t)
	answer := func(status int, body string) func(http.ResponseWriter, *http.Request, http.Handler) {
		return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	code := func(c string) string {
		return "<Error><Code>" + c + "</Code><Message>about in/letter</Message></Error>"
	}
	for name, c := range map[string]struct {
		answer func(http.ResponseWriter, *http.Request, http.Handler)
		want   reason.Code
	}{
		"broken":          {answer(500, code("InternalError")), reason.SourceUnreadable},
		"overloaded":      {answer(503, code("SlowDown")), reason.SourceUnreadable},
		"throttled":       {answer(429, ""), reason.SourceUnreadable},
		"nonsense":        {answer(502, "<html>"), reason.SourceUnreadable},
		"elsewhere":       {answer(301, code("PermanentRedirect")), reason.SourceUnreadable},
		"forbidden":       {answer(403, code("AccessDenied")), reason.SourceDenied},
		"unknown key id":  {answer(403, code("InvalidAccessKeyId")), reason.SourceDenied},
		"unauthenticated": {answer(401, ""), reason.SourceDenied},
		"no bucket":       {answer(404, code("NoSuchBucket")), reason.SourceMissing},
		"hangs up": {func(http.ResponseWriter, *http.Request, http.Handler) {
			panic(http.ErrAbortHandler)
		}, reason.SourceUnreadable},
		"breaks off": {func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.Header().Set("Content-Length", fmt.Sprint(len(letter)))
			w.Write(letter[:4])
			panic(http.ErrAbortHandler)
		}, reason.SourceUnreadable},
		"sends something else": {answer(200, "another"), reason.SourceDigest},
		"never stops": {func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
			for r.Context().Err() == nil {
				w.Write(letter)
			}
		}, reason.SourceBytes},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // the driver itself tries three times, with pauses
			_, err := fetch(s3(t, c.answer), "s3://scans/in/letter")
			if reason.Of(err) != c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
			if strings.Contains(err.Error(), "letter") || strings.Contains(err.Error(), "127.0.0.1") {
				t.Errorf("the error names it: %v", err)
			}
		})
	}
}

// A store that is overloaded says when it wants to be asked again.
func TestStoreSaysWhen(t *testing.T) {
	credentials(t)
	_, err := fetch(s3(t, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Retry-After", "90")
		w.WriteHeader(503)
		io.WriteString(w, "<Error><Code>SlowDown</Code></Error>")
	}), "s3://scans/in/letter")
	if reason.Of(err) != reason.SourceUnreadable || reason.After(err) != 90*time.Second {
		t.Errorf("%v, after %v", err, reason.After(err))
	}
}

// hangs answers with the first bytes of a document, or with none, and then nothing more.
func hangs(first []byte, reached chan<- struct{}) func(http.ResponseWriter, *http.Request, http.Handler) {
	return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		if len(first) > 0 {
			w.Write(first)
			w.(http.Flusher).Flush()
		}
		select {
		case reached <- struct{}{}:
		default: // the driver tries again
		}
		<-r.Context().Done()
	}
}

func TestStoreThatHangs(t *testing.T) {
	credentials(t)
	for name, first := range map[string][]byte{"at once": nil, "half way": letter[:4]} {
		t.Run(name, func(t *testing.T) {
			reached := make(chan struct{}, 1)
			s := s3(t, hangs(first, reached))
			r, err := s.Parse("t", "s3://scans/in/letter")
			if err != nil {
				t.Fatal(err)
			}
			stopped := errors.New("told to stop")
			ctx, stop := context.WithCancelCause(t.Context())
			go func() {
				<-reached
				stop(stopped)
			}()
			if _, err := s.Fetch(ctx, r, io.Discard, 100, document.Sum(letter)); !errors.Is(err, stopped) {
				t.Errorf("stopped: %v", err)
			}
		})
	}
	t.Run("past the time-out", func(t *testing.T) {
		reached := make(chan struct{}, 1)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { hangs(nil, reached)(w, r, nil) }))
		defer server.Close()
		s, err := source.Open(source.Config{
			Timeout: 50 * time.Millisecond, Prefixes: []string{"s3://scans?region=x&anonymous=true&use_path_style=true&endpoint=" + server.URL},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if _, err := fetch(s, "s3://scans/letter"); reason.Of(err) != reason.SourceUnreadable {
			t.Errorf("timed out: %v", err)
		}
	})
}

// others opens buckets of the other drivers by their own settings. What answers is no
// emulator, only the status, headers and bytes that a store would send: that the real
// services accept our credentials is not shown here.
func others(t *testing.T, status int, header http.Header, body []byte) *source.Stores {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/scans/in/letter") {
			status = http.StatusTeapot
		}
		maps.Copy(w.Header(), header)
		w.WriteHeader(status)
		w.Write(body)
	}))
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	t.Setenv("STORAGE_EMULATOR_HOST", host)
	t.Setenv("AZURE_STORAGE_SAS_TOKEN", "sig=of-this-test")
	return open(t, "gs://scans/in?anonymous=true", "azblob://scans/in?localemu=true&protocol=http&storage_account=test&domain="+host)
}

func TestOtherBuckets(t *testing.T) {
	header := http.Header{"Last-Modified": {"Mon, 30 Nov 2026 10:00:00 GMT"}}
	for status, want := range map[int]reason.Code{
		200: "", 404: reason.SourceMissing, 403: reason.SourceDenied, 400: reason.SourceUnreadable,
	} {
		s := others(t, status, header, letter)
		for _, scheme := range []string{"gs", "azblob"} {
			got, err := fetch(s, scheme+"://scans/in/letter")
			if reason.Of(err) != want || (want == "" && !bytes.Equal(got, letter)) {
				t.Errorf("%s, status %d: %q, %v; want %q", scheme, status, got, err, want)
			}
		}
	}
}

// Azure's driver follows a nil pointer where the answer has no Last-Modified: whoever
// answers in the store's place must not take the process down.
func TestAnswerWithoutHeaders(t *testing.T) {
	if _, err := fetch(others(t, 200, nil, letter), "azblob://scans/in/letter"); reason.Of(err) != reason.SourceUnreadable {
		t.Error(err)
	}
}
