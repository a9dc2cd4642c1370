package objectstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"blotter/internal/objectstore"
	"blotter/internal/objectstore/objectstoretest"
)

type answer = func(http.ResponseWriter, *http.Request, http.Handler)

func open(t *testing.T, url string) *objectstore.Store {
	t.Helper()
	s, err := objectstore.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// each runs a test on a bucket in memory and, where the environment names one, on a real
// store.
func each(t *testing.T, test func(*testing.T, *objectstore.Store)) {
	t.Run("memory", func(t *testing.T) { test(t, open(t, objectstoretest.Serve(t, nil))) })
	t.Run("real", func(t *testing.T) {
		url, ok := objectstoretest.Real(t)
		if !ok {
			t.Skip("set " + objectstoretest.Variable + " to try a real store")
		}
		test(t, open(t, url))
	})
}

func TestObjectsComeBackAsTheyWere(t *testing.T) {
	each(t, func(t *testing.T, s *objectstore.Store) {
		for _, size := range []int{0, 1, 1 << 20, 17<<20 + 3} { // the last is sent in parts
			want := bytes.Repeat([]byte("abcdefg"), size/7+1)[:size]
			w, err := s.Writer(t.Context(), "x/large")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(want); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if got, err := s.Get(t.Context(), "x/large", size+1); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes: got %d, %v", size, len(got), err)
			}
		}
		if _, err := s.Get(t.Context(), "x/none", 1); !errors.Is(err, objectstore.ErrMissing) {
			t.Errorf("an absent object: %v", err)
		}
	})
}

func TestAbortedAndCancelledObjectsDoNotAppear(t *testing.T) {
	each(t, func(t *testing.T, s *objectstore.Store) {
		for _, size := range []int{10, 17 << 20} {
			ctx, cancel := context.WithCancel(t.Context())
			for _, end := range []func(*objectstore.Writer) error{
				func(w *objectstore.Writer) error { w.Abort(); return context.Canceled },
				func(w *objectstore.Writer) error { cancel(); return w.Close() },
			} {
				w, err := s.Writer(ctx, "half")
				if err != nil {
					t.Fatal(err)
				}
				if _, err := w.Write(make([]byte, size)); err != nil {
					t.Fatal(err)
				}
				if err := end(w); !errors.Is(err, context.Canceled) {
					t.Errorf("%d bytes: %v", size, err)
				}
				if _, err := s.Get(t.Context(), "half", 1); !errors.Is(err, objectstore.ErrMissing) {
					t.Errorf("%d bytes: %v", size, err)
				}
			}
			cancel()
		}
	})
}

func TestListAndDelete(t *testing.T) {
	each(t, func(t *testing.T, s *objectstore.Store) {
		for i := range 3 {
			for _, part := range []string{"a/", "b/"} {
				if err := s.Create(t.Context(), fmt.Sprintf("%s%d", part, i), nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		for range 2 { // the second time it is gone already
			if err := s.Delete(t.Context(), "a/1"); err != nil {
				t.Fatal(err)
			}
		}
		list := func(s *objectstore.Store, prefix string) (keys []string) {
			err := s.List(t.Context(), prefix, func(key string) error { keys = append(keys, key); return nil })
			if err != nil {
				t.Fatal(err)
			}
			return keys
		}
		if got := list(s, "a/"); !slices.Equal(got, []string{"a/0", "a/2"}) {
			t.Errorf("listed %v", got)
		}
		if got := list(s.Under("b"), ""); !slices.Equal(got, []string{"0", "1", "2"}) {
			t.Errorf("listed %v below b", got)
		}
		stop := errors.New("enough")
		if err := s.List(t.Context(), "", func(string) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("what visit says is lost: %v", err)
		}
	})
}

// Of many who create one object, one succeeds, and the others are told.
func TestCreateNeverOverwrites(t *testing.T) {
	each(t, func(t *testing.T, s *objectstore.Store) {
		if unsafe, err := s.Probe(t.Context()); unsafe || err != nil {
			t.Fatalf("the store overwrites: %v, %v", unsafe, err)
		}
		var made atomic.Int32
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				err := s.Create(t.Context(), "one", fmt.Append(nil, i))
				switch {
				case err == nil:
					made.Add(1)
				case !errors.Is(err, objectstore.ErrTaken):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if made.Load() != 1 {
			t.Errorf("%d callers made it", made.Load())
		}
		body, err := s.Get(t.Context(), "one", 10)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Create(t.Context(), "one", body); err != nil {
			t.Errorf("the same again: %v", err)
		}
		if err := s.List(t.Context(), "probe", func(key string) error { return errors.New(key) }); err != nil {
			t.Errorf("the probe left %v", err)
		}
	})
}

// A store that does not know the condition is found out.
func TestProbeFindsAStoreThatOverwrites(t *testing.T) {
	s := open(t, objectstoretest.Serve(t, func(w http.ResponseWriter, r *http.Request, fake http.Handler) {
		r.Header.Del("If-None-Match")
		fake.ServeHTTP(w, r)
	}))
	if unsafe, err := s.Probe(t.Context()); !unsafe || err == nil {
		t.Errorf("got %v, %v", unsafe, err)
	}
}

// An answer that was lost makes the SDK ask again, and the object is there already.
func TestCreateWhoseAnswerWasLost(t *testing.T) {
	lost := false
	s := open(t, objectstoretest.Serve(t, func(w http.ResponseWriter, r *http.Request, fake http.Handler) {
		if r.Method == http.MethodPut && !lost {
			lost = true
			fake.ServeHTTP(silent{w}, r)
			panic(http.ErrAbortHandler)
		}
		fake.ServeHTTP(w, r)
	}))
	if err := s.Create(t.Context(), "x", []byte("mine")); err != nil || !lost {
		t.Errorf("%v, lost %v", err, lost)
	}
}

// silent swallows an answer.
type silent struct{ http.ResponseWriter }

func (silent) WriteHeader(int)             {}
func (silent) Write(p []byte) (int, error) { return len(p), nil }

// Whatever goes wrong, no error names the object, the bucket, the address or the key.
func TestErrorsNameNothing(t *testing.T) {
	const told = "<Error><Code>%s</Code><Message>about secret-name</Message></Error>"
	say := func(status int, code string) answer {
		return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.WriteHeader(status)
			fmt.Fprintf(w, told, code)
		}
	}
	for name, answer := range map[string]answer{
		"forbidden": say(403, "AccessDenied"), "no bucket": say(404, "NoSuchBucket"), "broken": say(400, "secret-name in the code"),
	} {
		s := open(t, objectstoretest.Serve(t, answer))
		w, err := s.Writer(t.Context(), "secret-name")
		if err != nil {
			t.Fatal(err)
		}
		_, reading := s.Reader(t.Context(), "secret-name")
		for what, err := range map[string]error{
			"create": s.Create(t.Context(), "secret-name", []byte("x")), "write": w.Close(), "delete": s.Delete(t.Context(), "secret-name"),
			"read": reading, "list": s.List(t.Context(), "secret-name", func(string) error { return nil }),
		} {
			if name == "no bucket" && what == "delete" {
				continue // asked for the object's head, which has no room for a code: it is not there
			}
			if err == nil || errors.Is(err, objectstore.ErrMissing) {
				t.Errorf("%s, %s: %v", name, what, err)
				continue
			}
			for _, secret := range []string{"secret-name", "station", "127.0.0.1", "AKIATESTS"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%s, %s: the error names it: %v", name, what, err)
				}
			}
		}
	}
}

// A download that breaks off is an error, never a short object.
func TestBrokenDownload(t *testing.T) {
	s := open(t, objectstoretest.Serve(t, func(w http.ResponseWriter, r *http.Request, fake http.Handler) {
		if r.Method != http.MethodGet {
			fake.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Length", "100")
		w.Write([]byte("half"))
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}))
	r, err := s.Reader(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := io.ReadAll(r); err == nil {
		t.Error("half an object looks whole")
	}
}

func TestURLs(t *testing.T) {
	for _, good := range []string{"s3://b", "s3://b/", "s3://b/a/b?region=x&endpoint=http://127.0.0.1:9000&use_path_style=true"} {
		if _, err := objectstore.Parse(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", "/srv/vault", "gs://b", "s3://", "s3:///x", "s3://id:secret-name@b/", "s3://b/a/../b", "s3://b//a//b", "s3://b?secret-name=1", "s3://b/#secret-name", "s3://b:1/",
	} {
		if _, err := objectstore.Parse(bad); err == nil || strings.Contains(err.Error(), "secret-name") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
