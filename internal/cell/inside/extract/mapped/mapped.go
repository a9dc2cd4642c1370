// Package mapped gives the memories of WebAssembly decoders their place outside Go's heap:
// each is mapped once, at its bound. On the heap each growth would copy it and leave the
// old copy to the collector, which would count all of it when it decides how much garbage
// to let lie: at 40 megapixels the process took twice as much. The system gives pages only
// when they are touched.
package mapped

import (
	"context"
	"fmt"
	"math"

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
		return mapping(bound, nil)
	}))
}

// All is what a memory may grow by where only its own bound holds.
const All = math.MaxUint64

// Ceiling holds a memory below its bound for a while.
type Ceiling struct {
	used, most uint64
	met        bool
}

// Ceilinged returns a context like that of Context for one memory at a time, and what
// holds that lower.
func Ceilinged(ctx context.Context) (context.Context, *Ceiling) {
	c := &Ceiling{most: All}
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(func(_, bound uint64) experimental.LinearMemory {
		return mapping(bound, c)
	})), c
}

// Allow lets the memory grow by so many bytes from now on and no more, within its bound,
// and reports whether it met what was allowed before. Nothing may run in it meanwhile.
func (c *Ceiling) Allow(bytes uint64) (met bool) {
	met, c.met = c.met, false
	c.most = c.used + min(bytes, All-c.used)
	return met
}

// memory is one memory.
type memory struct {
	all     []byte
	ceiling *Ceiling // nil for none
}

// mapping maps a memory that may grow to limit bytes. The interface knows no
// error: a host that cannot map what is needed panics, which whoever starts a module has
// to expect.
func mapping(limit uint64, c *Ceiling) experimental.LinearMemory {
	all, err := unix.Mmap(-1, 0, int(limit), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		panic(fmt.Errorf("mapped: map %d bytes: %w", limit, err))
	}
	return &memory{all, c}
}

// Reallocate returns the first size bytes, which never move; nil, a failed growth,
// past the bound or the ceiling.
func (m *memory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.all)) {
		return nil
	}
	if c := m.ceiling; c != nil {
		if size > c.most {
			c.met = true
			return nil
		}
		c.used = size
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
