package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"blotter/internal/reason"
)

// A frame is one byte of kind, four bytes of length (little endian) and the body.
const headerBytes = 5

// kind says what a frame holds. Never renumbered within a release: both ends are the
// same binary.
type kind uint8

const (
	kindReady kind = iota + 1
	kindSniffed
	kindAssetFound
	kindBurned
	kindAssetDone
	kindProgress
	kindDone
	kindFailed
	kindChunk
	kindOriginalChunk
	kindTask
	kindListed
	kindPlaced
	kindTried
)

// Message is anything that the cell may say: the struct types of this package and
// Chunk. The set is closed.
type Message interface{ kind() kind }

// Chunk is the next piece of a PNG, 1 to MaxChunk bytes. It is the only message whose
// length varies, and the parent hands its bytes to nothing but a structural check and
// the place where the PNG is kept.
type Chunk struct {
	Original bool // of the asset before redaction
	Bytes    []byte
}

func (Ready) kind() kind      { return kindReady }
func (Sniffed) kind() kind    { return kindSniffed }
func (AssetFound) kind() kind { return kindAssetFound }
func (Burned) kind() kind     { return kindBurned }
func (AssetDone) kind() kind  { return kindAssetDone }
func (Progress) kind() kind   { return kindProgress }
func (Done) kind() kind       { return kindDone }
func (Failed) kind() kind     { return kindFailed }
func (c Chunk) kind() kind {
	if c.Original {
		return kindOriginalChunk
	}
	return kindChunk
}

// Write sends one message as one frame, in one call to w.
func Write(w io.Writer, m Message) error {
	if c, ok := m.(Chunk); ok {
		if len(c.Bytes) == 0 || len(c.Bytes) > MaxChunk {
			return fmt.Errorf("wire: a chunk of %d bytes", len(c.Bytes))
		}
		_, err := w.Write(append(header(c.kind(), len(c.Bytes)), c.Bytes...))
		return err
	}
	size := binary.Size(m)
	frame, err := binary.Append(header(m.kind(), size), binary.LittleEndian, m)
	if err != nil {
		return fmt.Errorf("wire: encode: %w", err)
	}
	_, err = w.Write(frame)
	return err
}

func header(k kind, size int) []byte {
	h := make([]byte, headerBytes, headerBytes+size)
	h[0] = byte(k)
	binary.LittleEndian.PutUint32(h[1:], uint32(size))
	return h
}

// Reader reads what a cell says. It allocates one buffer of MaxChunk bytes, however
// long a frame claims to be.
type Reader struct {
	r   io.Reader
	buf [MaxChunk]byte
}

// NewReader reads frames from r, which should be buffered where calls are costly.
func NewReader(r io.Reader) *Reader { return &Reader{r: r} }

// Next returns the next message. The bytes of a Chunk are valid until the next call.
// The error is io.EOF between frames, io.ErrUnexpectedEOF within one, and carries
// cell.protocol where the bytes are no frame that a cell may send.
func (r *Reader) Next() (Message, error) {
	var h [headerBytes]byte
	if _, err := io.ReadFull(r.r, h[:]); err != nil {
		return nil, err
	}
	k, size := kind(h[0]), binary.LittleEndian.Uint32(h[1:])
	if !fits(k, size) {
		return nil, Violation(fmt.Sprintf("frame of kind %d with %d bytes", k, size))
	}
	body := r.buf[:size]
	if _, err := io.ReadFull(r.r, body); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return decode(k, body)
}

// Violation is the error for a message that breaks the protocol. what must be made
// of constants and numbers.
func Violation(what string) error {
	return reason.Because(reason.CellProtocol, errors.New("wire: "+what))
}

// fits reports whether a frame of kind k may have a body of that size.
func fits(k kind, size uint32) bool {
	switch k {
	case kindChunk, kindOriginalChunk:
		return 1 <= size && size <= MaxChunk
	}
	want, ok := bodyBytes[k]
	return ok && size == want
}

// bodyBytes holds the exact size of each fixed kind.
var bodyBytes = map[kind]uint32{
	kindReady:      sizeOf(Ready{}),
	kindSniffed:    sizeOf(Sniffed{}),
	kindAssetFound: sizeOf(AssetFound{}),
	kindBurned:     sizeOf(Burned{}),
	kindAssetDone:  sizeOf(AssetDone{}),
	kindProgress:   sizeOf(Progress{}),
	kindDone:       sizeOf(Done{}),
	kindFailed:     sizeOf(Failed{}),
	kindListed:     sizeOf(Listed{}),
	kindPlaced:     sizeOf(Placed{}),
	kindTried:      sizeOf(Tried{}),
}

func sizeOf(m Message) uint32 {
	n := binary.Size(m)
	if n < 0 {
		panic(fmt.Sprintf("wire: %T has no fixed size", m))
	}
	return uint32(n)
}

func decode(k kind, body []byte) (Message, error) {
	switch k {
	case kindReady:
		return as[Ready](body)
	case kindSniffed:
		return as[Sniffed](body)
	case kindAssetFound:
		return as[AssetFound](body)
	case kindBurned:
		return as[Burned](body)
	case kindAssetDone:
		return as[AssetDone](body)
	case kindProgress:
		return as[Progress](body)
	case kindDone:
		return as[Done](body)
	case kindFailed:
		return as[Failed](body)
	case kindListed:
		return as[Listed](body)
	case kindPlaced:
		return as[Placed](body)
	case kindTried:
		return as[Tried](body)
	case kindChunk, kindOriginalChunk:
		return Chunk{Original: k == kindOriginalChunk, Bytes: body}, nil
	}
	return nil, Violation(fmt.Sprintf("frame of kind %d", k))
}

func as[T Message](body []byte) (Message, error) {
	var m T
	if _, err := binary.Decode(body, binary.LittleEndian, &m); err != nil {
		return nil, Violation("a body that does not decode")
	}
	return m, nil
}
