package pdf

import (
	"context"
	"fmt"

	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

// PDFium's memory is mapped once, at its bound, outside Go's heap. On the heap each
// growth would copy it and leave the old copy to the collector, which would count all
// of it when it decides how much garbage to let lie: at 40 megapixels the process
// took twice as much. The system gives pages only when they are touched, and nothing
// has to be mapped later.

// withMapping returns a context in which the interpreter's memories are mapped.
func withMapping(ctx context.Context) context.Context {
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(newMapping))
}

// mapping is one memory.
type mapping struct{ all []byte }

// newMapping maps a memory that may grow to limit bytes. The interface knows no
// error: a host that cannot map what is needed cannot start, and Start turns the
// panic into an error.
func newMapping(_, limit uint64) experimental.LinearMemory {
	all, err := unix.Mmap(-1, 0, int(limit), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		panic(fmt.Errorf("pdf: map %d bytes: %w", limit, err))
	}
	return &mapping{all}
}

// Reallocate returns the first size bytes, which never move; nil, a failed growth,
// past the bound.
func (m *mapping) Reallocate(size uint64) []byte {
	if size > uint64(len(m.all)) {
		return nil
	}
	return m.all[:size:size]
}

// Free gives the memory back to the system.
func (m *mapping) Free() {
	if m.all == nil {
		return
	}
	_ = unix.Munmap(m.all) // fails only for what is not mapped
	m.all = nil
}
