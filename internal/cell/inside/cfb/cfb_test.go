package cfb

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// pattern is n bytes that no other stream of the test has.
func pattern(seed, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(seed*31 + i*7 + i>>8)
	}
	return b
}

func file(t testing.TB, children ...*Node) []byte {
	t.Helper()
	b, err := NewStorage("Root Entry", children...).File(64 << 20)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func open(t testing.TB, b []byte) *Node {
	t.Helper()
	root, err := Open(bytes.NewReader(b), int64(len(b)), 1000)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// listing walks a tree and says what is in it.
func listing(n *Node, path string) string {
	var out strings.Builder
	for _, c := range n.Children {
		fmt.Fprintf(&out, "%s%s %d %t %t\n", path, c.Name, c.Size, c.Storage, c.Short)
		out.WriteString(listing(c, path+c.Name+"/"))
	}
	return out.String()
}

// What is written is read again: streams on both sides of the border between small and
// large, empty ones, storages in storages, so many that the tree of siblings is deep.
func TestWrittenFilesAreRead(t *testing.T) {
	sizes := []int{0, 1, 63, 64, 65, 511, 512, 4095, 4096, 4097, 70_000}
	var streams []*Node
	for i, n := range sizes {
		streams = append(streams, NewStream(fmt.Sprintf("stream %d", i), pattern(i, n)))
	}
	inner := NewStorage("Inner", NewStream("\x01Ole10Native", pattern(99, 300)), NewStorage("Empty"))
	inner.Class[3] = 7
	root := open(t, file(t, append(streams, inner)...))
	for i, n := range sizes {
		s := root.Find(fmt.Sprintf("STREAM %d", i))
		got, err := s.Bytes(int64(n))
		if err != nil || !bytes.Equal(got, pattern(i, n)) || s.Short {
			t.Errorf("stream of %d bytes: %d bytes, %v", n, len(got), err)
		}
		if _, err := s.Bytes(int64(n) - 1); !errors.Is(err, ErrTooLarge) {
			t.Errorf("limit below %d bytes: %v", n, err)
		}
	}
	if got := root.Find("Inner"); got.Class != inner.Class || !got.Storage || got.Find("empty") == nil || got.Find("none", "x") != nil {
		t.Errorf("inner storage: %+v", got)
	}
	again := open(t, mustFile(t, root.Find("inner")))
	if b, err := again.Find("\x01Ole10Native").Bytes(300); err != nil || !bytes.Equal(b, pattern(99, 300)) {
		t.Errorf("storage as a file of its own: %v", err)
	}
}

func mustFile(t testing.TB, n *Node) []byte {
	t.Helper()
	b, err := n.File(64 << 20)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A table of more sectors than the header can name goes on in sectors of its own.
func TestLargeFile(t *testing.T) {
	big := pattern(5, 8<<20)
	root := open(t, file(t, NewStream("big", big), NewStream("small", pattern(6, 10))))
	s := root.Find("big")
	if got, err := s.Bytes(8 << 20); err != nil || !bytes.Equal(got, big) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	part := make([]byte, 3000)
	if n, err := s.ReadAt(part, 7<<20+13); n != len(part) || err != nil || !bytes.Equal(part, big[7<<20+13:][:3000]) {
		t.Errorf("within the stream: %d, %v", n, err)
	}
	if n, err := s.ReadAt(part, 8<<20-10); n != 10 || !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %d, %v", n, err)
	}
}

// scattered is a file whose stream lies in sectors 5, 1, 3: written by hand, because
// our own writer never scatters. Sectors: 0 directory, 1, 3, 5 data, 2 table, 4 free.
func scattered(sector int, version uint16) ([]byte, []byte) {
	le := binary.LittleEndian
	b := make([]byte, 7*sector)
	copy(b, Magic)
	le.PutUint16(b[26:], version)
	le.PutUint16(b[30:], map[int]uint16{512: 9, 4096: 12}[sector])
	le.PutUint32(b[60:], endOfChain)
	le.PutUint32(b[68:], endOfChain)
	for i := range inHeader {
		le.PutUint32(b[76+4*i:], noEntry)
	}
	le.PutUint32(b[76:], 2)
	at := func(i int) []byte { return b[(i+1)*sector:][:sector] }
	for i, next := range []uint32{endOfChain, 3, 0xfffffffd, endOfChain, noEntry, 1} {
		le.PutUint32(at(2)[4*i:], next)
	}
	put := func(i int, name string, kind byte, child, start uint32, size uint64) {
		e := at(0)[i*entrySize:]
		for j := range name {
			e[2*j] = name[j]
		}
		le.PutUint16(e[64:], uint16(2*len(name)+2))
		e[66] = kind
		for j, v := range []uint32{noEntry, noEntry, child} {
			le.PutUint32(e[68+4*j:], v)
		}
		le.PutUint32(e[116:], start)
		le.PutUint64(e[120:], size)
	}
	size := 3*sector - 12
	if sector == 512 {
		size = 3 * 512 // below the cutoff it would be looked for elsewhere
	}
	put(0, "Root Entry", rootEntry, 1, endOfChain, 0)
	put(1, "s", streamEntry, noEntry, 5, uint64(max(size, miniCutoff)))
	var want []byte
	for i, s := range []int{5, 1, 3} {
		copy(at(s), pattern(i, sector))
		want = append(want, pattern(i, sector)...)
	}
	return b, want[:min(len(want), max(size, miniCutoff))]
}

func TestScatteredSectors(t *testing.T) {
	for _, c := range []struct {
		sector  int
		version uint16
		short   bool
	}{{4096, 4, false}, {512, 3, true}} {
		b, want := scattered(c.sector, c.version)
		s := open(t, b).Find("s")
		got, err := s.Bytes(1 << 20)
		if err != nil || !bytes.Equal(got, want) || s.Short != c.short {
			t.Errorf("sectors of %d: %d bytes of %d, short %t, %v", c.sector, len(got), len(want), s.Short, err)
		}
	}
}

// Old writers left noise in the upper half of a size; only version 4 uses it.
func TestUpperHalfOfASize(t *testing.T) {
	for version, short := range map[uint16]bool{3: false, 4: true} {
		b, _ := scattered(4096, version)
		b[4096+entrySize+124] = 1
		if s := open(t, b).Find("s"); s.Short != short {
			t.Errorf("version %d: short %t", version, s.Short)
		}
	}
}

// Loops end, and a sector that two streams claim belongs to the first.
func TestSectorsBelongToOneStream(t *testing.T) {
	b, _ := scattered(4096, 4)
	binary.LittleEndian.PutUint32(b[3*4096+4*3:], 5) // 5 → 1 → 3 → 5
	binary.LittleEndian.PutUint64(b[4096+entrySize+120:], 1<<40)
	if s := open(t, b).Find("s"); s.Size != 3*4096 || !s.Short {
		t.Errorf("loop: %d bytes, short %t", s.Size, s.Short)
	}
	b, _ = scattered(4096, 4)
	copy(b[4096+2*entrySize:], b[4096+entrySize:][:entrySize]) // the same stream twice
	b[4096+2*entrySize] = 't'
	binary.LittleEndian.PutUint32(b[4096+entrySize+72:], 2)
	root := open(t, b)
	if s, other := root.Find("s"), root.Find("t"); s.Short || other.Size != 0 || !other.Short {
		t.Errorf("shared: %d bytes and %d bytes", s.Size, other.Size)
	}
}

// Entries that name themselves or their elders as siblings or children end there.
func TestLoopsInTheDirectory(t *testing.T) {
	for _, at := range []int{68, 72, 76} {
		for target := range uint32(3) {
			b, _ := scattered(4096, 4)
			binary.LittleEndian.PutUint32(b[4096+entrySize+at:], target)
			if got := listing(open(t, b), ""); got != "s 12276 false false\n" {
				t.Errorf("offset %d to %d: %q", at, target, got)
			}
		}
	}
}

// Damage to the directory loses no bytes: a stream that calls itself a storage, and one
// that no tree of siblings leads to.
func TestDamagedDirectory(t *testing.T) {
	want := pattern(3, 5000)
	whole := file(t, NewStream("Pictures", want), NewStorage("Empty"), NewStream("Other", pattern(4, 100)))
	entry := func(b []byte, name string) []byte {
		var wide []byte
		for _, c := range name {
			wide = append(wide, byte(c), 0)
		}
		at := bytes.Index(b, wide)
		if at < 0 {
			t.Fatalf("no entry %s", name)
		}
		return b[at:]
	}
	for name, damage := range map[string]func(b []byte){
		"called a storage": func(b []byte) { entry(b, "Pictures")[66] = storageEntry },
		"cut off": func(b []byte) {
			for _, sibling := range []string{"Root Entry", "Other", "Empty", "Pictures"} {
				copy(entry(b, sibling)[68:], bytes.Repeat([]byte{0xff}, 12))
			}
		},
	} {
		b := bytes.Clone(whole)
		damage(b)
		got := open(t, b).Find("Pictures")
		if got == nil || got.Storage {
			t.Errorf("%s: not found", name)
			continue
		}
		if data, err := got.Bytes(5000); err != nil || !bytes.Equal(data, want) {
			t.Errorf("%s: %d bytes, %v", name, len(data), err)
		}
	}
	if empty := open(t, whole).Find("Empty"); empty == nil || !empty.Storage {
		t.Error("an empty storage is one")
	}
}

func TestLimits(t *testing.T) {
	b := file(t, NewStream("a", nil), NewStream("b", nil))
	for entries, want := range map[int]error{2: ErrEntries, 3: nil, 4: nil} {
		if _, err := Open(bytes.NewReader(b), int64(len(b)), entries); !errors.Is(err, want) {
			t.Errorf("%d entries allowed: %v", entries, err)
		}
	}
	nested := func(depth int) []byte {
		n := NewStream("s", nil)
		for range depth {
			n = NewStorage("d", n)
		}
		return file(t, n)
	}
	for depth, want := range map[int]error{maxDepth - 1: nil, maxDepth: nil, maxDepth + 1: ErrMalformed} {
		b := nested(depth)
		if _, err := Open(bytes.NewReader(b), int64(len(b)), 1000); !errors.Is(err, want) {
			t.Errorf("%d storages deep: %v", depth, err)
		}
	}
	n := NewStorage("", NewStream("s", pattern(1, 5000)))
	size := int64(len(mustFile(t, n)))
	if _, err := n.File(size - 1); !errors.Is(err, ErrTooLarge) {
		t.Errorf("written below the limit: %v", err)
	}
	if _, err := n.File(size); err != nil {
		t.Errorf("written at the limit: %v", err)
	}
}

// F16: a file cut anywhere is refused, or gives what is left and says what is short.
func TestCutFiles(t *testing.T) {
	b := file(t, NewStream("big", pattern(1, 9000)), NewStorage("d", NewStream("small", pattern(2, 100))))
	for n := range len(b) {
		root, err := Open(bytes.NewReader(b[:n]), int64(n), 100)
		if err != nil {
			if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, ErrMalformed) {
				t.Fatalf("cut at %d: %v", n, err)
			}
			continue
		}
		readAll(t, root)
	}
}

// readAll reads every stream to its promised end.
func readAll(t *testing.T, n *Node) (total int64) {
	for _, c := range n.Children {
		if c.Storage {
			total += readAll(t, c)
			continue
		}
		b, err := c.Bytes(1 << 30)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatal(err)
		}
		total += int64(len(b))
	}
	return total
}

func TestRefuses(t *testing.T) {
	good := file(t, NewStream("s", pattern(1, 5000)))
	change := func(at int, v uint32) []byte {
		b := bytes.Clone(good)
		binary.LittleEndian.PutUint32(b[at:], v)
		return b
	}
	for name, c := range map[string]struct {
		b    []byte
		want error
	}{
		"nothing":             {nil, io.ErrUnexpectedEOF},
		"another magic":       {change(0, 0), ErrMalformed},
		"sectors of 2^5":      {change(30, 5), ErrMalformed},
		"table outside":       {change(76, 5000), io.ErrUnexpectedEOF},
		"directory outside":   {change(48, 5000), io.ErrUnexpectedEOF},
		"no root":             {change(512+64, 0x00020016), ErrMalformed},
		"header and no table": {good[:512], io.ErrUnexpectedEOF},
	} {
		if _, err := Open(bytes.NewReader(c.b), int64(len(c.b)), 100); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// No file makes the reader panic, or gives more bytes than it has.
func FuzzOpen(f *testing.F) {
	f.Add(file(f, NewStream("a", pattern(1, 100)), NewStorage("b", NewStream("c", pattern(2, 5000)))))
	for sector, version := range map[int]uint16{512: 3, 4096: 4} {
		b, _ := scattered(sector, version)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		root, err := Open(bytes.NewReader(b), int64(len(b)), 1000)
		if err != nil {
			return
		}
		if total := readAll(t, root); total > int64(len(b)) {
			t.Fatalf("%d bytes out of %d", total, len(b))
		}
		if _, err := root.File(1 << 20); err != nil && !errors.Is(err, ErrTooLarge) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatal(err)
		}
	})
}
