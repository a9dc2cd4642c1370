// Package cfb reads compound files ([MS-CFB], also "OLE2 structured storage"): the
// container of DOC, XLS, PPT and MSG, of objects embedded in office documents, and of
// packages behind a password. It knows storages and streams, not what they mean.
//
// Nothing that a file says is believed: a sector belongs to one stream at most, so that
// all streams together are never longer than the file, every walk is linear in the
// file's size, and what is kept is about a hundredth of it. A stream whose sectors are
// missing keeps those that are there and says so.
package cfb

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf16"
)

// Magic is how every compound file begins.
const Magic = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// Numbers of [MS-CFB] 2.1 to 2.3.
const (
	headerSize = 512
	inHeader   = 109 // allocation sectors that the header itself names
	entrySize  = 128
	miniSector = 64
	miniCutoff = 4096       // a stream shorter than this lies in the mini stream
	endOfChain = 0xfffffffe // ends a chain
	lastSector = 0xfffffffa // from here on numbers have other meanings
	noEntry    = 0xffffffff
)

// maxDepth bounds how deep storages lie in one another. An object within an object
// takes two levels; honest files stay below ten.
const maxDepth = 64

// What is wrong with a file as a whole. io.ErrUnexpectedEOF stands for one that ends
// before its directory does.
var (
	ErrMalformed = errors.New("cfb: malformed")
	ErrEntries   = errors.New("cfb: too many entries")
	ErrTooLarge  = errors.New("cfb: longer than allowed")
)

// Node is a storage, which holds others, or a stream of bytes.
type Node struct {
	Name     string
	Class    [16]byte // of a storage: what program made it; zeros where it does not say
	Storage  bool
	Children []*Node // of a storage, sorted by name

	// Size is how many bytes of a stream are there; Short says that its entry promises
	// more.
	Size  int64
	Short bool

	src   io.ReaderAt
	spans []span // nil: the stream lies in src from its first byte to its last
}

// span is a piece of a stream that lies in one piece.
type span struct{ off, at, n int64 } // offset in the stream, offset in what it lies in, bytes

// Open reads the directory of a file of size bytes, of at most the given number of
// entries, and returns its root storage. It keeps r.
func Open(r io.ReaderAt, size int64, entries int) (*Node, error) {
	d := &disk{r: r, size: size}
	if err := d.readHeader(); err != nil {
		return nil, err
	}
	if err := d.readTable(); err != nil {
		return nil, err
	}
	return d.tree(entries)
}

// disk is a compound file seen as numbered sectors.
type disk struct {
	r       io.ReaderAt
	size    int64
	head    [headerSize]byte
	sector  int64 // bytes
	version uint16
	count   uint32   // sectors behind the header, the last one perhaps cut off
	next    []uint32 // for each sector the one after it
	owned   []bool   // sectors that belong to a chain
	small   []uint32 // as next and owned, in the mini stream
	taken   []bool
}

func (d *disk) field(at int) uint32 { return binary.LittleEndian.Uint32(d.head[at:]) }

func (d *disk) readHeader() error {
	if err := d.read(d.head[:], 0); err != nil {
		return err
	}
	shift := binary.LittleEndian.Uint16(d.head[30:])
	d.version = binary.LittleEndian.Uint16(d.head[26:])
	if string(d.head[:8]) != Magic || shift != 9 && shift != 12 {
		return ErrMalformed
	}
	d.sector = 1 << shift
	d.count = uint32(min(max(d.size-1, 0)/d.sector, lastSector))
	d.owned = make([]bool, d.count)
	return nil
}

// read fills b from an offset of the file, all of it.
func (d *disk) read(b []byte, at int64) error {
	if at+int64(len(b)) > d.size {
		return io.ErrUnexpectedEOF
	}
	if n, err := d.r.ReadAt(b, at); n < len(b) {
		if err == nil || errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		}
		return err
	}
	return nil
}

// offset is where a sector lies in the file.
func (d *disk) offset(sector uint32) int64 { return (int64(sector) + 1) * d.sector }

// readTable reads the allocation table, no more of it than the file has sectors.
func (d *disk) readTable() error {
	per := uint32(d.sector / 4)
	want := (d.count + per - 1) / per // sectors of the table
	block := make([]byte, d.sector)
	add := func(sector uint32) error {
		if err := d.claim(sector); err != nil {
			return err
		}
		if err := d.read(block, d.offset(sector)); err != nil {
			return err
		}
		for i := uint32(0); i < per && len(d.next) < int(d.count); i++ {
			d.next = append(d.next, binary.LittleEndian.Uint32(block[4*i:]))
		}
		want--
		return nil
	}
	for i := 0; i < inHeader && want > 0; i++ {
		sector := d.field(76 + 4*i)
		if sector >= lastSector {
			continue
		}
		if err := add(sector); err != nil {
			return err
		}
	}
	// Large files name the rest in sectors of their own, each of which ends in the next.
	list := make([]byte, d.sector)
	for at := d.field(68); want > 0 && at < lastSector; at = binary.LittleEndian.Uint32(list[d.sector-4:]) {
		if err := d.claim(at); err != nil {
			return err
		}
		if err := d.read(list, d.offset(at)); err != nil {
			return err
		}
		for i := uint32(0); i < per-1 && want > 0; i++ {
			sector := binary.LittleEndian.Uint32(list[4*i:])
			if sector >= lastSector {
				continue
			}
			if err := add(sector); err != nil {
				return err
			}
		}
	}
	return nil // sectors that the table leaves out end their chains
}

// claim takes a sector of the table. One beyond the end was cut off.
func (d *disk) claim(sector uint32) error {
	if sector >= d.count {
		return io.ErrUnexpectedEOF
	}
	if d.owned[sector] {
		return ErrMalformed
	}
	d.owned[sector] = true
	return nil
}

// follow claims the sectors of a chain from its first one on, at most the given bytes
// of them. It ends early where the chain does, leaves the table, or meets a sector that
// has an owner.
func follow(next []uint32, owned []bool, first uint32, unit, want int64, offset func(uint32) int64) (spans []span, size int64) {
	for at := first; size < want && int64(at) < int64(len(owned)) && !owned[at]; {
		owned[at] = true
		if last := len(spans) - 1; last >= 0 && spans[last].at+spans[last].n == offset(at) {
			spans[last].n += unit
		} else {
			spans = append(spans, span{size, offset(at), unit})
		}
		size += unit
		if int64(at) >= int64(len(next)) {
			break
		}
		at = next[at]
	}
	return spans, size
}

// chain makes a stream of a chain of sectors; want is its length, or the greatest number
// where only the chain tells.
func (d *disk) chain(first uint32, want int64) *Node {
	n := &Node{src: d.r}
	n.spans, n.Size = follow(d.next, d.owned, first, d.sector, want, d.offset)
	if last := len(n.spans) - 1; last >= 0 { // the file may end within its last sector
		n.Size -= max(0, n.spans[last].at+n.spans[last].n-d.size)
		n.spans[last].n = n.Size - n.spans[last].off
	}
	n.trim(want)
	return n
}

// trim cuts a stream to the length that its entry gives.
func (n *Node) trim(want int64) {
	n.Short = n.Size < want && want != math.MaxInt64
	n.Size = min(n.Size, want)
}

// readSmall reads the allocation table of the mini stream, no more than the mini stream
// has sectors.
func (d *disk) readSmall(mini *Node) error {
	count := (mini.Size + miniSector - 1) / miniSector
	d.taken = make([]bool, count)
	table := d.chain(d.field(60), 4*count)
	raw := make([]byte, table.Size/4*4)
	if _, err := table.ReadAt(raw, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	for i := 0; i < len(raw); i += 4 {
		d.small = append(d.small, binary.LittleEndian.Uint32(raw[i:]))
	}
	return nil
}

// stream makes a node of a directory entry.
func (d *disk) stream(e *entry, mini *Node) *Node {
	if e.size >= miniCutoff {
		return d.chain(e.start, e.size)
	}
	n := &Node{src: mini}
	n.spans, n.Size = follow(d.small, d.taken, e.start, miniSector, e.size, func(s uint32) int64 { return int64(s) * miniSector })
	if last := len(n.spans) - 1; last >= 0 {
		n.Size -= max(0, n.spans[last].at+n.spans[last].n-mini.Size)
		n.spans[last].n = n.Size - n.spans[last].off
	}
	n.trim(e.size)
	return n
}

// entry is a line of the directory.
type entry struct {
	name               string
	kind               byte
	left, right, child uint32
	class              [16]byte
	start              uint32
	size               int64
}

// bytes reports whether an entry of a damaged file calls itself a storage and can only be a
// stream: it holds no others of the given number of entries, and bytes, which storages
// never do.
func (e *entry) bytes(entries int) bool {
	return e.kind == storageEntry && e.size > 0 && int64(e.child) >= int64(entries)
}

// Kinds of entry.
const (
	unusedEntry, storageEntry, streamEntry, rootEntry = 0, 1, 2, 5
)

func (d *disk) parse(b []byte) *entry {
	le := binary.LittleEndian
	e := &entry{kind: b[66], left: le.Uint32(b[68:]), right: le.Uint32(b[72:]), child: le.Uint32(b[76:]),
		start: le.Uint32(b[116:]), size: int64(le.Uint32(b[120:]))}
	if d.version >= 4 { // older writers left noise in the upper half
		e.size = int64(min(le.Uint64(b[120:]), math.MaxInt64-1))
	}
	copy(e.class[:], b[80:])
	units := make([]uint16, min(int(le.Uint16(b[64:])), 64)/2)
	for i := range units {
		units[i] = le.Uint16(b[2*i:])
	}
	e.name = strings.TrimRight(string(utf16.Decode(units)), "\x00")
	return e
}

// tree reads the directory and hangs each entry that can be reached below its storage.
func (d *disk) tree(limit int) (*Node, error) {
	lines, err := d.lines(limit)
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 && d.field(48) >= d.count {
		return nil, io.ErrUnexpectedEOF
	}
	if len(lines) == 0 || lines[0] == nil || lines[0].kind != rootEntry {
		return nil, ErrMalformed
	}
	mini := d.chain(lines[0].start, lines[0].size)
	if err := d.readSmall(mini); err != nil {
		return nil, err
	}
	nodes := make([]*Node, len(lines))
	for i, e := range lines {
		switch {
		case e == nil:
			continue
		case e.kind == streamEntry || e.bytes(len(lines)):
			nodes[i] = d.stream(e, mini)
		default:
			nodes[i] = &Node{Storage: true, Class: e.class}
		}
		nodes[i].Name = e.name
	}
	return nodes[0], hang(lines, nodes)
}

// lines reads the entries in use; nil stands for one that is not.
func (d *disk) lines(limit int) ([]*entry, error) {
	dir := d.chain(d.field(48), math.MaxInt64)
	block := make([]byte, d.sector)
	var out []*entry
	for at, used := int64(0), 0; at+d.sector <= dir.Size; at += d.sector {
		if _, err := dir.ReadAt(block, at); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		for i := 0; i < len(block); i += entrySize {
			var e *entry
			if k := block[i+66]; k == storageEntry || k == streamEntry || k == rootEntry {
				e = d.parse(block[i:])
				used++
			}
			if used > limit {
				return nil, fmt.Errorf("%w: more than %d", ErrEntries, limit)
			}
			out = append(out, e)
		}
	}
	return out, nil
}

// hang walks the trees of siblings below each storage. An entry that was met already is
// passed over: a file that repeats one is damaged, and a loop ends there. What no tree
// leads to, in a damaged file, is hung below the root, behind what belongs there.
func hang(lines []*entry, nodes []*Node) error {
	met := make([]bool, len(lines))
	met[0] = true
	level := []uint32{0}
	for depth := 0; len(level) > 0; depth++ {
		if depth > maxDepth {
			return fmt.Errorf("%w: storages too deep", ErrMalformed)
		}
		var below []uint32
		for _, at := range level {
			for _, i := range siblings(lines, met, lines[at].child) {
				nodes[at].Children = append(nodes[at].Children, nodes[i])
				if nodes[i].Storage {
					below = append(below, i)
				}
			}
			slices.SortStableFunc(nodes[at].Children, func(a, b *Node) int { return strings.Compare(a.Name, b.Name) })
		}
		level = below
	}
	for i, n := range nodes {
		if n != nil && !met[i] && !n.Storage {
			nodes[0].Children = append(nodes[0].Children, n)
		}
	}
	return nil
}

// siblings lists the entries of one tree of siblings that were not met before.
func siblings(lines []*entry, met []bool, top uint32) (out []uint32) {
	stack := []uint32{top}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if int64(i) >= int64(len(lines)) || met[i] || lines[i] == nil {
			continue
		}
		met[i] = true
		out = append(out, i)
		stack = append(stack, lines[i].right, lines[i].left)
	}
	return out
}

// Find looks a path up, storage by storage, and returns nil where there is nothing of
// that name. Case does not count, as the format has it.
func (n *Node) Find(path ...string) *Node {
	for _, name := range path {
		i := slices.IndexFunc(n.Children, func(c *Node) bool { return strings.EqualFold(c.Name, name) })
		if i < 0 {
			return nil
		}
		n = n.Children[i]
	}
	return n
}

// ReadAt reads from a stream; see io.ReaderAt.
func (n *Node) ReadAt(b []byte, off int64) (done int, err error) {
	if off < 0 {
		return 0, errors.New("cfb: negative offset")
	}
	if n.spans == nil && n.src != nil {
		return io.NewSectionReader(n.src, 0, n.Size).ReadAt(b, off)
	}
	i, _ := slices.BinarySearchFunc(n.spans, off, func(s span, off int64) int {
		if s.off+s.n <= off {
			return -1
		}
		return 1
	})
	for ; done < len(b) && i < len(n.spans) && off < n.Size; i++ {
		s := n.spans[i]
		part := b[done:min(int64(len(b)), int64(done)+min(s.off+s.n, n.Size)-off)]
		got, err := n.src.ReadAt(part, s.at+off-s.off)
		done, off = done+got, off+int64(got)
		if got < len(part) {
			return done, err
		}
	}
	if done < len(b) {
		return done, io.EOF
	}
	return done, nil
}

// Bytes reads a whole stream of at most limit bytes.
func (n *Node) Bytes(limit int64) ([]byte, error) {
	if n.Size > limit {
		return nil, ErrTooLarge
	}
	b := make([]byte, n.Size)
	if err := n.copyTo(b); err != nil {
		return nil, err
	}
	return b, nil
}

// NewStream makes a stream of its bytes, to be written.
func NewStream(name string, data []byte) *Node {
	return &Node{Name: name, Size: int64(len(data)), src: bytes.NewReader(data)}
}

// NewStorage makes a storage, to be written.
func NewStorage(name string, children ...*Node) *Node {
	return &Node{Name: name, Storage: true, Children: children}
}
