package wire

import (
	"encoding/json"
	"fmt"

	"blotter/internal/document"
)

// Stage1 and Stage2 are the first argument of a process that is a cell, in its two
// stages. No command has these names.
const (
	Stage1 = "__cell-1"
	Stage2 = "__cell-2"
	// WarmUp marks the document-less run that fills the compilation cache.
	WarmUp = "__cell-warm"
	// TryOut marks the document-less run that tries the operator's classifier.
	TryOut = "__cell-try"
)

// Descriptors that a cell inherits. Engines come as open files, so that a cell under
// another user reaches them even below a directory that this user may not enter.
const (
	SocketFD      = 3
	BinaryFD      = 4
	LibraryFD     = 5 // ONNX Runtime
	DetectionFD   = 6
	RecognitionFD = 7
	AngleFD       = 8
	DictionaryFD  = 9
	CacheFD       = 10 // directory of the WASM compilation cache
	ModelFD       = 11 // the operator's classifier; where there is none, these three are /dev/null
	TokenizerFD   = 12
	LabelsFD      = 13 // its config.json
	EndFD         = 14 // the first number that is not inherited
)

// Path names an inherited descriptor as a file.
func Path(fd int) string { return fmt.Sprintf("/proc/self/fd/%d", fd) }

// Setup is the node's configuration of a cell, given as its second argument. It is
// visible to other processes of the host and holds nothing secret.
type Setup struct {
	Purpose           Purpose    // what the cell is for
	Try               TryPaths   // of a cell that tries its walls
	Parent            int        // process id that the cell must die with
	UID, GID          int        // taken where the parent is root
	MemoryBytes       int64      // resident memory at which the parent ends the cell
	AddressSpaceBytes int64      // RLIMIT_AS
	HeapBytes         int64      // soft limit of the Go heap
	Threads           int        // threads that compute
	Nice              int        // scheduling priority, 0–19
	InForce           Protection // walls that the first stage has built

	Classifier *Classifier // nil: none
}

// Classifier says what the labels of the operator's model stand for, where their usual
// names do not: by the label in capitals, 0 for what is not personal.
type Classifier struct {
	Meanings map[string]document.Type
}

// Args is the argument list after the program's name.
func (s Setup) Args(stage string) []string {
	b, err := json.Marshal(s)
	if err != nil {
		panic("wire: setup: " + err.Error()) // numbers always encode
	}
	return []string{stage, string(b)}
}

// ParseSetup reads the arguments that Args makes.
func ParseSetup(args []string) (stage string, s Setup, err error) {
	if len(args) != 2 {
		return "", Setup{}, fmt.Errorf("wire: a cell has 2 arguments, not %d", len(args))
	}
	if err := json.Unmarshal([]byte(args[1]), &s); err != nil {
		return "", Setup{}, fmt.Errorf("wire: setup: %w", err)
	}
	return args[0], s, nil
}
