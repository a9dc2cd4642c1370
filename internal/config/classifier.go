package config

import (
	"errors"
	"path/filepath"

	"blotter/internal/cell/engine"
	"blotter/internal/document"
	"blotter/internal/strictyaml"
)

// classifierFields are the settings of the classifier that an operator may bring.
func (d *draft) classifierFields() []strictyaml.Field {
	c := &d.Classifier
	return []strictyaml.Field{
		{Path: "classifier.directory", Set: strictyaml.Text(&c.Directory, checkAbsolute)},
		{Path: "classifier.model_sha256", Set: digest(&c.Model)},
		{Path: "classifier.tokenizer_sha256", Set: digest(&c.Tokenizer)},
		{Path: "classifier.config_sha256", Set: digest(&c.Config)},
		{Path: "classifier.labels", Set: strictyaml.List(&c.Labels, engine.CheckLabel)},
	}
}

func checkAbsolute(path string) error {
	if path != "" && !filepath.IsAbs(path) {
		return errors.New("must be an absolute path")
	}
	return nil
}

// digest takes a SHA-256 in lower-case hexadecimal, or nothing.
func digest(dst *document.Digest) func(strictyaml.Value) error {
	var text string
	set := strictyaml.Text(&text, func(s string) error {
		var d document.Digest
		if d.UnmarshalText([]byte(s)) != nil {
			return errors.New("must be the 64 lower-case hexadecimal digits that sha256sum prints")
		}
		return nil
	})
	return func(v strictyaml.Value) error {
		if err := set(v); err != nil {
			return err
		}
		return dst.UnmarshalText([]byte(text))
	}
}
