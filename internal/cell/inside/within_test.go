package inside

import (
	"archive/zip"
	"bytes"
	"os"
	"testing"

	"blotter/internal/cell/inside/detect"
	"blotter/internal/cell/inside/mark"
	"blotter/internal/cell/inside/redact"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// An archive is opened where the policy says so, each image in it says in which file it
// is, and what the policy denies is withheld within as it is refused by itself.
func TestDocumentsWithinAnArchive(t *testing.T) {
	var packed, picture bytes.Buffer
	if err := redact.Encode(&picture, paper()); err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(&packed)
	for name, data := range map[string][]byte{"a.txt": []byte("text"), "b.png": picture.Bytes(), "c.gif": []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00\x3b\x00")} {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	run := func(task wire.Task) outcome {
		task.Limits = document.Limits{Assets: 9, Pages: 2, Frames: 2, AssetPixels: 1e6, TotalPixels: 1e6, Seconds: 5, Ratio: 1000, Filters: 5,
			Entries: 10, UnpackedBytes: 1e6, SourceBytes: 1e6, PageObjects: 500_000, TotalObjects: 2_000_000, DrawnPixels: 8e9, PageDPI: 100, Depth: 1}
		f, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.Write(packed.Bytes()); err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		redactDocument(engines{reader: &fakeReader{page: oneLine()}, finder: detect.New(), marker: mark.New()}, task, f, newEmitter(&said))
		return listen(t, &said)
	}

	refused := run(rules(document.Rules{}))
	if end, ok := refused.end.(wire.Failed); !ok || end.Reason != reason.NumberOf(reason.SniffArchive) {
		t.Errorf("without leave the archive ends as %+v", refused.end)
	}
	task := rules(document.Rules{OpenArchives: true})
	task.Deny = []document.Format{document.GIF}
	o := run(task)
	want := []struct {
		kind document.AssetKind
		code reason.Code
	}{{document.Whole, reason.SniffUnsupported}, {document.Frame, ""}, {document.Whole, reason.PolicyDenied}}
	if len(o.found) != len(want) || len(o.done) != len(want) {
		t.Fatalf("found %+v, done %+v", o.found, o.done)
	}
	for i, c := range want {
		code := reason.Code("")
		if o.done[i].Reason != 0 {
			code, _ = reason.ByNumber(o.done[i].Reason)
		}
		if o.found[i].Kind != c.kind || code != c.code || o.found[i].Within != (document.Path{uint32(i + 1)}) {
			t.Errorf("asset %d: %+v, %q", i+1, o.found[i], code)
		}
	}
	if o.made.Len() == 0 {
		t.Error("the picture has no derivative")
	}
}
