package ops

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// metric is what the documents may say of one.
type metric struct {
	name, kind, help string
	labels           []string
}

// catalogue reads blotter's metrics from a registry that was told everything.
func catalogue(t *testing.T) map[string]metric {
	t.Helper()
	out := make(map[string]metric)
	for _, f := range families(t, exercised()) {
		labels := make(map[string]bool)
		for _, l := range labelsOf(f) {
			labels[l.GetName()] = true
		}
		kind := strings.ToLower(f.GetType().String())
		out[f.GetName()] = metric{f.GetName(), kind, f.GetHelp(), slices.Sorted(maps.Keys(labels))}
	}
	return out
}

// foreign are metrics that every target has, or Go's and the process's own.
var foreign = map[string]bool{"up": true, "process_resident_memory_bytes": true, "go_goroutines": true, "process_open_fds": true}

// words are the functions, operators and keywords of PromQL that the documents use.
var words = []string{"and", "by", "count", "group_left", "histogram_quantile", "increase", "max", "offset", "on", "rate", "sum"}

var (
	quoted     = regexp.MustCompile(`"[^"]*"`)
	durations  = regexp.MustCompile(`\[[0-9a-z]+\]|offset [0-9a-z]+|\b[0-9][0-9.e]*`)
	matchers   = regexp.MustCompile(`(\w+)\{([^}]*)\}`)
	groupings  = regexp.MustCompile(`\b(by|on|group_left) \(([^)]*)\)`)
	identifier = regexp.MustCompile(`[A-Za-z_]\w*`)
)

// named checks a query against the catalogue and returns the metrics of blotter that it
// names. It knows the little of PromQL that the documents use, and takes nothing else.
func named(t *testing.T, where, query string, known map[string]metric) []string {
	t.Helper()
	q := quoted.ReplaceAllString(query, "")
	for _, m := range matchers.FindAllStringSubmatch(q, -1) {
		for _, label := range identifier.FindAllString(m[2], -1) {
			if found, ok := lookup(known, m[1]); ok && !slices.Contains(found.labels, label) {
				t.Errorf("%s: %s has no label %s", where, m[1], label)
			}
		}
	}
	q = matchers.ReplaceAllString(q, "$1 ")
	grouped := groupings.FindAllStringSubmatch(q, -1)
	q = durations.ReplaceAllString(groupings.ReplaceAllString(q, ""), "")
	var used []string
	for _, word := range identifier.FindAllString(q, -1) {
		switch found, ok := lookup(known, word); {
		case ok:
			used = append(used, found.name)
		case !slices.Contains(words, word) && !foreign[word]:
			t.Errorf("%s: %s is no metric", where, word)
		}
	}
	for _, g := range grouped {
		checkGroup(t, where, identifier.FindAllString(g[2], -1), used, known)
	}
	return used
}

// lookup finds a metric by the name of one of its series.
func lookup(known map[string]metric, series string) (metric, bool) {
	if m, ok := known[series]; ok {
		return m, m.kind != "histogram" // a histogram has no series of its own name
	}
	for _, part := range []string{"_bucket", "_sum", "_count"} {
		if base, ok := strings.CutSuffix(series, part); ok && known[base].kind == "histogram" {
			return known[base], true
		}
	}
	return metric{}, false
}

// checkGroup checks that every label that is grouped by is a label of a metric used.
func checkGroup(t *testing.T, where string, labels, used []string, known map[string]metric) {
	t.Helper()
	for _, label := range labels {
		has := func(name string) bool { return slices.Contains(known[name].labels, label) }
		if label != "le" && !slices.ContainsFunc(used, has) {
			t.Errorf("%s: no metric of the query has the label %s", where, label)
		}
	}
}
