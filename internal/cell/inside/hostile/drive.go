package hostile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"blotter/internal/cell"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// Outcome is how a file ended.
type Outcome struct {
	Kind, Name string
	Bytes      int64
	Format     document.Format // as sniffed
	Reason     reason.Code     // why the document was refused; empty where it was opened
	Assets     int
	Withheld   map[reason.Code]int // assets that were withheld, by reason
	CPU        time.Duration       // that the cell computed on it; 0 where it was killed
	Wall       time.Duration       // until its cell was gone
	Peak       int64               // resident bytes of the cell at their highest
	Problem    string              // what a file may not do; empty where all is well
}

// Result is how the file ended in a word: why it was refused, or what was opened.
func (o Outcome) Result() string {
	switch {
	case o.Reason != "":
		return string(o.Reason)
	case len(o.Withheld) > 0:
		return "opened; images withheld"
	}
	return "opened"
}

// Driver gives files to cells, one each.
type Driver struct {
	Cells *cell.Pool
	Dir   string // where a file lies while a cell has it
	Task  wire.Task
}

// Inspect has a cell open a file and decode all that it holds. The error is for what says
// nothing of the file: that it cannot be written, or that ctx is over.
func (d *Driver) Inspect(ctx context.Context, f File) (Outcome, error) {
	path, whole := filepath.Join(d.Dir, "document"), f.Make()
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		return Outcome{}, fmt.Errorf("hostile: %w", err)
	}
	doc, err := os.Open(path)
	if err != nil {
		return Outcome{}, fmt.Errorf("hostile: %w", err)
	}
	defer doc.Close()
	c, err := d.Cells.Get(ctx)
	if err != nil {
		return Outcome{}, fmt.Errorf("hostile: no cell: %w", err)
	}
	begun := time.Now()
	seen, err := c.Inspect(ctx, doc, d.Task)
	if ctx.Err() != nil {
		return Outcome{}, fmt.Errorf("hostile: %w", context.Cause(ctx))
	}
	o := Outcome{
		Kind: f.Kind, Name: f.Name, Bytes: int64(len(whole)), Format: seen.Format, Assets: len(seen.Images),
		Withheld: map[reason.Code]int{}, CPU: seen.CPU, Wall: time.Since(begun), Peak: seen.PeakBytes,
	}
	if err != nil {
		o.Reason = reason.Of(err)
	}
	for _, i := range seen.Images {
		if i.Withheld != "" {
			o.Withheld[i.Withheld]++
		}
	}
	o.Problem = o.judge()
	return o, nil
}

// MaxRefused is the resident memory, in bytes, that cell and parent may take together for
// a file that is refused: 512 MiB, half of what a cell may take by default.
const MaxRefused = 512 << 20

// judge says what a file did that none may do. A reason is no excuse where it tells of a
// fault of ours: the cell crashed, broke its protocol or used up its budget of time or
// memory before a limit stopped the file.
func (o Outcome) judge() string {
	codes := []reason.Code{o.Reason}
	for c := range o.Withheld {
		codes = append(codes, c)
	}
	for _, c := range codes {
		switch {
		case c == "":
		case c == reason.CellTimeout || c == reason.CellMemory:
			return "used up its budget: " + string(c)
		case reason.Must(c).Class != reason.Permanent || c == reason.CellCrashed:
			return "ended by a fault of ours: " + string(c)
		}
	}
	if all := o.Peak + Resident(); o.Reason != "" && all > MaxRefused {
		return fmt.Sprintf("%d MiB for a file that is refused", all>>20)
	}
	return ""
}

// Resident is this process's memory at its highest, as the kernel counted it; the files
// that it made are in it.
func Resident() int64 {
	status, _ := os.ReadFile("/proc/self/status") // Linux alone has cells
	var kib int64
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			fmt.Sscan(rest, &kib) //nolint:errcheck // of the kernel's own form
		}
	}
	return kib << 10
}

// Seconds is how long a document may take in its cell during an attack, by the clock: far
// below the default policy's, so that a file that only wastes time is seen.
const Seconds = 60
