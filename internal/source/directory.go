package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"

	"blotter/internal/reason"
)

// directory is a prefix of files. It is opened anew for each document, so that a file
// system that was mounted over it later is seen.
type directory struct {
	location
}

func openDirectory(l location) (store, error) {
	if len(l.segments) == 0 {
		return nil, errors.New("it names the whole file system")
	}
	st, err := os.Stat(l.path())
	if err != nil {
		return nil, fmt.Errorf("its directory cannot be used: %w", err)
	}
	if !st.IsDir() {
		return nil, errors.New("it is not a directory")
	}
	return directory{l}, nil
}

// open goes through os.Root: each step is resolved below the directory, so that no link
// and no rename under way leads out of it; a link that stays within is followed.
func (d directory) open(_ context.Context, l location) (io.ReadCloser, error) {
	root, err := os.OpenRoot(d.path())
	if err != nil {
		return nil, failed(reason.SourceUnreadable, d.scheme) // the operator's to mend: it was there at the start
	}
	defer root.Close()
	name := path.Join(l.segments[len(d.segments):]...)
	// Asked before it is opened, because opening a device may do something. The file that
	// was opened is asked again.
	st, err := root.Stat(name)
	if err == nil && !st.Mode().IsRegular() {
		return nil, errIrregular
	}
	if err != nil {
		return nil, failed(fileCode(err), d.scheme)
	}
	f, err := root.OpenFile(name, openFlags, 0)
	if err != nil {
		return nil, failed(fileCode(err), d.scheme)
	}
	if f, err = regular(f); err != nil {
		return nil, err
	}
	return f, nil
}

func (directory) close() error { return nil }

// fileCode says what an error of the file system means for a job. What has no number of
// the system is os.Root's refusal of a path that leads out of it.
func fileCode(err error) reason.Code {
	var number syscall.Errno
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG):
		return reason.SourceMissing
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.ENXIO), !errors.As(err, &number):
		return reason.SourceDenied
	}
	return reason.SourceUnreadable
}
