package inspect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"blotter/internal/reason"
)

// WriteJSON writes the report as JSON.
func (r Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(r)
}

// WriteText writes the report for a terminal. Images in a row that differ in nothing but
// their number, such as the strips of a scan, share a line.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	r.head(&b)
	if len(r.Assets) > 0 {
		b.WriteString("\n")
		r.table(&b)
	}
	explain(&b, r.reasons())
	_, err := io.WriteString(w, b.String())
	return err
}

func (r Report) head(b *strings.Builder) {
	left := func(name, format string, args ...any) {
		fmt.Fprintf(b, "%-13s%s\n", name, fmt.Sprintf(format, args...))
	}
	mediaType := r.MediaType
	if mediaType == "" {
		mediaType = "not looked at"
	}
	left("document", "%s, %d bytes", mediaType, r.Bytes)
	if r.SHA256 != "" {
		left("sha256", "%s", r.SHA256)
	}
	if r.Reason != "" {
		left("refused", "%s", r.Reason)
	}
	if n := r.Pages + r.Images + r.Frames + r.Unopened; n > 0 {
		left("assets", "%s; withheld: %d", strings.Join(counts(r), ", "), r.Withheld)
	}
	if len(r.NotCovered) > 0 {
		left("not covered", "%s", strings.Join(r.NotCovered, ", "))
	}
	if r.PeakBytes > 0 {
		left("cost", "%d ms, %d MB at most", r.SniffMS+r.ExtractMS, r.PeakBytes/1e6)
	}
}

// counts names what there is, such as "2 pages, 1 image".
func counts(r Report) []string {
	var out []string
	for _, c := range []struct {
		n    int
		what string
	}{{r.Pages, "page"}, {r.Images, "image"}, {r.Frames, "frame"}, {r.Unopened, "unopened document"}} {
		switch {
		case c.n == 1:
			out = append(out, "1 "+c.what)
		case c.n > 1:
			out = append(out, fmt.Sprintf("%d %ss", c.n, c.what))
		}
	}
	return out
}

func (r Report) table(b *strings.Builder) {
	t := tabwriter.NewWriter(b, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "#\tkind\tat\tformat\tpixels\tdpi\tbits\tdrawn\tstate")
	for i := 0; i < len(r.Assets); {
		same := i + 1
		for same < len(r.Assets) && alike(r.Assets[i], r.Assets[same]) {
			same++
		}
		a := r.Assets[i]
		for _, other := range r.Assets[i+1 : same] {
			a.DecodeMS += other.DecodeMS
		}
		number := fmt.Sprint(a.Index)
		if same > i+1 {
			number = fmt.Sprintf("%d–%d", a.Index, r.Assets[same-1].Index)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
			number, a.Kind, a.place(), a.MediaType, a.size(), orDash(a.DPI), a.depth(), a.times(), a.state())
		i = same
	}
	_ = t.Flush() // a strings.Builder takes everything
}

// alike reports whether two images in a row may share a line.
func alike(a, b Asset) bool {
	a.Index, a.Frame, a.DecodeMS = b.Index, b.Frame, b.DecodeMS
	return a == b
}

func (a Asset) place() string {
	at := a.Within
	if a.Page > 0 {
		at = strings.TrimPrefix(fmt.Sprintf("%s page %d", at, a.Page), " ")
	}
	return cmp.Or(at, "-")
}

func (a Asset) size() string {
	if a.Width == 0 || a.Height == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%d×%d", a.Width, a.Height)
}

func (a Asset) depth() string {
	switch {
	case a.Bits == 0:
		return "-"
	case a.Channels > 1:
		return fmt.Sprintf("%d×%d", a.Channels, a.Bits)
	}
	return fmt.Sprint(a.Bits)
}

func (a Asset) times() string {
	if a.Drawn == 0 {
		return "-"
	}
	return fmt.Sprintf("%d×", a.Drawn)
}

func (a Asset) state() string {
	switch {
	case a.Withheld != "":
		return "withheld: " + a.Withheld
	case a.Decoded:
		return fmt.Sprintf("decoded, %d ms", a.DecodeMS)
	}
	return "to be read"
}

func orDash(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// reasons lists the codes of the report, each once, in their order.
func (r Report) reasons() []string {
	var out []string
	seen := map[string]bool{"": true}
	take := func(code string) {
		if !seen[code] {
			seen[code] = true
			out = append(out, code)
		}
	}
	take(r.Reason)
	for _, a := range r.Assets {
		take(a.Withheld)
	}
	return out
}

// explain says once for each reason what it means.
func explain(b *strings.Builder, codes []string) {
	if len(codes) > 0 {
		b.WriteString("\n")
	}
	for _, code := range codes {
		fmt.Fprintf(b, "%s: %s\n", code, reason.Must(reason.Code(code)).Text)
	}
}
