package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"blotter/internal/cell/inside/extract"
	"blotter/internal/cell/inside/redact"
	"blotter/internal/cell/inside/sniff"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// speed is what extraction took: processor time, of user and system, because others may
// be at work on the machine; the least of the rounds for each document.
type speed struct {
	documents int
	images    int // written by blotter
	theirs    int // written by pdfimages
	blotter   []time.Duration
	pdfimages []time.Duration
	slower    []string
}

// measure extracts every PDF of the corpus that both open, image by image, to PNG
// files: one after the other, both tools by turns.
func measure(ctx context.Context, documents []doc, e extract.Engines, rounds int) (*speed, error) {
	if !installed("pdfimages") {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "conformance")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s := &speed{}
	for _, d := range documents {
		if f, err := d.format(); err != nil || f != document.PDF || d.path == "" {
			continue
		}
		if err := s.one(ctx, d, e, dir, rounds); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// one times one document. One that pdfimages never finishes, or that blotter refuses,
// is left out.
func (s *speed) one(ctx context.Context, d doc, e extract.Engines, dir string, rounds int) error {
	ours, theirs := time.Duration(1<<62), time.Duration(1<<62)
	written, wrote := 0, 0
	for range rounds {
		start := used()
		n, err := write(ctx, d, e, dir)
		if err != nil {
			if reason.Of(err) == reason.Internal {
				return err
			}
			return nil
		}
		ours, written = min(ours, used()-start), n
		spent, err := spend(ctx, "pdfimages", "-png", d.path, filepath.Join(dir, "i"))
		if err != nil {
			return nil //nolint:nilerr // one that it never finishes is no measure
		}
		theirs = min(theirs, spent)
		files, err := filepath.Glob(filepath.Join(dir, "i-*.png"))
		if err != nil {
			return err
		}
		wrote = len(files)
		for _, f := range files {
			if err := os.Remove(f); err != nil {
				return err
			}
		}
	}
	s.documents++
	s.images, s.theirs = s.images+written, s.theirs+wrote
	s.blotter, s.pdfimages = append(s.blotter, ours), append(s.pdfimages, theirs)
	if ours > theirs {
		s.slower = append(s.slower, fmt.Sprintf("%s: %d ms, pdfimages %d ms", d.name, ours.Milliseconds(), theirs.Milliseconds()))
	}
	return nil
}

// used is the processor time that this process has taken.
func used() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// write extracts the images of a document to PNG files, with the encoder of derivatives.
func write(ctx context.Context, d doc, e extract.Engines, dir string) (int, error) {
	src, err := extract.Open(ctx, bytes.NewReader(d.bytes), int64(len(d.bytes)), document.PDF, limits, e, sniff.Sniff)
	if err != nil {
		return 0, err
	}
	defer src.Close()
	written := 0
	for i, it := range src.Assets() {
		if it.Kind == document.Page || it.Withheld != "" {
			continue
		}
		img, err := src.Load(i)
		if err != nil {
			continue // pdfimages passes over what it cannot decode, too
		}
		f, err := os.Create(filepath.Join(dir, "o.png"))
		if err != nil {
			return written, reason.Because(reason.Internal, err)
		}
		if err := redact.Encode(f, img); err != nil {
			return written, reason.Because(reason.Internal, err)
		}
		if err := f.Close(); err != nil {
			return written, reason.Because(reason.Internal, err)
		}
		written++
	}
	return written, nil
}

func total(all []time.Duration) (sum time.Duration) {
	for _, d := range all {
		sum += d
	}
	return sum
}

func median(all []time.Duration) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

func (s *speed) write(out io.Writer) {
	fmt.Fprintf(out, "Images of %d PDF files to PNG files, one file after the other. Processor time (user and system), the least of the rounds\n"+
		"for each file. PDFium was started before, as a cell is ahead of its document; pdfimages is a process a file.\n\n", s.documents)
	fmt.Fprintf(out, "| | images | total | median of a file |\n|---|--:|--:|--:|\n")
	fmt.Fprintf(out, "| blotter | %d | %d ms | %.1f ms |\n", s.images, total(s.blotter).Milliseconds(), median(s.blotter).Seconds()*1000)
	fmt.Fprintf(out, "| `pdfimages -png` | %d | %d ms | %.1f ms |\n", s.theirs, total(s.pdfimages).Milliseconds(), median(s.pdfimages).Seconds()*1000)
	fmt.Fprintf(out, "\nSlower than pdfimages: %d of %d files.\n\n", len(s.slower), s.documents)
	for _, line := range s.slower {
		fmt.Fprintf(out, "- %s\n", line)
	}
}
