package pdf

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/hex"
	"io"
)

// headBytes is how much of an unfiltered stream is looked at for its header. A JPEG's
// frame header may stand behind metadata of 64 KiB a segment; a photograph with a colour
// profile, a thumbnail and edits has about 200 KiB of it.
const headBytes = 1 << 20

// unfilter undoes the filters that stand before an image's codec and returns the first
// headBytes of what the codec gets, or less where the stream breaks off. It reports
// false for a filter that it does not know. Predictors are not undone: they are for
// pixels, and under one no header is found.
func unfilter(raw []byte, filters []string) (head []byte, ok bool) {
	var r io.Reader = bytes.NewReader(raw)
	for _, f := range filters {
		switch f {
		case "FlateDecode", "Fl":
			z, err := zlib.NewReader(r)
			if err != nil {
				return nil, false
			}
			r = z
		case "ASCII85Decode", "A85":
			r = ascii85.NewDecoder(&before{r: r, end: '~'})
		case "ASCIIHexDecode", "AHx":
			r = hex.NewDecoder(&before{r: r, end: '>', blanks: "\x00\t\n\f\r "})
		default:
			return nil, false
		}
	}
	// An error ends the prefix: the header may stand before it.
	head, _ = io.ReadAll(io.LimitReader(r, headBytes))
	return head, true
}

// before reads up to a mark and leaves blanks out.
type before struct {
	r      io.Reader
	end    byte
	blanks string
	over   bool
}

func (b *before) Read(p []byte) (int, error) {
	for !b.over {
		n, err := b.r.Read(p)
		if at := bytes.IndexByte(p[:n], b.end); at >= 0 {
			n, b.over = at, true
		}
		kept := 0
		for _, c := range p[:n] {
			if bytes.IndexByte([]byte(b.blanks), c) < 0 {
				p[kept] = c
				kept++
			}
		}
		if kept > 0 || err != nil {
			return kept, err
		}
	}
	return 0, io.EOF
}
