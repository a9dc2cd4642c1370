package ops

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"blotter/internal/reason"
)

const (
	runbookFile  = "../../docs/runbook.md"
	settingsFile = "../config/default.yaml"
)

// entry is what the runbook says of an alert.
type entry struct{ alert, text string }

// readRunbook returns the runbook's entries in their order, and all of its text.
func readRunbook(t *testing.T) (entries []entry, text string) {
	t.Helper()
	body, err := os.ReadFile(runbookFile)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(body), "\n### ")
	for part := range strings.SplitSeq(rest, "\n### ") {
		name, said, _ := strings.Cut(part, "\n")
		entries = append(entries, entry{name, said})
	}
	return entries, string(body)
}

// Every alert has an entry, in the order of the rules, that says what it means, what to
// look at, what to do and when to wake somebody.
func TestEveryAlertHasItsEntry(t *testing.T) {
	entries, _ := readRunbook(t)
	rules := readAlerts(t)
	if len(entries) != len(rules) {
		t.Fatalf("%d entries for %d alerts", len(entries), len(rules))
	}
	for i, a := range rules {
		if entries[i].alert != a.Alert {
			t.Fatalf("the entry for %s stands where that of %s belongs", entries[i].alert, a.Alert)
		}
		at := -1
		for _, part := range []string{"\n**Means.** ", "\n```sh\n", "\n**Do.** ", "\n**Wake somebody.** "} {
			found := strings.Index(entries[i].text, part)
			if found <= at {
				t.Errorf("%s has no %q in its place", a.Alert, strings.TrimSpace(part))
			}
			at = found
		}
	}
}

var (
	shown    = regexp.MustCompile(`(?m)^metric (?:'([^']+)'|(\S+))$`)
	askedFor = regexp.MustCompile(`Blotter[A-Z]\w+`)
	dotted   = regexp.MustCompile("`([a-z]+\\.[a-z_]*)`|reason ([a-z]+\\.[a-z_]+)\\b")
)

// What the runbook lets its reader type finds something, and the alerts, codes and settings
// that it names exist.
func TestRunbookNamesWhatExists(t *testing.T) {
	entries, text := readRunbook(t)
	scraped := scrape(t, exercised())
	looks := shown.FindAllStringSubmatch(text, -1)
	if len(looks) < len(entries) {
		t.Errorf("only %d looks at metrics", len(looks))
	}
	for _, m := range looks {
		for part := range strings.SplitSeq(m[1]+m[2], "|") {
			if !regexp.MustCompile(`(?m)^blotter_(` + part + `)`).MatchString(scraped) {
				t.Errorf("no metric is blotter_%s", part)
			}
		}
	}
	for _, name := range askedFor.FindAllString(text, -1) {
		if !slices.ContainsFunc(entries, func(e entry) bool { return e.alert == name }) {
			t.Errorf("no alert is %s", name)
		}
	}
	settings := readSettings(t)
	for _, m := range dotted.FindAllStringSubmatch(text, -1) {
		name := m[1] + m[2]
		if !slices.Contains(settings, name) && !slices.ContainsFunc(reason.Table(), func(e reason.Entry) bool {
			return string(e.Code) == name || strings.HasSuffix(name, ".") && strings.HasPrefix(string(e.Code), name)
		}) {
			t.Errorf("%s is neither a reason nor a setting", name)
		}
	}
}

// readSettings returns the names of the settings that stand in a section.
func readSettings(t *testing.T) (names []string) {
	t.Helper()
	body, err := os.ReadFile(settingsFile)
	if err != nil {
		t.Fatal(err)
	}
	var sections map[string]any
	if err := yaml.Unmarshal(body, &sections); err != nil {
		t.Fatal(err)
	}
	for section, v := range sections {
		settings, _ := v.(map[string]any)
		for name := range settings {
			names = append(names, section+"."+name)
		}
	}
	return names
}
