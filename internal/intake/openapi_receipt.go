package intake

import "github.com/danielgtaylor/huma/v2"

// receiptTexts describe members that come from the public format of receipts. The format's
// package stays free of what only this API needs.
var receiptTexts = map[string]string{
	"boxes":      "Redacted rectangles, in the image's own pixels after orientation",
	"code":       "The program that ran",
	"derivative": "The redacted image as a file; absent where it was withheld",
	"dpi":        "Resolution in dots per inch; 0: unknown",
	"engines":    "Models and native libraries, with their digests",
	"file":       "Name under which `blotter verify` expects it beside result.json",
	"frame":      "Number of the frame, from 1 on; 0: the container has none",
	"h":          "Height in pixels",
	"height":     "Height in pixels, after orientation",
	"index":      "Number of the image in the document, from 1 on",
	"input":      "The document as it came in",
	"job":        "Identifier of the job",
	"kind":       "What it is: page, image, frame, thumbnail, or document: one within the document that could not be opened",
	"media_type": "Media type, found out from the bytes; empty where it is not known",
	"module":     "Module path and version",
	"name":       "Name of it",
	"original":   "The image before redaction as a file; absent unless it was asked to be kept",
	"page":       "Number of the page, from 1 on; 0: the container has no pages",
	"pixels":     "Pixels decoded, summed over both passes",
	"policy":     "The redaction policy that was pinned at intake",
	"reason":     "Reason code; empty where there is nothing to explain",
	"revision":   "Revision in version control; +dirty where the tree was changed",
	"schema":     "Name and version of the format",
	"score":      "How sure the finding is, from 0 to 1",
	"sha256":     "SHA-256, 64 lower-case hexadecimal digits; of an image: of its pixels before redaction, empty where none were decoded",
	"source":     "Which layer found it",
	"state":      "State in which the job ended",
	"status":     "What became of the image: redacted or withheld",
	"type":       "Type of personal data",
	"version":    "Version of it",
	"w":          "Width in pixels",
	"within":     "The document within the document that it is in, by numbers from the outside in: [2, 1] is the first within the second; absent: the document itself",
	"width":      "Width in pixels, after orientation",
	"x":          "Distance from the left edge in pixels",
	"y":          "Distance from the upper edge in pixels",

	"assets":      "Every image of the document and what became of it",
	"bytes":       "Size in bytes",
	"not_covered": "What of the document is no image and was not processed",
	"over_budget": "Stages that took longer than their budget",
	"timings_ms":  "Milliseconds by stage",

	"algorithm": "Signature algorithm: ed25519",
	"id":        "Identifier of the key: a SHA-256 over its algorithm and bytes",
	"keys":      "Keys that sign, or once signed, for the log",
	"last_good": "Highest sequence number that the key may have signed; absent: no bound",
	"origin":    "Name of the log",
	"public":    "Public key, base64 of its 32 bytes",
	"revoked":   "Whether the key was revoked",
}

// explainReceipts describes what has no description of its own.
func explainReceipts(s *huma.Schema) {
	for name, p := range s.Properties {
		if p.Description == "" {
			p.Description = receiptTexts[name]
		}
	}
}
