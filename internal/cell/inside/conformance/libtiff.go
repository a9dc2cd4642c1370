package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"blotter/internal/document"
)

var (
	atOffset = regexp.MustCompile(`TIFF Directory at offset 0x([0-9a-f]+)`)
	headline = regexp.MustCompile(`(?m)^(?:---|==)`)
	subs     = regexp.MustCompile(`SubIFD Offsets:([ 0-9]+)`)
)

// libtiff has ImageMagick decode the chain of a TIFF, and those directories that only
// hang on others one by one, which libtiff's own tools cut out. What ImageMagick does not
// turn into colours, libtiff does.
func libtiff(ctx context.Context, s scrap) (out []picture, err error) {
	out, err = magick(ctx, s)
	if !installed("tiffcp") {
		return out, err
	}
	if err != nil || slices.ContainsFunc(out, func(p picture) bool { return strings.Contains(p.name, "ycbcr") }) {
		if better, failed := colours(ctx, s); failed == nil {
			out, err = better, nil
		}
	}
	failed := scratch(s.data, ".tiff", func(dir, file string) error {
		for _, at := range directories(ctx, file) {
			alone := filepath.Join(dir, "alone.tiff")
			if _, err := tool(ctx, "tiffcp", "-o", strconv.Itoa(at), file, alone); err != nil {
				out = append(out, picture{why: err.Error()})
				continue
			}
			data, err := os.ReadFile(alone)
			if err != nil {
				return err
			}
			frames, err := magick(ctx, scrap{format: document.TIFF, data: data})
			if err != nil {
				out = append(out, picture{why: err.Error()})
				continue
			}
			out = append(out, frames[0])
		}
		return nil
	})
	return out, errors.Join(err, failed)
}

// colours has libtiff turn a file into red, green and blue.
func colours(ctx context.Context, s scrap) (out []picture, err error) {
	err = scratch(s.data, ".tiff", func(dir, file string) error {
		plain := filepath.Join(dir, "plain.tiff")
		if _, err := tool(ctx, "tiff2rgba", file, plain); err != nil {
			return err
		}
		data, err := os.ReadFile(plain)
		if err != nil {
			return err
		}
		out, err = magick(ctx, scrap{format: document.TIFF, data: data})
		for i := range out {
			out[i].lossy = true
			out[i].name = "by tiff2rgba"
		}
		return err
	})
	return out, err
}

// directories lists those of a TIFF that are not in its chain, by offset.
func directories(ctx context.Context, file string) (out []int) {
	seen := map[int]bool{}
	look := func(args ...string) (hanging []int) {
		text, _ := tool(ctx, "tiffinfo", append(args, file)...) // it warns by its exit status, too
		for _, part := range headline.Split(string(text), -1) {
			if m := atOffset.FindStringSubmatch(part); m != nil && strings.Contains(part, "Image Width") {
				at, _ := strconv.ParseInt(m[1], 16, 64)
				if strings.HasPrefix(part, "= TIFF") && len(args) == 0 {
					seen[int(at)] = true
				} else {
					hanging = append(hanging, int(at))
				}
			}
			for _, m := range subs.FindAllStringSubmatch(part, -1) {
				for _, f := range strings.Fields(m[1]) {
					at, _ := strconv.Atoi(f)
					hanging = append(hanging, at)
				}
			}
		}
		return hanging
	}
	for todo := look(); len(todo) > 0; todo = todo[1:] {
		if at := todo[0]; !seen[at] {
			seen[at] = true
			out = append(out, at)
			todo = append(todo, look("-o", strconv.Itoa(at))...)
		}
	}
	return out
}
