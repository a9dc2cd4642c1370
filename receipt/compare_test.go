package receipt_test

import (
	"bytes"
	"io/fs"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"blotter/receipt"
)

// output is a directory as `redact --out` leaves it.
func output(t *testing.T) (receipt.Event, []byte, fstest.MapFS) {
	e := redactedEvent(t)
	e.OverBudget, e.Pixels = []string{"read"}, 3200
	result, err := resultOf(e).Encode()
	if err != nil {
		t.Fatal(err)
	}
	return e, result, fstest.MapFS{
		"result.json":    {Data: result},
		"receipt.json":   {Data: []byte("{}")},
		"asset-0001.png": {Data: testPNG(t)},
	}
}

func TestCheckResultHolds(t *testing.T) {
	e, result, dir := output(t)
	if err := receipt.FirstFailure(receipt.CheckResult(e, result, dir)); err != nil {
		t.Error(err)
	}
}

func TestCheckResultSeesEveryChange(t *testing.T) {
	e, result, dir := output(t)
	replace := func(old, new string) []byte {
		out := bytes.Replace(result, []byte(old), []byte(new), 1)
		if bytes.Equal(out, result) {
			t.Fatalf("%q is not in the result", old)
		}
		return out
	}
	flipped := bytes.Clone(testPNG(t))
	flipped[len(flipped)/2] ^= 1
	with := func(name string, data []byte) fstest.MapFS {
		out := maps.Clone(dir)
		out[name] = &fstest.MapFile{Data: data}
		return out
	}
	without := maps.Clone(dir)
	delete(without, "asset-0001.png")

	tests := []struct {
		name, failing string
		result        []byte
		dir           fs.FS
	}{
		{"job", "result", replace(`"job": "j01`, `"job": "j02`), dir},
		{"input digest", "result", replace(e.Input.SHA256, digestOf(nil)), dir},
		{"input size", "result", replace(`"bytes": 5`, `"bytes": 6`), dir},
		{"state", "result", replace(`"released"`, `"rejected"`), dir},
		{"reason", "result", replace(`"reason": ""`, `"reason": "internal"`), dir},
		{"not covered", "result", replace(`"metadata"`, `"office_text"`), dir},
		{"over budget", "result", replace(`"read"
  ]`, `"extract"
  ]`), dir},
		{"pixels", "result", replace(`"pixels": 3200`, `"pixels": 3201`), dir},
		{"policy", "result", replace(`"version": "1"`, `"version": "2"`), dir},
		{"engine", "result", replace(`"name": "detection"`, `"name": "other"`), dir},
		{"box moved", "result", replace(`"x": 4`, `"x": 5`), dir},
		{"box type", "result", replace(`"type": "name"`, `"type": "date"`), dir},
		{"score", "result", replace(`0.93`, `0.9300001`), dir},
		{"width", "result", replace(`"width": 40`, `"width": 41`), dir},
		{"withheld passed off as redacted", "result", replace(`"withheld"`, `"redacted"`), dir},
		{"derivative name", "result", replace(`asset-0001.png`, `asset-0009.png`), dir},
		{"derivative outside", "result", replace(`asset-0001.png`, `../asset-0001.png`), dir},
		{"derivative digest", "result", replace(e.Assets[0].DerivativeSHA256, digestOf(nil)), dir},
		{"repeated member", "result", replace(`"state": "released"`, `"state": "dead", "state": "released"`), dir},
		{"misspelt member", "result", replace(`"state"`, `"STATE"`), dir},
		{"trailing bytes", "result", append(bytes.Clone(result), "{}"...), dir},
		{"nothing", "result", nil, dir},
		{"flipped bit in the picture", "derivatives", result, with("asset-0001.png", flipped)},
		{"picture cut short", "derivatives", result, with("asset-0001.png", testPNG(t)[:20])},
		{"picture missing", "derivatives", result, without},
		{"picture of the withheld asset", "files", result, with("asset-0002.png", testPNG(t))},
		{"original that nobody asked for", "files", result, with("asset-0001.original.png", testPNG(t))},
		{"other spelling", "files", result, with("Asset-0001.PNG", testPNG(t))},
	}
	for _, tt := range tests {
		var failing []string
		statements := receipt.CheckResult(e, tt.result, tt.dir)
		for _, s := range statements {
			if !s.OK {
				failing = append(failing, s.Name)
			}
		}
		if got := strings.Join(failing, " "); got != tt.failing {
			t.Errorf("%s: fails in %q; want %q", tt.name, got, tt.failing)
		}
		if code := receipt.CodeOf(receipt.FirstFailure(statements)); code != receipt.CodeMismatch {
			t.Errorf("%s: code %q", tt.name, code)
		}
	}
}

func TestCheckResultWantsTheStatedSize(t *testing.T) {
	e, _, dir := output(t)
	e.Assets[0].Width = 41
	result, err := resultOf(e).Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := receipt.FirstFailure(receipt.CheckResult(e, result, dir)); receipt.CodeOf(err) != receipt.CodeMismatch {
		t.Errorf("a picture of another size than its asset: %v", err)
	}
}

func TestBoxesApart(t *testing.T) {
	e, _, dir := output(t)
	for i := range 600 {
		e.Assets[0].Boxes = append(e.Assets[0].Boxes, receipt.Box{X: int64(i), Y: 1, W: 2, H: 3, Type: "date", PerMille: int64(i), Source: "pattern"})
	}
	result, err := resultOf(e).Encode()
	if err != nil {
		t.Fatal(err)
	}
	if e.Assets, err = receipt.CompactBoxes(e.Assets); err != nil {
		t.Fatal(err)
	}
	if e.Assets[0].Boxes != nil || e.Assets[0].BoxesSHA256 == "" || e.Assets[1].BoxesSHA256 != "" {
		t.Fatalf("boxes over the limit must be bound by digest: %+v", e.Assets)
	}
	if err := receipt.FirstFailure(receipt.CheckResult(e, result, dir)); err != nil {
		t.Error(err)
	}
	moved := bytes.Replace(result, []byte(`"x": 599`), []byte(`"x": 598`), 1)
	if err := receipt.FirstFailure(receipt.CheckResult(e, moved, dir)); receipt.CodeOf(err) != receipt.CodeMismatch {
		t.Errorf("a moved box that stands apart: %v", err)
	}
}

// Where an asset lies in documents within is part of what is signed.
func TestCheckResultSeesAnotherDocumentWithin(t *testing.T) {
	within := func(path ...int64) receipt.ResultAsset {
		return receipt.ResultAsset{Index: 1, Kind: "document", Within: path, Status: "withheld", Reason: "extract.encrypted"}
	}
	e := receipt.Event{Assets: []receipt.Asset{within(2, 1).Asset()}}
	for _, c := range []struct {
		name string
		said receipt.ResultAsset
		want bool
	}{{"the same", within(2, 1), true}, {"another", within(2, 2), false}, {"its container", within(2), false}, {"none", within(), false}} {
		result, err := receipt.Result{Schema: receipt.ResultSchema, Assets: []receipt.ResultAsset{c.said}}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		err = receipt.FirstFailure(receipt.CheckResult(e, result, fstest.MapFS{}))
		if c.want != (err == nil) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestScoresSurviveTheWayThroughTheResult(t *testing.T) {
	for n := range int64(1001) {
		if got := (receipt.Box{PerMille: n}).ResultBox().Box().PerMille; got != n {
			t.Errorf("%d ‰ came back as %d", n, got)
		}
	}
}
