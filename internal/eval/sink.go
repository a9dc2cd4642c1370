package eval

import (
	"bytes"
	"io"

	"blotter/internal/cell"
	"blotter/internal/document"
)

// made is an asset as the cell left it. The PNG is nil where the asset is withheld.
type made struct {
	cell.Asset
	png []byte
}

// sink keeps a document's derivatives in memory until the cell is gone, so that judging
// them costs none of the time that is measured.
type sink struct {
	assets []made
	last   *bytes.Buffer
}

// Blob implements cell.Sink.
func (s *sink) Blob(int, bool) (io.WriteCloser, error) {
	s.last = new(bytes.Buffer)
	return buffer{s.last}, nil
}

// Asset implements cell.Sink.
func (s *sink) Asset(a cell.Asset) error {
	m := made{Asset: a}
	if a.Status == document.Redacted && s.last != nil {
		m.png = s.last.Bytes()
	}
	s.assets, s.last = append(s.assets, m), nil
	return nil
}

type buffer struct{ *bytes.Buffer }

func (buffer) Close() error { return nil }

// tally counts what became of the assets.
func tally(assets []made) Assets {
	out := Assets{Total: len(assets)}
	for _, m := range assets {
		if m.png == nil {
			out.Withheld++
		}
	}
	return out
}
