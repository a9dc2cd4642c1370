package main_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"blotter/internal/vault"
)

// What TestServiceCanaries searches besides the answers: processes, streams, traces,
// commands, and the data directory.

// processes searches what every user of the host may see of a process, and what a cell
// was given beside its document. A file that may not be read is nobody's to see.
func (c *courier) processes() {
	cells, given := children(c.T, c.v.Process.Pid), 0
	for _, pid := range append(cells, c.v.Process.Pid) {
		files := []string{"cmdline", "comm"}
		if pid != c.v.Process.Pid { // whose environment holds its credentials by nature
			files = append(files, "environ")
		}
		for _, name := range files {
			body, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
			if err == nil && len(body) > 0 {
				c.h.search(fmt.Sprintf("%s of process %d", name, pid), body)
				given += strings.Count(name, "environ")
			}
		}
	}
	if len(cells) == 0 || (given == 0 && os.Geteuid() == 0) {
		c.Errorf("of %d cells, the environment of %d was seen", len(cells), given)
	}
}

// inUse searches a data directory while a job waits in it with its order. Of what comes
// and goes meanwhile, what is gone was not left.
func (c *courier) inUse(data string) {
	seen := 0
	err := filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		c.h.search("the name of "+path, []byte(path))
		if err == nil && d.Type().IsRegular() {
			var body []byte
			body, err = os.ReadFile(path)
			c.h.search(path+", in use,", body)
			seen++
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil || seen < 10 {
		c.Errorf("%d files were seen, %v", seen, err)
	}
	c.h.tables(filepath.Join(data, "blotter.db"))
}

// said searches what the service wrote to its standard streams: the first key, once, and
// a log that accounts for every request.
func (c *courier) said() {
	out := strings.Replace(c.v.out.String(), c.v.key, "", 1)
	c.h.search("standard output", []byte(out))
	for line := range bytes.Lines(c.v.err.Bytes()) {
		c.h.search("the log", line)
	}
	lines := map[any]int{}
	for _, record := range logged(c.T, c.v.err.String()) {
		lines[record["msg"]]++
	}
	if lines["request answered"] != c.answers || lines["job claimed"] < 10 || lines["job ended"] < 8 {
		c.Errorf("%d requests were answered; the log has %v", c.answers, lines)
	}
	if !strings.Contains(out, "Listening on") {
		c.Errorf("standard output is %q", out)
	}
}

// traced searches what was sent to the collector.
func (c *courier) traced() {
	spans := map[string]int{}
	for _, s := range c.spans.spans() {
		spans[s.Name]++
	}
	if spans["POST /v1/documents"] < 10 || spans["job"] < 10 || spans["read"] < 4 || spans["none"] < 1 {
		c.Errorf("the collector got %v", spans)
	}
	for _, body := range c.spans.sent {
		c.h.search("what was sent to the collector", body)
	}
	fmt.Fprintln(&c.sent, c.spans.complaint) // in each of the collector's answers
	for _, head := range c.spans.head {
		c.h.search("a header sent to the collector", fmt.Append(nil, head))
	}
}

// told searches what the command line tells of jobs and keys.
func (c *courier) told(id string) {
	for _, args := range [][]string{
		{"jobs", "list", "--all"}, {"jobs", "list", "--all", "--json"}, {"jobs", "show", id}, {"jobs", "show", id, "--json"}, {"keys", "list", "--json"},
	} {
		r := c.s.run(program(c.T), args...)
		if r.exit != 0 || len(r.out) < 100 {
			c.Errorf("%v ended with %d:\n%s%s", args, r.exit, r.out, r.err)
		}
		c.h.search(fmt.Sprint(args), []byte(r.out+r.err))
	}
}

// left searches the data directory: files as they lie there, every value of every table,
// every signed event, every image that may be handed out.
func (c *courier) left() {
	db, v := c.s.open()
	stored := map[vault.Class]int{}
	refs, err := v.List(c.ctx, "")
	for _, r := range refs {
		stored[r.Class]++
	}
	if err != nil || stored[vault.Upload] < 2 || stored[vault.Original] < 1 || stored[vault.Derivative] < 4 {
		c.Errorf("the vault holds %v, %v", stored, err)
	}
	before := c.h.searched
	c.h.files(c.s.data)
	c.h.rows(db, c.s.data)
	c.h.blobs(v)
	if n := c.h.searched - before; n < 1000 {
		c.Errorf("only %d pieces were searched in the data directory", n)
	}
}
