// Package resident takes pages of mapped files out of a process that no longer needs
// them: what starting a program and loading its engines touches once. They stay in the
// system's cache, for whoever maps the file, and come back when they are touched again.
// A process that waits for work is smaller without them, and so is its peak.
//
// Only what nobody can have changed is taken: segments of an executable or a library
// that are mapped without write access. Nothing here fails; at worst nothing is taken.
package resident

import (
	"debug/elf"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Program drops the pages of the running program's file.
func Program() {
	vector, err := unix.Auxv()
	if err != nil {
		return
	}
	var at, count uintptr
	for _, entry := range vector {
		switch entry[0] {
		case auxPHDR:
			at = entry[1]
		case auxPHNUM:
			count = entry[1]
		}
	}
	if at == 0 {
		return
	}
	segments := unsafe.Slice((*elf.Prog64)(pointer(at)), count)
	for _, s := range segments {
		if elf.ProgType(s.Type) == elf.PT_PHDR {
			drop(segments, at-uintptr(s.Vaddr))
		}
	}
}

// Library drops the pages of a library that is mapped from base on, the address that
// dladdr gives.
func Library(base uintptr) {
	head := (*elf.Header64)(pointer(base))
	if base == 0 || string(head.Ident[:len(elf.ELFMAG)]) != elf.ELFMAG {
		return
	}
	segments := unsafe.Slice((*elf.Prog64)(pointer(base+uintptr(head.Phoff))), head.Phnum)
	for _, s := range segments {
		if elf.ProgType(s.Type) == elf.PT_LOAD && s.Off == 0 {
			drop(segments, base-uintptr(s.Vaddr))
		}
	}
}

// Keys of the auxiliary vector, elf.h.
const (
	auxPHDR  = 3 // where the program's list of segments lies
	auxPHNUM = 5 // how long it is
)

// drop takes the pages of segments that are mapped as the file has them and lie moved
// bytes from where it says.
func drop(segments []elf.Prog64, moved uintptr) {
	page := uintptr(unix.Getpagesize())
	for _, s := range segments {
		if elf.ProgType(s.Type) != elf.PT_LOAD || elf.ProgFlag(s.Flags)&elf.PF_W != 0 {
			continue
		}
		from := (moved + uintptr(s.Vaddr)) &^ (page - 1)
		to := (moved + uintptr(s.Vaddr+s.Filesz) + page - 1) &^ (page - 1)
		_ = unix.Madvise(unsafe.Slice((*byte)(pointer(from)), to-from), unix.MADV_DONTNEED) // advice
	}
}

// pointer makes one of an address outside Go's heap.
func pointer(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }
