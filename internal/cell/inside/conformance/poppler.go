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
)

// popplers lists what pdfimages finds in a document, with its pixels.
func popplers(ctx context.Context, document []byte) (out []picture, err error) {
	if !installed("pdfimages") {
		return nil, nil
	}
	err = scratch(document, ".pdf", func(dir, file string) (err error) {
		out, err = poppler(ctx, dir, file)
		return err
	})
	return out, err
}

func poppler(ctx context.Context, dir, file string) ([]picture, error) {
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
	for i := range out { // a mask follows what is drawn through it
		if out[i].kind == "image" && i+1 < len(out) && (out[i+1].kind == "smask" || out[i+1].kind == "mask") {
			out[i].mask = &out[i+1]
		}
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

// mupdfs lists the sizes of what mutool extracts: images in the current state of the
// file, used or not.
func mupdfs(ctx context.Context, document []byte) (out []image.Point, err error) {
	err = scratch(document, ".pdf", func(_, file string) error {
		list, err := tool(ctx, "mutool", "show", file, "grep")
		if err != nil && len(list) == 0 {
			return err
		}
		out = sizes(list)
		return nil
	})
	return out, err
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
