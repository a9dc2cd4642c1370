package cell

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"blotter/internal/cell/engine"
	"blotter/internal/cell/wire"
)

// Config is how this node runs its cells. The zero value of every field but Engines
// has a default.
type Config struct {
	Binary  string       // program to run; empty: this one
	Purpose wire.Purpose // what its cells are for; zero: to redact
	// Engines are the files that a cell reads before it locks itself. Under root they must
	// be readable by everyone, since a cell is nobody.
	Engines engine.Set

	MemoryBytes       int64 // resident memory at which a cell is killed; 0: DefaultMemory
	AddressSpaceBytes int64 // backstop that the kernel holds; 0: DefaultAddressSpace
	Threads           int   // threads that compute in a cell; 0: as many as the host has, at most 2
	Nice              int   // priority of the cell's threads, 0 (as the parent) to 19 (last)
	UID, GID          int   // whom a cell becomes where the parent is root; 0: nobody's 65534
	StartTimeout      time.Duration

	// Accept names the walls that may be missing on this host. A cell that lacks any
	// other does not start.
	Accept wire.Protection

	try wire.TryPaths // of a cell that tries its walls
}

// Defaults of Config.
const (
	// DefaultMemory is 1 GiB: reading an A4 page takes about 290 MB resident, a
	// 225-megapixel page image about 410 MB.
	DefaultMemory = 1 << 30
	// DefaultAddressSpace is 6 GiB: the Go runtime, ONNX Runtime and the reservation of a
	// WASM memory ran in 2 GiB and did not in 1; room for large images on top.
	DefaultAddressSpace = 6 << 30
	// Nobody is the user and group that owns nothing on Linux.
	Nobody = 65534
	// DefaultStartTimeout is far above the quarter second that a start takes with a warm
	// compilation cache.
	DefaultStartTimeout = time.Minute
)

// minAddressSpace is where the Go runtime still starts.
const minAddressSpace = 2 << 30

// Validate reports every field that cannot be used.
func (c Config) Validate() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("cell: "+format, args...))
		}
	}
	check(c.MemoryBytes >= 0, "memory_bytes %d is negative", c.MemoryBytes)
	check(c.AddressSpaceBytes == 0 || c.AddressSpaceBytes >= minAddressSpace,
		"address_space_bytes %d is below %d, with which no cell starts", c.AddressSpaceBytes, int64(minAddressSpace))
	check(c.Threads >= 0, "threads %d is negative", c.Threads)
	check(c.Nice >= 0 && c.Nice <= 19, "nice %d is not 0–19", c.Nice)
	check(c.UID >= 0 && c.GID >= 0, "uid %d or gid %d is negative", c.UID, c.GID)
	check(c.StartTimeout >= 0, "start_timeout %v is negative", c.StartTimeout)
	return errors.Join(errs...)
}

func (c Config) withDefaults() Config {
	fill(&c.MemoryBytes, DefaultMemory)
	fill(&c.AddressSpaceBytes, DefaultAddressSpace)
	fill(&c.Threads, min(2, runtime.NumCPU()))
	fill(&c.UID, Nobody)
	fill(&c.GID, Nobody)
	fill(&c.StartTimeout, DefaultStartTimeout)
	if c.Binary == "" {
		c.Binary = "/proc/self/exe"
	}
	return c
}

func fill[T comparable](p *T, v T) {
	var zero T
	if *p == zero {
		*p = v
	}
}
