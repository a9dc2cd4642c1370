package main

import (
	"fmt"
	"os/exec"
	"strings"

	"blotter/bench/section"
)

// stages is the order of the pipeline.
var stages = []string{"queue", "fetch", "sniff", "extract", "read", "detect", "redact", "verify", "store", "seal"}

func markdown(rows []row, batch redaction, runs int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured by `make bench` on %s; %s. Median of %d runs.\n\n",
		section.Machine(), version("tesseract", "--version"), runs)
	fmt.Fprintf(&b, "All documents in one command: **%.1f pages a minute** (%d pages, %.1f s, start-up included); "+
		"peak memory %s parent, %s cell.\n\n", float64(len(batch.pages))/batch.wall.Minutes(), len(batch.pages),
		batch.wall.Seconds(), mib(batch.parent), mib(batch.cell))
	b.WriteString("| document | pages | blotter, whole command | its reading stage | tesseract psm 3 | whole ÷ tesseract | reading ÷ tesseract |\n")
	b.WriteString("|---|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range rows {
		read, theirs := float64(r.blotter.stages["read"]), float64(r.tesseract.wall.Milliseconds())
		whole := float64(r.blotter.wall.Milliseconds())
		fmt.Fprintf(&b, "| %s | %d | %.0f ms | %.0f ms | %.0f ms | %.2f | %.2f |\n",
			r.file, len(r.blotter.pages), whole, read, theirs, whole/theirs, read/theirs)
	}
	b.WriteString("\nMilliseconds by stage:\n\n| document | " + strings.Join(stages, " | ") + " |\n|---" + strings.Repeat("|--:", len(stages)) + "|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s", r.file)
		for _, s := range stages {
			fmt.Fprintf(&b, " | %d", r.blotter.stages[s])
		}
		b.WriteString(" |\n")
	}
	b.WriteString("\nPeak resident memory:\n\n| document | blotter parent | blotter cell | tesseract |\n|---|--:|--:|--:|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.file, mib(r.blotter.parent), mib(r.blotter.cell), mib(r.tesseract.peak))
	}
	return b.String()
}

func mib(bytes uint64) string { return fmt.Sprintf("%.0f MiB", float64(bytes)/(1<<20)) }

func version(command ...string) string {
	said, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	if err != nil {
		return command[0]
	}
	first, _, _ := strings.Cut(string(said), "\n")
	return first
}
