package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"io"
	"regexp"
	"strings"

	"blotter/internal/cell/inside/cfb"
	"blotter/internal/document"
)

// unwrapped is how deep documents within documents are looked into.
const unwrapped = 4

// scraps carves a document and those within it. Of a ZIP every member is carved, whatever
// the document says of it; of a compound file every stream, and then the file as it
// lies, which also holds what was deleted.
func scraps(b []byte, deep int) []scrap {
	if deep > unwrapped {
		return nil
	}
	switch {
	case bytes.HasPrefix(b, []byte("PK\x03\x04")):
		return members(b, deep)
	case bytes.HasPrefix(b, []byte(cfb.Magic)):
		return streams(b, deep)
	case bytes.HasPrefix(b, []byte("\x1f\x8b\x08")):
		r, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil
		}
		data, _ := io.ReadAll(io.LimitReader(r, mostInflated)) // as much as is whole
		return scraps(data, deep+1)
	case bytes.HasPrefix(b, []byte(`{\rtf`)):
		return runs(b, deep, hexRun, func(t []byte) ([]byte, error) { return hex.DecodeString(string(t)) })
	}
	out := carve(b)
	if len(out) == 1 && out[0].format == document.PDF {
		return out
	}
	for _, magic := range []string{cfb.Magic, "PK\x03\x04", "%PDF-1"} { // behind a header of its holder
		if i := bytes.Index(b, []byte(magic)); i > 0 && i < 1<<16 {
			out = append(out, scraps(b[i:], deep+1)...)
		}
	}
	return out
}

func members(b []byte, deep int) (out []scrap) {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			continue
		}
		data, _ := io.ReadAll(io.LimitReader(r, mostInflated)) // as much as is whole
		out = append(out, of(f.Name+" ", scraps(data, deep+1))...)
	}
	return out
}

// streams carves each stream, and what lies in the file beside them.
func streams(b []byte, deep int) (out []scrap) {
	root, err := cfb.Open(bytes.NewReader(b), int64(len(b)), 10_000)
	if err != nil {
		return carve(b)
	}
	var walk func(n *cfb.Node)
	walk = func(n *cfb.Node) {
		for _, c := range n.Children {
			walk(c)
		}
		if n.Storage || n.Size == 0 {
			return
		}
		data := make([]byte, n.Size)
		if k, err := n.ReadAt(data, 0); err == nil || k == len(data) {
			out = append(out, of(strings.Trim(n.Name, "\x00\x01\x02\x03\x05\x06")+" ", scraps(data, deep+1))...)
		}
	}
	walk(root)
	known := map[string]bool{}
	for _, s := range out {
		known[s.start()] = true
	}
	for _, s := range of("file ", carve(b)) {
		if !known[s.start()] {
			out = append(out, s)
		}
	}
	return out
}

// start tells pictures apart that may lie in pieces.
func (s scrap) start() string { return string(s.data[:min(len(s.data), 60)]) }

var (
	hexRun    = regexp.MustCompile(`[0-9a-fA-F][0-9a-fA-F\s]{80,}`)
	base64Run = regexp.MustCompile(`[A-Za-z0-9+/]{40,}={0,2}(?:\r?\n[A-Za-z0-9+/]+={0,2})*`)
	blank     = regexp.MustCompile(`\s+`)
)

// runs carves what long runs of digits stand for.
func runs(b []byte, deep int, run *regexp.Regexp, decode func([]byte) ([]byte, error)) (out []scrap) {
	for _, text := range run.FindAll(b, -1) {
		text = blank.ReplaceAll(text, nil)
		data, err := decode(text)
		if err != nil && len(data) < 44 {
			continue
		}
		out = append(out, scraps(data, deep+1)...)
	}
	return out
}

// letters carves the parts of a message as it travels.
func letters(b []byte) []scrap {
	return runs(b, 0, base64Run, func(t []byte) ([]byte, error) {
		t = bytes.TrimRight(t, "=")
		out := make([]byte, base64.RawStdEncoding.DecodedLen(len(t)))
		n, err := base64.RawStdEncoding.Decode(out, t)
		return out[:n], err
	})
}
