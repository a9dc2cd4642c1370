package cell

import (
	"bytes"
	"errors"
	"image"
	"io"
	"slices"
	"testing"

	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// memorySink keeps what a session gave it.
type memorySink struct {
	blobs  map[[2]any]*bytes.Buffer
	assets []Asset
	open   int
}

func (s *memorySink) Blob(index int, original bool) (io.WriteCloser, error) {
	if s.blobs == nil {
		s.blobs = map[[2]any]*bytes.Buffer{}
	}
	b := new(bytes.Buffer)
	s.blobs[[2]any{index, original}] = b
	s.open++
	return &memoryBlob{b, s}, nil
}

func (s *memorySink) Asset(a Asset) error {
	if s.open != 0 {
		return errors.New("an asset came before its blobs were closed")
	}
	s.assets = append(s.assets, a)
	return nil
}

type memoryBlob struct {
	io.Writer
	s *memorySink
}

func (b *memoryBlob) Close() error { b.s.open--; return nil }

func testTask() wire.Task {
	return wire.Task{Originals: true, Limits: document.Limits{
		Assets: 3, Pages: 3, Frames: 3, Entries: 2, Depth: 1, AssetPixels: testW * testH, TotalPixels: 2 * testW * testH, Seconds: 10,
	}}
}

func found(index uint32) wire.AssetFound {
	return wire.AssetFound{
		Index: index, Kind: document.Page, Page: 1, Format: document.PDF, Width: testW, Height: testH, DPI: 200,
		Digest: document.Sum([]byte("pixels")),
	}
}

// honest is a document with a redacted and a withheld asset.
func honest(t *testing.T) []wire.Message {
	pixels := encoded(t, image.NewGray(image.Rect(0, 0, testW, testH)))
	return []wire.Message{
		wire.Sniffed{Format: document.PDF, Assets: 2},      // 0
		wire.Progress{Stage: document.StageRead, Index: 1}, // 1
		found(1), // 2
		wire.Chunk{Original: true, Bytes: pixels[:20]},                                                                   // 3
		wire.Chunk{Original: true, Bytes: pixels[20:]},                                                                   // 4
		wire.Burned{X: 1, Y: 2, W: testW - 1, H: testH - 2, Type: document.Name, PerMille: 900, Source: document.ByName}, // 5
		wire.Chunk{Bytes: pixels},                                                                                        // 6
		wire.AssetDone{Index: 1, Status: document.Redacted},                                                              // 7
		found(2), // 8
		wire.AssetDone{Index: 2, Status: document.Withheld, Reason: reason.NumberOf(reason.RedactLook)}, // 9
		wire.Done{NotCovered: document.Metadata, Pixels: 2 * testW * testH},                             // 10
	}
}

func play(s *session, ms []wire.Message) (over bool, err error) {
	for _, m := range ms {
		if over, err = s.take(m); over || err != nil {
			return over, err
		}
	}
	return false, nil
}

func TestHonestDocument(t *testing.T) {
	sink := &memorySink{}
	s := &session{task: testTask(), sink: sink}
	over, err := play(s, honest(t))
	if !over || err != nil {
		t.Fatal(over, err)
	}
	if len(sink.assets) != 2 || s.report.Assets != 2 || len(sink.blobs) != 2 {
		t.Fatalf("%d assets, %d blobs", len(sink.assets), len(sink.blobs))
	}
	a, b := sink.assets[0], sink.assets[1]
	if a.Status != document.Redacted || len(a.Findings) != 1 || a.Findings[0].Score != 0.9 || a.Width != testW {
		t.Errorf("first asset %+v", a)
	}
	if b.Status != document.Withheld || b.Reason != reason.RedactLook {
		t.Errorf("second asset %+v", b)
	}
	if s.report.Format != document.PDF || s.report.NotCovered != document.Metadata || s.report.Pixels != 2*testW*testH {
		t.Errorf("report %+v", s.report)
	}
}

// Each case changes one message of an honest document into a lie.
func TestLies(t *testing.T) {
	small := encoded(t, image.NewGray(image.Rect(0, 0, 1, 1)))
	burned := func(f func(*wire.Burned)) wire.Message {
		b := honest(t)[5].(wire.Burned)
		f(&b)
		return b
	}
	asset := func(f func(*wire.AssetFound)) wire.Message {
		a := found(1)
		f(&a)
		return a
	}
	for _, c := range []struct {
		name string
		at   int
		lie  wire.Message // nil leaves the message out
	}{
		{"no Sniffed", 0, nil},
		{"unknown format", 0, wire.Sniffed{Format: 250, Assets: 2}},
		{"unknown bits", 0, wire.Sniffed{Format: document.PDF, Assets: 2, NotCovered: 1 << 30}},
		{"more assets than allowed", 0, wire.Sniffed{Format: document.PDF, Assets: 4}},
		{"fewer assets than told", 0, wire.Sniffed{Format: document.PDF, Assets: 1}},
		{"more assets than told", 0, wire.Sniffed{Format: document.PDF, Assets: 3}},
		{"Sniffed twice", 1, wire.Sniffed{Format: document.PDF, Assets: 2}},
		{"Ready again", 1, wire.Ready{}},
		{"no such stage", 1, wire.Progress{Stage: 99}},
		{"skipped index", 2, found(2)},
		{"index 0", 2, found(0)},
		{"no such kind", 2, asset(func(a *wire.AssetFound) { a.Kind = 9 })},
		{"no such encoding", 2, asset(func(a *wire.AssetFound) { a.Format = 200 })},
		{"page beyond the limit", 2, asset(func(a *wire.AssetFound) { a.Page = 4 })},
		{"frame beyond the limit", 2, asset(func(a *wire.AssetFound) { a.Frame = 4 })},
		{"a document within that is too deep", 2, asset(func(a *wire.AssetFound) { a.Within = document.Path{1, 1, 1} })},
		{"an asset below the deepest document", 2, asset(func(a *wire.AssetFound) { a.Within = document.Path{1, 1} })},
		{"a document within beyond the entries", 2, asset(func(a *wire.AssetFound) { a.Within = document.Path{3} })},
		{"a path with a gap", 2, asset(func(a *wire.AssetFound) { a.Within = document.Path{0, 1} })},
		{"a document within that is nowhere", 2, asset(func(a *wire.AssetFound) { a.Kind = document.Whole })},
		{"a side of 2³²", 2, asset(func(a *wire.AssetFound) { a.Width = 1<<32 - 1 })},
		{"too many pixels", 2, asset(func(a *wire.AssetFound) { a.Width++ })},
		{"no pixels", 2, asset(func(a *wire.AssetFound) { a.Width = 0 })},
		{"no digest", 2, asset(func(a *wire.AssetFound) { a.Digest = document.Digest{} })},
		{"an asset in an asset", 3, found(2)},
		{"an original of another size", 3, wire.Chunk{Original: true, Bytes: small}},
		{"an original cut short", 4, nil},
		{"an original after the boxes", 6, wire.Chunk{Original: true, Bytes: []byte{1}}},
		{"a box without size", 5, burned(func(b *wire.Burned) { b.W = 0 })},
		{"a box too wide", 5, burned(func(b *wire.Burned) { b.W++ })},
		{"a box too high", 5, burned(func(b *wire.Burned) { b.H++ })},
		{"a box that wraps", 5, burned(func(b *wire.Burned) { b.X, b.W = 1<<32-1, 2 })},
		{"type 0", 5, burned(func(b *wire.Burned) { b.Type = 0 })},
		{"no such type", 5, burned(func(b *wire.Burned) { b.Type = 200 })},
		{"no such source", 5, burned(func(b *wire.Burned) { b.Source = 200 })},
		{"a reviewer's box", 5, burned(func(b *wire.Burned) { b.Source = document.ByReviewer })},
		{"a score over 1", 5, burned(func(b *wire.Burned) { b.PerMille = 1001 })},
		{"a box after the derivative", 7, burned(func(*wire.Burned) {})},
		{"no derivative", 6, nil},
		{"a derivative cut short", 6, wire.Chunk{Bytes: []byte(pngSignature)}},
		{"another asset done", 7, wire.AssetDone{Index: 2, Status: document.Redacted}},
		{"redacted for a reason", 7, wire.AssetDone{Index: 1, Status: document.Redacted, Reason: 1}},
		{"withheld with a derivative", 7, wire.AssetDone{Index: 1, Status: document.Withheld, Reason: 1}},
		{"no such status", 7, wire.AssetDone{Index: 1, Status: 3}},
		{"never done", 7, nil},
		{"a whole document, redacted", 2, asset(func(a *wire.AssetFound) { a.Kind, a.Within = document.Whole, document.Path{1} })},
		{"withheld as denied", 9, wire.AssetDone{Index: 2, Status: document.Withheld, Reason: reason.NumberOf(reason.PolicyDenied)}},
		{"withheld without a reason", 9, wire.AssetDone{Index: 2, Status: document.Withheld}},
		{"withheld for another room's reason", 9, wire.AssetDone{Index: 2, Status: document.Withheld, Reason: reason.NumberOf(reason.QueueFull)}},
		{"withheld for a passing reason", 9, wire.AssetDone{Index: 2, Status: document.Withheld, Reason: reason.NumberOf(reason.ReadFailed)}},
		{"redacted without anything", 9, wire.AssetDone{Index: 2, Status: document.Redacted}},
		{"time runs backwards", 10, wire.Done{Nanos: [10]int64{-1}}},
		{"a stage longer than the limit", 10, wire.Done{Nanos: [10]int64{2: 11e9}}},
		{"pixels beyond counting", 10, wire.Done{Pixels: 1 << 63}},
		{"more entries than the limit", 10, wire.Done{Entries: 1 << 31}},
		{"more unpacked than the limit", 10, wire.Done{Unpacked: 1 << 62}},
		{"fails for another room", 10, wire.Failed{Reason: reason.NumberOf(reason.AuditRollback)}},
		{"refuses what is not denied", 10, wire.Failed{Reason: reason.NumberOf(reason.PolicyDenied), Format: document.PNG}},
		{"fails for an unnamed cause", 10, wire.Failed{Reason: reason.NumberOf(reason.Internal)}},
		{"fails for no reason", 10, wire.Failed{}},
		{"fails with no such reason", 10, wire.Failed{Reason: 60000}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ms := honest(t)
			if c.lie == nil {
				ms = append(ms[:c.at], ms[c.at+1:]...)
			} else {
				ms[c.at] = c.lie
			}
			sink := &memorySink{}
			s := &session{task: testTask(), sink: sink}
			if _, err := play(s, ms); reason.Of(err) != reason.CellProtocol {
				t.Errorf("%v, want %s", err, reason.CellProtocol)
			}
			if err := s.abandon(); err != nil || sink.open != 0 {
				t.Errorf("%d blobs left open, %v", sink.open, err)
			}
		})
	}
}

func TestTooManyBoxes(t *testing.T) {
	s := &session{task: testTask(), sink: &memorySink{}}
	ms := honest(t)
	if _, err := play(s, ms[:3]); err != nil {
		t.Fatal(err)
	}
	for range wire.MaxBoxes {
		if _, err := s.take(ms[5]); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.take(ms[5]); reason.Of(err) != reason.CellProtocol {
		t.Errorf("box %d: %v", wire.MaxBoxes+1, err)
	}
}

func TestTotalPixelsAreBounded(t *testing.T) {
	task := testTask()
	task.Limits.TotalPixels = 2*testW*testH - 1
	s := &session{task: task, sink: &memorySink{}}
	ms := honest(t)
	if _, err := play(s, ms[:9]); err != nil {
		t.Fatal(err)
	}
	if _, err := s.take(ms[3]); reason.Of(err) != reason.CellProtocol {
		t.Errorf("the second asset's pixels: %v", err)
	}
}

func TestUnaskedOriginal(t *testing.T) {
	task := testTask()
	task.Originals = false
	s := &session{task: task, sink: &memorySink{}}
	if _, err := play(s, honest(t)[:4]); reason.Of(err) != reason.CellProtocol {
		t.Errorf("%v, want %s", err, reason.CellProtocol)
	}
}

func TestFailedKeepsWhatWasLearned(t *testing.T) {
	s := &session{task: testTask(), sink: &memorySink{}}
	over, err := s.take(wire.Failed{Reason: reason.NumberOf(reason.SniffVideo), Format: document.Video})
	if !over || reason.Of(err) != reason.SniffVideo || s.report.Format != document.Video {
		t.Errorf("%v, %v, %v", over, err, s.report.Format)
	}
}

// A refusal that the policy asked for is believed for the formats that it names.
func TestDeniedFormatMayBeRefused(t *testing.T) {
	s := &session{task: testTask(), sink: &memorySink{}}
	s.task.Deny = []document.Format{document.GIF}
	over, err := s.take(wire.Failed{Reason: reason.NumberOf(reason.PolicyDenied), Format: document.GIF})
	if !over || reason.Of(err) != reason.PolicyDenied || s.report.Format != document.GIF {
		t.Errorf("over %v, %v, format %v", over, err, s.report.Format)
	}
}

// A picture within that the policy denies is withheld as a document is, in a redaction and
// in an inspection.
func TestDeniedPictureWithin(t *testing.T) {
	denied := reason.NumberOf(reason.PolicyDenied)
	for format, want := range map[document.Format]reason.Code{document.EMF: "", document.WMF: reason.CellProtocol} {
		task := testTask()
		task.Deny = []document.Format{document.EMF}
		opened := []wire.Message{
			wire.Sniffed{Format: document.DOCX, Assets: 1},
			wire.AssetFound{Index: 1, Kind: document.Image, Within: document.Path{1}, Format: format},
		}
		sink := &memorySink{}
		over, err := play(&session{task: task, sink: sink}, append(slices.Clone(opened),
			wire.AssetDone{Index: 1, Status: document.Withheld, Reason: denied}, wire.Done{}))
		if over != (want == "") || reason.Of(err) != want {
			t.Errorf("%v redacted: %v, %v", format, over, err)
		}
		i := &inspection{session: session{task: task}}
		for _, m := range append(opened, wire.Listed{Index: 1, Reason: denied}) {
			_, err = i.take(m)
		}
		if reason.Of(err) != want {
			t.Errorf("%v inspected: %v", format, err)
		}
	}
}

// A small copy of the only frame that the policy allows is no frame too many.
func TestSmallCopiesAreNumberedAmongFrames(t *testing.T) {
	for frame, want := range map[uint32]reason.Code{3: "", 4: reason.CellProtocol} {
		task := testTask()
		task.Limits.Frames = 1
		_, err := play(&session{task: task, sink: &memorySink{}}, []wire.Message{
			wire.Sniffed{Format: document.JPEG, Assets: 1},
			wire.AssetFound{Index: 1, Kind: document.Thumbnail, Frame: frame, Format: document.JPEG, Width: 1, Height: 1},
		})
		if reason.Of(err) != want {
			t.Errorf("frame %d: %v", frame, err)
		}
	}
}

// A document within that was not opened is told of, also where the policy denies it or
// where it lies one deeper than the limit.
func TestDocumentsWithin(t *testing.T) {
	for _, c := range []struct {
		at   document.Path
		code reason.Code
	}{
		{document.Path{2}, reason.PolicyDenied}, {document.Path{2, 1}, reason.ExtractDepth}, {document.Path{1}, reason.ExtractEncrypted},
	} {
		sink := &memorySink{}
		task := testTask()
		task.Deny = []document.Format{document.PDF}
		s := &session{task: task, sink: sink}
		over, err := play(s, []wire.Message{
			wire.Sniffed{Format: document.DOCX, Assets: 1},
			wire.AssetFound{Index: 1, Kind: document.Whole, Within: c.at, Format: document.PDF},
			wire.AssetDone{Index: 1, Status: document.Withheld, Reason: reason.NumberOf(c.code)},
			wire.Done{},
		})
		if !over || err != nil || len(sink.assets) != 1 {
			t.Errorf("%v: %v, %v", c, over, err)
			continue
		}
		if a := sink.assets[0]; a.Within != c.at || a.Kind != document.Whole || a.Reason != c.code {
			t.Errorf("%v came out as %+v", c, a)
		}
	}
}
