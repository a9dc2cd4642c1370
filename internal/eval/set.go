package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"blotter/internal/reason"
	"blotter/internal/truth"
)

// annotated is a document and what is known of it.
type annotated struct {
	root  *os.Root // the directory that is measured; nothing outside of it is opened
	name  string   // relative to it
	truth truth.Document
}

// find lists the documents of the kinds below root that have truth beside them, by name.
// All truth is read before anything is run, so that a mistake shows at once. It ends with
// ctx.
func find(ctx context.Context, root *os.Root, kinds []string) ([]annotated, error) {
	var set []annotated
	var bad []error
	err := fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err = errors.Join(err, context.Cause(ctx)); err != nil {
			return err
		}
		if e.IsDir() || !strings.HasSuffix(name, truth.Suffix) {
			return nil
		}
		a, err := read(root, name)
		if err != nil {
			bad = append(bad, fmt.Errorf("%q: %w", filepath.Join(root.Name(), name), cause(err)))
		}
		set = append(set, a)
		return nil
	})
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, reason.Because(reason.UsageWrong, fmt.Errorf("%q cannot be read", root.Name()))
	case len(bad) > 0:
		return nil, reason.Because(reason.TruthInvalid, errors.Join(bad...))
	}
	set = slices.DeleteFunc(set, func(a annotated) bool {
		return len(kinds) > 0 && !slices.Contains(kinds, a.truth.Kind)
	})
	if len(set) == 0 {
		return nil, reason.Because(reason.TruthMissing, nil)
	}
	return set, nil
}

// cause takes the code away that the joined error will have once.
func cause(err error) error {
	var coded *reason.Error
	if errors.As(err, &coded) && coded.Err != nil {
		return coded.Err
	}
	return err
}

// read reads the truth file of that name and looks for its document.
func read(root *os.Root, name string) (annotated, error) {
	body, err := readTruth(root, name)
	if err != nil {
		return annotated{}, err
	}
	a := annotated{root: root, name: strings.TrimSuffix(name, truth.Suffix)}
	st, err := root.Stat(a.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return annotated{}, fmt.Errorf("there is no document %q beside it", path.Base(a.name))
	case err != nil || !st.Mode().IsRegular():
		return annotated{}, fmt.Errorf("its document %q: %w", path.Base(a.name), errIrregular)
	}
	a.truth, err = truth.Parse(body)
	return a, err
}

func readTruth(root *os.Root, name string) ([]byte, error) {
	f, err := openRegular(root, name)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, errors.New("it cannot be read: permission is missing")
	case err != nil:
		return nil, errIrregular
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, truth.MaxBytes+1))
	if err != nil || len(body) > truth.MaxBytes {
		return nil, fmt.Errorf("it cannot be read, or is over %d bytes", truth.MaxBytes)
	}
	return body, nil
}

// errIrregular says what to do about pipes, devices and links to elsewhere.
var errIrregular = errors.New("not a regular file within the directory that is measured; put the file itself there")

// openRegular opens a regular file within root for reading alone. O_NONBLOCK: opening a
// named pipe must not wait for its other end.
func openRegular(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return nil, errors.Join(errIrregular, f.Close())
	}
	return f, nil
}

// open opens the document for reading alone, as a cell demands. Its errors have the codes
// of a job's: source.not_found, source.denied, and source.byte_limit over the limit.
func (a annotated) open(limit int64) (*os.File, error) {
	f, err := openRegular(a.root, a.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, reason.Because(reason.SourceMissing, err)
	case err != nil:
		return nil, reason.Because(reason.SourceDenied, err)
	}
	if st, err := f.Stat(); err == nil && st.Size() > limit {
		return nil, errors.Join(reason.Because(reason.SourceBytes, nil), f.Close())
	}
	return f, nil
}
