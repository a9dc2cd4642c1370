package inside_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unicode/utf16"

	"golang.org/x/sys/unix"

	"blotter/internal/cell"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/examples"
)

// What the canary document says, and what the caller knows of the person.
var canaries = []string{"Quorndel", "Vashtimer", "K7731904", "Brindlecote", "Ysmaranth", "Q5540917"}

// TestNoTextOnTheWire takes down every byte that a real cell says about a document whose
// words it read, and searches them: no frame holds a word, and the PNGs hold pixels only.
func TestNoTextOnTheWire(t *testing.T) {
	body, err := examples.Canary(canaries[:4]...)
	if err != nil {
		t.Fatal(err)
	}
	tk := task()
	tk.Originals = true
	tk.Subject = []byte(`{"names":["` + canaries[4] + `"],"numbers":["` + canaries[5] + `"]}`)
	said := record(t, file(t, body), tk)
	if w := wordIn(said); w != "" {
		t.Errorf("%q crossed the wire", w)
	}
	pngs, read := inspect(t, said)
	for _, typ := range []document.Type{document.Name, document.MRN} {
		if !read[typ] {
			t.Errorf("nothing covered is a %v: the canaries were not read", typ)
		}
	}
	for _, original := range []bool{false, true} {
		if pngs[original] == nil {
			t.Fatalf("no PNG with original %v", original)
		}
		pixelsOnly(t, pngs[original])
	}
}

// The search finds what it is meant to find.
func TestWordIn(t *testing.T) {
	if w := wordIn([]byte("Orndel, Vashti")); w != "" {
		t.Errorf("%q found where it is not", w)
	}
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		if wordIn(append([]byte("x"), wide("brindlecote", order)...)) == "" {
			t.Errorf("not found in %v UTF-16", order)
		}
	}
	if wordIn([]byte("..QUORNDEL..")) == "" {
		t.Error("not found as it is")
	}
}

// wordIn returns a canary that data holds, in any case, as bytes or as UTF-16.
func wordIn(data []byte) string {
	data = bytes.ToLower(data)
	for _, w := range canaries {
		low := strings.ToLower(w)
		for _, form := range [][]byte{[]byte(low), wide(low, binary.LittleEndian), wide(low, binary.BigEndian)} {
			if bytes.Contains(data, form) {
				return w
			}
		}
	}
	return ""
}

func wide(s string, order binary.AppendByteOrder) (out []byte) {
	for _, u := range utf16.Encode([]rune(s)) {
		out = order.AppendUint16(out, u)
	}
	return out
}

// inspect sorts what a cell said: the PNGs of the one asset by whether they are the
// original, and the types of what was covered.
func inspect(t *testing.T, said []byte) (pngs map[bool][]byte, read map[document.Type]bool) {
	t.Helper()
	pngs, read = map[bool][]byte{}, map[document.Type]bool{}
	for messages := wire.NewReader(bytes.NewReader(said)); ; {
		m, err := messages.Next()
		if errors.Is(err, io.EOF) {
			return pngs, read
		}
		if err != nil {
			t.Fatal(err)
		}
		switch m := m.(type) {
		case wire.Chunk:
			pngs[m.Original] = append(pngs[m.Original], m.Bytes...)
		case wire.Burned:
			read[m.Type] = true
		}
	}
}

// pixelsOnly fails the test if a PNG holds anything but its size, palette and pixels.
func pixelsOnly(t *testing.T, b []byte) {
	t.Helper()
	rest, ok := bytes.CutPrefix(b, []byte("\x89PNG\r\n\x1a\n"))
	if !ok {
		t.Fatal("no PNG")
	}
	last := ""
	for len(rest) >= 12 {
		n := int(binary.BigEndian.Uint32(rest))
		if n > len(rest)-12 {
			t.Fatal("a chunk beyond the end")
		}
		last = string(rest[4:8])
		if !slices.Contains([]string{"IHDR", "PLTE", "IDAT", "IEND"}, last) {
			t.Errorf("a chunk of type %q", last)
		}
		if crc32.ChecksumIEEE(rest[4:8+n]) != binary.BigEndian.Uint32(rest[8+n:]) {
			t.Error("a chunk with a wrong checksum")
		}
		rest = rest[12+n:]
	}
	if len(rest) != 0 || last != "IEND" {
		t.Errorf("%d bytes after %s", len(rest), last)
	}
}

// record is a parent that does nothing but start a real cell, give it a document, and
// keep every byte that it says until its last message.
func record(t *testing.T, doc *os.File, tk wire.Task) []byte {
	t.Helper()
	runtime.LockOSThread() // a cell dies with the thread that made it
	defer runtime.UnlockOSThread()
	conn, theirs := sockets(t)
	child := spawnBare(t, withEngines(t), theirs)
	defer func() {
		child.Kill()
		child.Wait()
	}()
	var said bytes.Buffer
	messages := wire.NewReader(io.TeeReader(conn, &said))
	if m, err := messages.Next(); err != nil || m != (wire.Message)(wire.Ready{Protections: wire.AllProtections}) {
		t.Fatalf("the cell began with %+v, %v", m, err)
	}
	if err := wire.SendTask(conn, tk, doc); err != nil {
		t.Fatal(err)
	}
	for {
		switch m, err := messages.Next(); m := m.(type) {
		case wire.Done:
			return said.Bytes()
		case wire.Progress:
			if m.Index > 0 { // the cell waits between two assets
				if _, err := conn.Write([]byte{wire.GoOn}); err != nil {
					t.Fatal(err)
				}
			}
		case wire.Failed, nil:
			t.Fatalf("the cell ended with %+v, %v", m, err)
		}
	}
}

func sockets(t *testing.T) (*net.UnixConn, *os.File) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	ours := os.NewFile(uintptr(fds[0]), "cell")
	defer ours.Close() // FileConn duplicates it
	conn, err := net.FileConn(ours)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn.(*net.UnixConn), os.NewFile(uintptr(fds[1]), "parent")
}

// spawnBare starts a cell with the descriptors that package wire numbers.
func spawnBare(t *testing.T, cfg cell.Config, socket *os.File) *os.Process {
	t.Helper()
	defer socket.Close()
	e := cfg.Engines
	files := make([]*os.File, wire.EndFD)
	files[wire.SocketFD] = socket
	for fd, path := range map[int]string{
		0: os.DevNull, 1: os.DevNull, 2: os.DevNull, wire.BinaryFD: "/proc/self/exe", wire.LibraryFD: e.Library.Path,
		wire.DetectionFD: e.Detection.Path, wire.RecognitionFD: e.Recognition.Path, wire.AngleFD: e.Angle.Path,
		wire.DictionaryFD: e.Dictionary.Path, wire.CacheFD: e.Cache,
		wire.ModelFD: os.DevNull, wire.TokenizerFD: os.DevNull, wire.LabelsFD: os.DevNull,
	} {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files[fd] = f
	}
	setup := wire.Setup{
		Parent: os.Getpid(), UID: cell.Nobody, GID: cell.Nobody,
		AddressSpaceBytes: cell.DefaultAddressSpace, HeapBytes: cell.DefaultMemory / 2, Threads: 1,
	}
	p, err := os.StartProcess("/proc/self/exe", append([]string{"blotter"}, setup.Args(wire.Stage1)...),
		&os.ProcAttr{Dir: "/", Env: []string{"GOTRACEBACK=none"}, Files: files, Sys: &syscall.SysProcAttr{Setsid: true}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
