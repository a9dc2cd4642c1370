package sqlfiles

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestQueriesAreCutAtTheirNames(t *testing.T) {
	got := MustLoad(fstest.MapFS{
		"a.sql":            {Data: []byte("-- name: one\n-- why\nSELECT 1;\n\n-- name: two\nSELECT\n  2;\n")},
		"b.sql":            {Data: []byte("-- name: three\nSELECT 3")},
		"migrations/x.sql": {Data: []byte("CREATE TABLE not_a_query ()")},
	})
	want := Set{"one": "-- why\nSELECT 1", "two": "SELECT\n  2", "three": "SELECT 3"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestSlipsPanic(t *testing.T) {
	for want, do := range map[string]func(){
		"no query is named x": func() { Set{}.Must("x") },
		"before the first":    func() { MustLoad(fstest.MapFS{"a.sql": {Data: []byte("SELECT 1")}}) },
		`"one" is empty or`:   func() { MustLoad(fstest.MapFS{"a.sql": {Data: []byte("-- name: one\n;")}}) },
		`or there twice`:      func() { MustLoad(fstest.MapFS{"a.sql": {Data: []byte("-- name: a\n1\n-- name: a\n2")}}) },
	} {
		t.Run(want, func(t *testing.T) {
			defer func() {
				if got, ok := recover().(string); !ok || !strings.Contains(got, want) {
					t.Errorf("panicked with %q", got)
				}
			}()
			do()
		})
	}
}
