package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"blotter/internal/app"
	"blotter/internal/inspect/survey"
	"blotter/internal/reason"
)

// surveyCommand is `blotter survey`.
type surveyCommand struct {
	Dir       string   `arg:"" help:"Directory with sample documents, at any depth." type:"path"`
	Memory    byteSize `placeholder:"SIZE" help:"Memory that a cell may take, such as 1GiB; as configured without it."`
	PolicyOut string   `placeholder:"FILE" help:"Also write the proposed limits as a policy file; it must not exist." type:"path"`
	Workers   int      `placeholder:"N" help:"Documents at once; as configured without it."`
	Read      int      `placeholder:"N" help:"Also read and redact about N of the documents, to measure how long that takes (seconds a page)."`
	Names     bool     `help:"Name documents that were refused, instead of numbering them in the order of their names."`
	JSON      bool     `name:"json" help:"Print JSON (blotter.survey/1)."`
}

// Run implements command. Documents that are refused are what a survey is to find, and no
// failure of it.
func (s *surveyCommand) Run(c *call) (int, error) {
	if _, err := os.Lstat(s.PolicyOut); s.PolicyOut != "" && !errors.Is(err, fs.ErrNotExist) {
		return 0, reason.Because(reason.UsageWrong, fmt.Errorf("--policy-out %q is there already, or cannot be made", s.PolicyOut))
	}
	cfg, err := c.load("")
	if err != nil {
		return 0, err
	}
	if s.Read < 0 {
		return 0, reason.Because(reason.UsageWrong, errors.New("--read takes a number of documents"))
	}
	if s.Workers > 0 {
		cfg.Workers = s.Workers
	}
	tell := told(c.stdio.err)
	r, err := app.Survey(c.ctx, cfg, app.Sample{Dir: s.Dir, MemoryBytes: int64(s.Memory), Names: s.Names, Read: s.Read, Told: tell})
	tell(0, 0)
	if err != nil {
		return 0, err
	}
	if err := s.write(r); err != nil {
		return 0, err
	}
	if s.JSON {
		return reason.ExitOK, r.WriteJSON(c.stdio.out)
	}
	return reason.ExitOK, r.WriteText(c.stdio.out)
}

func (s *surveyCommand) write(r *survey.Report) error {
	if s.PolicyOut == "" {
		return nil
	}
	f, err := os.OpenFile(s.PolicyOut, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		_, err = f.Write(r.Policy())
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return reason.Because(reason.UsageWrong, fmt.Errorf("--policy-out %q cannot be written", s.PolicyOut))
	}
	return nil
}

// byteSize is a number of bytes that a person writes with a unit.
type byteSize int64

// UnmarshalText reads such as 1GiB, 512MiB, 2G, 800MB or 1073741824.
func (b *byteSize) UnmarshalText(text []byte) error {
	number, factor := string(text), int64(1)
	for _, u := range []struct {
		name   string
		factor int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"GB", 1e9}, {"MB", 1e6}, {"G", 1 << 30}, {"M", 1 << 20}} {
		if rest, ok := strings.CutSuffix(number, u.name); ok {
			number, factor = rest, u.factor
			break
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	if err != nil || n < leastMemory/factor || n > mostMemory/factor {
		return fmt.Errorf("%q is no size of memory from 256MiB to 1024GiB", text)
	}
	*b = byteSize(n * factor)
	return nil
}

// Bounds of a cell's memory, in bytes: below the first not even the decoders start.
const (
	leastMemory = 256 << 20
	mostMemory  = 1 << 40
)
