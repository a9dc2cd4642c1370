package cell

import (
	"testing"

	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/reason"
)

func imageFound(index uint32) wire.AssetFound {
	m := found(index)
	m.Kind = document.Image
	return m
}

// looked is an honest account of a page with an image that is withheld.
func looked() []wire.Message {
	return []wire.Message{
		wire.Sniffed{Format: document.PDF, Assets: 2}, // 0
		found(1), // 1
		wire.Placed{Image: 2, X: 1, Y: 1, W: testW - 1, H: testH - 1},     // 2
		wire.Listed{Index: 1, Decoded: 1, Nanos: 5e6, HighWater: 1 << 20}, // 3
		imageFound(2), // 4
		wire.Listed{Index: 2, Bits: 8, Channels: 3, Spots: 1, Reason: reason.NumberOf(reason.ExtractPixels)}, // 5
		wire.Done{NotCovered: document.Metadata}, // 6
	}
}

func newInspection() *inspection {
	t := testTask()
	t.Decode = true
	return &inspection{session: session{task: t}}
}

func TestInspectionIsTaken(t *testing.T) {
	i := newInspection()
	for n, m := range looked() {
		over, err := i.take(m)
		if err != nil || over != (n == len(looked())-1) {
			t.Fatalf("message %d: %v, %v", n, over, err)
		}
	}
	if len(i.images) != 2 || len(i.places) != 1 || i.report.Assets != 2 {
		t.Fatalf("%d images, %d places", len(i.images), len(i.places))
	}
	if i.images[1].Withheld != reason.ExtractPixels || !i.images[0].Decoded || i.images[1].Bits != 8 {
		t.Errorf("images %+v", i.images)
	}
	if want := (Place{Page: 1, Image: 2, Box: document.Box{X: 1, Y: 1, W: testW - 1, H: testH - 1}}); i.places[0] != want {
		t.Errorf("place %+v", i.places[0])
	}
}

// Each case puts a lie in the place of one message.
func TestInspectionLies(t *testing.T) {
	for name, c := range map[string]struct {
		at  int
		lie wire.Message
	}{
		"pixels":                  {2, wire.Chunk{Bytes: []byte("\x89PNG")}},
		"a box":                   {2, wire.Burned{W: 1, H: 1, Type: document.Name, Source: document.ByName}},
		"a place on an image":     {5, wire.Placed{Image: 2, W: 1, H: 1}},
		"a place outside":         {2, wire.Placed{Image: 2, X: 2, W: testW, H: 1}},
		"a place that wraps":      {2, wire.Placed{Image: 2, X: 1<<32 - 1, W: 2, H: 1}},
		"a place of nothing":      {2, wire.Placed{W: 1, H: 1}},
		"a place of what is not":  {2, wire.Placed{Image: 3, W: 1, H: 1}},
		"another asset closed":    {3, wire.Listed{Index: 2}},
		"closed before it opened": {1, wire.Listed{Index: 1}},
		"decoded and withheld":    {5, wire.Listed{Index: 2, Decoded: 1, Reason: reason.NumberOf(reason.ExtractPixels)}},
		"a reason of the queue":   {5, wire.Listed{Index: 2, Reason: reason.NumberOf(reason.QueueFull)}},
		"no such reason":          {5, wire.Listed{Index: 2, Reason: 60_000}},
		"a reason that passes":    {5, wire.Listed{Index: 2, Reason: reason.NumberOf(reason.ReadFailed)}},
		"a negative time":         {3, wire.Listed{Index: 1, Nanos: -1}},
		"a time over the limit":   {3, wire.Listed{Index: 1, Nanos: 11e9}},
		"done too early":          {4, wire.Done{}},
		"the end of a redaction":  {3, wire.AssetDone{Index: 1, Status: document.Redacted}},
		"a trial":                 {0, wire.Tried{Attempt: wire.Fork}},
	} {
		t.Run(name, func(t *testing.T) {
			i := newInspection()
			for n, m := range looked()[:c.at] {
				if _, err := i.take(m); err != nil {
					t.Fatalf("message %d: %v", n, err)
				}
			}
			if _, err := i.take(c.lie); reason.Of(err) != reason.CellProtocol {
				t.Errorf("%v, want %s", err, reason.CellProtocol)
			}
		})
	}
}

// What was not asked to be decoded must not be said to have been.
func TestInspectionDecodesOnlyWhatItWasAskedTo(t *testing.T) {
	i := newInspection()
	i.task.Decode = false
	for _, m := range looked()[:3] {
		if _, err := i.take(m); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := i.take(looked()[3]); reason.Of(err) != reason.CellProtocol {
		t.Errorf("%v, want %s", err, reason.CellProtocol)
	}
}

// A cell that redacts must not speak as one that inspects, nor the other way round.
func TestSessionTakesNoInspection(t *testing.T) {
	for _, m := range []wire.Message{wire.Listed{}, wire.Placed{}, wire.Tried{}} {
		s := &session{task: testTask(), sink: &memorySink{}}
		if _, err := s.take(m); reason.Of(err) != reason.CellProtocol {
			t.Errorf("%T: %v, want %s", m, err, reason.CellProtocol)
		}
	}
}
