package app

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"blotter/internal/reason"
	"blotter/receipt"
)

// Checked is what verifying one receipt found.
type Checked struct {
	Path       string // of the receipt
	Statements []receipt.Statement
}

// OK reports whether every statement holds.
func (c Checked) OK() bool { return receipt.FirstFailure(c.Statements) == nil }

// Verify checks receipts offline. A path is a receipt, a directory that holds one, or a
// directory of such directories. Where result.json lies beside a receipt, it and the
// derivatives are compared with the event. The error is usage.wrong for a path where no
// receipt is, and otherwise about reading; what a receipt proves is in the statements.
func Verify(paths []string, trust receipt.TrustList) ([]Checked, error) {
	var out []Checked
	for _, p := range paths {
		receipts, err := findReceipts(p)
		if err != nil {
			return nil, err
		}
		for _, r := range receipts {
			out = append(out, verifyOne(r, trust))
		}
	}
	return out, nil
}

// findReceipts lists the receipts that a path means. A subdirectory without one is
// listed too: its receipt is missing, and that must be seen.
func findReceipts(path string) ([]string, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, reason.Because(reason.UsageWrong, fmt.Errorf("%q is not there", path))
	}
	if !st.IsDir() {
		return []string{path}, nil
	}
	own := filepath.Join(path, receiptFile)
	if _, err := os.Stat(own); err == nil {
		return []string{own}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, reason.Because(reason.UsageWrong, fmt.Errorf("%q cannot be read", path))
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, filepath.Join(path, e.Name(), receiptFile))
		}
	}
	if len(out) == 0 {
		return nil, reason.Because(reason.UsageWrong, fmt.Errorf("%q holds no receipt", path))
	}
	return out, nil
}

func verifyOne(path string, trust receipt.TrustList) Checked {
	c := Checked{Path: path}
	data, err := readBounded(path, receipt.MaxReceiptBytes)
	if err != nil {
		return c.failed("receipt", receipt.CodeMalformed, "the receipt cannot be read, or is too long")
	}
	report, err := receipt.Verify(data, trust)
	c.Statements = report.Statements
	if err != nil {
		return c // files beside a receipt that proves nothing prove nothing either
	}
	return c.compare(filepath.Dir(path), report.Event)
}

// compare looks at the files beside the receipt, where there are any.
func (c Checked) compare(dir string, e receipt.Event) Checked {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return c.failed("result", receipt.CodeMismatch, "the directory cannot be opened")
	}
	defer root.Close()
	result, err := readBounded(filepath.Join(dir, resultFile), maxResultBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return c.alone(root.FS())
	}
	if err != nil {
		return c.failed("result", receipt.CodeMismatch, "result.json cannot be read, or is too long")
	}
	c.Statements = append(c.Statements, receipt.CheckResult(e, result, root.FS())...)
	return c
}

// alone judges a receipt without a result.json: it may stand by itself, but images
// beside it would look as if it vouched for them.
func (c Checked) alone(dir fs.FS) Checked {
	entries, err := fs.ReadDir(dir, ".")
	if err != nil {
		return c.failed("result", receipt.CodeMismatch, "the directory cannot be read")
	}
	for _, e := range entries {
		if receipt.IsAssetName(e.Name()) {
			return c.failed("result", receipt.CodeMismatch, "images lie beside the receipt, but no result.json")
		}
	}
	return c
}

func (c Checked) failed(name, code, detail string) Checked {
	c.Statements = append(c.Statements, receipt.Statement{Name: name, Code: code, Detail: detail})
	return c
}

// maxResultBytes bounds result.json: 2,000 assets with 20,000 boxes each would be
// more, but no document that was ever seen comes near.
const maxResultBytes = 256 << 20

func readBounded(path string, limit int64) ([]byte, error) {
	// A named pipe would keep the opener waiting.
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return nil, cmp.Or(err, fs.ErrInvalid)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = errors.New("too long")
	}
	return data, err
}

// ReadTrust reads a trust list. A file that is none, or is not there, is usage.wrong.
func ReadTrust(path string) (receipt.TrustList, error) {
	data, err := readBounded(path, maxTrustBytes)
	if err != nil {
		return receipt.TrustList{}, reason.Because(reason.UsageWrong, fmt.Errorf("the trust list %q cannot be read", path))
	}
	list, err := receipt.ParseTrustList(data)
	if err != nil {
		return receipt.TrustList{}, reason.Because(reason.UsageWrong, fmt.Errorf("%q is no trust list: %w", path, err))
	}
	return list, nil
}

// maxTrustBytes is room for thousands of keys.
const maxTrustBytes = 1 << 20
