package inspect

import (
	"strings"
	"testing"

	"blotter/internal/cell"
	"blotter/internal/document"
	"blotter/internal/reason"
)

func strip(index int) cell.Listed {
	return cell.Listed{Asset: document.Asset{Index: index, Kind: document.Image, Page: 1, Format: document.JPEG, Width: 2480, Height: 16, DPI: 300},
		Bits: 8, Channels: 3, Spots: 1}
}

// Strips of a scan share a line, a withheld image has one of its own, and each reason is
// explained once.
func TestText(t *testing.T) {
	seen := cell.Inspection{Images: []cell.Listed{
		{Asset: document.Asset{Index: 1, Kind: document.Page, Page: 1, Format: document.PDF, Width: 1654, Height: 2339, DPI: 200}},
		strip(2), strip(3), strip(4),
		{Asset: document.Asset{Index: 5, Kind: document.Image, Page: 1, Format: document.EMF}, Withheld: reason.ExtractVector},
		{Asset: document.Asset{Index: 6, Kind: document.Image, Page: 1, Format: document.WMF}, Withheld: reason.ExtractVector},
		strip(7),
	}}
	seen.Format, seen.NotCovered = document.PDF, document.Metadata
	seen.Images[3].Decoded, seen.Images[2].Decoded, seen.Images[1].Decoded = true, true, true
	for i := range 3 {
		seen.Images[1+i].Took = 2e6
	}
	var b strings.Builder
	if err := report(seen, 99, document.Sum(nil), "").WriteText(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{
		"application/pdf, 99 bytes", "1 page, 6 images; withheld: 2", "not covered  metadata", "2–4", "decoded, 6 ms", "3×8", "unknown",
		"withheld: extract.vector_image", "to be read",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "extract.vector_image: "); n != 1 {
		t.Errorf("the reason is explained %d times", n)
	}
	if n := strings.Count(text, "2480×16"); n != 2 {
		t.Errorf("the strips take %d lines", n)
	}
}

// A document over its limit was neither hashed nor looked at, and the report says so.
func TestTextOfTheUnread(t *testing.T) {
	var b strings.Builder
	if err := report(cell.Inspection{}, 1e9, document.Digest{}, reason.SourceBytes).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, "not looked at, 1000000000 bytes") || strings.Contains(text, "sha256") ||
		!strings.Contains(text, "source.byte_limit: ") {
		t.Errorf("%s", text)
	}
}
