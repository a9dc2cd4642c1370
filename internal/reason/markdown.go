package reason

import (
	"fmt"
	"strings"
)

// Markdown renders the table as docs/reasons.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString(markdownHead)
	for _, e := range table {
		fmt.Fprintf(&b, "| %d | `%s` | %s | %s | %d | %d | %s |\n", e.Number, e.Code, e.Class, e.Owner, e.HTTP, e.Exit, e.Text)
	}
	return b.String()
}

const markdownHead = `# Reason codes

<!-- Written by: go test ./internal/reason -update. Do not edit. -->

Every outcome that an operator, a caller or an auditor sees has one of these codes. A code is never
renamed and never given another meaning; new ones are added at the end.

- **transient**: tried again with growing pauses, until the attempts are used up; then the job is dead.
- **permanent**: never tried again. The job is rejected after one attempt, or the one image is withheld.
- **operator**: a person must change something first. A job that meets it is dead; once the cause is gone, give the document again.

*Owner* is the team that an alert on the code calls. *HTTP* is the status of an answer that carries the
code, *exit* the exit status of a command that ends with it.

| No | code | class | owner | HTTP | exit | what happened, and what to do |
|---:|---|---|---|---:|---:|---|
`
