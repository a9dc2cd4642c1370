package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"blotter/internal/document"
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
		if len(o.other) > 0 && known[o.name] == "" {
			errs = append(errs, fmt.Errorf("%s: %s", o.name, strings.Join(o.other, "; ")))
		}
	}
	return errors.Join(errs...)
}

// write puts each part between its marks in the report, or prints them all.
func (r *results) write(file string, out io.Writer) error {
	parts := map[string]func(io.Writer){"formats": r.formats, "differences": r.differences, "only": r.only}
	if r.speed != nil {
		parts["speed"] = r.speed.write
	}
	if file == "" {
		for _, name := range []string{"formats", "differences", "only", "speed"} {
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

func (r *results) formats(out io.Writer) {
	type row struct{ documents, refused, reference, mutool, equal, alike, through, scaled, other, only int }
	rows := map[document.Format]*row{}
	var order []document.Format
	for _, o := range r.documents {
		if rows[o.format] == nil {
			rows[o.format] = &row{}
			order = append(order, o.format)
		}
		t := rows[o.format]
		t.documents++
		if o.refused != "" {
			t.refused++
		}
		t.reference += o.reference
		t.mutool += max(o.mutool, 0)
		t.equal, t.alike, t.through, t.scaled, t.other, t.only = t.equal+o.equal, t.alike+o.alike, t.through+o.through, t.scaled+o.scaled, t.other+len(o.other), t.only+len(o.only)
	}
	fmt.Fprintln(out, "| format | documents | refused | images of the reference | of mutool | pixels equal | within tolerance | through a mask | through one of another size | different | found here alone |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
	for _, f := range order {
		t := rows[f]
		name := f.String()
		if f == document.UnknownFormat {
			name = "none that is opened"
		}
		fmt.Fprintf(out, "| %s | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d |\n", name, t.documents, t.refused, t.reference, t.mutool, t.equal, t.alike, t.through, t.scaled, t.other, t.only)
	}
}

func (r *results) differences(out io.Writer) {
	known := explained()
	for _, o := range r.documents {
		if len(o.other) == 0 && o.failed == "" {
			continue
		}
		why := known[o.name]
		if why == "" && len(o.other) > 0 {
			why = "**not explained**"
		}
		shown := o.other
		if len(shown) > 4 {
			shown = append(append([]string(nil), shown[:3]...), fmt.Sprintf("and %d more", len(shown)-3))
		}
		if o.failed != "" {
			shown = append([]string{o.failed}, shown...)
		}
		if o.refused != "" {
			shown = append([]string{fmt.Sprintf("refused (`%s`)", o.refused)}, shown...)
		}
		fmt.Fprintln(out, strings.TrimSpace(fmt.Sprintf("- `%s`: %s. %s", o.name, strings.Join(shown, "; "), why)))
	}
}

func (r *results) only(out io.Writer) {
	for _, o := range r.documents {
		if o.format == document.PDF && len(o.only) > 0 && o.want == nil {
			fmt.Fprintf(out, "- `%s`: %d (%s)\n", o.name, len(o.only), strings.Join(o.only[:min(len(o.only), 5)], ", "))
		}
	}
}
