package cfb

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
)

// File writes a storage as a compound file of its own, of at most limit bytes: so an
// object that lies within a document becomes a document. Streams come out as they are,
// names cut to the 31 characters that an entry holds.
func (n *Node) File(limit int64) ([]byte, error) {
	w := &writer{}
	w.list(n)
	if err := w.measure(limit); err != nil {
		return nil, err
	}
	w.out = make([]byte, headerSize+int64(w.total)*sectorSize)
	if err := w.fill(); err != nil {
		return nil, err
	}
	w.finish()
	return w.out, nil
}

const sectorSize = 512

// writer lays a file out as directory, small table, mini stream, streams, tables.
type writer struct {
	nodes              []*Node // in the order of the directory
	left, right, child []uint32
	mini               int64 // bytes

	smallAt, miniAt, streamsAt, tableAt, listAt, total uint32 // sectors
	out                                                []byte
}

// list numbers the nodes, the children of one storage in a row, and hangs them up.
func (w *writer) list(root *Node) {
	w.add(root)
	for i := 0; i < len(w.nodes); i++ {
		children := slices.Clone(w.nodes[i].Children)
		slices.SortStableFunc(children, byFormat)
		first := uint32(len(w.nodes))
		for _, c := range children {
			w.add(c)
		}
		w.child[i] = w.balance(first, uint32(len(w.nodes)))
	}
}

func (w *writer) add(n *Node) {
	w.nodes = append(w.nodes, n)
	w.left, w.right, w.child = append(w.left, noEntry), append(w.right, noEntry), append(w.child, noEntry)
}

// balance makes a search tree of sorted siblings and returns its top.
func (w *writer) balance(from, to uint32) uint32 {
	if from >= to {
		return noEntry
	}
	top := from + (to-from)/2
	w.left[top], w.right[top] = w.balance(from, top), w.balance(top+1, to)
	return top
}

// byFormat is the order of siblings, [MS-CFB] 2.6.4: shorter names first.
func byFormat(a, b *Node) int {
	x, y := utf16.Encode([]rune(strings.ToUpper(a.Name))), utf16.Encode([]rune(strings.ToUpper(b.Name)))
	if len(x) != len(y) {
		return len(x) - len(y)
	}
	return slices.Compare(x, y)
}

func sectors(n, unit int64) int64 { return (n + unit - 1) / unit }

// measure finds where everything goes.
func (w *writer) measure(limit int64) error {
	var big int64
	for _, n := range w.nodes {
		switch {
		case n.Storage:
		case n.Size >= miniCutoff:
			big += sectors(n.Size, sectorSize)
		default:
			w.mini += sectors(n.Size, miniSector) * miniSector
		}
		if (big*sectorSize + w.mini) > limit {
			return ErrTooLarge
		}
	}
	at := sectors(int64(len(w.nodes)), sectorSize/entrySize)
	w.smallAt = uint32(at)
	at += sectors(w.mini/miniSector, sectorSize/4)
	w.miniAt = uint32(at)
	at += sectors(w.mini, sectorSize)
	w.streamsAt = uint32(at)
	at += big
	w.tableAt = uint32(at)
	table, lists := int64(0), int64(0)
	for at+table+lists > table*(sectorSize/4) {
		table++
		lists = sectors(max(0, table-inHeader), sectorSize/4-1)
	}
	w.listAt = uint32(at + table)
	w.total = uint32(at + table + lists)
	if headerSize+int64(w.total)*sectorSize > limit {
		return ErrTooLarge
	}
	return nil
}

func (w *writer) sector(i uint32) []byte { return w.out[headerSize+int64(i)*sectorSize:] }

// link writes the table's line for a run of sectors.
func (w *writer) link(from, to uint32) {
	for i := from; i < to; i++ {
		next := i + 1
		if next == to {
			next = endOfChain
		}
		w.set(i, next)
	}
}

func (w *writer) set(i, v uint32) { binary.LittleEndian.PutUint32(w.sector(w.tableAt)[4*i:], v) }

// fill writes the directory, the streams and the mini stream.
func (w *writer) fill() error {
	le := binary.LittleEndian
	for i := w.total; int64(i) < int64(w.listAt-w.tableAt)*(sectorSize/4); i++ {
		w.set(i, noEntry)
	}
	for i := int64(0); i < sectors(w.mini/miniSector, sectorSize/4)*(sectorSize/4); i++ {
		le.PutUint32(w.sector(w.smallAt)[4*i:], noEntry)
	}
	big, small := w.streamsAt, uint32(0)
	for i, n := range w.nodes {
		start := uint32(endOfChain)
		switch {
		case n.Storage || n.Size == 0:
		case n.Size >= miniCutoff:
			start = big
			big += uint32(sectors(n.Size, sectorSize))
			w.link(start, big)
			if err := n.copyTo(w.sector(start)); err != nil {
				return err
			}
		default:
			start = small
			small += uint32(sectors(n.Size, miniSector))
			for j := start; j < small; j++ {
				next := j + 1
				if next == small {
					next = endOfChain
				}
				le.PutUint32(w.sector(w.smallAt)[4*j:], next)
			}
			if err := n.copyTo(w.sector(w.miniAt)[int64(start)*miniSector:]); err != nil {
				return err
			}
		}
		w.entry(i, n, start)
	}
	return nil
}

// copyTo reads a whole stream.
func (n *Node) copyTo(b []byte) error {
	if got, err := n.ReadAt(b[:n.Size], 0); int64(got) < n.Size {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	return nil
}

// entry writes a line of the directory.
func (w *writer) entry(i int, n *Node, start uint32) {
	le, b := binary.LittleEndian, w.sector(0)[i*entrySize:]
	name := utf16.Encode([]rune(n.Name))
	name = name[:min(len(name), 31)]
	for j, u := range name {
		le.PutUint16(b[2*j:], u)
	}
	le.PutUint16(b[64:], uint16(2*len(name)+2))
	b[66], b[67] = streamEntry, 1 // black
	size := n.Size
	switch {
	case i == 0:
		b[66], size, start = rootEntry, w.mini, endOfChain
		if w.mini > 0 {
			start = w.miniAt
		}
	case n.Storage:
		b[66], start = storageEntry, 0
	}
	le.PutUint32(b[68:], w.left[i])
	le.PutUint32(b[72:], w.right[i])
	le.PutUint32(b[76:], w.child[i])
	copy(b[80:], n.Class[:])
	le.PutUint32(b[116:], start)
	le.PutUint64(b[120:], uint64(size))
}

// finish writes the header, the links of what is no stream, and who names the table.
func (w *writer) finish() {
	le := binary.LittleEndian
	for i := len(w.nodes); i < int(w.smallAt)*(sectorSize/entrySize); i++ { // unused entries
		b := w.sector(0)[i*entrySize:]
		for j := 68; j < 80; j += 4 {
			le.PutUint32(b[j:], noEntry)
		}
	}
	w.link(0, w.smallAt)
	w.link(w.smallAt, w.miniAt)
	w.link(w.miniAt, w.streamsAt)
	for i := w.tableAt; i < w.total; i++ {
		if w.set(i, 0xfffffffd); i >= w.listAt {
			w.set(i, 0xfffffffc)
		}
	}
	h := w.out
	copy(h, Magic)
	le.PutUint16(h[24:], 0x3e)
	le.PutUint16(h[26:], 3)
	le.PutUint16(h[28:], 0xfffe)
	le.PutUint16(h[30:], 9)
	le.PutUint16(h[32:], 6)
	le.PutUint32(h[44:], w.listAt-w.tableAt)
	le.PutUint32(h[48:], 0)
	le.PutUint32(h[56:], miniCutoff)
	le.PutUint32(h[60:], orEnd(w.smallAt, w.miniAt))
	le.PutUint32(h[64:], w.miniAt-w.smallAt)
	le.PutUint32(h[68:], orEnd(w.listAt, w.total))
	le.PutUint32(h[72:], w.total-w.listAt)
	for i := range uint32(inHeader) {
		le.PutUint32(h[76+4*i:], w.table(i))
	}
	for at, i := w.listAt, uint32(inHeader); at < w.total; at++ {
		b := w.sector(at)
		for j := range sectorSize/4 - 1 {
			le.PutUint32(b[4*j:], w.table(i))
			i++
		}
		le.PutUint32(b[sectorSize-4:], orEnd(at+1, w.total))
	}
}

// table is the i-th sector of the table, or what says that there is none.
func (w *writer) table(i uint32) uint32 {
	if w.tableAt+i < w.listAt {
		return w.tableAt + i
	}
	return noEntry
}

func orEnd(at, end uint32) uint32 {
	if at < end {
		return at
	}
	return endOfChain
}
