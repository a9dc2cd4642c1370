package receipt

// ResultSchema names the format of Result.
const ResultSchema = "blotter.result/1"

// Result is result.json: what became of a document, for people and tools. It is not
// signed; CheckResult compares it with the event that is. It holds no recognised text
// and no file name but those that DerivativeName and OriginalName make.
type Result struct {
	Schema     string           `json:"schema"`
	Job        string           `json:"job"`
	Input      Input            `json:"input"`
	State      string           `json:"state"`  // "released", "awaiting_review", "rejected" or "dead"
	Reason     string           `json:"reason"` // reason code; empty: none
	NotCovered []string         `json:"not_covered"`
	Policy     Policy           `json:"policy"`
	Code       Code             `json:"code"`
	Assets     []ResultAsset    `json:"assets"`
	TimingsMS  map[string]int64 `json:"timings_ms"` // by stage, milliseconds
}

// ResultAsset is one image of the document and what became of it.
type ResultAsset struct {
	Index      int64       `json:"index"` // from 1, in the order of the document
	Kind       string      `json:"kind"`  // "page", "image" or "frame"
	Page       int64       `json:"page,omitempty"`
	Frame      int64       `json:"frame,omitempty"`
	MediaType  string      `json:"media_type"`
	Width      int64       `json:"width"`         // pixels, after orientation
	Height     int64       `json:"height"`        // pixels, after orientation
	DPI        int64       `json:"dpi,omitempty"` // dots per inch; the event does not bind it
	SHA256     string      `json:"sha256"`        // of its pixels before redaction; empty where it could not be read
	Status     string      `json:"status"`        // "redacted" or "withheld"
	Reason     string      `json:"reason"`        // reason code; empty: none
	Boxes      []ResultBox `json:"boxes"`
	Derivative *FileRef    `json:"derivative,omitempty"`
	Original   *FileRef    `json:"original,omitempty"` // only where originals were asked for
}

// ResultBox is a redacted rectangle in the asset's own pixels, after orientation.
type ResultBox struct {
	X      int64   `json:"x"`
	Y      int64   `json:"y"`
	W      int64   `json:"w"`
	H      int64   `json:"h"`
	Type   string  `json:"type"`
	Score  float64 `json:"score"` // 0–1 in steps of a thousandth, as the event has it
	Source string  `json:"source"`
}

// FileRef is a file beside result.json.
type FileRef struct {
	File      string `json:"file"`
	SHA256    string `json:"sha256,omitempty"` // of the file's bytes; originals have none
	MediaType string `json:"media_type,omitempty"`
}
