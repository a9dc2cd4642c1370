// Package archtest holds the rules of the code's shape that a compiler does not: who may
// import whom (docs/design.md), how long files are, what is documented. It reads the
// source and has no other content.
package archtest

import (
	"bufio"
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "blotter/"

// sets are the rooms of the house, from the top floor down. A room may import rooms of
// lower floors only: never one on its own floor, except what is inside it.
var sets = [][]string{
	{"cmd/blotter"},
	{"internal/app"},
	{"internal/config"},                      // fills each room's Config
	{"internal/sqlite", "internal/postgres"}, // implement what the rooms below and beside them ask of a store
	{"internal/audit/sequencer"},             // alone holds the signing key
	{"internal/worker", "internal/audit", "internal/retention", "internal/intake", "internal/review", "internal/ops", "internal/eval", "internal/webhook", "internal/inspect", "internal/checkup"},
	{"internal/queue", "internal/cell", "internal/source", "internal/vault", "internal/policy", "internal/access", "internal/worker/workdir"},
	{"internal/strictyaml", "internal/durable", "internal/objectstore", "internal/logs", "internal/sqlfiles"}, // tools over one dependency each
	{"client"},         // the API's Go client and wire types; public
	{"internal/truth"}, // annotated documents, for measuring; never for a job
	{"internal/reason", "internal/document", "receipt"},
}

// insideSteps are the steps of the cell. They never import each other.
var insideSteps = []string{"sniff", "extract", "read", "mark", "tag", "detect", "redact"}

// tooling may import anything below the app, and nothing but tests and tools may import it.
var tooling = []string{"internal/examples", "internal/specimen", "internal/archtest", "internal/storetest", "internal/postgres/pgtest", "internal/queue/queuetest", "internal/queue/simulate", "internal/cell/engine/enginetest", "internal/cell/inside/onnx/onnxtest", "internal/cell/inside/conformance", "internal/cell/inside/hostile", "internal/intake/intaketest", "internal/objectstore/objectstoretest", "scripts"}

// bannedNames name no concept.
var bannedNames = []string{"util", "utils", "common", "helper", "helpers", "models", "pkg", "misc", "shared"}

// longFiles may be longer than maxLines; each has its reason.
var longFiles = map[string]string{}

const maxLines = 500

type source struct {
	file    string // path from the module's root, with slashes
	pkg     string // its directory
	test    bool
	lines   int
	imports []string // of this module, without its name
	syntax  *ast.File
}

func sources(t *testing.T) []source {
	t.Helper()
	root := filepath.Join("..", "..")
	var out []source
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, name)
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if d.Name() == "testdata" || rel == "bench" || rel == "out" || (strings.HasPrefix(d.Name(), ".") && rel != ".") {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(rel, ".go") {
			out = append(out, read(t, name, rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 50 {
		t.Fatalf("found only %d source files", len(out))
	}
	return out
}

func read(t *testing.T, name, rel string) source {
	t.Helper()
	body, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	syntax, err := parser.ParseFile(token.NewFileSet(), rel, body, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	s := source{file: rel, pkg: path.Dir(rel), test: strings.HasSuffix(rel, "_test.go"), lines: countLines(body), syntax: syntax}
	for _, i := range syntax.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		if own, ok := strings.CutPrefix(p, module); ok {
			s.imports = append(s.imports, own)
		}
	}
	return s
}

func countLines(body []byte) int {
	n := 0
	for lines := bufio.NewScanner(bytes.NewReader(body)); lines.Scan(); n++ {
	}
	return n
}

// within reports whether a package is dir or lies under it.
func within(pkg, dir string) bool { return pkg == dir || strings.HasPrefix(pkg, dir+"/") }

// room finds the floor (0 is the top) and the room of a package; the longest name wins,
// so that internal/audit/sequencer is a room of its own.
func room(pkg string) (floor int, name string) {
	floor = -1
	for i, set := range sets {
		for _, r := range set {
			if within(pkg, r) && len(r) > len(name) {
				floor, name = i, r
			}
		}
	}
	return floor, name
}

func isTooling(pkg string) bool {
	return slices.ContainsFunc(tooling, func(t string) bool { return within(pkg, t) })
}

func TestEveryPackageHasARoom(t *testing.T) {
	for _, s := range sources(t) {
		if floor, _ := room(s.pkg); floor < 0 && !isTooling(s.pkg) {
			t.Errorf("%s: no room for package %s: add it to the table here and in docs/design.md", s.file, s.pkg)
		}
	}
}

func TestImportsPointDown(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || isTooling(s.pkg) {
			continue
		}
		floor, name := room(s.pkg)
		for _, imported := range s.imports {
			below, other := room(imported)
			switch {
			case isTooling(imported):
				t.Errorf("%s imports %s, which is for tests and tools", s.file, imported)
			case other == name: // rules inside a room follow below
			case below <= floor:
				t.Errorf("%s: %s may not import %s", s.file, name, other)
			}
		}
	}
}

// Recognised text lives in words; only the cell's own steps may see it. The tests of a
// step are part of it.
func TestTextStaysInTheCell(t *testing.T) {
	for _, s := range sources(t) {
		for _, imported := range s.imports {
			if within(imported, "internal/cell/inside") && !within(s.pkg, "internal/cell/inside") && s.pkg != "cmd/blotter" {
				t.Errorf("%s imports %s: only cmd may, to start the cell", s.file, imported)
			}
			if imported == "internal/cell/inside/words" && !within(s.pkg, "internal/cell/inside") {
				t.Errorf("%s imports words: text would leave the cell", s.file)
			}
			if s.pkg == "cmd/blotter" && within(imported, "internal/cell/inside") && imported != "internal/cell/inside" && !s.test {
				t.Errorf("%s imports %s: cmd starts the cell, no single step of it", s.file, imported)
			}
		}
	}
}

// decodersOutside are the codecs that a room outside the cell may link, and why.
var decodersOutside = map[string]string{
	// Measuring judges derivatives by their pixels: PNGs that its own cells wrote, of
	// documents that its user chose, in a process that serves nobody (decision 0021).
	"internal/eval image/png": "decodes what its own cells wrote",
	// JPEG is only written, to keep the report small.
	"internal/eval image/jpeg": "encodes the report's pictures",
}

// The process that holds keys and credentials parses no document: no decoder may be
// linked outside the cell's own side but for the exceptions above. (The cell's parent
// checks PNG chunks by itself.)
func TestDecodersAreOnlyInside(t *testing.T) {
	used := map[string]bool{}
	decoders := []string{"image/jpeg", "image/png", "image/gif", "golang.org/x/image", "archive/zip", "github.com/klippa-app/go-pdfium",
		"encoding/xml", "golang.org/x/net/html"}
	for _, s := range sources(t) {
		if s.test || within(s.pkg, "internal/cell/inside") || isTooling(s.pkg) {
			continue
		}
		for _, i := range s.syntax.Imports {
			p, _ := strconv.Unquote(i.Path.Value)
			if !slices.ContainsFunc(decoders, func(d string) bool { return within(p, d) }) {
				continue
			}
			if exception := s.pkg + " " + p; decodersOutside[exception] != "" {
				used[exception] = true
				continue
			}
			t.Errorf("%s imports %s: documents are parsed in the cell", s.file, p)
		}
	}
	for exception := range decodersOutside {
		if !used[exception] {
			t.Errorf("nobody makes use of the exception for %s", exception)
		}
	}
}

// Measuring decodes; so what serves jobs may not know it.
func TestOnlyTheCommandMeasures(t *testing.T) {
	for _, s := range sources(t) {
		if slices.Contains(s.imports, "internal/eval") && s.file != "internal/app/eval.go" && s.file != "cmd/blotter/eval.go" && !s.test && !isTooling(s.pkg) {
			t.Errorf("%s imports internal/eval, which is for measuring alone", s.file)
		}
	}
}

func TestStepsDoNotKnowEachOther(t *testing.T) {
	step := func(pkg string) string {
		rest, ok := strings.CutPrefix(pkg, "internal/cell/inside/")
		first, _, _ := strings.Cut(rest, "/")
		if !ok || !slices.Contains(insideSteps, first) {
			return ""
		}
		return first
	}
	for _, s := range sources(t) {
		from := step(s.pkg)
		for _, imported := range s.imports {
			if to := step(imported); from != "" && to != "" && from != to && !s.test {
				t.Errorf("%s: step %s imports step %s", s.file, from, to)
			}
		}
	}
}

func TestNamesNameConcepts(t *testing.T) {
	for _, s := range sources(t) {
		for _, part := range strings.Split(s.pkg, "/") {
			if slices.Contains(bannedNames, part) {
				t.Errorf("%s: a package is named for what it does, not %q", s.file, part)
			}
		}
	}
}

func TestFilesAreShort(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range sources(t) {
		seen[s.file] = true
		if _, allowed := longFiles[s.file]; s.lines > maxLines && !allowed {
			t.Errorf("%s has %d lines; over %d it needs a reason in the list here", s.file, s.lines, maxLines)
		}
	}
	for file, why := range longFiles {
		if !seen[file] || why == "" {
			t.Errorf("the exception for %s is out of date or has no reason", file)
		}
	}
}

func TestExportedNamesHaveComments(t *testing.T) {
	documented := map[string]bool{} // packages with a package comment
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		documented[s.pkg] = documented[s.pkg] || s.syntax.Doc != nil
		for _, d := range s.syntax.Decls {
			for _, name := range undocumented(d) {
				t.Errorf("%s: %s has no comment", s.file, name)
			}
		}
	}
	for pkg, ok := range documented {
		if !ok {
			t.Errorf("package %s has no comment that says what it is for", pkg)
		}
	}
}

// undocumented lists the exported names of a declaration without a comment. One comment
// over a block covers its constants and variables; types each need their own, except
// in a block whose comment speaks for all.
func undocumented(d ast.Decl) []string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && exportedReceiver(d) {
			return []string{d.Name.Name}
		}
	case *ast.GenDecl:
		var out []string
		for _, spec := range d.Specs {
			out = append(out, undocumentedSpec(d, spec)...)
		}
		return out
	}
	return nil
}

func undocumentedSpec(d *ast.GenDecl, spec ast.Spec) []string {
	var out []string
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if spec.Name.IsExported() && d.Doc == nil && spec.Doc == nil {
			out = append(out, spec.Name.Name)
		}
	case *ast.ValueSpec:
		for _, n := range spec.Names {
			if n.IsExported() && d.Doc == nil && spec.Doc == nil && spec.Comment == nil {
				out = append(out, n.Name)
			}
		}
	}
	return out
}

// exportedReceiver leaves out methods of unexported types, and those that only satisfy
// an interface everybody knows.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	known := []string{"Error", "String", "Len", "Less", "Swap", "Read", "Write", "Close", "Unwrap", "MarshalJSON", "UnmarshalJSON"}
	if slices.Contains(known, d.Name.Name) {
		return false
	}
	kind := d.Recv.List[0].Type
	if star, ok := kind.(*ast.StarExpr); ok {
		kind = star.X
	}
	if generic, ok := kind.(*ast.IndexExpr); ok {
		kind = generic.X
	}
	name, ok := kind.(*ast.Ident)
	return ok && name.IsExported()
}
