package inside_test

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blotter/internal/cell"
	"blotter/internal/cell/engine"
	"blotter/internal/cell/inside/onnx/onnxtest"
	"blotter/internal/document"
	"blotter/internal/examples"
	"blotter/internal/reason"
)

// knowsCough is a classifier that takes the word "cough" for a name, and no other: what
// it finds no other layer would.
func knowsCough(t *testing.T, labels string) engine.ClassifierConfig {
	t.Helper()
	c := engine.ClassifierConfig{Directory: t.TempDir()}
	for _, f := range []struct {
		name string
		body []byte
		into *document.Digest
	}{
		{"model.onnx", onnxtest.Classifier([][]float32{{9, 0}, {9, 0}, {9, 0}, {9, 0}, {0, 4}}), &c.Model},
		{"tokenizer.json", []byte(`{"normalizer": {"type": "BertNormalizer"}, "pre_tokenizer": {"type": "BertPreTokenizer"},
			"post_processor": {"type": "BertProcessing", "cls": ["[CLS]", 2], "sep": ["[SEP]", 3]},
			"model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "cough": 4}}}`), &c.Tokenizer},
		{"config.json", fmt.Appendf(nil, `{"id2label": {"0": "O", "1": %q}}`, labels), &c.Config},
	} {
		*f.into = document.Sum(f.body)
		if err := os.WriteFile(filepath.Join(c.Directory, f.name), f.body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// withClassifier is withEngines and a classifier.
func withClassifier(t *testing.T, c engine.ClassifierConfig) cell.Config {
	t.Helper()
	cfg := withEngines(t)
	var err error
	if cfg.Engines, err = cfg.Engines.With(c); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// A word that no other layer finds is covered, behind all walls, where a classifier knows
// it, and only there.
func TestClassifierInARealCell(t *testing.T) {
	body, err := examples.Canary("Ruth", "Oyelaran", "4839201")
	if err != nil {
		t.Fatal(err)
	}
	cfg := withClassifier(t, knowsCough(t, "B-PATIENT"))
	run := func(cfg cell.Config, without ...document.Source) (cell.Asset, *bytes.Buffer) {
		t.Helper()
		tk, s := task(), &sink{}
		tk.Without = without
		r, err := start(t, cfg).Run(t.Context(), file(t, body), tk, s)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("peak memory %d MB", r.PeakBytes>>20)
		return s.assets[0], s.made[1]
	}
	a, made := run(cfg)
	found := ofModel(a)
	if len(found) != 1 || found[0].Type != document.Name || found[0].Score < 0.97 || found[0].Score > 0.99 {
		t.Fatalf("found by the model: %+v, in all %+v", found, a.Findings)
	}
	img, err := png.Decode(made)
	if err != nil || !black(img, found[0].Box) {
		t.Errorf("the word still shows (%v)", err)
	}
	for name, other := range map[string]cell.Asset{
		"left out":  first(run(cfg, document.ByModel)),
		"not there": first(run(withEngines(t))),
	} {
		if len(ofModel(other)) > 0 || len(other.Findings) == 0 {
			t.Errorf("%s: %+v", name, other.Findings)
		}
		for _, f := range other.Findings {
			if !f.Box.Intersect(found[0].Box).Empty() {
				t.Errorf("%s: the word is covered by %v", name, f.Source)
			}
		}
	}
}

func first(a cell.Asset, _ *bytes.Buffer) cell.Asset { return a }

func ofModel(a cell.Asset) []document.Finding {
	return slices.DeleteFunc(slices.Clone(a.Findings), func(f document.Finding) bool { return f.Source != document.ByModel })
}

// What cannot be used is named before a document comes, by a run of its own; a cell that
// would be loaded with it does not start.
func TestClassifierIsTriedBeforehand(t *testing.T) {
	good := withClassifier(t, knowsCough(t, "B-PATIENT"))
	if err := cell.TryClassifier(t.Context(), good); err != nil {
		t.Error(err)
	}
	if err := cell.TryClassifier(t.Context(), withEngines(t)); err != nil {
		t.Errorf("without a classifier: %v", err)
	}
	unknown := withClassifier(t, knowsCough(t, "B-DRUG"))
	err := cell.TryClassifier(t.Context(), unknown)
	if reason.Of(err) != reason.ConfigInvalid || !strings.Contains(err.Error(), "without a meaning: DRUG") {
		t.Errorf("an unknown label: %v", err)
	}
	if _, err := cell.Start(t.Context(), unknown); reason.Of(err) != reason.CellEngines {
		t.Errorf("a cell with an unknown label: %v", err)
	}
	meant := knowsCough(t, "B-DRUG")
	meant.Labels = []string{"DRUG=code"}
	if err := cell.TryClassifier(t.Context(), withClassifier(t, meant)); err != nil {
		t.Errorf("a label with a meaning: %v", err)
	}
	small := good
	small.MemoryBytes = 640 << 20
	if err := cell.TryClassifier(t.Context(), small); reason.Of(err) != reason.ConfigInvalid || !strings.Contains(err.Error(), "raise cell.memory_bytes") {
		t.Errorf("a small cell: %v", err)
	}
}
