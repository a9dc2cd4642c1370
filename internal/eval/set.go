package eval

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blotter/internal/reason"
	"blotter/internal/source"
	"blotter/internal/truth"
)

// annotated is a document and what is known of it.
type annotated struct {
	path  string
	name  string // relative to the directory that is measured
	truth truth.Document
}

// find lists the documents of the kinds below dir that have truth beside them, by name.
// All truth is read before anything is run, so that a mistake shows at once.
func find(dir string, kinds []string) ([]annotated, error) {
	var set []annotated
	var bad []error
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() || !strings.HasSuffix(path, truth.Suffix) {
			return nil
		}
		a, err := read(dir, path)
		if err != nil {
			bad = append(bad, fmt.Errorf("%q: %w", path, cause(err)))
		}
		set = append(set, a)
		return nil
	})
	switch {
	case err != nil:
		return nil, reason.Because(reason.UsageWrong, fmt.Errorf("%q cannot be read", dir))
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

// read reads the truth file at path and looks for its document.
func read(dir, path string) (annotated, error) {
	f, err := os.Open(path)
	if err != nil {
		return annotated{}, errors.New("it cannot be read")
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, truth.MaxBytes+1))
	if err != nil || len(body) > truth.MaxBytes {
		return annotated{}, fmt.Errorf("it cannot be read, or is over %d bytes", truth.MaxBytes)
	}
	a := annotated{path: strings.TrimSuffix(path, truth.Suffix)}
	if a.name, err = filepath.Rel(dir, a.path); err != nil {
		return annotated{}, err
	}
	if st, err := os.Stat(a.path); err != nil || !st.Mode().IsRegular() {
		return annotated{}, fmt.Errorf("there is no document %q beside it", filepath.Base(a.path))
	}
	a.truth, err = truth.Parse(body)
	return a, err
}

// open opens the document for reading alone, as a cell demands. One that is over the
// limit has the code of a job's.
func (a annotated) open(limit int64) (*os.File, error) {
	ref, err := source.File(a.path)
	if err != nil {
		return nil, err
	}
	r, err := ref.Open()
	if err != nil {
		return nil, err
	}
	f, ok := r.(*os.File)
	if !ok {
		return nil, errors.Join(reason.Because(reason.Internal, errors.New("eval: a file that is none")), r.Close())
	}
	if st, err := f.Stat(); err == nil && st.Size() > limit {
		return nil, errors.Join(reason.Because(reason.SourceBytes, nil), f.Close())
	}
	return f, nil
}
