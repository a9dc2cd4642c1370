// Package inspect says what is in a document: its containers, its images and why any of
// them could not be redacted. The document is opened in a cell that loads nothing that
// reads, and that sends numbers and enumerations alone, so that a report can hold no text
// of the document and no name within it.
//
// Nothing is stored: no data directory is opened, and no copy is made.
package inspect

import (
	"context"
	"errors"
	"fmt"
	"os"

	"blotter/internal/cell"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/internal/source"
)

// Schema names the form of a Report as JSON.
const Schema = "blotter.inspect/1"

// Report is what is in a document. It holds no name and no text.
type Report struct {
	Schema      string   `json:"schema"`
	MediaType   string   `json:"media_type,omitempty"` // as its bytes say; empty where it was refused before they were looked at
	Bytes       int64    `json:"bytes"`
	SHA256      string   `json:"sha256,omitempty"` // empty where the document is over its limit
	Reason      string   `json:"reason,omitempty"` // why nothing of it could be redacted
	Pages       int      `json:"pages"`
	Images      int      `json:"images"`
	Frames      int      `json:"frames"`
	Unopened    int      `json:"unopened"` // documents within
	Withheld    int      `json:"withheld"` // of all of these
	NotCovered  []string `json:"not_covered"`
	Assets      []Asset  `json:"assets"`
	Places      []Place  `json:"places"`
	SniffMS     int64    `json:"sniff_ms"`
	ExtractMS   int64    `json:"extract_ms"`
	PeakBytes   int64    `json:"peak_bytes"` // resident memory of the cell at its highest
	Protections []string `json:"protections"`
}

// Asset is one page, embedded image or frame.
type Asset struct {
	Index     int    `json:"index"`
	Kind      string `json:"kind"`
	Within    string `json:"within,omitempty"` // the document within that it is in: 2.1 is the first within the second
	Page      int    `json:"page,omitempty"`
	Frame     int    `json:"frame,omitempty"`
	MediaType string `json:"media_type"` // its own encoding; a page has its container's
	Width     int    `json:"width_px"`   // 0 where headers do not tell
	Height    int    `json:"height_px"`
	DPI       int    `json:"dpi,omitempty"`      // declared, or chosen for a page
	Bits      int    `json:"bits,omitempty"`     // a channel, as stored
	Channels  int    `json:"channels,omitempty"` // as stored
	Drawn     int    `json:"drawn,omitempty"`    // places on pages
	Withheld  string `json:"withheld,omitempty"` // why it cannot be redacted
	Decoded   bool   `json:"decoded,omitempty"`
	DecodeMS  int64  `json:"decode_ms,omitempty"`
}

// Place is a spot of a page where an image is drawn: the box around it in the page's pixels.
type Place struct {
	Page  int `json:"page"`  // index of the page's asset
	Image int `json:"image"` // index of the image's
	X     int `json:"x_px"`
	Y     int `json:"y_px"`
	W     int `json:"width_px"`
	H     int `json:"height_px"`
}

// Cells open documents, each in a cell of its own (cell.Pool).
type Cells interface {
	Get(ctx context.Context) (*cell.Cell, error)
}

// File inspects a file. A document that is refused is a report with a reason; the error
// is for a file or a cell that cannot be used.
func File(ctx context.Context, cells Cells, path string, t wire.Task) (Report, error) {
	doc, size, err := open(path)
	if err != nil {
		return Report{}, err
	}
	defer doc.Close()
	seen, digest, err := Look(ctx, cells, doc, size, t)
	code := reason.Of(err)
	if err != nil && reason.Must(code).Class != reason.Permanent {
		return Report{}, err
	}
	return report(seen, size, digest, code), nil
}

// open opens a regular file that the caller named.
func open(path string) (*os.File, int64, error) {
	doc, err := source.OpenFile(path)
	if err != nil {
		return nil, 0, reason.Because(reason.UsageWrong, fmt.Errorf("%q is not a file that can be read", path))
	}
	st, err := doc.Stat()
	if err != nil {
		return nil, 0, errors.Join(reason.Because(reason.SourceUnreadable, err), doc.Close())
	}
	return doc, st.Size(), nil
}

// Look hashes a document and gives it to a cell. The error carries the reason why nothing
// of it could be redacted; a document over its limit is refused before it is read.
func Look(ctx context.Context, cells Cells, doc *os.File, size int64, t wire.Task) (cell.Inspection, document.Digest, error) {
	if size > t.Limits.SourceBytes {
		return cell.Inspection{}, document.Digest{}, reason.Because(reason.SourceBytes, nil)
	}
	digest, err := source.Sum(ctx, doc, t.Limits.SourceBytes)
	if err != nil {
		return cell.Inspection{}, document.Digest{}, err
	}
	c, err := cells.Get(ctx)
	if err != nil {
		return cell.Inspection{}, digest, err
	}
	seen, err := c.Inspect(ctx, doc, t)
	return seen, digest, err
}

func report(seen cell.Inspection, size int64, digest document.Digest, code reason.Code) Report {
	r := Report{
		Schema: Schema, Bytes: size, Reason: string(code),
		NotCovered: seen.NotCovered.Names(), Assets: []Asset{}, Places: []Place{}, Protections: seen.Protections.Names(),
		SniffMS: seen.Timings[document.StageSniff].Milliseconds(), ExtractMS: seen.Timings[document.StageExtract].Milliseconds(),
		PeakBytes: seen.PeakBytes,
	}
	if code != reason.SourceBytes {
		r.MediaType, r.SHA256 = seen.Format.String(), digest.String()
	}
	for _, l := range seen.Images {
		r.add(l)
	}
	for _, p := range seen.Places {
		r.Places = append(r.Places, Place{Page: p.Page, Image: p.Image, X: p.Box.X, Y: p.Box.Y, W: p.Box.W, H: p.Box.H})
	}
	return r
}

func (r *Report) add(l cell.Listed) {
	switch l.Kind {
	case document.Page:
		r.Pages++
	case document.Frame:
		r.Frames++
	case document.Whole:
		r.Unopened++
	default:
		r.Images++
	}
	if l.Withheld != "" {
		r.Withheld++
	}
	r.Assets = append(r.Assets, Asset{
		Index: l.Index, Kind: l.Kind.String(), Within: l.Within.String(), Page: l.Page, Frame: l.Frame, MediaType: l.Format.String(),
		Width: l.Width, Height: l.Height, DPI: l.DPI, Bits: l.Bits, Channels: l.Channels, Drawn: l.Spots,
		Withheld: string(l.Withheld), Decoded: l.Decoded, DecodeMS: l.Took.Milliseconds(),
	})
}
