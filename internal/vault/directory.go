package vault

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/gcerrors"

	"blotter/internal/durable"
)

// dirMode lets nobody but the owner look at which blobs there are.
const dirMode fs.FileMode = 0o700

// directory is a place on a local disk: a blob is written beside its place, synced, and
// renamed into it.
type directory struct {
	dir    string
	bucket *blob.Bucket
}

func openDirectory(dir string) (*directory, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, unavailable("find the directory", err)
	}
	if err := durable.MkdirAll(dir, dirMode); err != nil {
		return nil, unavailable("make the directory", err)
	}
	bucket, err := fileblob.OpenBucket(dir, &fileblob.Options{
		DirFileMode: dirMode,
		NoTempDir:   true,                       // a rename must stay within the file system, and nothing may lie elsewhere
		Metadata:    fileblob.MetadataDontWrite, // one file a blob
	})
	if err != nil {
		return nil, unavailable("open the bucket", err)
	}
	return &directory{dir, bucket}, nil
}

func (d *directory) close() error { return d.bucket.Close() }

func (d *directory) empty(context.Context) (bool, error) {
	entries, err := os.ReadDir(d.dir)
	return len(entries) == 0, err
}

// file is a blob that is being written into a directory.
type file struct {
	dir    string // the blob's directory
	disk   *os.File
	cancel context.CancelFunc
	blob   *blob.Writer
}

func (d *directory) begin(ctx context.Context, key string) (unfinished, error) {
	f := &file{dir: filepath.Join(d.dir, filepath.FromSlash(path.Dir(key)))}
	if err := durable.MkdirAll(f.dir, dirMode); err != nil {
		return nil, err
	}
	ctx, f.cancel = context.WithCancel(ctx)
	var err error
	f.blob, err = d.bucket.NewWriter(ctx, key, &blob.WriterOptions{
		DisableContentTypeDetection: true, // opens the file at once; there is nothing to detect in ciphertext
		BeforeWrite:                 f.take,
	})
	if err != nil {
		f.cancel()
		return nil, err
	}
	return f, nil
}

// take gets hold of the file underneath, to sync it before it is renamed.
func (f *file) take(as func(any) bool) error {
	if !as(&f.disk) {
		return errors.New("the bucket is not of files")
	}
	return f.disk.Chmod(0o600)
}

func (f *file) Write(p []byte) (int, error) { return f.blob.Write(p) }

// put syncs before the rename, and the directory after it.
func (f *file) put() error {
	if err := durable.Sync(f.disk); err != nil {
		return err
	}
	if err := durable.Around("vault_rename", f.blob.Close); err != nil {
		return err
	}
	f.cancel()
	return durable.SyncDir(f.dir)
}

func (f *file) drop() {
	f.cancel()
	_ = f.blob.Close() // fails by design: the cancelled context makes it remove the file
}

func (d *directory) open(ctx context.Context, key string) (io.ReadCloser, error) {
	r, err := d.bucket.NewReader(ctx, key, nil)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, errMissing
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// walk goes by the disk rather than by the bucket's own listing, to which a file that
// vanishes meanwhile is an error.
func (d *directory) walk(ctx context.Context, prefix string, visit func(key string) error) error {
	return filepath.WalkDir(filepath.Join(d.dir, filepath.FromSlash(prefix)), func(name string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case e.IsDir():
			return nil
		}
		key, err := filepath.Rel(d.dir, name)
		if err != nil {
			return err
		}
		return visit(filepath.ToSlash(key))
	})
}

func (d *directory) remove(ctx context.Context, key string) error {
	err := durable.Around("vault_remove", func() error { return d.bucket.Delete(ctx, key) })
	if err != nil && gcerrors.Code(err) != gcerrors.NotFound {
		return err
	}
	err = durable.SyncDir(filepath.Join(d.dir, filepath.FromSlash(path.Dir(key))))
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // gone with its directory
		return err
	}
	return nil
}

// forget removes the directory of the class. One that is not empty is an error: somebody
// has begun a blob meanwhile, and what calls this is to be done again.
func (d *directory) forget(job, class string) error {
	dir := filepath.Join(d.dir, job, class)
	if _, err := os.Lstat(dir); err == nil {
		if err := durable.Remove(dir); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// The job's own directory goes with its last class. Only names are lost if the
	// machine dies before this is on disk, so nothing waits for it.
	err := os.Remove(filepath.Join(d.dir, job))
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
