package office

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// directory lists the files of an archive, judged by what its directory says: how
// many there are and how much they unpack to, which is their cost.
func directory(r io.ReaderAt, size int64, lim document.Limits) ([]*zip.File, catalogue.Cost, error) {
	if err := countEntries(r, size, lim.Entries); err != nil {
		return nil, catalogue.Cost{}, err
	}
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, catalogue.Cost{}, reason.Because(reason.ExtractMalformed, fmt.Errorf("office: archive: %w", err))
	}
	if len(z.File) > lim.Entries {
		return nil, catalogue.Cost{}, tooMany(len(z.File))
	}
	var parts []*zip.File
	var densest int64
	left := lim.UnpackedBytes
	for _, f := range z.File {
		if f.Flags&1 != 0 {
			return nil, catalogue.Cost{}, reason.Because(reason.ExtractEncrypted, errors.New("office: encrypted part"))
		}
		if f.UncompressedSize64 > uint64(max(left, 0)) {
			return nil, catalogue.Cost{}, reason.Because(reason.ExtractUnpacked, errors.New("office: parts too large"))
		}
		left -= int64(f.UncompressedSize64)
		densest = max(densest, density(f))
		if !f.FileInfo().IsDir() {
			parts = append(parts, f)
		}
	}
	byName(parts)
	return parts, catalogue.Cost{Entries: len(z.File), Unpacked: lim.UnpackedBytes - left, Ratio: densest}, nil
}

func tooMany(n int) error {
	return reason.Because(reason.ExtractEntries, fmt.Errorf("office: %d entries", n))
}

// countEntries bounds what reading the directory allocates, before it is read: there
// cannot be more entries than there are signatures of directory headers. Archives
// within the archive add signatures of their own, hence the slack; the exact count is
// judged afterwards.
func countEntries(r io.ReaderAt, size int64, limit int) error {
	const signature, slack, block = "PK\x01\x02", 16, 1 << 16
	buf := make([]byte, 0, block+len(signature))
	count := 0
	for at := int64(0); at < size; at += block {
		n, err := r.ReadAt(buf[:min(int64(cap(buf)), size-at)], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return reason.Because(reason.SourceUnreadable, err)
		}
		count += bytes.Count(buf[:min(n, block+len(signature)-1)], []byte(signature))
		if count > limit*slack {
			return tooMany(count)
		}
	}
	return nil
}

// density is the ratio of a part by its directory entry, before it is unpacked. What is
// beyond counting is very dense.
func density(p *zip.File) int64 {
	return catalogue.Density(int64(min(p.UncompressedSize64, math.MaxInt64)), int64(min(p.CompressedSize64, math.MaxInt64)))
}

// tooDense judges it.
func tooDense(p *zip.File, lim document.Limits) bool { return density(p) > int64(lim.Ratio) }

// unpack reads a whole part, no more than its directory entry says: what is longer
// is malformed.
func unpack(p *zip.File, lim document.Limits) ([]byte, error) {
	if tooDense(p, lim) {
		return nil, reason.Because(reason.ExtractRatio, errors.New("office: part packed too densely"))
	}
	in, err := p.Open()
	if err != nil {
		return nil, reason.Because(reason.ExtractMalformed, fmt.Errorf("office: part: %w", err))
	}
	defer in.Close()
	var out bytes.Buffer
	n, err := io.Copy(&out, io.LimitReader(in, int64(p.UncompressedSize64)+1))
	if err == nil && uint64(n) != p.UncompressedSize64 {
		err = errors.New("its size differs from its directory entry")
	}
	if err != nil {
		return nil, reason.Because(reason.ExtractMalformed, fmt.Errorf("office: part: %w", err))
	}
	return out.Bytes(), nil
}

// headBytes is how much of each part is looked at to tell what it is.
const headBytes = 640

// head returns a part's first bytes, and with an error those before it.
func (d *Document) head(p *zip.File) ([]byte, error) {
	in, err := p.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	b := make([]byte, headBytes)
	n, err := io.ReadFull(in, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) && uint64(n) == p.UncompressedSize64 {
		err = nil
	}
	return b[:n], err
}
