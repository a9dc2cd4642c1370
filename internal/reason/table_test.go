package reason_test

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"blotter/internal/reason"
)

var update = flag.Bool("update", false, "append new lines to the golden table and write docs/reasons.md")

const (
	goldenFile = "testdata/table.golden"
	docsFile   = "../../docs/reasons.md"
)

// constants reads the codes out of table.go, so that one without an entry is noticed.
func constants(t *testing.T) []reason.Code {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "table.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []reason.Code
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); ok && typ.Name == "Code" {
			s, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, reason.Code(s))
		}
		return true
	})
	return out
}

func TestEveryConstantIsInTheTable(t *testing.T) {
	codes := constants(t)
	if len(codes) != len(reason.Table()) {
		t.Errorf("%d constants, %d entries", len(codes), len(reason.Table()))
	}
	for _, c := range codes {
		if _, ok := reason.Lookup(c); !ok {
			t.Errorf("%s has no entry in entries.go", c)
		}
	}
}

var codeForm = regexp.MustCompile(`^[a-z]+(\.[a-z_]+)?$`)

func TestEntriesAreWellFormed(t *testing.T) {
	seen := map[reason.Code]bool{}
	for i, e := range reason.Table() {
		if int(e.Number) != i+1 {
			t.Errorf("%s has number %d, its place is %d", e.Code, e.Number, i+1)
		}
		if seen[e.Code] || !codeForm.MatchString(string(e.Code)) {
			t.Errorf("%s: twice, or not of the form room.what_happened", e.Code)
		}
		seen[e.Code] = true
		if http.StatusText(e.HTTP) == "" || e.HTTP < 400 {
			t.Errorf("%s: HTTP status %d is no error", e.Code, e.HTTP)
		}
		if len(e.Text) < 30 || strings.ContainsAny(e.Text, "|\n") || strings.Count(e.Text, ". ") > 1 {
			t.Errorf("%s: the text is no one or two plain sentences: %q", e.Code, e.Text)
		}
		checkClass(t, e)
	}
}

// checkClass holds exit status and class together: a rejection is never worth a retry.
func checkClass(t *testing.T, e reason.Entry) {
	t.Helper()
	switch e.Class {
	case reason.Transient:
		if e.Exit != reason.ExitFailed {
			t.Errorf("%s is transient and exits with %d", e.Code, e.Exit)
		}
	case reason.Permanent:
		// What is wrong with a receipt or a request says nothing about a document.
		room, _, _ := strings.Cut(string(e.Code), ".")
		ofADocument := !slices.Contains([]string{"receipt", "api", "job", "access", "webhook"}, room)
		if ofADocument && e.Exit != reason.ExitRejected {
			t.Errorf("%s is permanent and exits with %d", e.Code, e.Exit)
		}
	case reason.Operator:
		if e.Exit != reason.ExitFailed && e.Exit != reason.ExitUsage {
			t.Errorf("%s is the operator's and exits with %d", e.Code, e.Exit)
		}
	default:
		t.Errorf("%s has class %q", e.Code, e.Class)
	}
	switch e.Owner {
	case reason.OwnerAPI, reason.OwnerDocument, reason.OwnerCompliance, reason.OwnerOperator:
	default:
		t.Errorf("%s has owner %q", e.Code, e.Owner)
	}
}

// goldenLines holds what callers rely on; the wording of a text may get better.
func goldenLines() []string {
	var out []string
	for _, e := range reason.Table() {
		out = append(out, fmt.Sprintf("%d %s %s %s %d %d", e.Number, e.Code, e.Class, e.Owner, e.HTTP, e.Exit))
	}
	return out
}

func TestTableOnlyGrows(t *testing.T) {
	golden, err := os.ReadFile(goldenFile)
	if err != nil && !(*update && errors.Is(err, os.ErrNotExist)) {
		t.Fatal(err)
	}
	old := strings.Split(strings.TrimSuffix(string(golden), "\n"), "\n")
	if len(golden) == 0 {
		old = nil
	}
	now := goldenLines()
	for i, line := range old {
		if i >= len(now) || now[i] != line {
			t.Fatalf("line %d was %q and may not change; the table holds %d lines", i+1, line, len(now))
		}
	}
	if len(now) == len(old) {
		return
	}
	if !*update {
		t.Fatalf("%d codes are new; run: go test ./internal/reason -update", len(now)-len(old))
	}
	writeFile(t, goldenFile, strings.Join(now, "\n")+"\n")
}

func TestDocsAreCurrent(t *testing.T) {
	if *update {
		writeFile(t, docsFile, reason.Markdown())
	}
	got, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != reason.Markdown() {
		t.Errorf("docs/reasons.md is old; run: go test ./internal/reason -update")
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestNumbersRoundTrip(t *testing.T) {
	for _, e := range reason.Table() {
		if c, ok := reason.ByNumber(reason.NumberOf(e.Code)); !ok || c != e.Code {
			t.Errorf("%s came back as %s", e.Code, c)
		}
	}
	if _, ok := reason.ByNumber(0); ok {
		t.Error("zero is a reason")
	}
	if got := reason.Must("no.such_code").Code; got != reason.Internal {
		t.Errorf("an unknown code gave %s", got)
	}
}

func TestOf(t *testing.T) {
	wrapped := fmt.Errorf("while sealing: %w", reason.Because(reason.QueueBusy, errors.New("locked")))
	for _, c := range []struct {
		err  error
		want reason.Code
	}{{nil, ""}, {wrapped, reason.QueueBusy}, {errors.New("plain"), reason.Internal}} {
		if got := reason.Of(c.err); got != c.want {
			t.Errorf("Of(%v) = %s, want %s", c.err, got, c.want)
		}
	}
}
