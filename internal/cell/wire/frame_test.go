package wire

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// fixed lists every message of the cell but Chunk.
var fixed = []Message{
	Ready{}, Sniffed{}, AssetFound{}, Burned{}, AssetDone{}, Progress{}, Done{}, Failed{},
	Listed{}, Placed{}, Tried{},
}

// No message of the cell can carry text: its types are numbers all the way down. Chunk
// is the one exception, and what it carries must be a PNG.
func TestMessagesCannotCarryText(t *testing.T) {
	for _, m := range fixed {
		noText(t, reflect.TypeOf(m), reflect.TypeOf(m).Name())
	}
}

func noText(t *testing.T, typ reflect.Type, path string) {
	switch typ.Kind() {
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Int64:
	case reflect.Array:
		if typ.Elem().Kind() == reflect.Uint8 && typ != reflect.TypeOf(document.Digest{}) {
			t.Errorf("%s is an array of bytes that is no digest", path)
		}
		noText(t, typ.Elem(), path+"[]")
	case reflect.Struct:
		for i := range typ.NumField() {
			f := typ.Field(i)
			noText(t, f.Type, path+"."+f.Name)
		}
	default:
		t.Errorf("%s is a %s, which could carry text", path, typ.Kind())
	}
}

// Every kind of frame that a reader takes stands in the list above, so that a new
// message cannot escape the test.
func TestEveryKindIsListed(t *testing.T) {
	listed := map[kind]bool{kindChunk: true, kindOriginalChunk: true}
	for _, m := range fixed {
		listed[m.kind()] = true
	}
	for k := range 256 {
		for _, size := range []uint32{0, 1, bodyBytes[kind(k)]} {
			if fits(kind(k), size) && !listed[kind(k)] {
				t.Errorf("a frame of kind %d is taken and not listed", k)
			}
		}
	}
}

func TestWrittenIsRead(t *testing.T) {
	want := []Message{
		Ready{Protections: AllProtections},
		Sniffed{Format: document.TIFF, NotCovered: document.Metadata, Assets: 3},
		AssetFound{Index: 1, Kind: document.Frame, Page: 2, Frame: 3, Format: document.CCITT, Width: 4, Height: 5, DPI: 6, Digest: document.Sum([]byte("x"))},
		Chunk{Original: true, Bytes: []byte{1}},
		Burned{X: 1, Y: 2, W: 3, H: 4, Type: document.Name, PerMille: 999, Source: document.ByHint},
		Chunk{Bytes: bytes.Repeat([]byte{7}, MaxChunk)},
		AssetDone{Index: 1, Status: document.Withheld, Reason: 9},
		Progress{Stage: document.StageRead, Index: 2},
		Done{NotCovered: document.OfficeText, Nanos: [10]int64{1, 2, 3}, Pixels: 1 << 40},
		Failed{Reason: 3, Format: document.Video},
		Placed{Image: 1, X: 2, Y: 3, W: 4, H: 5},
		Listed{Index: 1, Reason: 2, Bits: 8, Channels: 3, Spots: 4, Decoded: 1, Nanos: 5, HighWater: 6},
		Tried{Attempt: Fork, Early: 1, Errno: 13},
	}
	var b bytes.Buffer
	for _, m := range want {
		if err := Write(&b, m); err != nil {
			t.Fatal(err)
		}
	}
	r := NewReader(&b)
	for i, m := range want {
		got, err := r.Next()
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Fatalf("message %d: %v, %v, want %v", i, got, err, m)
		}
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
}

func TestFramesThatAreRefused(t *testing.T) {
	for name, b := range map[string][]byte{
		"kind 0":               {0, 0, 0, 0, 0},
		"unknown kind":         {200, 1, 0, 0, 0, 1},
		"a task":               {byte(kindTask), 2, 0, 0, 0, '{', '}'},
		"one byte too many":    {byte(kindReady), 5, 0, 0, 0, 1, 2, 3, 4, 5},
		"one byte too few":     {byte(kindReady), 3, 0, 0, 0, 1, 2, 3},
		"an empty chunk":       {byte(kindChunk), 0, 0, 0, 0},
		"a chunk over the max": {byte(kindChunk), 1, 0, 1, 0},
		"four gigabytes":       {byte(kindChunk), 255, 255, 255, 255},
	} {
		if _, err := NewReader(bytes.NewReader(b)).Next(); reason.Of(err) != reason.CellProtocol {
			t.Errorf("%s: %v", name, err)
		}
	}
	cut := []byte{byte(kindReady), 4, 0, 0, 0, 1}
	if _, err := NewReader(bytes.NewReader(cut)).Next(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("cut short: %v", err)
	}
}

func TestChunkBounds(t *testing.T) {
	for _, n := range []int{0, MaxChunk + 1} {
		if err := Write(io.Discard, Chunk{Bytes: make([]byte, n)}); err == nil {
			t.Errorf("a chunk of %d bytes was written", n)
		}
	}
}

// Whatever bytes come, the reader neither panics nor accepts two encodings of one
// message: what it took, written again, is what it read.
func FuzzReader(f *testing.F) {
	var seed bytes.Buffer
	for _, m := range append(fixed, Chunk{Bytes: []byte("x")}) {
		Write(&seed, m)
	}
	f.Add(seed.Bytes())
	f.Add([]byte{byte(kindChunk), 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, b []byte) {
		r := NewReader(bytes.NewReader(b))
		var again bytes.Buffer
		for {
			m, err := r.Next()
			if err != nil {
				break
			}
			if err := Write(&again, m); err != nil {
				t.Fatalf("read but not written: %v", err)
			}
		}
		if !bytes.HasPrefix(b, again.Bytes()) {
			t.Fatalf("read %x\nfrom %x", again.Bytes(), b)
		}
	})
}
