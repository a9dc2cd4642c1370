package strictyaml_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"blotter/internal/strictyaml"
)

type settings struct {
	Text  string
	Whole int
	Share float64
	On    bool
	Wait  time.Duration
	Kind  string
	List  []string
}

func (s *settings) fields() []strictyaml.Field {
	return []strictyaml.Field{
		{Path: "text", Set: strictyaml.Text(&s.Text, nil)},
		{Path: "deep.whole", Set: strictyaml.Whole(&s.Whole, -5, 10)},
		{Path: "deep.er.share", Set: strictyaml.Share(&s.Share)},
		{Path: "on", Set: strictyaml.Bool(&s.On)},
		{Path: "wait", Set: strictyaml.Duration(&s.Wait, time.Second, time.Hour)},
		{Path: "kind", Set: strictyaml.OneOf(&s.Kind, "one", "two")},
		{Path: "list", Set: strictyaml.List(&s.List, noX)},
	}
}

func noX(s string) error {
	if s == "x" {
		return errors.New("holds an x")
	}
	return nil
}

func TestApply(t *testing.T) {
	s := settings{Kind: "two"}
	err := strictyaml.Apply([]byte(`# all of it
text: "007" # quoted
deep:
  whole: -5
  er: {share: 0.25}
on: true
wait: 90s
list:
  - a
  - "b c"
`), s.fields())
	if err != nil {
		t.Fatal(err)
	}
	if s.Text != "007" || s.Whole != -5 || s.Share != 0.25 || !s.On || s.Wait != 90*time.Second || s.Kind != "two" ||
		!slices.Equal(s.List, []string{"a", "b c"}) {
		t.Errorf("got %+v", s)
	}
}

func TestNothingIsFine(t *testing.T) {
	for _, file := range []string{"", "# only a comment\n", "---\n", "{}"} {
		if err := strictyaml.Apply([]byte(file), (&settings{}).fields()); err != nil {
			t.Errorf("%q: %v", file, err)
		}
	}
}

func TestProblemsSayWhere(t *testing.T) {
	for file, want := range map[string]string{
		"deep:\n  whole: 11":          "line 2: deep.whole must be a whole number from -5 to 10",
		"deep: {whole: 1.5}":          "deep.whole must be a whole number",
		"deep: {whole: [1]}":          "deep.whole must be a whole number",
		"deep: 3":                     "line 1: deep must be a mapping",
		"deep: {er: {share: 1.01}}":   "must be a number from 0 to 1",
		"on: yes":                     "on must be true or false",
		"wait: 90":                    "wait must be a time with its unit",
		"wait: 2h":                    "from 1s to 1h0m0s",
		"kind: three":                 "kind must be one of one, two",
		"list: a":                     "list must be a list",
		"list: [a, x]":                "list holds an x",
		"list: [a, [b]]":              "list must be a plain value or a list of plain values",
		"text: {a: b}":                "text must be a plain value",
		"text: [a]":                   "text must be a single value",
		"text:":                       "text must be a plain value",
		"\n\ntexts: a":                "line 3: \"texts\" is not a setting",
		"deep: {hole: 1}":             "\"deep.hole\" is not a setting",
		"text: a\non: true\ntext: b":  "line 3: \"text\" is given twice; first in line 1",
		"- a":                         "must be a mapping of settings",
		"text: a\n---\ntext: b":       "a second document",
		"text: [a":                    "not YAML",
		"? [a]\n: b":                  "not YAML",
		"text: &a b":                  "text must be a plain value",
		"text: !!str b":               "text must be a plain value",
		strings.Repeat("#", 64<<10+1): "larger than 65536 bytes",
		strings.Repeat("[", 60000):    "more than 1000 brackets",
		strings.Repeat("[", 1000):     "not YAML",
		"text: \"a\\qb\"\nwait: 1s\n": "not YAML",
	} {
		err := strictyaml.Apply([]byte(file), (&settings{}).fields())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v; want %q", file, err, want)
		}
	}
}

func TestProblemsComeTogetherInOrder(t *testing.T) {
	err := strictyaml.Apply([]byte("on: 1\nnone: 1\nwait: 1\n"), (&settings{}).fields())
	if err == nil {
		t.Fatal("nothing was noticed")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "line 1") || !strings.HasPrefix(lines[2], "line 3") {
		t.Errorf("got %q", lines)
	}
	var p strictyaml.Problem
	if !errors.As(err, &p) || p.Line != 1 {
		t.Errorf("the first problem is %+v", p)
	}
}

// FuzzApply: no file makes it panic, and what it accepts lies in range.
func FuzzApply(f *testing.F) {
	f.Add([]byte("deep: {whole: 3, er: {share: 1}}\nlist: [a]\n"))
	f.Add([]byte("a: &b [*b]\n<<: x\n? y"))
	f.Fuzz(func(t *testing.T, file []byte) {
		var s settings
		if strictyaml.Apply(file, s.fields()) == nil && (s.Whole < -5 || s.Whole > 10 || s.Share < 0 || s.Share > 1) {
			t.Errorf("accepted %+v", s)
		}
	})
}
