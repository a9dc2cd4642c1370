package survey

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"blotter/internal/reason"
)

// Schema names the form of a Report as JSON.
const Schema = "blotter.survey/1"

// Report is what a survey found.
type Report struct {
	Schema        string         `json:"schema"`
	Documents     int            `json:"documents"`
	Opened        int            `json:"opened"`
	MediaTypes    map[string]int `json:"media_types"` // as the bytes say; what was refused included
	Refused       []Count        `json:"refused"`     // documents, by reason, most first
	Withheld      []Count        `json:"withheld"`    // images, by reason, most first
	Distributions []Distribution `json:"distributions"`
	PeakBytes     int64          `json:"peak_bytes"` // resident memory of a cell at its highest
	Proposal      Proposal       `json:"proposal"`
}

// Count is how often a reason was given.
type Count struct {
	Reason   string    `json:"reason"`
	Count    int       `json:"count"`
	Examples []Example `json:"examples"` // the first few documents
}

// Example is a document: its number in the order of the walk, from 1, and its path below
// the directory where that was asked for.
type Example struct {
	Document int    `json:"document"`
	Name     string `json:"name,omitempty"`
}

func (s *sample) report(cfg Config) *Report {
	r := &Report{
		Schema: Schema, Documents: s.documents, Opened: s.opened, MediaTypes: s.formats, PeakBytes: s.peak,
		Refused: counts(cfg, s.refused), Withheld: counts(cfg, s.withheld),
	}
	for _, q := range quantities {
		r.Distributions = append(r.Distributions, distribution(string(q.name), q.unit, q.what, s.values[q.name]))
	}
	r.Proposal = propose(cfg, r)
	return r
}

func counts(cfg Config, m map[reason.Code]*counted) []Count {
	out := []Count{}
	for code, c := range m {
		count := Count{Reason: string(code), Count: c.times, Examples: []Example{}}
		slices.SortFunc(c.documents, func(a, b numbered) int { return cmp.Compare(a.number, b.number) })
		for _, d := range c.documents {
			count.Examples = append(count.Examples, name(cfg, d))
		}
		out = append(out, count)
	}
	slices.SortFunc(out, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reason, b.Reason))
	})
	return out
}

// of finds the distribution of a quantity.
func (r *Report) of(q quantity) Distribution {
	for _, d := range r.Distributions {
		if d.Name == string(q) {
			return d
		}
	}
	return Distribution{}
}

// WriteJSON writes the report as JSON.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(r)
}

// WriteText writes the report for a terminal: what there was, the distributions as a table
// and as histograms, and the proposal.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "documents  %d, of which opened: %d; a cell took %d MB at most\n", r.Documents, r.Opened, r.PeakBytes/1e6)
	for _, mediaType := range mostFirst(r.MediaTypes) {
		fmt.Fprintf(&b, "           %6d  %s\n", r.MediaTypes[mediaType], mediaType)
	}
	reasons(&b, "refused", r.Refused)
	reasons(&b, "withheld", r.Withheld)
	b.WriteString("\n")
	r.table(&b)
	for _, d := range r.Distributions {
		bars(&b, d)
	}
	r.Proposal.text(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func mostFirst(m map[string]int) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(m[b], m[a]), cmp.Compare(a, b)) })
	return out
}

func reasons(b *strings.Builder, title string, counts []Count) {
	for i, c := range counts {
		if i > 0 {
			title = ""
		}
		fmt.Fprintf(b, "%-9s  %6d  %s (%s)\n", title, c.Count, c.Reason, documentsText(c.Examples))
	}
}

// documentsText names documents by their numbers, or their names where these were asked for.
func documentsText(first []Example) string {
	var parts []string
	for _, e := range first {
		if e.Name != "" {
			parts = append(parts, fmt.Sprintf("%q", e.Name)) // a name may hold anything
			continue
		}
		parts = append(parts, fmt.Sprint(e.Document))
	}
	what := "document "
	if len(parts) > 1 {
		what = "documents "
	}
	if len(parts) == examples {
		parts = append(parts, "…") // there may be more
	}
	return what + strings.Join(parts, ", ")
}

func (r *Report) table(b *strings.Builder) {
	t := tabwriter.NewWriter(b, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "count\tp50\tp90\tp99\tmax\t\t")
	for _, d := range r.Distributions {
		if d.Count == 0 {
			fmt.Fprintf(t, "0\t-\t-\t-\t-\t\t %s\n", d.What)
			continue
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t\t %s\n", d.Count, short(d.P50), short(d.P90), short(d.P99), short(d.Max), d.What)
	}
	_ = t.Flush() // a strings.Builder takes everything
}

// short writes a number with three digits and k, M or G.
func short(v float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= u.size {
			return fmt.Sprintf("%.3g%s", math.Round(v/u.size*100)/100, u.name)
		}
	}
	if v == math.Trunc(v) {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// barWidth is how many characters the longest bar has.
const barWidth = 40

// bars draws the histogram of a distribution.
func bars(b *strings.Builder, d Distribution) {
	most := 0
	for _, h := range d.Histogram {
		most = max(most, h.Count)
	}
	if len(d.Histogram) < 2 {
		return // everything is in one bucket: the table says it
	}
	fmt.Fprintf(b, "\n%s\n", d.What)
	for _, h := range d.Histogram {
		bar := (h.Count*barWidth + most - 1) / most // one at least where there is anything
		fmt.Fprintf(b, "%6s – %-6s %-*s %d\n", short(h.From), short(h.To), barWidth, strings.Repeat("#", bar), h.Count)
	}
}
