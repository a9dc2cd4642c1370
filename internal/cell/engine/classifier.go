package engine

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// Names of the files of a classifier, as models are exchanged.
const (
	modelFile     = "model.onnx"
	tokenizerFile = "tokenizer.json"
	configFile    = "config.json"
)

// ClassifierConfig names a token classifier that the operator brings and pins its files:
// what finds is part of what runs. The zero value is none.
type ClassifierConfig struct {
	Directory                string // absolute; holds model.onnx, tokenizer.json and config.json
	Model, Tokenizer, Config document.Digest
	Labels                   []string // LABEL=type, on top of the usual names
}

// Classifier is a classifier on disk whose files are the pinned ones.
type Classifier struct {
	Model, Tokenizer, Config File
	Meanings                 map[string]document.Type // of labels in capitals; 0: nothing personal
}

// nothing is the type of a label that stands for nothing personal.
const nothing = "none"

// Validate reports every field that cannot be used.
func (c ClassifierConfig) Validate() error {
	var errs []error
	pinned := !c.Model.IsZero() && !c.Tokenizer.IsZero() && !c.Config.IsZero()
	if c.Directory != "" && !pinned {
		errs = append(errs, errors.New("classifier.directory is set: model_sha256, tokenizer_sha256 and config_sha256 must be, too"))
	}
	if c.Directory == "" && (!c.Model.IsZero() || !c.Tokenizer.IsZero() || !c.Config.IsZero() || len(c.Labels) > 0) {
		errs = append(errs, errors.New("classifier.directory is not set, but other settings of the classifier are"))
	}
	_, err := readMeanings(c.Labels)
	return errors.Join(append(errs, err)...)
}

// CheckLabel reports what is wrong with one item of Labels.
func CheckLabel(item string) error {
	_, err := readMeanings([]string{item})
	return err
}

func readMeanings(items []string) (map[string]document.Type, error) {
	out := map[string]document.Type{}
	for _, item := range items {
		label, name, _ := strings.Cut(item, "=")
		label, name = strings.ToUpper(strings.TrimSpace(label)), strings.TrimSpace(name)
		typ, ok := document.ParseType(name)
		if label == "" || !ok && name != nothing {
			return nil, fmt.Errorf("%q is not LABEL=type with a type of the policy or %q", item, nothing)
		}
		if _, twice := out[label]; twice {
			return nil, fmt.Errorf("the label %s stands there twice", label)
		}
		out[label] = typ
	}
	return out, nil
}

// With adds a classifier to the set after hashing its files; none adds nothing. The error
// carries config.invalid.
func (s Set) With(c ClassifierConfig) (Set, error) {
	if c.Directory == "" {
		return s, nil
	}
	meanings, err := readMeanings(c.Labels)
	if err != nil {
		return Set{}, reason.Because(reason.ConfigInvalid, fmt.Errorf("classifier.labels: %w", err))
	}
	s.Classifier = &Classifier{Meanings: meanings}
	for _, f := range []struct {
		name string
		want document.Digest
		into *File
	}{
		{modelFile, c.Model, &s.Classifier.Model},
		{tokenizerFile, c.Tokenizer, &s.Classifier.Tokenizer},
		{configFile, c.Config, &s.Classifier.Config},
	} {
		if *f.into, err = pinnedFile(c.Directory, f.name, f.want); err != nil {
			return Set{}, reason.Because(reason.ConfigInvalid, fmt.Errorf("classifier: %w", err))
		}
	}
	return s, nil
}

func pinnedFile(dir, name string, want document.Digest) (File, error) {
	path := filepath.Join(dir, name)
	f, err := os.Open(path)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return File{}, err
	}
	if got := document.Digest(h.Sum(nil)); got != want {
		return File{}, fmt.Errorf("%s has the SHA-256 %s, not the one that the configuration pins", path, got)
	}
	return File{Name: "classifier " + name, Path: path, SHA256: want}, readableInCell(path)
}

// digests are the classifier's for events: its files, and what its labels were taken for.
func (c *Classifier) digests() []Digest {
	if c == nil {
		return nil
	}
	var out []Digest
	for _, f := range []File{c.Model, c.Tokenizer, c.Config} {
		out = append(out, Digest{f.Name, f.SHA256})
	}
	if len(c.Meanings) > 0 {
		out = append(out, Digest{"classifier labels", document.Sum([]byte(c.written()))})
	}
	return out
}

// written is the meanings as text: a line LABEL=type for each, in order, each with its
// end of line.
func (c *Classifier) written() string {
	var b strings.Builder
	for _, label := range slices.Sorted(maps.Keys(c.Meanings)) {
		name := nothing
		if typ := c.Meanings[label]; typ != 0 {
			name = typ.String()
		}
		fmt.Fprintf(&b, "%s=%s\n", label, name)
	}
	return b.String()
}
