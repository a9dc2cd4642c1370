// Package onnx runs neural networks on ONNX Runtime's C API without cgo.
//
// Native code never sees Go memory that could move: arguments and results of calls
// lie in pinned heap memory, tensors in memory of the runtime. Failures are errors,
// never panics. After Open and Session no file is opened and no process started, so
// that a system call filter can close those doors.
//
// Models are trusted: pinned by digest before they come here. It is not a goal to
// stand against a hostile one.
package onnx

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Runtime is a loaded ONNX Runtime.
type Runtime struct {
	api       []uintptr
	env       uintptr
	library   uintptr      // where its file is mapped; 0 where that is not known
	allocator uintptr      // of small things
	memory    uintptr      // what the arena's allocator is known by
	arena     uintptr      // of what a run computes; 0 before the first session
	running   sync.RWMutex // held for reading by runs
}

// Open loads the library at path, which may be a descriptor's (/proc/self/fd/N). The
// library stays loaded until the process ends: its threads may outlive Close.
func Open(path string) (*Runtime, error) {
	boundHeap()
	lib, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("onnx: load the library: %w", err)
	}
	getBase, err := purego.Dlsym(lib, "OrtGetApiBase")
	if err != nil {
		return nil, fmt.Errorf("onnx: not an ONNX Runtime: %w", err)
	}
	base, _, _ := purego.SyscallN(getBase)
	if base == 0 {
		return nil, errors.New("onnx: the library gives no API")
	}
	getAPI := *(*uintptr)(native(base)) // the first field of struct OrtApiBase
	api, _, _ := purego.SyscallN(getAPI, apiVersion)
	if api == 0 {
		return nil, fmt.Errorf("onnx: the library does not know API version %d", apiVersion)
	}
	r := &Runtime{api: unsafe.Slice((*uintptr)(native(api)), functions), library: fileOf(getBase)}
	return r, r.start()
}

func (r *Runtime) start() error {
	f := newFrame()
	defer f.release()
	name := f.text("blotter")
	if err := r.call(createEnv, logFatal, uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(&f.out))); err != nil {
		return err
	}
	r.env = address(f.out)
	if err := r.call(getAllocatorWithDefaultOptions, uintptr(unsafe.Pointer(&f.out))); err != nil {
		return err
	}
	r.allocator = address(f.out)
	return r.registerArena(f)
}

// Close releases the runtime; every session must have been closed.
func (r *Runtime) Close() {
	r.drop(releaseAllocator, r.arena)
	r.drop(releaseMemoryInfo, r.memory)
	r.drop(releaseEnv, r.env)
	r.env, r.arena, r.memory = 0, 0, 0
}

// Session is a model ready to run. Run and RunInts may be called by many goroutines at
// once.
type Session struct {
	r      *Runtime
	handle uintptr
	inputs []string
	output string
}

// Session prepares a model of at most four inputs, of which Run and RunInts say more,
// and one float output; further outputs are not computed. threads is how many threads
// one run uses; at least 1.
//
// All sessions compute in one arena (registerArena), which is empty between runs. Arenas
// of their own and the memory pattern are off: both keep what the largest input ever
// needed (1.2 GB where a page needs 300 MB). Idle threads sleep instead of spinning, since
// cells share the machine.
func (r *Runtime) Session(model []byte, threads int) (*Session, error) {
	if len(model) == 0 {
		return nil, errors.New("onnx: empty model")
	}
	f := newFrame()
	defer f.release()
	options, err := r.options(f, max(1, threads))
	if err != nil {
		return nil, err
	}
	defer r.drop(releaseSessionOptions, options)
	f.pins.Pin(&model[0])
	err = r.call(createSessionFromArray, r.env, uintptr(unsafe.Pointer(&model[0])), uintptr(len(model)),
		options, uintptr(unsafe.Pointer(&f.out)))
	if err != nil {
		return nil, err
	}
	s := &Session{r: r, handle: address(f.out)}
	if s.inputs, err = s.inputNames(f); err == nil {
		s.output, err = s.name(f, sessionGetOutputName, 0)
	}
	if err == nil && r.arena == 0 {
		if err = r.call(createAllocator, s.handle, r.memory, uintptr(unsafe.Pointer(&f.out))); err == nil {
			r.arena = address(f.out)
		}
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Session) inputNames(f *frame) ([]string, error) {
	if err := s.r.call(sessionGetInputCount, s.handle, uintptr(unsafe.Pointer(&f.size))); err != nil {
		return nil, err
	}
	if f.size < 1 || f.size > maxInputs {
		return nil, fmt.Errorf("onnx: a model of %d inputs", f.size)
	}
	names := make([]string, f.size)
	for i := range names {
		var err error
		if names[i], err = s.name(f, sessionGetInputName, i); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// Inputs are the names of the model's inputs, in its order.
func (s *Session) Inputs() []string { return slices.Clone(s.inputs) }

func (r *Runtime) options(f *frame, threads int) (uintptr, error) {
	if err := r.call(createSessionOptions, uintptr(unsafe.Pointer(&f.out))); err != nil {
		return 0, err
	}
	options := address(f.out)
	set := func(key, value string) error {
		return r.call(addSessionConfigEntry, options, uintptr(unsafe.Pointer(f.text(key))), uintptr(unsafe.Pointer(f.text(value))))
	}
	err := errors.Join(
		r.call(setIntraOpNumThreads, options, uintptr(threads)),
		r.call(setSessionGraphOptimization, options, optimiseAll),
		r.call(disableMemPattern, options),
		r.call(disableCPUMemArena, options),
		set("session.intra_op.allow_spinning", "0"),
		set("session.use_env_allocators", "1"),
		set("session.use_device_allocator_for_initializers", "1"),
	)
	if err != nil {
		r.drop(releaseSessionOptions, options)
		return 0, err
	}
	return options, nil
}

// name returns the name of input or output i.
func (s *Session) name(f *frame, function, i int) (string, error) {
	if err := s.r.call(function, s.handle, uintptr(i), s.r.allocator, uintptr(unsafe.Pointer(&f.out))); err != nil {
		return "", err
	}
	name := goString(f.out)
	return name, s.r.call(allocatorFree, s.r.allocator, address(f.out))
}

// Close releases the session; no Run may be under way.
func (s *Session) Close() {
	s.r.drop(releaseSession, s.handle)
	s.handle = 0
}

// Run computes the output of a model of one float input, which has the given shape. fill
// writes the input, which comes with arbitrary content; read sees the output and its
// shape. Both get the runtime's own memory, without a copy, and must not keep it.
func (s *Session) Run(shape []int, fill func(in []float32), read func(out []float32, shape []int)) error {
	return run(s, elementFloat, shape, func(_ string, in []float32) { fill(in) }, read)
}

// RunInts is Run for a model whose inputs are all int64 and of one shape, such as the
// tokens of a text: fill writes the input of each name.
func (s *Session) RunInts(shape []int, fill func(input string, in []int64), read func(out []float32, shape []int)) error {
	return run(s, elementInt64, shape, fill, read)
}

// run holds what Run and RunInts share; element is the number that the runtime has for T.
func run[T float32 | int64](s *Session, element uintptr, shape []int, fill func(string, []T), read func([]float32, []int)) error {
	if s.handle == 0 {
		return errors.New("onnx: the session is closed")
	}
	s.r.running.RLock()
	defer s.r.running.RUnlock()
	f := newFrame()
	defer f.release()
	for i, name := range s.inputs {
		in, err := s.newInput(f, element, shape)
		if err != nil {
			return err
		}
		defer s.r.drop(releaseValue, in)
		data, err := dataOf[T](s, f, in, count(shape))
		if err != nil {
			return err
		}
		fill(name, data)
		f.inNames[i], f.inValues[i] = unsafe.Pointer(f.text(name)), native(in)
	}
	out, err := s.compute(f)
	if err != nil {
		return err
	}
	defer s.r.drop(releaseValue, out)
	outShape, err := s.shape(f, out)
	if err != nil {
		return err
	}
	data, err := dataOf[float32](s, f, out, count(outShape))
	if err != nil {
		return err
	}
	read(data, outShape)
	return nil
}

func (s *Session) newInput(f *frame, element uintptr, shape []int) (uintptr, error) {
	if len(shape) == 0 || len(shape) > maxRank {
		return 0, fmt.Errorf("onnx: %d dimensions", len(shape))
	}
	for i, n := range shape {
		if n <= 0 {
			return 0, fmt.Errorf("onnx: a dimension of %d", n)
		}
		f.dims[i] = int64(n)
	}
	err := s.r.call(createTensorAsOrtValue, s.r.arena, uintptr(unsafe.Pointer(&f.dims[0])), uintptr(len(shape)),
		element, uintptr(unsafe.Pointer(&f.out)))
	return address(f.out), err
}

// dataOf returns a tensor's memory of n elements.
func dataOf[T float32 | int64](s *Session, f *frame, value uintptr, n int) ([]T, error) {
	if err := s.r.call(getTensorMutableData, value, uintptr(unsafe.Pointer(&f.out))); err != nil {
		return nil, err
	}
	if f.out == nil || n == 0 {
		return nil, errors.New("onnx: an empty tensor")
	}
	return unsafe.Slice((*T)(f.out), n), nil
}

// compute runs the model on the inputs that stand in the frame.
func (s *Session) compute(f *frame) (uintptr, error) {
	f.outNames[0] = unsafe.Pointer(f.text(s.output))
	f.out = nil // asks the runtime to allocate the output
	err := s.r.call(runSession, s.handle, 0,
		uintptr(unsafe.Pointer(&f.inNames[0])), uintptr(unsafe.Pointer(&f.inValues[0])), uintptr(len(s.inputs)),
		uintptr(unsafe.Pointer(&f.outNames[0])), 1, uintptr(unsafe.Pointer(&f.out)))
	return address(f.out), err
}

func (s *Session) shape(f *frame, value uintptr) ([]int, error) {
	if err := s.r.call(getTensorTypeAndShape, value, uintptr(unsafe.Pointer(&f.out))); err != nil {
		return nil, err
	}
	info := address(f.out)
	defer s.r.drop(releaseTensorTypeAndShapeInfo, info)
	if err := s.r.call(getTensorElementType, info, uintptr(unsafe.Pointer(&f.kind))); err != nil {
		return nil, err
	}
	if err := s.r.call(getDimensionsCount, info, uintptr(unsafe.Pointer(&f.rank))); err != nil {
		return nil, err
	}
	if f.kind != elementFloat || f.rank > maxRank {
		return nil, fmt.Errorf("onnx: an output of type %d with %d dimensions", f.kind, f.rank)
	}
	if err := s.r.call(getDimensions, info, uintptr(unsafe.Pointer(&f.dims[0])), f.rank); err != nil {
		return nil, err
	}
	shape := make([]int, f.rank)
	for i := range shape {
		shape[i] = int(f.dims[i])
	}
	return shape, nil
}

func count(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
