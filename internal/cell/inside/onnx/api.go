package onnx

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"

	"blotter/internal/cell/inside/resident"
)

// Places of functions in struct OrtApi, counted from zero in the order in which
// onnxruntime_c_api.h declares them. The struct only ever grows at its end, so they
// hold for every version from the one asked for.
const (
	apiVersion = 20

	getErrorMessage                = 2
	createEnv                      = 3
	createSessionFromArray         = 8
	runSession                     = 9
	createSessionOptions           = 10
	disableMemPattern              = 17
	disableCPUMemArena             = 19
	setSessionGraphOptimization    = 23
	setIntraOpNumThreads           = 24
	sessionGetInputCount           = 30
	sessionGetInputName            = 36
	sessionGetOutputName           = 37
	createTensorAsOrtValue         = 48
	getTensorMutableData           = 51
	getTensorElementType           = 60
	getDimensionsCount             = 61
	getDimensions                  = 62
	getTensorTypeAndShape          = 65
	createCPUMemoryInfo            = 69
	allocatorAlloc                 = 75
	allocatorFree                  = 76
	getAllocatorWithDefaultOptions = 78
	releaseEnv                     = 92
	releaseStatus                  = 93
	releaseMemoryInfo              = 94
	releaseSession                 = 95
	releaseValue                   = 96
	releaseTensorTypeAndShapeInfo  = 99
	releaseSessionOptions          = 100
	addSessionConfigEntry          = 130
	createAllocator                = 131
	releaseAllocator               = 132
	createAndRegisterAllocator     = 144
	releaseArenaConfig             = 157
	createArenaConfig              = 164 // CreateArenaCfgV2

	functions = 165
)

// Constants of the C API.
const (
	logFatal       = 4  // failures come back as statuses; nothing is to be written to standard error
	optimiseAll    = 99 // layout changes included; level 2 is half as slow again
	arenaAllocator = 1  // OrtArenaAllocator
	defaultMemory  = 0  // OrtMemTypeDefault
	elementFloat   = 1  // ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT
	elementInt64   = 7  // ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64
	maxRank        = 8
	maxInputs      = 4 // of a model; a token classifier has three
)

// frame is the memory that one call into native code reads arguments from and writes
// results to. It lies on the heap and is pinned for as long as the call may use it:
// a Go stack moves while native code runs on another, and a pointer into it then
// writes into a stranger's memory.
//
// Results are unsafe.Pointer because they point to native memory, which the garbage
// collector knows to leave alone.
type frame struct {
	out      unsafe.Pointer
	kind     int32
	rank     uintptr
	size     uintptr
	dims     [maxRank]int64
	inNames  [maxInputs]unsafe.Pointer
	outNames [1]unsafe.Pointer
	inValues [maxInputs]unsafe.Pointer
	place    struct{ name, base, symbol, address uintptr } // Dl_info
	pins     runtime.Pinner
}

func newFrame() *frame {
	f := &frame{}
	f.pins.Pin(f)
	return f
}

func (f *frame) release() { f.pins.Unpin() }

// text pins a zero-terminated copy of s.
func (f *frame) text(s string) *byte {
	b := append([]byte(s), 0)
	f.pins.Pin(&b[0])
	return &b[0]
}

// call calls a function of the API that returns a status.
//
//go:uintptrescapes
func (r *Runtime) call(function int, args ...uintptr) error {
	status, _, _ := purego.SyscallN(r.api[function], args...)
	if status == 0 {
		return nil
	}
	message, _, _ := purego.SyscallN(r.api[getErrorMessage], status)
	err := fmt.Errorf("onnx: function %d: %w", function, errors.New(goString(native(message))))
	r.drop(releaseStatus, status)
	return err
}

// drop calls a function of the API that releases something.
func (r *Runtime) drop(function int, what uintptr) {
	if what != 0 {
		purego.SyscallN(r.api[function], what)
	}
}

// native makes a pointer of an address in native memory.
func native(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// goString copies a zero-terminated string of at most 4 KiB.
func goString(p unsafe.Pointer) string {
	if p == nil {
		return ""
	}
	const limit = 4096
	n := 0
	for n < limit && *(*byte)(unsafe.Add(p, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(p), n))
}

func address(p unsafe.Pointer) uintptr { return uintptr(p) }

// Parameters of glibc's mallopt.
const (
	trimThreshold = -1
	mmapThreshold = -3
	arenaMax      = -8
)

// OneHeap is the setting, for the environment, that gives all threads of a process one
// C heap. By default each gets its own, and boundHeap comes too late for those that run
// by then.
const OneHeap = "MALLOC_ARENA_MAX=1"

// boundHeap keeps the C heap from holding on to what loading a model needed: by default
// each thread gets a heap of its own, and the size from which memory goes back at once
// grows with use. With one heap, what one call frees the next one uses, and Trim hands
// back what is left. It holds for the process, and does nothing without glibc.
func boundHeap() {
	mallopt, err := purego.Dlsym(purego.RTLD_DEFAULT, "mallopt")
	if err != nil {
		return
	}
	set := func(parameter int32, value uintptr) { purego.SyscallN(mallopt, uintptr(uint32(parameter)), value) }
	set(arenaMax, 1)
	set(mmapThreshold, 40<<20)
	set(trimThreshold, 160<<20)
}

// Settle gives back what loading took, once all sessions are made: freed memory, and the
// pages of the library's file that only loading touched.
func (r *Runtime) Settle() {
	r.Trim()
	resident.Library(r.library)
}

// fileOf is where the file is mapped that a native function came from.
func fileOf(function uintptr) uintptr {
	dladdr, err := purego.Dlsym(purego.RTLD_DEFAULT, "dladdr")
	if err != nil {
		return 0
	}
	f := newFrame()
	defer f.release()
	if found, _, _ := purego.SyscallN(dladdr, function, uintptr(unsafe.Pointer(&f.place))); uint32(found) == 0 {
		return 0
	}
	return f.place.base
}

// Trim gives memory that runs have used back to the system, unless a run is under way,
// and what else native code has freed, where the C library is glibc. It is worth its page
// faults after the last large run of a page.
func (r *Runtime) Trim() {
	if r.running.TryLock() {
		r.dropArena()
		r.running.Unlock()
	}
	if trim, err := purego.Dlsym(purego.RTLD_DEFAULT, "malloc_trim"); err == nil {
		purego.SyscallN(trim, 0)
	}
}
