package receipt

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// DerivativeName is the file name of an asset's derivative beside a result.
func DerivativeName(index int64) string { return fmt.Sprintf("asset-%04d.png", index) }

// OriginalName is the file name of an asset's extracted original beside a result.
func OriginalName(index int64) string { return fmt.Sprintf("asset-%04d.original.png", index) }

// Box writes a result's box as an event holds it.
func (b ResultBox) Box() Box {
	return Box{X: b.X, Y: b.Y, W: b.W, H: b.H, Type: b.Type, PerMille: perMille(b.Score), Source: b.Source}
}

// ResultBox writes an event's box as a result holds it.
func (b Box) ResultBox() ResultBox {
	return ResultBox{X: b.X, Y: b.Y, W: b.W, H: b.H, Type: b.Type, Score: float64(b.PerMille) / 1000, Source: b.Source}
}

// Asset writes a result's asset as an event holds it, with its boxes in line
// (CompactBoxes puts them apart where they are too many).
func (a ResultAsset) Asset() Asset {
	out := Asset{
		Index: a.Index, Kind: a.Kind, Within: a.Within, Page: a.Page, Frame: a.Frame, MediaType: a.MediaType,
		Width: a.Width, Height: a.Height, SHA256: a.SHA256, Status: a.Status, Reason: a.Reason,
	}
	for _, b := range a.Boxes {
		out.Boxes = append(out.Boxes, b.Box())
	}
	if a.Derivative != nil {
		out.DerivativeSHA256 = a.Derivative.SHA256
	}
	return out
}

// perMille gives −1, which no event holds, for a score that is no whole thousandth.
func perMille(score float64) int64 {
	for _, n := range []int64{int64(score * 1000), int64(score*1000) + 1} {
		if float64(n)/1000 == score {
			return n
		}
	}
	return -1
}

// BoxesDigest is the SHA-256, in hexadecimal, of the canonical JSON of a list of boxes.
func BoxesDigest(boxes []Box) (string, error) {
	data, err := canonical(boxes)
	if err != nil {
		return "", failf(CodeMalformed, "boxes: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// CompactBoxes returns the assets as an event holds them: where the canonical JSON of
// all boxes together is over MaxInlineBoxes, every asset's boxes are replaced by their
// digest. The boxes themselves stay in result.json.
func CompactBoxes(assets []Asset) ([]Asset, error) {
	total := 0
	for _, a := range assets {
		data, err := canonical(a.Boxes)
		if err != nil {
			return nil, failf(CodeMalformed, "boxes: %w", err)
		}
		total += len(data)
	}
	if total <= MaxInlineBoxes {
		return assets, nil
	}
	out := make([]Asset, len(assets))
	for i, a := range assets {
		if len(a.Boxes) > 0 {
			digest, err := BoxesDigest(a.Boxes)
			if err != nil {
				return nil, err
			}
			a.Boxes, a.BoxesSHA256 = nil, digest
		}
		out[i] = a
	}
	return out, nil
}
