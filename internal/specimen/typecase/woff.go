package typecase

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
)

// unpackWOFF makes the sfnt file of a WOFF file again (W3C, WOFF File Format 1.0): the
// same tables, each compressed by itself.
func unpackWOFF(b []byte) ([]byte, error) {
	const header, entry = 44, 20
	if len(b) < header || string(b[:4]) != "wOFF" {
		return nil, errors.New("no WOFF file")
	}
	flavour, tables := b[4:8], int(binary.BigEndian.Uint16(b[12:]))
	if len(b) < header+entry*tables {
		return nil, errors.New("the table directory is cut off")
	}
	out := append([]byte(nil), flavour...)
	out = appendSearch(out, tables)
	directory := len(out)
	out = append(out, make([]byte, 16*tables)...)
	for i := range tables {
		e := b[header+entry*i:][:entry]
		table, err := unpackTable(b, e)
		if err != nil {
			return nil, fmt.Errorf("table %q: %w", e[:4], err)
		}
		d := out[directory+16*i:]
		copy(d, e[:4])
		copy(d[4:], e[16:20]) // checksum
		binary.BigEndian.PutUint32(d[8:], uint32(len(out)))
		binary.BigEndian.PutUint32(d[12:], uint32(len(table)))
		out = append(out, table...)
		out = append(out, make([]byte, -len(out)&3)...)
	}
	return out, nil
}

// appendSearch writes the number of tables and the three figures that help to search them.
func appendSearch(out []byte, tables int) []byte {
	power := bits.Len(uint(tables)) - 1
	for _, v := range []int{tables, 16 << power, power, 16*tables - 16<<power} {
		out = binary.BigEndian.AppendUint16(out, uint16(v))
	}
	return out
}

func unpackTable(b, entry []byte) ([]byte, error) {
	at, packed, size := uint64(binary.BigEndian.Uint32(entry[4:])), uint64(binary.BigEndian.Uint32(entry[8:])), binary.BigEndian.Uint32(entry[12:])
	if at+packed > uint64(len(b)) {
		return nil, errors.New("it lies beyond the file")
	}
	if packed == uint64(size) {
		return b[at : at+packed], nil
	}
	r, err := zlib.NewReader(bytes.NewReader(b[at : at+packed]))
	if err != nil {
		return nil, err
	}
	table := make([]byte, size)
	_, err = io.ReadFull(r, table)
	return table, err
}
