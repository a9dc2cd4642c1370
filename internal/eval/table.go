package eval

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// worstShown is how many of the worst documents the text names; JSON has all.
const worstShown = 20

// WriteText writes the report for a terminal: the sums, then by class, kind and language,
// then the worst documents.
func (r *Report) WriteText(w io.Writer) error {
	t := &text{w: w}
	t.head(r)
	t.scores("class", r.Classes)
	t.scores("kind", r.Kinds)
	if len(r.Languages) > 1 {
		t.scores("language", r.Languages)
	}
	t.worst(r.Documents)
	t.failures(r.Failed)
	return t.err
}

// text writes lines and keeps the first error.
type text struct {
	w   io.Writer
	err error
}

func (t *text) line(format string, args ...any) {
	if _, err := fmt.Fprintf(t.w, format+"\n", args...); t.err == nil {
		t.err = err
	}
}

// head states the figures that a decision rests on.
func (t *text) head(r *Report) {
	s, a, c := r.Score, r.Assets, r.Cost
	left := func(name, format string, args ...any) {
		t.line("%-22s %s", name, fmt.Sprintf(format, args...))
	}
	left("documents", "%d with %d pages, %d failed", len(r.Documents), c.Pages, len(r.Failed))
	if len(r.Without) > 0 {
		left("without layers", "%s", strings.Join(r.Without, ", "))
	}
	left("values destroyed", "%7s  (%d of %d)", percent(s.ValueRecall()), s.ValuesDestroyed, s.Values)
	left("their words destroyed", "%7s  (%d of %d)", percent(s.WordRecall()), s.WordsDestroyed, s.Words)
	if s.Areas > 0 {
		left("areas destroyed", "%7s  (%d of %d)", percent(s.AreaRecall()), s.AreasDestroyed, s.Areas)
	}
	left("other words lost", "%7s  (%d of %d)", percent(s.OverRedaction()), s.Lost, s.Kept)
	if s.AreasKept > 0 {
		left("other areas lost", "%7s  (%d of %d)", percent(share(s.AreasLost, s.AreasKept, 0)), s.AreasLost, s.AreasKept)
	}
	left("precision", "%7s", percent(s.Precision()))
	left("images withheld", "%7s  (%d of %d; %d not judged)", percent(share(a.Withheld+a.Missing, a.Total+a.Missing, 0)),
		a.Withheld+a.Missing, a.Total+a.Missing, a.Unjudged)
	left("seconds a page", "%7.2f  (%s; processor %.2f)", c.SecondsPerPage, stagesText(c.Stages), c.CPUPerPage)
	left("peak memory of a cell", "%4d MB", c.PeakBytes/1e6)
}

func stagesText(stages map[string]float64) string {
	var parts []string
	for _, s := range document.Stages() {
		if t := stages[s.String()]; t >= 0.005 {
			parts = append(parts, fmt.Sprintf("%s %.2f", s, t))
		}
	}
	return strings.Join(parts, ", ")
}

// scores is a table by class, kind or language, the worst recall first.
func (t *text) scores(title string, by map[string]Score) {
	if len(by) == 0 {
		return
	}
	rows := [][]string{{title, "values", "destroyed", "words", "destroyed", "areas", "destroyed", "other words", "lost"}}
	for _, name := range worstFirst(by) {
		s := by[name]
		rows = append(rows, []string{
			printable(name), some0(s.Values), of(s.Values, s.ValueRecall()), some0(s.Words), of(s.Words, s.WordRecall()),
			some0(s.Areas), of(s.Areas, s.AreaRecall()), some0(s.Kept), of(s.Kept, s.OverRedaction()),
		})
	}
	t.table(rows)
}

// table writes rows of cells, the first column to the left and the others to the right.
func (t *text) table(rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	t.line("")
	for _, row := range rows {
		line := fmt.Sprintf("%-*s", width[0], row[0])
		for i, cell := range row[1:] {
			line += fmt.Sprintf("  %*s", width[i+1], cell)
		}
		t.line("%s", strings.TrimRight(line, " "))
	}
}

// some0 is a count, or nothing where there is nothing.
func some0(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// worstFirst orders names by the share of values that were destroyed.
func worstFirst(by map[string]Score) []string {
	return slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		return cmp.Or(cmp.Compare(by[a].ValueRecall(), by[b].ValueRecall()), strings.Compare(a, b))
	})
}

// worst lists the documents in which most leaked or was lost, and then the words, where
// they were asked for.
func (t *text) worst(all []Document) {
	rows := [][]string{{"worst documents", "values left", "areas left", "words lost", "seconds", "MB", "rejected"}}
	for _, d := range faulty(all) {
		s := d.Score
		rows = append(rows, []string{
			printable(d.Name), strconv.Itoa(s.Values - s.ValuesDestroyed), strconv.Itoa(s.Areas - s.AreasDestroyed),
			fmt.Sprintf("%d of %d", s.Lost, s.Kept), fmt.Sprintf("%.1f", total(d.Stages)), strconv.FormatInt(d.PeakBytes/1e6, 10), d.Rejected,
		})
	}
	if len(rows) == 1 {
		return
	}
	t.table(rows)
	for _, d := range faulty(all) {
		t.words(d)
	}
}

// faulty returns the worst documents, as many as the text shows.
func faulty(all []Document) []Document {
	n := slices.IndexFunc(all, func(d Document) bool { return d.leaked() == 0 && d.Score.Lost == 0 && d.Rejected == "" })
	if n < 0 {
		n = len(all)
	}
	return all[:min(n, worstShown)]
}

// words names what leaked and what was lost.
func (t *text) words(d Document) {
	about := "\n" + printable(d.Name)
	for _, m := range append(slices.Clone(d.Leaks), d.Losses...) {
		if m.Text == "" {
			continue
		}
		if about != "" {
			t.line("%s", about)
			about = ""
		}
		if m.Type == "" {
			t.line("  lost: %s", printable(m.Text))
		} else {
			t.line("  left: %s (%s, covered to %s)", printable(m.Text), m.Type, percent(m.Covered))
		}
	}
}

// failures lists what could not be run, and what to do.
func (t *text) failures(failed []Failure) {
	if len(failed) == 0 {
		return
	}
	t.line("\nfailed, and in no count:")
	for _, f := range failed {
		t.line("  %s: %s: %s", printable(f.Document), f.Reason, reason.Must(reason.Code(f.Reason)).Text)
	}
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// of is a share, or nothing where there is nothing to share.
func of(whole int, share float64) string {
	if whole == 0 {
		return ""
	}
	return percent(share)
}

// printable takes the control characters out of names and words that a file says, so that
// they cannot write on the terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
