package receipt

import "encoding/json"

// ResultSchema names the format of Result.
const ResultSchema = "blotter.result/1"

// Result is result.json: what became of one document, for tools. It stands beside the
// receipt and repeats what the event says in a form that is easier to use; CheckResult
// compares the two. It holds no recognised text and no name that a caller supplied.
type Result struct {
	Schema     string           `json:"schema"`
	Job        string           `json:"job"`
	Input      Input            `json:"input"`
	State      string           `json:"state"` // "released", "awaiting_review", "rejected" or "dead"
	Reason     string           `json:"reason"`
	NotCovered []string         `json:"not_covered"` // what of the document is no image and was not processed
	Policy     Policy           `json:"policy"`
	Code       Code             `json:"code"`
	Assets     []ResultAsset    `json:"assets"`
	TimingsMS  map[string]int64 `json:"timings_ms"`            // by stage; "seal" is measured after the event was signed
	OverBudget []string         `json:"over_budget,omitempty"` // stages that took longer than the node's budget
	Pixels     int64            `json:"pixels,omitempty"`      // decoded, summed over both passes
}

// ResultAsset is one image of the document.
type ResultAsset struct {
	Index      int64       `json:"index"`
	Kind       string      `json:"kind"`             // "page", "image", "frame", "thumbnail", or "document": one within that could not be opened
	Within     []int64     `json:"within,omitempty"` // the document within the document that it is in, by numbers from the outside in
	Page       int64       `json:"page"`             // 0: the container has no pages
	Frame      int64       `json:"frame"`
	MediaType  string      `json:"media_type"`
	Width      int64       `json:"width"`  // pixels after orientation
	Height     int64       `json:"height"` // pixels after orientation
	DPI        int64       `json:"dpi"`    // 0: unknown
	SHA256     string      `json:"sha256"` // of the pixels before redaction; empty where none were decoded
	Status     string      `json:"status"` // "redacted" or "withheld"
	Reason     string      `json:"reason"`
	Boxes      []ResultBox `json:"boxes"`
	Derivative *ResultFile `json:"derivative,omitempty"`
	Original   *ResultFile `json:"original,omitempty"`
}

// ResultBox is a redacted rectangle in the asset's own pixels, after orientation.
type ResultBox struct {
	X      int64   `json:"x"`
	Y      int64   `json:"y"`
	W      int64   `json:"w"`
	H      int64   `json:"h"`
	Type   string  `json:"type"`
	Score  float64 `json:"score"` // 0–1 in steps of 0.001, as the event's per mille
	Source string  `json:"source"`
}

// ResultFile is a file that lies beside result.json.
type ResultFile struct {
	File      string `json:"file"`
	SHA256    string `json:"sha256,omitempty"`
	MediaType string `json:"media_type,omitempty"`
}

// Encode writes result.json, indented, in the one member order that CheckResult
// accepts: two readers must not be able to see different things in it.
func (r Result) Encode() ([]byte, error) {
	if r.NotCovered == nil {
		r.NotCovered = []string{}
	}
	assets := make([]ResultAsset, len(r.Assets))
	for i, a := range r.Assets {
		if a.Boxes == nil {
			a.Boxes = []ResultBox{}
		}
		assets[i] = a
	}
	r.Assets = assets
	out, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, failf(CodeMalformed, "result: %w", err)
	}
	return append(out, '\n'), nil
}
