package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"blotter/internal/document"
)

// decoded has a picture's frames decoded by a program of others: upright, on white, 8
// bits a channel. Where none decodes them, there is one picture that says why.
func decoded(ctx context.Context, s scrap) []picture {
	decode := map[document.Format]func(context.Context, scrap) ([]picture, error){
		document.PNG: magick, document.JPEG: magick, document.GIF: magick, document.BMP: magick, document.WebP: magick, document.ICO: magick,
		document.Photoshop: magick, document.TIFF: libtiff, document.HEIC: libheif, document.AVIF: libheif, document.JPEG2000: openjpeg,
		document.JBIG2: jbig2dec,
	}[s.format]
	var out []picture
	why := "no reference draws it"
	if decode != nil {
		var err error
		if out, err = decode(ctx, s); err != nil {
			why = err.Error()
		}
	}
	if len(out) == 0 {
		p := picture{why: why}
		if c, _, err := image.DecodeConfig(bytes.NewReader(s.data)); err == nil {
			p.width, p.height = c.Width, c.Height
		}
		out = []picture{p}
	}
	for i := range out {
		out[i].format, out[i].loose, out[i].from = s.format, s.inner, s.from
		out[i].name = strings.TrimSpace(s.format.String() + " " + out[i].name)
	}
	return out
}

var prefixes = map[document.Format]string{document.PNG: "png:", document.JPEG: "jpeg:", document.GIF: "gif:", document.BMP: "bmp:",
	document.WebP: "webp:", document.ICO: "ico:", document.TIFF: "tiff:", document.Photoshop: "psd:"}

// imageMagick is the name of the program, which version 7 changed.
func imageMagick() string {
	if installed("magick") {
		return "magick"
	}
	return "convert"
}

// magick has ImageMagick decode a file, frame by frame. Animations are shown as they play.
// There may be frames and an error: it shows what it can of a damaged file.
func magick(ctx context.Context, s scrap) (out []picture, err error) {
	if s.format == document.BMP && !bytes.HasPrefix(s.data, []byte("BM")) {
		s.data = bitmapFile(s.data)
	}
	program := imageMagick()
	err = scratch(s.data, "", func(dir, file string) error {
		args := []string{prefixes[s.format] + file}
		if s.format == document.GIF || s.format == document.WebP {
			args = append(args, "-coalesce")
		}
		colours := []string{"-colorspace", "sRGB"}
		if s.format == document.PNG { // the samples as stored, whatever gamma the file tells of
			colours = []string{"-set", "colorspace", "sRGB"}
		}
		list := filepath.Join(dir, "list")
		args = append(args, "-format", "%C %[colorspace]\n", "-write", "info:"+list)
		args = append(append(args, colours...), "-auto-orient", "-background", "white", "-alpha", "remove", "-alpha", "off", "-type", "TrueColor",
			"-depth", "8", "+set", "comment", "ppm:-")
		shown, failed := tool(ctx, program, args...)
		told, _ := os.ReadFile(list) // none where no frame was read
		for line := range bytes.Lines(told) {
			p := picture{name: strings.ToLower(string(bytes.TrimSpace(line))), lossy: lossy(s, string(line))}
			var img image.Image
			if img, shown, err = netpbm(shown); err != nil {
				return errors.Join(failed, err)
			}
			p.show(img)
			out = append(out, p)
		}
		return failed
	})
	return out, err
}

// lossy reports whether two right decoders may differ by more than rounding.
func lossy(s scrap, told string) bool {
	return s.format == document.JPEG || strings.Contains(told, "JPEG") || strings.Contains(told, "CMYK") || strings.Contains(told, "Lab") ||
		s.format == document.WebP && bytes.Contains(s.data, []byte("VP8 "))
}

// bitmapFile puts a file's header before a bitmap.
func bitmapFile(dib []byte) []byte {
	colours := int(binary.LittleEndian.Uint32(dib[32:]))
	if bits := dib[14]; colours == 0 && bits <= 8 {
		colours = 1 << bits
	}
	if dib[16] == 3 {
		colours += 3
	}
	head := binary.LittleEndian.AppendUint32([]byte("BM"), uint32(14+len(dib)))                //nolint:gosec // small
	head = binary.LittleEndian.AppendUint32(append(head, 0, 0, 0, 0), uint32(14+40+4*colours)) //nolint:gosec // small
	return append(head, dib...)
}

// libheif decodes the pictures that a HEIF file shows; sequences it does not know.
func libheif(ctx context.Context, s scrap) ([]picture, error) {
	return byPNG(ctx, s, ".heic", "i*.png", func(dir, file string) []string {
		return []string{"heif-convert", "--quiet", file, filepath.Join(dir, "i.png")}
	}, true)
}

// openjpeg decodes JPEG 2000. What was packed without loss comes out the same everywhere.
func openjpeg(ctx context.Context, s scrap) ([]picture, error) {
	suffix := ".j2k"
	if !bytes.HasPrefix(s.data, []byte("\xff\x4f")) {
		suffix = ".jp2"
	}
	cod := bytes.Index(s.data, []byte("\xff\x52\x00"))
	reversible := cod >= 0 && cod+13 < len(s.data) && s.data[cod+13] == 1
	return byPNG(ctx, s, suffix, "i.png", func(dir, file string) []string {
		return []string{"opj_decompress", "-i", file, "-o", filepath.Join(dir, "i.png")}
	}, !reversible)
}

func byPNG(ctx context.Context, s scrap, suffix, names string, command func(dir, file string) []string, lossy bool) (out []picture, err error) {
	err = scratch(s.data, suffix, func(dir, file string) error {
		args := command(dir, file)
		if _, err := tool(ctx, args[0], args[1:]...); err != nil {
			return err
		}
		files, err := filepath.Glob(filepath.Join(dir, names))
		for _, name := range files {
			b, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			img, err := png.Decode(bytes.NewReader(b))
			if err != nil {
				return err
			}
			p := picture{lossy: lossy}
			p.show(img)
			out = append(out, p)
		}
		return err
	})
	return out, err
}

// jbig2dec decodes the pages of a JBIG2 file.
func jbig2dec(ctx context.Context, s scrap) (out []picture, err error) {
	err = scratch(s.data, ".jbig2", func(_, file string) error {
		text, err := tool(ctx, "jbig2dec", "--quiet", "--format", "pbm", "--output", "-", file)
		for len(text) > 0 && err == nil {
			var p picture
			var img image.Image
			if img, text, err = netpbm(text); err == nil {
				p.show(img)
				out = append(out, p)
			}
		}
		return err
	})
	return out, err
}

// show gives a reference's picture its pixels, unless they are too many to compare.
func (p *picture) show(img image.Image) {
	b := img.Bounds()
	p.width, p.height = b.Dx(), b.Dy()
	if p.width*p.height > mostPixels {
		p.why = "too large to compare"
		return
	}
	paper := image.NewNRGBA(image.Rect(0, 0, p.width, p.height))
	draw.Draw(paper, paper.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(paper, paper.Bounds(), img, b.Min, draw.Over)
	p.pixels = paper
}

var netpbmHead = regexp.MustCompile(`^P([46])\s+(\d+)\s+(\d+)\s(?:255\s)?`)

// netpbm reads one picture and returns what stands behind it.
func netpbm(b []byte) (image.Image, []byte, error) {
	m := netpbmHead.FindSubmatch(b[:min(len(b), 64)])
	if m == nil {
		return nil, nil, errors.New("the reference wrote no picture")
	}
	w, _ := strconv.Atoi(string(m[2]))
	h, _ := strconv.Atoi(string(m[3]))
	b = b[len(m[0]):]
	stride := 3 * w
	if m[1][0] == '4' {
		stride = (w + 7) / 8
	}
	if stride <= 0 || h <= 0 || h > len(b)/stride {
		return nil, nil, fmt.Errorf("the reference's picture of %d×%d is cut off", w, h)
	}
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		row := b[y*stride:]
		for x := range w {
			c := color.NRGBA{A: 0xff}
			if m[1][0] == '6' {
				c.R, c.G, c.B = row[3*x], row[3*x+1], row[3*x+2]
			} else if row[x/8]>>(7-x%8)&1 == 0 {
				c.R, c.G, c.B = 0xff, 0xff, 0xff
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img, b[h*stride:], nil
}
