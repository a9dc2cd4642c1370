package wire

import "blotter/internal/reason"

// Purpose is what a cell is for. It is part of the Setup, so that it is fixed before the
// process starts: no document and no message turns a cell into another kind.
type Purpose uint8

// The purposes.
const (
	// Redact reads a document and redacts its images.
	Redact Purpose = 0
	// Inspect opens a document and says what is in it. Such a cell loads nothing that
	// reads, and sends no pixels.
	Inspect Purpose = 1
	// TryWalls takes no document: the cell does what hostile code would, and tells which
	// attempts the kernel refused.
	TryWalls Purpose = 2
	// TryMemory takes no document: the cell touches memory until it is stopped.
	TryMemory Purpose = 3
	// TryTime takes no document: the cell never ends by itself.
	TryTime Purpose = 4
)

// Takes reports whether a cell of this purpose takes a document.
func (p Purpose) Takes() bool { return p == Redact || p == Inspect }

// MaxPlaced is how many places on pages a cell that inspects may name. A document whose
// images are drawn more often than that has the rest counted only.
const MaxPlaced = 100_000

// The messages of a cell that inspects, in their order: Sniffed; for each asset
// AssetFound, its Placed where it is a page, Listed; last Done. Failed may come instead
// of any.
type (
	// Placed is one spot of the page last opened where an image is drawn: the box around
	// it in the page's pixels.
	Placed struct {
		Image      uint32 // index of the asset
		X, Y, W, H uint32
	}

	// Listed closes the asset last opened.
	Listed struct {
		Index     uint32
		Reason    reason.Number // why it cannot be redacted; zero where nothing speaks against it
		Bits      uint8         // a channel, as stored; 0 where unknown
		Channels  uint8         // as stored; 0 where unknown
		Spots     uint32        // places on pages where it is drawn
		Decoded   uint8         // 1 where it was decoded
		Nanos     int64         // that decoding it took; 0 unless it was decoded
		HighWater uint64        // resident bytes of the cell at their highest so far
	}
)

func (Placed) kind() kind { return kindPlaced }
func (Listed) kind() kind { return kindListed }

// Attempt is something that hostile code would try.
type Attempt uint8

// The attempts. Never renumbered within a release.
const (
	ReadFile Attempt = iota + 1
	ReadOwn
	WriteFile
	WriteWork
	MemoryFile
	TCP
	UDP
	UnixSocket
	Netlink
	PassDescriptor
	Execute
	ExecuteDescriptor
	Fork
	IOUring
	Trace
	ReadMemory
	SignalParent
	Mount
	NewNamespace
	Outlive
	RaiseLimit
	MapCode
	TurnIntoCode
	BecomeRoot
	ForeignCalls
	OverAddressSpace
	GrowFile
	attemptCount
)

// Attempts lists every attempt in its order.
func Attempts() []Attempt {
	out := make([]Attempt, 0, attemptCount-1)
	for a := ReadFile; a < attemptCount; a++ {
		out = append(out, a)
	}
	return out
}

var attemptNames = [attemptCount]string{
	ReadFile: "read a file", ReadOwn: "read blotter's own files", WriteFile: "write a file", WriteWork: "write into the working directory",
	MemoryFile: "make a memory file", TCP: "open a TCP socket", UDP: "open a UDP socket", UnixSocket: "open a Unix socket",
	Netlink: "open a netlink socket", PassDescriptor: "pass a descriptor on", Execute: "execute a program",
	ExecuteDescriptor: "execute an open file", Fork: "fork", IOUring: "io_uring", Trace: "ptrace", ReadMemory: "read the parent's memory",
	SignalParent: "signal the parent", Mount: "mount", NewNamespace: "make a user namespace", Outlive: "outlive the parent",
	RaiseLimit: "raise a limit", MapCode: "map code", TurnIntoCode: "turn data into code", BecomeRoot: "become root",
	ForeignCalls: "calls of another ABI", OverAddressSpace: "map more than the address space", GrowFile: "write to an open file",
}

// String says what is attempted.
func (a Attempt) String() string {
	if a == 0 || a >= attemptCount {
		return "invalid"
	}
	return attemptNames[a]
}

// Tried is what became of an attempt: the error number with which the kernel refused it,
// 0 where it went through. Early attempts were made before the system call filter stood,
// so that they tell of Landlock and the unprivileged user alone.
type Tried struct {
	Attempt Attempt
	Early   uint8 // 1 where it was
	Errno   uint32
}

func (Tried) kind() kind { return kindTried }

// TryPaths are what a cell that tries its walls tries to reach: files of this node that
// it must not read, and a directory that it must not write to. The setup is visible to
// other processes of the host, as these paths already are in its configuration.
type TryPaths struct {
	Read  []string
	Write string
}
