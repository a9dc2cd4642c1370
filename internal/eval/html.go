package eval

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"

	"blotter/internal/reason"
)

//go:embed report.html
var reportPage string

var page = template.Must(template.New("report").Funcs(template.FuncMap{
	"percent": percent, "of": of, "stages": stagesText, "names": namesOf, "join": strings.Join,
	"mb":   func(b int64) int64 { return b / 1e6 },
	"text": func(code string) string { return reason.Must(reason.Code(code)).Text },
	"withheld": func(a Assets) string {
		return fmt.Sprintf("%s (%d of %d)", percent(share(a.Withheld+a.Missing, a.Total+a.Missing, 0)), a.Withheld+a.Missing, a.Total+a.Missing)
	},
}).Parse(reportPage))

// WriteHTML writes the report as one page for a person to look at, with the derivatives and
// what was done wrong in them. It needs Config.Sheets. The page refers to nothing outside
// itself, and forbids itself to. It shows whatever leaked: treat it as the documents.
func (r *Report) WriteHTML(w io.Writer) error { return page.Execute(w, r) }

func namesOf(by map[string]Score) []string { return slices.Sorted(maps.Keys(by)) }

// row is a line of the table by class, kind and language; a head has no figures.
type row struct {
	Name string
	Head bool
	S    Score
}

// Rows are the lines of the table, for the page.
func (r *Report) Rows() []row {
	var out []row
	for _, t := range []struct {
		name string
		by   map[string]Score
	}{{"class", r.Classes}, {"kind", r.Kinds}, {"language", r.Languages}} {
		if len(t.by) > 0 {
			out = append(out, row{Name: t.name, Head: true})
		}
		for _, name := range worstFirst(t.by) {
			out = append(out, row{Name: name, S: t.by[name]})
		}
	}
	return out
}

// Sheets are the derivatives of a document, for the page.
func (d Document) Sheets() []sheet { return d.sheets }

// Left is how many values and areas of a document still show.
func (d Document) Left() int { return d.leaked() }
