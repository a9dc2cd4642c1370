// Package mapped gives the memories of WebAssembly decoders their place outside Go's heap:
// each is mapped once, at its bound. On the heap each growth would copy it and leave the
// old copy to the collector, which would count all of it when it decides how much garbage
// to let lie: at 40 megapixels the process took twice as much. The system gives pages only
// when they are touched.
package mapped

import (
	"context"
	"fmt"

	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

// Context returns a context in which memories are mapped, of up to limit bytes each; 0 is
// the bound of the module.
func Context(ctx context.Context, limit uint64) context.Context {
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(func(_, bound uint64) experimental.LinearMemory {
		if limit > 0 {
			bound = min(bound, limit)
		}
		return mapping(bound)
	}))
}

// memory is one memory.
type memory struct{ all []byte }

// mapping maps a memory that may grow to limit bytes. The interface knows no
// error: a host that cannot map what is needed panics, which whoever starts a module has
// to expect.
func mapping(limit uint64) experimental.LinearMemory {
	all, err := unix.Mmap(-1, 0, int(limit), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		panic(fmt.Errorf("mapped: map %d bytes: %w", limit, err))
	}
	return &memory{all}
}

// Reallocate returns the first size bytes, which never move; nil, a failed growth,
// past the bound.
func (m *memory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.all)) {
		return nil
	}
	return m.all[:size:size]
}

// Free gives the memory back to the system.
func (m *memory) Free() {
	if m.all == nil {
		return
	}
	_ = unix.Munmap(m.all) // fails only for what is not mapped
	m.all = nil
}
