// Package section writes a marked section of a Markdown report, and says on which
// machine it was measured.
package section

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Replace puts text between the marks <!-- name:begin --> and <!-- name:end --> of a file.
// It is an error where the file has no such marks.
func Replace(path, name, text string) error {
	begin, end := "<!-- "+name+":begin -->\n", "<!-- "+name+":end -->"
	body, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(body), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return fmt.Errorf("the report has no marks %s", name)
	}
	return os.WriteFile(path, []byte(before+begin+"\n"+text+"\n"+end+after), 0o644)
}

// Machine says what was measured on.
func Machine() string {
	return fmt.Sprintf("%s, %d logical processors, %s", processor(), runtime.NumCPU(), runtime.Version())
}

// processor is the name that the kernel gives, "an unnamed processor" where it gives none.
func processor() string {
	body, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(body)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "an unnamed processor"
}
