package receipt

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"slices"
	"strings"
)

// CheckResult compares a directory with a verified event: result.json and the files
// beside it. dir is read only; give it a file system that follows no symbolic links
// out of itself (os.Root.FS). It reports:
//
//	result       result.json is well-formed and says what the event says
//	derivatives  every redacted asset's file is there, with the digest that the event names
//	files        no other file is named like an asset's
//
// Timings, resolutions and originals are not compared: the event does not bind them.
func CheckResult(e Event, resultJSON []byte, dir fs.FS) []Statement {
	r, err := parseResult(resultJSON)
	if err == nil {
		err = r.matches(e)
	}
	out := []Statement{stated("result", err, "result.json says what the event says")}
	err = checkDerivatives(e, dir)
	out = append(out, stated("derivatives", err, fmt.Sprintf("%d derivatives have the digests that the event names", countRedacted(e))))
	err = checkNoOthers(e, r, dir)
	return append(out, stated("files", err, "no other file is named like an asset"))
}

func parseResult(data []byte) (Result, error) {
	var compact, again bytes.Buffer
	var r Result
	if json.Compact(&compact, data) != nil || json.Unmarshal(data, &r) != nil {
		return Result{}, failf(CodeMismatch, "result.json cannot be read")
	}
	if r.Schema != ResultSchema {
		return Result{}, failf(CodeMismatch, "the schema of result.json is not %s", ResultSchema)
	}
	encoded, err := r.Encode()
	if err != nil || json.Compact(&again, encoded) != nil || !bytes.Equal(again.Bytes(), compact.Bytes()) {
		return Result{}, failf(CodeMismatch, "result.json has unknown, repeated or reordered members")
	}
	return r, nil
}

// matches compares everything that both result and event say.
func (r Result) matches(e Event) error {
	var input Input
	if e.Input != nil {
		input = *e.Input
	}
	var policy Policy
	if e.Policy != nil {
		policy = *e.Policy
	}
	var code Code
	if e.Code != nil {
		code = *e.Code
	}
	switch {
	case r.Job != e.Job:
		return differs("job")
	case r.Input != input:
		return differs("input")
	case r.State != e.State:
		return differs("state")
	case r.Reason != e.Reason:
		return differs("reason")
	case !slices.Equal(r.NotCovered, e.NotCovered):
		return differs("not_covered")
	case !slices.Equal(r.OverBudget, e.OverBudget):
		return differs("over_budget")
	case r.Pixels != e.Pixels:
		return differs("pixels")
	case r.Policy != policy:
		return differs("policy")
	case r.Code.Revision != code.Revision || r.Code.Module != code.Module || !slices.Equal(r.Code.Engines, code.Engines):
		return differs("code")
	case len(r.Assets) != len(e.Assets):
		return failf(CodeMismatch, "result.json has %d assets, the event %d", len(r.Assets), len(e.Assets))
	}
	for i := range r.Assets {
		if err := r.Assets[i].matches(e.Assets[i]); err != nil {
			return err
		}
	}
	return nil
}

func differs(field string) error {
	return failf(CodeMismatch, "%q of result.json is not what the event says", field)
}

func (a ResultAsset) matches(e Asset) error {
	said := a.Asset()
	if e.BoxesSHA256 != "" {
		digest, err := BoxesDigest(said.Boxes)
		if err != nil {
			return failf(CodeMismatch, "the boxes of asset %d cannot be digested", e.Index)
		}
		said.Boxes, said.BoxesSHA256 = nil, digest
	}
	if a.Derivative != nil && a.Derivative.File != DerivativeName(e.Index) {
		return failf(CodeMismatch, "the derivative of asset %d has another name than its number gives", e.Index)
	}
	if a.Original != nil && a.Original.File != OriginalName(e.Index) {
		return failf(CodeMismatch, "the original of asset %d has another name than its number gives", e.Index)
	}
	if len(e.Boxes) == 0 {
		e.Boxes = nil
	}
	if !reflect.DeepEqual(said, e) {
		return failf(CodeMismatch, "asset %d of result.json is not what the event says", e.Index)
	}
	return nil
}

// redactedStatus is the status of an asset that has a derivative.
const redactedStatus = "redacted"

func countRedacted(e Event) (n int) {
	for _, a := range e.Assets {
		if a.Status == redactedStatus {
			n++
		}
	}
	return n
}

func checkDerivatives(e Event, dir fs.FS) error {
	for _, a := range e.Assets {
		name := DerivativeName(a.Index)
		if a.Status != redactedStatus {
			continue
		}
		digest, size, err := readPNG(dir, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return failf(CodeMismatch, "%s is missing", name)
		case err != nil:
			return failf(CodeMismatch, "%s cannot be read as PNG", name)
		case digest != a.DerivativeSHA256:
			return failf(CodeMismatch, "%s is not the file that the event names", name)
		case size != [2]int64{a.Width, a.Height}:
			return failf(CodeMismatch, "%s has not the size of its asset", name)
		}
	}
	return nil
}

// pngHeader is how every PNG begins: signature, length and name of its first chunk,
// then width and height.
const pngHeader = "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR"

// readPNG streams a file, so that memory does not grow with it, and returns the
// SHA-256 of its bytes in hexadecimal and the width and height that its header states.
func readPNG(dir fs.FS, name string) (digest string, size [2]int64, err error) {
	// A named pipe would keep the opener waiting.
	if st, err := fs.Stat(dir, name); err != nil || !st.Mode().IsRegular() {
		return "", size, cmp.Or(err, fs.ErrInvalid)
	}
	f, err := dir.Open(name)
	if err != nil {
		return "", size, err
	}
	defer f.Close() // nothing was written
	head := make([]byte, len(pngHeader)+8)
	if _, err := io.ReadFull(f, head); err != nil {
		return "", size, err
	}
	wh, ok := bytes.CutPrefix(head, []byte(pngHeader))
	if !ok {
		return "", size, errors.New("not a PNG")
	}
	size = [2]int64{int64(binary.BigEndian.Uint32(wh)), int64(binary.BigEndian.Uint32(wh[4:]))}
	h := sha256.New()
	h.Write(head)
	if _, err := io.Copy(h, f); err != nil {
		return "", size, err
	}
	return hex.EncodeToString(h.Sum(nil)), size, nil
}

// checkNoOthers refuses a file that passes for an asset and is none: a withheld
// asset's picture slipped in, or a second version beside the first.
func checkNoOthers(e Event, r Result, dir fs.FS) error {
	expected := map[string]bool{}
	for _, a := range e.Assets {
		if a.Status == redactedStatus {
			expected[DerivativeName(a.Index)] = true
		}
	}
	for _, a := range r.Assets {
		if a.Original != nil {
			expected[OriginalName(a.Index)] = true
		}
	}
	entries, err := fs.ReadDir(dir, ".")
	if err != nil {
		return failf(CodeMismatch, "the directory cannot be listed")
	}
	for _, entry := range entries {
		if IsAssetName(entry.Name()) && !expected[entry.Name()] {
			return failf(CodeMismatch, "a file is named like an asset that the event does not release")
		}
	}
	return nil
}

// IsAssetName reports whether a file beside a receipt passes for an asset, whatever
// the case of its letters.
func IsAssetName(name string) bool { return strings.HasPrefix(strings.ToLower(name), "asset-") }
