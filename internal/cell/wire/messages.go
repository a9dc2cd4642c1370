// Package wire is what parent and cell say to each other: framed, bounded, fully
// typed messages. What the cell sends can carry no free string: only numbers,
// enumerations, digests and the bytes of a PNG, whose structure the parent checks
// without decoding it. The parent treats every message as hostile.
package wire

import (
	"blotter/internal/document"
	"blotter/internal/reason"
)

// Task goes to the cell with the document: what the policy wants, already tightened
// by the node's own ceilings.
type Task struct {
	document.Rules
	Limits    document.Limits
	Originals bool              // also send each asset's pixels before redaction
	Deny      []document.Format // refused as soon as they are sniffed, with policy.denied
	OneImage  bool              // refuse all but a raster file, with sniff.not_an_image, before anything is decoded
	Decode    bool              // of a cell that inspects: also decode each asset, to measure it
	Subject   []byte            // JSON of words.Subject; empty where the caller gave no hints
	Without   []document.Source // layers that do not look, to measure what each gives; empty for every job
}

// GoOn is the byte with which the parent lets the cell go on with the asset that its
// Progress named. The parent sends nothing else after the task.
const GoOn = 1

// The messages of the cell, in their order: Ready; then for a task Sniffed; for each
// asset in order AssetFound, the chunks of its original if asked for, its Burned
// boxes, the chunks of its derivative, AssetDone; last Done. Progress may come between
// any two, Failed instead of any.
type (
	// Ready says that engines are loaded and every wall stands.
	Ready struct {
		Protections Protection
	}

	// Sniffed says what the document is and how many assets it has.
	Sniffed struct {
		Format     document.Format
		NotCovered document.NotCovered
		Assets     uint32
	}

	// AssetFound opens an asset.
	AssetFound struct {
		Index         uint32
		Kind          document.AssetKind
		Within        document.Path
		Page, Frame   uint32
		Format        document.Format
		Width, Height uint32
		DPI           uint32
		Digest        document.Digest
	}

	// Burned is one box of the asset last opened.
	Burned struct {
		X, Y, W, H uint32
		Type       document.Type
		PerMille   uint16 // score × 1000
		Source     document.Source
	}

	// AssetDone closes the asset last opened. A withheld one has no derivative.
	AssetDone struct {
		Index  uint32
		Status document.Status
		Reason reason.Number // zero unless withheld
	}

	// Progress says how far the cell is; it carries no result. One that names an asset
	// (Index above 0) stands between two assets: the cell waits there for GoOn.
	Progress struct {
		Stage document.Stage
		Index uint32
	}

	// Done ends a document.
	Done struct {
		NotCovered document.NotCovered
		Nanos      [10]int64 // by document.Stage
		Pixels     uint64    // decoded, summed
		Entries    uint32    // of all containers
		Ratio      uint32    // of the densest entry that is large enough to be judged by it
		Unpacked   uint64    // bytes of all entries
	}

	// Failed ends a document for which nothing can be released.
	Failed struct {
		Reason reason.Number
		Format document.Format
	}
)
