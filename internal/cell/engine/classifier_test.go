package engine

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// own writes the files of a classifier and pins them.
func own(t *testing.T) ClassifierConfig {
	t.Helper()
	c := ClassifierConfig{Directory: t.TempDir()}
	for name, digest := range map[string]*document.Digest{modelFile: &c.Model, tokenizerFile: &c.Tokenizer, configFile: &c.Config} {
		*digest = document.Sum([]byte(name))
		if err := os.WriteFile(filepath.Join(c.Directory, name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// Every byte that decides what is found stands among the digests, and so in events: the
// three files, and what the labels were taken for.
func TestClassifierIsPartOfWhatReads(t *testing.T) {
	var base Set
	digests := func(c ClassifierConfig) map[string]document.Digest {
		s, err := base.With(c)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]document.Digest{}
		for _, d := range s.Digests()[len(base.Digests()):] {
			out[d.Name] = d.SHA256
		}
		return out
	}
	if got := digests(ClassifierConfig{}); len(got) != 0 {
		t.Errorf("without a classifier: %v", got)
	}
	c := own(t)
	want := map[string]document.Digest{"classifier model.onnx": c.Model, "classifier tokenizer.json": c.Tokenizer, "classifier config.json": c.Config}
	if got := digests(c); !maps.Equal(got, want) {
		t.Errorf("digests %v", got)
	}
	c.Labels = []string{"drug=none", "CLINIC = organisation"}
	want["classifier labels"] = document.Sum([]byte("CLINIC=organisation\nDRUG=none\n"))
	if got := digests(c); !maps.Equal(got, want) {
		t.Errorf("digests with labels %v", got)
	}
}

func TestClassifierFilesMustBeThePinnedOnes(t *testing.T) {
	for _, name := range []string{modelFile, tokenizerFile, configFile} {
		for what, hurt := range map[string]func(string) error{
			"absent": os.Remove, "changed": flipBit, "longer": appendByte,
			"not for others": func(path string) error { return os.Chmod(path, 0o600) },
		} {
			if what == "not for others" && os.Geteuid() != 0 {
				continue
			}
			c := own(t)
			if err := hurt(filepath.Join(c.Directory, name)); err != nil {
				t.Fatal(err)
			}
			if _, err := (Set{}).With(c); reason.Of(err) != reason.ConfigInvalid || !strings.Contains(err.Error(), name) {
				t.Errorf("%s %s: %v", name, what, err)
			}
		}
	}
	c := own(t)
	c.Labels = []string{"DRUG=drug"}
	if _, err := (Set{}).With(c); reason.Of(err) != reason.ConfigInvalid {
		t.Errorf("a label of no type: %v", err)
	}
}

func TestClassifierSettings(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*ClassifierConfig)
		says   string // empty: fine
	}{
		"all":              {func(*ClassifierConfig) {}, ""},
		"none":             {func(c *ClassifierConfig) { *c = ClassifierConfig{Labels: []string{}} }, ""},
		"a digest missing": {func(c *ClassifierConfig) { c.Config = document.Digest{} }, "config_sha256"},
		"no directory":     {func(c *ClassifierConfig) { c.Directory = "" }, "directory is not set"},
		"labels alone":     {func(c *ClassifierConfig) { *c = ClassifierConfig{Labels: []string{"A=name"}} }, "directory is not set"},
		"no type":          {func(c *ClassifierConfig) { c.Labels = []string{"A=b"} }, `"A=b"`},
		"no label":         {func(c *ClassifierConfig) { c.Labels = []string{"=name"} }, `"=name"`},
		"no sign":          {func(c *ClassifierConfig) { c.Labels = []string{"name"} }, `"name"`},
		"twice":            {func(c *ClassifierConfig) { c.Labels = []string{"A=name", "a=none"} }, "A stands there twice"},
	} {
		given := own(t)
		c.change(&given)
		err := given.Validate()
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
