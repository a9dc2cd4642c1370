package config_test

import (
	"maps"
	"strings"
	"testing"

	"blotter/internal/config"
	"blotter/internal/document"
)

func TestWeights(t *testing.T) {
	load := func(text string, more ...string) (config.Config, error) {
		return config.Load(config.Source{File: write(t, text), Env: append([]string{"HOME=/x", "BLOTTER_ENGINES=/e"}, more...)})
	}
	weights := func(text string, more ...string) map[document.Tenant]int {
		t.Helper()
		c, err := load(text, more...)
		if err != nil {
			t.Fatal(err)
		}
		return c.Weights
	}
	if got := weights(""); got != nil {
		t.Errorf("by default the weights are %v", got)
	}
	want := map[document.Tenant]int{"clinic-1": 3, "b": 1000}
	for name, got := range map[string]map[document.Tenant]int{
		"file":     weights("queue:\n  weights: [clinic-1=3, b=1000]\n"),
		"variable": weights("queue:\n  weights: [c=7]\n", "BLOTTER_QUEUE_WEIGHTS=clinic-1=3, b=1000"),
	} {
		if !maps.Equal(got, want) {
			t.Errorf("%s: %v", name, got)
		}
	}
	for list, says := range map[string]string{
		"[clinic]":     "not tenant=weight",
		"[Clinic=2]":   "not tenant=weight",
		"[=2]":         "not tenant=weight",
		"[a=0]":        "1 to 1000",
		"[a=1001]":     "1 to 1000",
		"[a=1.5]":      "1 to 1000",
		"[a=+2]":       "1 to 1000",
		"[a=2=3]":      "1 to 1000",
		"[a=2, a=3]":   "twice",
		"{a: 2}":       "",
		"[b=2, a=, c]": "1 to 1000",
	} {
		_, err := load("queue:\n  weights: " + list + "\n")
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s gave %v", list, err)
		}
	}
}
