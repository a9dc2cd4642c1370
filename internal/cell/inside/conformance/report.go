package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// results are what a run gave.
type results struct {
	documents []outcome
	speed     *speed
}

// unexplained fails where a difference has no explanation.
func (r *results) unexplained() error {
	known := explained()
	var errs []error
	for _, o := range r.documents {
		if known[o.name] == "" && len(o.other)+len(o.told) > 0 && o.refused == "" {
			errs = append(errs, fmt.Errorf("%s: %s", o.name, strings.Join(append(o.other, o.told...), "; ")))
		}
	}
	return errors.Join(errs...)
}

// write puts each part between its marks in the report, or prints them all.
func (r *results) write(file string, out io.Writer) error {
	parts := map[string]func(io.Writer){"formats": r.formats, "refusals": r.refusals, "differences": r.differences, "bare": r.bare, "only": r.only}
	if r.speed != nil {
		parts["speed"] = r.speed.write
	}
	if file == "" {
		for _, name := range []string{"formats", "refusals", "differences", "bare", "only", "speed"} {
			if parts[name] != nil {
				parts[name](out)
				fmt.Fprintln(out)
			}
		}
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for name, part := range parts {
		begin, end := fmt.Appendf(nil, "<!-- %s:begin -->\n", name), fmt.Appendf(nil, "<!-- %s:end -->", name)
		before, rest, ok := bytes.Cut(text, begin)
		_, after, ok2 := bytes.Cut(rest, end)
		if !ok || !ok2 {
			return fmt.Errorf("%s has no place for %s", file, name)
		}
		var b bytes.Buffer
		part(&b)
		text = bytes.Join([][]byte{before, begin, []byte("\n"), b.Bytes(), []byte("\n"), end, after}, nil)
	}
	return os.WriteFile(file, text, 0o644) //nolint:gosec // a document for everybody
}

// row is what the documents of one format amount to.
type row struct{ documents, reference, mutool, equal, alike, through, scaled, bare, withheld, different, missing, only int }

func (t *row) add(o outcome) {
	t.documents++
	t.reference += o.reference
	t.mutool += max(o.mutool, 0)
	t.equal, t.alike, t.through, t.scaled = t.equal+o.equal, t.alike+o.alike, t.through+o.through, t.scaled+o.scaled
	t.bare, t.withheld = t.bare+len(o.bare), t.withheld+len(o.withheld)
	t.different, t.missing, t.only = t.different+len(o.other)-o.missing, t.missing+o.missing, t.only+len(o.only)
}

// programs are the references that are asked, where they are installed.
var programs = []string{"pdfimages", "mutool", "convert", "tiffcp", "tiff2rgba", "heif-convert", "opj_decompress", "jbig2dec"}

func (r *results) formats(out io.Writer) {
	var there, missing []string
	for _, p := range programs {
		if p == "convert" {
			p = imageMagick()
		}
		if installed(p) {
			there = append(there, "`"+p+"`")
		} else {
			missing = append(missing, "`"+p+"`")
		}
	}
	fmt.Fprintf(out, "Asked in this run: %s.", strings.Join(there, ", "))
	if len(missing) > 0 {
		fmt.Fprintf(out, " Not installed: %s.", strings.Join(missing, ", "))
	}
	fmt.Fprint(out, "\n\n")
	rows, all := map[document.Format]*row{}, row{}
	for _, o := range r.documents {
		if o.refused != "" {
			continue
		}
		if rows[o.format] == nil {
			rows[o.format] = &row{}
		}
		rows[o.format].add(o)
		all.add(o)
	}
	fmt.Fprintln(out, "| format | documents | images of the reference | of mutool | pixels equal | within tolerance | through a mask | "+
		"through one of another size | no pixels to compare | withheld, and not drawn by others | different | missing | found here alone |\n"+
		"|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
	line := func(name string, t row) {
		fmt.Fprintf(out, "| %s | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d |\n", name, t.documents, t.reference, t.mutool, t.equal,
			t.alike, t.through, t.scaled, t.bare, t.withheld, t.different, t.missing, t.only)
	}
	for _, f := range document.Opened() {
		if t := rows[f]; t != nil {
			line(f.String(), *t)
		}
	}
	line("all", all)
}

// refusals list what is not opened, and what others see in it.
func (r *results) refusals(out io.Writer) {
	type kind struct {
		format document.Format
		code   reason.Code
	}
	type count struct{ documents, images int }
	counts := map[kind]*count{}
	var order []kind
	for _, o := range r.documents {
		if o.refused == "" {
			continue
		}
		k := kind{o.format, o.refused}
		if counts[k] == nil {
			counts[k] = &count{}
			order = append(order, k)
		}
		counts[k].documents++
		counts[k].images += o.reference
	}
	slices.SortFunc(order, func(a, b kind) int {
		return cmp.Or(cmp.Compare(a.format.String(), b.format.String()), cmp.Compare(a.code, b.code))
	})
	fmt.Fprintln(out, "| format | reason | documents | images that a reference sees in them |\n|---|---|--:|--:|")
	for _, k := range order {
		fmt.Fprintf(out, "| %s | `%s` | %d | %d |\n", k.format, k.code, counts[k].documents, counts[k].images)
	}
}

func (r *results) differences(out io.Writer) {
	known := explained()
	for _, o := range r.documents {
		if len(o.other)+len(o.told) == 0 && o.failed == "" {
			continue
		}
		why := known[o.name]
		if why == "" && len(o.other)+len(o.told) > 0 && o.refused == "" {
			why = "**not explained**"
		}
		shown := append(few(o.other, 4), o.told...)
		if o.failed != "" {
			shown = append([]string{o.failed}, shown...)
		}
		if o.refused != "" {
			shown = append([]string{fmt.Sprintf("refused (`%s`)", o.refused)}, shown...)
		}
		fmt.Fprintln(out, strings.TrimSpace(fmt.Sprintf("- `%s`: %s. %s", o.name, strings.Join(shown, "; "), why)))
	}
}

// few shortens a list.
func few(list []string, n int) []string {
	if len(list) <= n {
		return slices.Clone(list)
	}
	return append(slices.Clone(list[:n-1]), fmt.Sprintf("and %d more", len(list)-n+1))
}

// bare lists what no reference gave pixels of.
func (r *results) bare(out io.Writer) {
	for _, o := range r.documents {
		if o.refused == "" && o.want == nil && len(o.bare)+len(o.withheld) > 0 {
			fmt.Fprintf(out, "- `%s`: %s\n", o.name, strings.Join(few(append(slices.Clone(o.bare), o.withheld...), 4), "; "))
		}
	}
}

func (r *results) only(out io.Writer) {
	for _, o := range r.documents {
		if len(o.only) > 0 && o.want == nil {
			fmt.Fprintf(out, "- `%s`: %d (%s)\n", o.name, len(o.only), strings.Join(few(o.only, 5), ", "))
		}
	}
}
