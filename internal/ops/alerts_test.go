package ops

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
)

// alertTests are the files that promtool runs.
var alertTests = []string{"../../docs/alerts_test.yaml", "../../docs/alerts_week_test.yaml"}

// evaluation bounds promtool, which takes ten seconds.
const evaluation = 5 * time.Minute

// promtool is the program that evaluates rules: BLOTTER_TEST_PROMTOOL, else the one in PATH.
func promtool(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("BLOTTER_TEST_PROMTOOL"); path != "" {
		return path
	}
	path, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool, which comes with Prometheus, is not installed: the alerts are not tried")
	}
	return path
}

// Each alert goes off when it should and stays silent when not, as Prometheus itself sees it.
func TestAlertsGoOff(t *testing.T) {
	t.Parallel()
	tool := promtool(t)
	for _, file := range alertTests {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), evaluation)
			defer cancel()
			said, err := exec.CommandContext(ctx, tool, "test", "rules", file).CombinedOutput()
			if err != nil {
				t.Errorf("promtool test rules %s: %v\n%s", file, err, said)
			}
		})
	}
}

// moment is what a test of promtool expects at a time.
type moment struct {
	Expr    string
	Time    string `yaml:"eval_time"`
	Samples []struct {
		Labels string
		Value  float64
	} `yaml:"exp_samples"`
}

// Every alert has a moment with it and one without, in a test of its name.
func TestEveryAlertIsTried(t *testing.T) {
	with, without := map[string]bool{}, map[string]bool{}
	for _, file := range alertTests {
		for name, moments := range readAlertTests(t, file) {
			for _, m := range moments {
				if !strings.Contains(m.Expr, "alertname") {
					continue // looks at other labels
				}
				fires := strings.Contains(labelsAt(m), `alertname="`+name+`"`)
				with[name], without[name] = with[name] || fires, without[name] || !fires
			}
		}
	}
	for _, a := range readAlerts(t) {
		if !with[a.Alert] || !without[a.Alert] {
			t.Errorf("%s is tried firing: %v, silent: %v; it must be both", a.Alert, with[a.Alert], without[a.Alert])
		}
	}
}

func labelsAt(m moment) (all string) {
	for _, s := range m.Samples {
		all += s.Labels
	}
	return all
}

// readAlertTests returns the moments of a file by the name of their test.
func readAlertTests(t *testing.T, path string) map[string][]moment {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Tests []struct {
			Name    string
			Moments []moment `yaml:"promql_expr_test"`
		}
	}
	if err := yaml.Unmarshal(body, &file); err != nil {
		t.Fatal(err)
	}
	out := make(map[string][]moment)
	for _, tried := range file.Tests {
		out[tried.Name] = append(out[tried.Name], tried.Moments...)
	}
	return out
}
