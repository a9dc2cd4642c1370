package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// patience is how long a reference may take over one document; some never end.
const patience = 20 * time.Second

// mostPixels is the largest picture of a reference that is compared.
const mostPixels = 60_000_000

// tool runs a reference and returns what it printed.
func tool(ctx context.Context, name string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return out, fmt.Errorf("%s did not end within %v", name, patience)
	}
	return out, err
}

// spend runs a reference and returns the processor time that it took; an error where it
// did not end within its patience.
func spend(ctx context.Context, name string, args ...string) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if ctx.Err() != nil || cmd.ProcessState == nil {
		return 0, fmt.Errorf("%s did not end: %w", name, errors.Join(err, ctx.Err()))
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// installed reports whether a reference is there.
func installed(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}

// file is where the references find a document.
func (d doc) file(dir string) (string, error) {
	if d.path != "" {
		return d.path, nil
	}
	name := filepath.Join(dir, "document.pdf")
	return name, os.WriteFile(name, d.bytes, 0o600)
}

// popplers lists what pdfimages finds, with its pixels.
func popplers(ctx context.Context, d doc) ([]picture, error) {
	dir, err := os.MkdirTemp("", "conformance")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file, err := d.file(dir)
	if err != nil {
		return nil, err
	}
	list, err := tool(ctx, "pdfimages", "-list", file)
	if err != nil && len(list) == 0 {
		return nil, err
	}
	out := rows(list)
	_, err = tool(ctx, "pdfimages", "-png", file, filepath.Join(dir, "i"))
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return out, err
	}
	for i := range out {
		if out[i].width*out[i].height > mostPixels {
			out[i].why = "too large to compare"
			continue
		}
		f, err := os.Open(filepath.Join(dir, fmt.Sprintf("i-%03d.png", i)))
		if err != nil {
			out[i].why = "pdfimages wrote nothing"
			continue
		}
		if out[i].pixels, err = png.Decode(bufio.NewReader(f)); err != nil {
			out[i].why = "pdfimages wrote no whole PNG"
		}
		_ = f.Close()
	}
	return out, nil
}

// rows reads pdfimages -list.
func rows(list []byte) []picture {
	var out []picture
	for line := range bytes.Lines(list) {
		f := strings.Fields(string(line))
		if len(f) < 9 {
			continue
		}
		page, err := strconv.Atoi(f[0])
		if err != nil {
			continue
		}
		w, _ := strconv.Atoi(f[3])
		h, _ := strconv.Atoi(f[4])
		plain := f[5] == "gray" || f[5] == "rgb" || f[5] == "index" || f[5] == "-"
		out = append(out, picture{name: fmt.Sprintf("%s %s %s %s-bit %s", f[2], f[5], f[6], f[7], f[8]),
			kind: f[2], page: page, width: w, height: h, lossy: !plain || f[8] == "jpeg" || f[8] == "jpx" || f[7] == "16"})
	}
	return out
}

var sizeFact = regexp.MustCompile(`(\d+)x(\d+)`)

// mupdfs lists the sizes of what mutool extracts: images in the current state of the
// file, used or not.
func mupdfs(ctx context.Context, d doc) ([]image.Point, error) {
	dir, err := os.MkdirTemp("", "conformance")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file, err := d.file(dir)
	if err != nil {
		return nil, err
	}
	list, err := tool(ctx, "mutool", "show", file, "grep")
	if err != nil && len(list) == 0 {
		return nil, err
	}
	return sizes(list), nil
}

var (
	widthEntry  = regexp.MustCompile(`/Width (\d+)[/>]`)
	heightEntry = regexp.MustCompile(`/Height (\d+)[/>]`)
)

// sizes reads the images out of a list of all objects.
func sizes(list []byte) []image.Point {
	var out []image.Point
	for line := range bytes.Lines(list) {
		if !bytes.Contains(line, []byte("/Subtype/Image")) {
			continue
		}
		w, h := widthEntry.FindSubmatch(line), heightEntry.FindSubmatch(line)
		if w == nil || h == nil {
			continue
		}
		x, _ := strconv.Atoi(string(w[1]))
		y, _ := strconv.Atoi(string(h[1]))
		out = append(out, image.Pt(x, y))
	}
	return out
}
