package worker

import (
	"context"
	"io"

	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/internal/source"
)

// Sources are the stores that documents are fetched from (source.Stores).
type Sources interface {
	// Fetch copies the document to dst and returns its size in bytes. It never writes more
	// than limit bytes, and returns no error only where their SHA-256 is want. Errors carry
	// a code, whose class says whether the job is tried again, and no name.
	Fetch(ctx context.Context, r source.Ref, dst io.Writer, limit int64, want document.Digest) (int64, error)
}

// commandLine are the files that the command line was given, and nothing else.
type commandLine struct{}

func (commandLine) Fetch(ctx context.Context, r source.Ref, dst io.Writer, limit int64, want document.Digest) (int64, error) {
	return source.Fetch(ctx, r, dst, limit, want)
}

func (w *Worker) sources() Sources {
	if w.Sources == nil {
		return commandLine{}
	}
	return w.Sources
}

// fetch fills the working copy.
func (a *attempt) fetch(ctx context.Context, s staged) error {
	defer a.time(document.StageFetch)()
	f, err := s.copy.Writer()
	if err != nil {
		return err
	}
	n, err := a.copyTo(ctx, f)
	if err == nil {
		a.bytes = n
	}
	if cerr := f.Close(); err == nil && cerr != nil {
		err = reason.Because(reason.WorkdirFailed, cerr)
	}
	return err
}

// copyTo copies the document from where the order says that it lies.
func (a *attempt) copyTo(ctx context.Context, dst io.Writer) (int64, error) {
	if !a.order.Upload {
		return a.worker.sources().Fetch(ctx, a.order.Source, dst, a.limits.SourceBytes, a.job.Input)
	}
	src, err := a.worker.Vault.OpenUpload(ctx, a.job.ID)
	if err != nil {
		return 0, err
	}
	defer src.Close()
	return source.Copy(ctx, dst, src, a.limits.SourceBytes, a.job.Input)
}
