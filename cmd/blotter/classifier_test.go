package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blotter/internal/cell/inside/onnx/onnxtest"
	"blotter/internal/document"
	"blotter/internal/examples"
	"blotter/receipt"
)

// A classifier of the operator's own works from the configuration alone: it covers a word
// that no other layer does, and its digests stand in the job's events. Files that are not
// the pinned ones end the command before anything is done.
func TestClassifierIsOnRecord(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pinned := map[string]string{} // by name in the events
	settings := []string{"BLOTTER_CLASSIFIER_DIRECTORY=" + dir, "BLOTTER_CLASSIFIER_LABELS=WHOM=place"}
	for _, f := range []struct{ file, setting, body string }{
		{"model.onnx", "MODEL", string(onnxtest.Classifier([][]float32{{9, 0}, {9, 0}, {9, 0}, {9, 0}, {0, 4}}))},
		{"tokenizer.json", "TOKENIZER", `{"normalizer": {"type": "BertNormalizer"}, "pre_tokenizer": {"type": "BertPreTokenizer"},
			"post_processor": {"type": "BertProcessing", "cls": ["[CLS]", 2], "sep": ["[SEP]", 3]},
			"model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "cough": 4}}}`},
		{"config.json", "CONFIG", `{"id2label": {"0": "O", "1": "B-WHOM"}}`},
	} {
		digest := document.Sum([]byte(f.body)).String()
		pinned["classifier "+f.file] = digest
		settings = append(settings, "BLOTTER_CLASSIFIER_"+f.setting+"_SHA256="+digest)
		if err := os.WriteFile(filepath.Join(dir, f.file), []byte(f.body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	pinned["classifier labels"] = document.Sum([]byte("WHOM=place\n")).String()
	body, err := examples.Canary("Ruth", "Oyelaran", "4839201")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "canary.png")
	write(t, file, body)
	s := newStation(t, settings...)
	_, got := s.redact(0, file)
	if boxes := got[0].Assets[0].Boxes; !has(boxes, "place", "model") {
		t.Errorf("boxes %+v", boxes)
	}
	s.hasEngines(pinned)
	version := s.run(program(t), "version")
	for name, digest := range pinned {
		if !strings.Contains(version.out, name+"  sha256:"+digest) {
			t.Errorf("version does not name %s:\n%s", name, version.out)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(`{"id2label": {"0": "O", "1": "O"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	r := s.run(program(t), "redact", "--out", filepath.Join(t.TempDir(), "out"), file)
	if r.exit != 2 || !strings.Contains(r.err, "config.json has the SHA-256") || !strings.Contains(r.err, "reason: config.invalid") {
		t.Errorf("a file that is not the pinned one: exit %d\n%s", r.exit, r.err)
	}
}

func has(boxes []receipt.ResultBox, typ, source string) bool {
	for _, b := range boxes {
		if b.Type == typ && b.Source == source {
			return true
		}
	}
	return false
}

// hasEngines demands that the event of the redaction names these files with their digests.
func (s *station) hasEngines(want map[string]string) {
	s.t.Helper()
	db, v := s.open()
	defer db.Close()
	defer v.Close()
	seen := map[string]string{}
	for _, e := range s.events(db) {
		if e.Kind == receipt.RedactedKind {
			for _, g := range e.Code.Engines {
				seen[g.Name] = g.SHA256
			}
		}
	}
	for name, digest := range want {
		if seen[name] != digest {
			s.t.Errorf("the event says %q of %s, want %s", seen[name], name, digest)
		}
	}
}
