// Package strictyaml reads settings: nested mappings with scalars, and lists of scalars
// at their leaves. It is strict and complete: a key that nobody asked for, a key given
// twice, a value of the wrong form are problems with their line, and all problems of a
// file are reported together. Anchors, aliases, tags and several documents in one file
// are refused, so that what stands there is what is meant.
package strictyaml

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Bounds of a file of settings, because the parser's time grows with the square of
// nesting and length: 100,000 open brackets took it 94 seconds. Within both, the worst
// file tried took under 4.
const (
	MaxBytes    = 64 << 10 // ten times the largest file of ours
	maxBrackets = 1000     // [ and {; the default policy has two dozen
)

// Value is what stands at a path.
type Value struct {
	Text  string   // the scalar; "" for a list
	Items []string // the list; nil for a scalar
	List  bool
}

// Field is a setting: the path of its keys, joined by dots, and what takes its value.
// Set returns an error that says what is wrong with the value, without the path.
type Field struct {
	Path string
	Set  func(Value) error
}

// Problem is one mistake and where it stands.
type Problem struct {
	Line int    // from 1; 0 where no line can be named
	Text string // for a person
}

func (p Problem) Error() string {
	if p.Line == 0 {
		return p.Text
	}
	return fmt.Sprintf("line %d: %s", p.Line, p.Text)
}

// Apply reads a file and calls the Set of each field that stands in it. Fields that are
// missing keep what they had. The error joins every Problem, in the order of lines.
func Apply(file []byte, fields []Field) error {
	r := reader{fields: map[string]Field{}, seen: map[string]int{}}
	for _, f := range fields {
		r.fields[f.Path] = f
	}
	r.read(file)
	slices.SortStableFunc(r.problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	errs := make([]error, len(r.problems))
	for i, p := range r.problems {
		errs[i] = p
	}
	return errors.Join(errs...)
}

type reader struct {
	fields   map[string]Field
	seen     map[string]int // line of each path so far
	problems []Problem
}

func (r *reader) problem(line int, format string, args ...any) {
	r.problems = append(r.problems, Problem{line, fmt.Sprintf(format, args...)})
}

func (r *reader) read(file []byte) {
	if len(file) > MaxBytes {
		r.problem(0, "the file is larger than %d bytes", MaxBytes)
		return
	}
	if bytes.Count(file, []byte("["))+bytes.Count(file, []byte("{")) > maxBrackets {
		r.problem(0, "the file has more than %d brackets", maxBrackets)
		return
	}
	// Duplicates are allowed to the parser because it would stop at the first.
	parsed, err := parser.ParseBytes(file, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		r.syntax(err)
		return
	}
	if len(parsed.Docs) > 1 {
		r.problem(line(parsed.Docs[1]), "a second document in one file")
		return
	}
	if len(parsed.Docs) == 1 && parsed.Docs[0].Body != nil {
		r.node("", parsed.Docs[0].Body)
	}
}

// syntax reports what the parser stumbled over; its error carries the place.
func (r *reader) syntax(err error) {
	var placed interface {
		GetToken() *token.Token
		GetMessage() string
	}
	if errors.As(err, &placed) && placed.GetToken() != nil {
		r.problem(placed.GetToken().Position.Line, "not YAML: %s", placed.GetMessage())
		return
	}
	r.problem(0, "not YAML")
}

// node walks down to the leaves, which are where fields stand.
func (r *reader) node(path string, n ast.Node) {
	if _, leaf := r.fields[path]; leaf {
		r.leaf(path, n)
		return
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		for _, v := range n.Values {
			r.entry(path, v)
		}
	case *ast.MappingValueNode:
		r.entry(path, n)
	case *ast.CommentGroupNode:
	default:
		r.leaf(path, n)
	}
}

func (r *reader) entry(path string, v *ast.MappingValueNode) {
	key, ok := plain(v.Key)
	if !ok || key == "" {
		r.problem(line(v.Key), "a key must be a plain word")
		return
	}
	if path != "" {
		key = path + "." + key
	}
	if first, twice := r.seen[key]; twice {
		r.problem(line(v.Key), "%q is given twice; first in line %d", key, first)
		return
	}
	r.seen[key] = line(v.Key)
	if !r.known(key) {
		r.problem(line(v.Key), "%q is not a setting", key)
		return
	}
	r.node(key, v.Value)
}

// known reports whether a field stands at the path or below it.
func (r *reader) known(path string) bool {
	if _, ok := r.fields[path]; ok {
		return true
	}
	for p := range r.fields {
		if strings.HasPrefix(p, path+".") {
			return true
		}
	}
	return false
}

func (r *reader) leaf(path string, n ast.Node) {
	field, ok := r.fields[path]
	if !ok {
		if path == "" {
			r.problem(line(n), "the file must be a mapping of settings")
		} else {
			r.problem(line(n), "%s must be a mapping of further settings", path)
		}
		return
	}
	v, ok := value(n)
	if !ok {
		r.problem(line(n), "%s must be a plain value or a list of plain values", path)
		return
	}
	if err := field.Set(v); err != nil {
		r.problem(line(n), "%s %v", path, err)
	}
}

func value(n ast.Node) (Value, bool) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		text, ok := plain(n)
		return Value{Text: text}, ok
	}
	v := Value{List: true, Items: []string{}}
	for _, item := range list.Values {
		text, ok := plain(item)
		if !ok {
			return Value{}, false
		}
		v.Items = append(v.Items, text)
	}
	return v, true
}

// plain returns the text of a scalar as it was written, without quotes. Null is none.
func plain(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	}
	return "", false
}

func line(n ast.Node) int {
	if n == nil || n.GetToken() == nil {
		return 0
	}
	return n.GetToken().Position.Line
}
