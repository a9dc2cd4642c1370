package onnx

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// arenaBytes is what one run may use before a second piece of memory is taken: the
// detector needs 97 MiB on the largest tile, 1,400,000 pixels. Memory that no run has
// touched costs nothing.
const arenaBytes = 112 << 20

// registerArena gives all sessions of the environment one piece of memory for what a run
// computes. The C heap does badly with it: blocks of tens of megabytes, aligned, leave
// holes that the next run's do not fit, and a page took twice what is ever in use at once.
// In one piece that is empty between runs nothing of an earlier run is in the way, and
// Trim gives it back as a whole. Weights lie elsewhere.
func (r *Runtime) registerArena(f *frame) error {
	if err := r.call(createCPUMemoryInfo, arenaAllocator, defaultMemory, uintptr(unsafe.Pointer(&f.out))); err != nil {
		return err
	}
	r.memory = address(f.out)
	settings := []struct {
		key   string
		value uintptr
	}{
		{"max_mem", 0},               // no bound; a cell has one for all its memory
		{"arena_extend_strategy", 1}, // beyond the first piece, as much as is asked for
		{"initial_chunk_size_bytes", arenaBytes},
		{"max_dead_bytes_per_chunk", 1 << 16}, // what may be left unused at the end of a block
	}
	keys, values := make([]unsafe.Pointer, len(settings)), make([]uintptr, len(settings))
	for i, s := range settings {
		keys[i], values[i] = unsafe.Pointer(f.text(s.key)), s.value
	}
	f.pins.Pin(&keys[0])
	f.pins.Pin(&values[0])
	err := r.call(createArenaConfig, uintptr(unsafe.Pointer(&keys[0])), uintptr(unsafe.Pointer(&values[0])),
		uintptr(len(settings)), uintptr(unsafe.Pointer(&f.out)))
	if err != nil {
		return err
	}
	defer r.drop(releaseArenaConfig, address(f.out))
	return r.call(createAndRegisterAllocator, r.env, r.memory, address(f.out))
}

// dropArena gives the arena's pages back while it is empty: it takes all of it, and what
// lies there is nobody's.
func (r *Runtime) dropArena() {
	if r.arena == 0 {
		return // no session yet
	}
	f := newFrame()
	defer f.release()
	if r.call(allocatorAlloc, r.arena, arenaBytes, uintptr(unsafe.Pointer(&f.out))) != nil {
		return
	}
	all := address(f.out)
	page := uintptr(unix.Getpagesize())
	from, to := (all+page-1)&^(page-1), (all+arenaBytes)&^(page-1)
	pages := unsafe.Slice((*byte)(native(from)), to-from)
	_ = unix.Madvise(pages, unix.MADV_DONTNEED) // advice, as is the next
	_ = unix.Madvise(pages, unix.MADV_HUGEPAGE) // they come back with a hundredth of the faults
	_ = r.call(allocatorFree, r.arena, all)
}
