package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPoliciesOfANode(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	strict := file("strict.yaml", "name: strict\nversion: \"1\"\nkeep_year: false\n")
	loose := file("loose.yaml", "name: loose\nversion: \"1\"\nkeep_year: true\n")

	none, err := readPolicies(nil)
	if _, ok := none.Policy("default"); err != nil || !ok {
		t.Errorf("without files there is no default policy: %v", err)
	}
	p, err := readPolicies([]string{strict, loose})
	if err != nil {
		t.Fatal(err)
	}
	if own, ok := p.Policy(""); !ok || own.Name != "strict" {
		t.Errorf("the node's own policy is %q", own.Name)
	}
	if _, ok := p.Policy("loose"); !ok {
		t.Error("the second policy cannot be asked for")
	}
	if _, ok := p.Policy("default"); ok {
		t.Error("the default policy gets round the operator's")
	}

	_, err = readPolicies([]string{file("a.yaml", "name: a\n"), filepath.Join(dir, "none"), strict, strict})
	for _, want := range []string{"a.yaml", "version", "none", "strict"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in: %v", want, err)
		}
	}
}
