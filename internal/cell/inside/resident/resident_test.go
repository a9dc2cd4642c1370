package resident

import (
	"crypto/sha256"
	"debug/elf"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Dropped pages leave the process, and what is read there afterwards is the same.
func TestProgramIsDroppedAndComesBack(t *testing.T) {
	code := section(t, "/proc/self/exe", ".text")
	rodata := section(t, "/proc/self/exe", ".rodata")
	before := [2][32]byte{sha256.Sum256(code), sha256.Sum256(rodata)} // touches all of it
	whole := fileKiB(t)
	Program()
	if left, least := fileKiB(t), (len(code)+len(rodata))>>11; left > whole-least {
		t.Errorf("%d KiB of files resident before, %d after; want %d less", whole, left, least)
	}
	if after := [2][32]byte{sha256.Sum256(code), sha256.Sum256(rodata)}; after != before {
		t.Error("the program is another after its pages came back")
	}
}

func TestLibraryIsDroppedAndComesBack(t *testing.T) {
	base := libraryOf(t, "qsort")
	head := unsafe.Slice((*byte)(pointer(base)), 64<<10)
	before := sha256.Sum256(head)
	whole := fileKiB(t)
	Library(base)
	if left := fileKiB(t); left >= whole {
		t.Errorf("%d KiB of files resident before, %d after", whole, left)
	}
	if sha256.Sum256(head) != before {
		t.Error("the library is another after its pages came back")
	}
	Library(0) // where nothing is known nothing happens
}

// section is a section of the running program where it is mapped; the test's binary is
// not moved.
func section(t *testing.T, path, name string) []byte {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Skip("no ELF system: ", err)
	}
	defer f.Close()
	if f.Type != elf.ET_EXEC {
		t.Skip("the test's binary is relocated")
	}
	s := f.Section(name)
	return unsafe.Slice((*byte)(pointer(uintptr(s.Addr))), s.Size)
}

// libraryOf is where the library is mapped that has a function.
func libraryOf(t *testing.T, function string) uintptr {
	t.Helper()
	at, err := purego.Dlsym(purego.RTLD_DEFAULT, function)
	if err != nil {
		t.Skip("no C library: ", err)
	}
	dladdr, err := purego.Dlsym(purego.RTLD_DEFAULT, "dladdr")
	if err != nil {
		t.Skip("no dladdr: ", err)
	}
	var info [4]uintptr // name and base of the file, name and address of the symbol
	purego.SyscallN(dladdr, at, uintptr(unsafe.Pointer(&info)))
	return info[1]
}

// fileKiB is how much of this process is resident and comes from files.
func fileKiB(t *testing.T) (n int) {
	t.Helper()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(b), "RssFile:")
	if _, err := fmt.Sscan(rest, &n); !ok || err != nil {
		t.Fatalf("no RssFile: %v", err)
	}
	return n
}
