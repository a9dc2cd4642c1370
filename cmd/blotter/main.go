// Command blotter redacts the personal data in the images of documents and leaves a
// signed trail. See: blotter help.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"blotter/internal/cell/inside"
)

func main() {
	if inside.IsCell(os.Args) {
		os.Exit(inside.Main())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := run(ctx, os.Args[1:], os.Environ(), stdio{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

// stdio is where a command reads and writes.
type stdio struct {
	in       io.Reader
	out, err io.Writer
}
