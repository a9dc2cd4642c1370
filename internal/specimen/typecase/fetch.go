package typecase

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// fetchMissing asks npm for every package of which a typeface is missing.
func fetchMissing(dir string, all []fontSource) error {
	var missing []fontSource
	for _, p := range all {
		if !p.in(dir) {
			missing = append(missing, p)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("keep typefaces: %w", err)
	}
	parcel, err := os.MkdirTemp(dir, "npm-")
	if err != nil {
		return fmt.Errorf("keep typefaces: %w", err)
	}
	defer os.RemoveAll(parcel)
	if err := npmPack(parcel, missing); err != nil {
		return err
	}
	for _, p := range missing {
		if err := p.install(filepath.Join(parcel, p.tarball()), dir); err != nil {
			return fmt.Errorf("typefaces of %s %s: %w", p.Name, p.Version, err)
		}
	}
	return nil
}

// in reports whether every member is there; their digests are checked when they are read.
func (p fontSource) in(dir string) bool {
	for _, m := range p.Members {
		if _, err := os.Stat(m.file(dir)); err != nil {
			return false
		}
	}
	return true
}

// npmPack downloads the packages into dir; npm runs no script of theirs.
func npmPack(dir string, packages []fontSource) error {
	args := []string{"pack", "--silent", "--ignore-scripts", "--pack-destination", dir}
	for _, p := range packages {
		args = append(args, p.Name+"@"+p.Version)
	}
	if out, err := exec.Command("npm", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("specimens are set in typefaces that npm fetches once, and `npm pack` failed: "+
			"install npm, check the network and the npm registry setting, and run this again: %w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}

// tarball is the file name that npm gives a package.
func (p fontSource) tarball() string {
	return strings.NewReplacer("@", "", "/", "-").Replace(p.Name) + "-" + p.Version + ".tgz"
}

// install takes the members out of a package whose digest is right.
func (p fontSource) install(tarball, dir string) error {
	b, err := os.ReadFile(tarball)
	if err != nil {
		return err
	}
	sum := sha512.Sum512(b)
	if "sha512-"+base64.StdEncoding.EncodeToString(sum[:]) != p.Integrity {
		return errors.New("this is not the package that typefaces.lock pins")
	}
	files, err := untar(b)
	if err != nil {
		return err
	}
	for _, m := range p.Members {
		if !m.pinned(files[m.Path]) {
			return fmt.Errorf("%s is not the file that typefaces.lock pins", m.Path)
		}
		if err := place(m.file(dir), files[m.Path]); err != nil {
			return err
		}
	}
	return nil
}

// untar reads the WOFF files of a package.
func untar(b []byte) (map[string][]byte, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for archive := tar.NewReader(unpacked); ; {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(head.Name, ".woff") {
			if files[head.Name], err = io.ReadAll(archive); err != nil {
				return nil, err
			}
		}
	}
}

// place writes a file under another name first: a run that was killed leaves no half of one.
func place(name string, b []byte) error {
	part, err := os.CreateTemp(filepath.Dir(name), "part-")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name())
	if _, err := part.Write(b); err != nil {
		return errors.Join(err, part.Close())
	}
	if err := part.Close(); err != nil {
		return err
	}
	return os.Rename(part.Name(), name)
}
