package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"

	"blotter/internal/app"
	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/receipt"
)

// reporter tells a person, or with --json a program, what becomes of the documents. It
// never repeats a file's name: documents are numbered as they were given.
type reporter struct {
	mu    sync.Mutex // progress comes from workers
	out   io.Writer
	bar   io.Writer // terminal for the progress line; nil: none
	json  bool
	total int
	done  int
	exit  int
}

func newReporter(io stdio, total int, asJSON bool) *reporter {
	r := &reporter{out: io.out, json: asJSON, total: total}
	if f, ok := io.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		r.bar = io.err
	}
	return r
}

// barWidth is how many cells the progress bar has.
const barWidth = 24

// clearLine takes the cursor to the line's start and erases it (ECMA-48 EL).
const clearLine = "\r\x1b[K"

// progress draws the line anew. It does not say which document: several may be at work.
func (r *reporter) progress(_ document.ID, stage document.Stage, asset int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bar == nil {
		return
	}
	full := barWidth * r.done / r.total
	fmt.Fprintf(r.bar, "%s[%-*s] %d/%d documents  %s", clearLine, barWidth, bar(full), r.done, r.total, stage)
	if asset > 0 {
		fmt.Fprintf(r.bar, " image %d", asset)
	}
}

func bar(n int) string {
	const block = "########################"
	return block[:min(n, len(block))]
}

// close takes the progress line away.
func (r *reporter) close() {
	if r.bar != nil {
		fmt.Fprint(r.bar, clearLine)
	}
}

// ended reports one document.
func (r *reporter) ended(o app.Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	r.exit = worse(r.exit, exitOf(document.State(o.Result.State)))
	r.close()
	if r.json {
		_ = json.NewEncoder(r.out).Encode(o.Result) // a failed write shows in what reads it
		return
	}
	r.print(o)
}

func (r *reporter) print(o app.Outcome) {
	fmt.Fprintf(r.out, "%d/%d %s: %s", r.done, r.total, o.Result.State, orUnknown(o.Result.Input.MediaType))
	if redacted, withheld, boxes := count(o.Result.Assets); redacted+withheld > 0 {
		fmt.Fprintf(r.out, ", images redacted: %d, withheld: %d, boxes: %d", redacted, withheld, boxes)
	}
	if opened, closed := within(o.Result.Assets); opened+closed > 0 {
		fmt.Fprintf(r.out, ", documents within that have images: %d, that could not be opened: %d", opened, closed)
	}
	fmt.Fprintf(r.out, ", %.1f s → %s\n", seconds(o.Result), o.Dir)
	if o.Result.Reason != "" {
		r.explain("", o.Result.Reason)
	}
	explained := map[string]bool{"": true, o.Result.Reason: true}
	for _, a := range o.Result.Assets {
		if !explained[a.Reason] {
			explained[a.Reason] = true
			r.explain(withheld(a), a.Reason)
		}
	}
	for _, part := range o.Result.NotCovered {
		fmt.Fprintf(r.out, "    not processed, and not in the output: %s\n", part)
	}
}

// explain says once for each reason what it means; result.json names it at every image.
func (r *reporter) explain(about, code string) {
	fmt.Fprintf(r.out, "    %s%s: %s\n", about, code, reason.Must(reason.Code(code)).Text)
}

// withheld names what was withheld, in a sentence that goes on.
func withheld(a receipt.ResultAsset) string {
	switch in := numbers(a.Within); {
	case a.Kind == document.Whole.String():
		return fmt.Sprintf("document %s within withheld: ", in)
	case in != "":
		return fmt.Sprintf("image %d, in document %s within, withheld: ", a.Index, in)
	}
	return fmt.Sprintf("image %d withheld: ", a.Index)
}

// numbers joins the path of a document within with dots.
func numbers(within []int64) string {
	var b strings.Builder
	for i, n := range within {
		if i > 0 {
			b.WriteByte('.')
		}
		fmt.Fprint(&b, n)
	}
	return b.String()
}

// within counts the documents within that gave images, and those that were not opened.
func within(assets []receipt.ResultAsset) (opened, closed int) {
	seen := map[string]bool{}
	for _, a := range assets {
		switch in := numbers(a.Within); {
		case a.Kind == document.Whole.String():
			closed++
		case in != "" && !seen[in]:
			seen[in] = true
			opened++
		}
	}
	return opened, closed
}

// count leaves out documents within that could not be opened: nobody knows what images
// they hold.
func count(assets []receipt.ResultAsset) (released, withheld, boxes int) {
	for _, a := range assets {
		switch {
		case a.Derivative != nil:
			released++
		case a.Kind != document.Whole.String():
			withheld++
		}
		boxes += len(a.Boxes)
	}
	return released, withheld, boxes
}

// seconds is how long the document was worked on; waiting in the queue is no work.
func seconds(r receipt.Result) float64 {
	var ms int64
	for stage, t := range r.TimingsMS {
		if stage != document.StageQueue.String() {
			ms += t
		}
	}
	return float64(ms) / 1000
}

func orUnknown(mediaType string) string {
	if mediaType == "" {
		return "unknown type"
	}
	return mediaType
}
