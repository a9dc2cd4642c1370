package receipt

// Limits of the format. A verifier that follows them needs bounded memory.
const (
	// MaxReceiptBytes bounds a receipt, in bytes. An event of 500 assets with all its
	// boxes apart takes under 1 MiB; the rest is room for later kinds.
	MaxReceiptBytes = 16 << 20

	// MaxInlineBoxes bounds the canonical JSON of all boxes of an event, in bytes. Over
	// it the boxes stand apart and the event holds their digests (docs/audit-format.md).
	MaxInlineBoxes = 32 << 10

	// MaxProofHashes bounds an inclusion proof: a tree of 2^63 entries needs 63 hashes.
	MaxProofHashes = 63

	// MaxCheckpointSignatures bounds the signature lines of a checkpoint: one of the
	// log, a second while its key changes, and room for witnesses.
	MaxCheckpointSignatures = 8

	// maxInteger is the largest integer that every JSON reader keeps exactly (2^53 − 1,
	// RFC 8785 section 3.2.2.3 and RFC 7493 section 2.2).
	maxInteger = 1<<53 - 1
)
