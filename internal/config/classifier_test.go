package config_test

import (
	"slices"
	"strings"
	"testing"

	"blotter/internal/config"
	"blotter/internal/document"
)

func TestClassifierSettings(t *testing.T) {
	digest := document.Sum([]byte("model"))
	file := write(t, "classifier: {directory: /m, model_sha256: "+digest.String()+", tokenizer_sha256: "+digest.String()+
		", config_sha256: "+digest.String()+", labels: [CLINIC=organisation]}\n")
	c, err := config.Load(config.Source{File: file, Env: []string{"HOME=/x", "BLOTTER_ENGINES=/e", "BLOTTER_CLASSIFIER_LABELS=DRUG=none, JOB=code"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Classifier; got.Directory != "/m" || got.Model != digest || got.Tokenizer != digest || got.Config != digest ||
		!slices.Equal(got.Labels, []string{"DRUG=none", "JOB=code"}) {
		t.Errorf("got %+v", got)
	}
	for setting, says := range map[string]string{
		"DIRECTORY=models":        "CLASSIFIER_DIRECTORY must be an absolute path",
		"DIRECTORY=/m":            "model_sha256, tokenizer_sha256 and config_sha256 must be",
		"MODEL_SHA256=ABC":        "CLASSIFIER_MODEL_SHA256 must be the 64",
		"LABELS=DRUG=drug":        `"DRUG=drug"`,
		"LABELS=DRUG=code":        "classifier.directory is not set",
		"CONFIG_SHA256=" + "0123": "CLASSIFIER_CONFIG_SHA256 must be the 64",
	} {
		_, err := config.Load(config.Source{Env: []string{"HOME=/x", "BLOTTER_ENGINES=/e", "BLOTTER_CLASSIFIER_" + setting}})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: no %q in:\n%v", setting, says, err)
		}
	}
}
