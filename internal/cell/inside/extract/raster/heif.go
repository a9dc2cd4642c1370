package raster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"slices"

	"blotter/internal/cell/inside/extract/raster/bmff"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// sequenceBytes bounds the pictures of an AV1 sequence, which are decoded at once because
// each builds on those before it: width × height × 4 × frames.
const sequenceBytes = 256 << 20

// heifHeaders lists the pictures of a HEIF or AVIF file: the primary one, then every other
// that is no part of one, thumbnails, depth and gain maps among them, then the frames of
// its sequences. Their sizes come from the descriptions, which the streams must keep to.
func heifHeaders(r io.ReaderAt, size int64, limit int, foreign Foreign) (headers, error) {
	f, err := bmff.Read(r, size)
	if err != nil {
		return headers{}, because("HEIF", err)
	}
	w := &heifWalk{r: r, f: f, foreign: foreign, limit: limit}
	w.h.more = f.More
	for _, list := range []func() error{w.items, w.tracks} {
		if err := list(); err != nil {
			return headers{}, err
		}
	}
	if len(w.h.frames) == 0 {
		return headers{}, because("HEIF", errors.New("no picture"))
	}
	w.h.addSmall(w.small, 1)
	return w.h, nil
}

type heifWalk struct {
	r       io.ReaderAt
	f       *bmff.File
	foreign Foreign
	limit   int // frames
	h       headers
	small   []frame // in EXIF
	alphas  map[uint32]*bmff.Item
}

func (w *heifWalk) add(f frame) error {
	if len(w.h.frames) >= w.limit {
		return reason.Because(reason.ExtractFrames, fmt.Errorf("raster: more than %d frames", w.limit))
	}
	w.h.frames = append(w.h.frames, f)
	return nil
}

// items lists the primary picture and the others in the file's order.
func (w *heifWalk) items() error {
	order := slices.Clone(w.f.Items)
	primary := w.f.Item(w.f.Primary)
	if primary != nil && primary.Type == "tmap" && len(primary.Tiles) > 0 { // it brightens another
		primary = w.f.Item(primary.Tiles[0])
	}
	slices.SortStableFunc(order, func(a, b *bmff.Item) int {
		switch {
		case a == primary && b != primary:
			return -1
		case b == primary && a != primary:
			return 1
		}
		return 0
	})
	parts := map[uint32]bool{}
	for _, it := range w.f.Items {
		if it.Type == "grid" || it.Type == "iovl" || it.Type == "iden" {
			for _, id := range it.Tiles {
				parts[id] = true
			}
		}
	}
	for _, it := range order {
		switch it.Type {
		case "":
			continue // only pointed at
		case "Exif":
			w.exif(it)
			continue
		case "mime", "uri ":
			w.h.more = true
			continue
		case "tmap":
			continue // how two others go together
		}
		if parts[it.ID] && it != primary || w.laid(it, parts) {
			continue
		}
		if err := w.add(w.itemFrame(it)); err != nil {
			return err
		}
	}
	return nil
}

// laid reports whether an item is the opacity of a picture that is listed: of one that has
// several the first, as withAlpha has it. Any other, that of a part too, is a picture by
// itself.
func (w *heifWalk) laid(it *bmff.Item, parts map[uint32]bool) bool {
	if !it.Alpha() {
		return false
	}
	for _, id := range it.AuxOf {
		if of := w.f.Item(id); of != nil && !of.Alpha() && !parts[id] && w.alpha(id) == it {
			return true
		}
	}
	return false
}

// alpha is the opacity of the picture of that number, nil where it has none.
func (w *heifWalk) alpha(id uint32) *bmff.Item {
	if w.alphas == nil {
		w.alphas = map[uint32]*bmff.Item{}
		for _, a := range w.f.Items {
			for _, of := range a.AuxOf {
				if w.alphas[of] == nil && a.Alpha() {
					w.alphas[of] = a
				}
			}
		}
	}
	return w.alphas[id]
}

// exif looks for small copies. The orientation in it is not heard: properties say that.
func (w *heifWalk) exif(it *bmff.Item) {
	w.h.more = true
	var skip [4]byte
	at, end, ok := w.f.Place(it)
	if !ok || end-at < 4 {
		return
	}
	if _, err := w.r.ReadAt(skip[:], at); err != nil {
		return
	}
	if at += 4 + int64(binary.BigEndian.Uint32(skip[:])); at < end {
		w.small = append(w.small, readExif(w.r, span{at, end}).small...)
	}
}

// itemFrame describes a picture and judges whether it can be decoded.
func (w *heifWalk) itemFrame(it *bmff.Item) frame {
	f := frame{turn: 1}
	if len(it.Shows) > 0 {
		f.kind = document.Thumbnail
	}
	width, height := it.Size()
	turns, err := turnsOf(it, width, height)
	if err == nil {
		err = w.judge(it, 0)
	}
	f.width, f.height = turns.size(width, height)
	if it.Type == "iovl" {
		f.cost = celBytes
	}
	if pixi := it.Prop("pixi"); len(pixi) > 4 && pixi[4] == 1 {
		f.gray = true
	}
	switch {
	case err != nil:
		f.withheld = reason.Of(because("HEIF", err))
	case w.foreign == nil:
		f.withheld = reason.ExtractEncoding
	}
	f.load = func() (image.Image, error) {
		img, err := w.withAlpha(it)
		if err != nil {
			return nil, err
		}
		return turns.apply(flatten(img, f.gray)), nil
	}
	return f
}

// derivedDepth bounds how often a picture may be derived from another.
const derivedDepth = 4

// judge refuses what cannot be decoded, before anything is.
func (w *heifWalk) judge(it *bmff.Item, depth int) error {
	if depth > derivedDepth {
		return errors.New("pictures derived from each other")
	}
	if width, height := it.Size(); width <= 0 || height <= 0 || width > 1<<20 || height > 1<<20 {
		return fmt.Errorf("item of %d×%d", width, height)
	}
	switch it.Type {
	case "hvc1", "av01", "jpeg":
		return w.f.Check(it)
	case "grid":
		return w.judgeGrid(it, depth)
	case "iovl":
		return w.judgeOverlay(it, depth)
	}
	return reason.Because(reason.ExtractEncoding, fmt.Errorf("raster: HEIF item of type %q", it.Type))
}

func (w *heifWalk) judgeGrid(it *bmff.Item, depth int) error {
	rows, columns, gw, gh, err := w.f.Grid(it)
	if err != nil {
		return err
	}
	width, height := it.Size()
	if gw != width || gh != height {
		return reason.Because(reason.ExtractSizeLies, errors.New("raster: grid of another size"))
	}
	if rows*columns != len(it.Tiles) {
		return fmt.Errorf("grid of %d×%d with %d tiles", columns, rows, len(it.Tiles))
	}
	for _, id := range it.Tiles {
		tile := w.f.Item(id)
		if tile == nil || tile.Type == "grid" {
			return errors.New("grid without its tiles")
		}
		if tile.Type == "iovl" { // whose pictures may have opacities that are grids
			return reason.Because(reason.ExtractEncoding, errors.New("raster: grid of what is itself derived"))
		}
		if err := w.judge(tile, depth+1); err != nil {
			return err
		}
		tw, th := tile.Size()
		if first := w.f.Item(it.Tiles[0]); first != tile {
			if fw, fh := first.Size(); fw != tw || fh != th {
				return errors.New("grid of different tiles")
			}
		}
		if tw*columns < width || th*rows < height || tw*(columns-1) >= width || th*(rows-1) >= height {
			return errors.New("grid that its tiles do not fill")
		}
	}
	return nil
}

// withAlpha decodes a picture and its opacity.
func (w *heifWalk) withAlpha(it *bmff.Item) (image.Image, error) {
	img, err := w.pixels(it, it)
	if err != nil {
		return nil, err
	}
	a := w.alpha(it.ID)
	if a == nil || a == it {
		return img, nil
	}
	if err := w.judgeAlpha(a, it); err != nil {
		return nil, because("HEIF opacity", err)
	}
	alpha, err := w.pixels(a, a)
	if err != nil {
		return nil, err
	}
	return lay(img, toGray(alpha), it.Premul), nil
}

// judgeAlpha refuses an opacity that is larger than its picture, whose size alone was judged by
// the limits, or laid of pictures that have opacities in turn, without end.
func (w *heifWalk) judgeAlpha(a, of *bmff.Item) error {
	width, height := of.Size()
	if aw, ah := a.Size(); a.Type == "iovl" || aw > width || ah > height {
		return reason.Because(reason.ExtractEncoding, errors.New("raster: opacity of another kind"))
	}
	return w.judge(a, 0)
}

// lay gives a picture its opacity, which may be coarser.
func lay(img image.Image, alpha *image.Gray, premultiplied bool) image.Image {
	m := toNRGBA(img)
	w, h := m.Rect.Dx(), m.Rect.Dy()
	for y := range h {
		row := alpha.Pix[y*alpha.Rect.Dy()/h*alpha.Stride:]
		for x := range w {
			m.Pix[y*m.Stride+4*x+3] = row[x*alpha.Rect.Dx()/w]
		}
	}
	if premultiplied {
		return &image.RGBA{Pix: m.Pix, Stride: m.Stride, Rect: m.Rect}
	}
	return m
}

// pixels decodes a picture as it is stored. Its colours may be said by the grid that it is
// a part of.
func (w *heifWalk) pixels(it, whole *bmff.Item) (image.Image, error) {
	width, height := it.Size()
	switch it.Type {
	case "grid":
		return w.grid(it)
	case "iovl":
		return w.overlay(it)
	}
	data, err := w.f.Data(it)
	if err != nil {
		return nil, because("HEIF", err)
	}
	switch it.Type {
	case "hvc1":
		return w.hevc(codedProps(it, "hvcC"), data, width, height, colours(it, whole))
	case "av01":
		if sw, sh, err := av1Size(it.Prop("av1C"), data); err != nil {
			return nil, because("AV1", err)
		} else if sw != width || sh != height { // the decoder would scale it
			return nil, reason.Because(reason.ExtractSizeLies, fmt.Errorf("raster: AV1 of %d×%d", sw, sh))
		}
		out, err := w.foreign.DecodeAV1(bmff.Single("avif", "av01", codedProps(it, "av1C"), data), width, height, 1)
		if err != nil {
			return nil, err
		}
		if out[0] == nil {
			return nil, because("AV1", io.ErrUnexpectedEOF)
		}
		return out[0], nil
	}
	f, err := jpegFrame(data)
	if err != nil {
		return nil, err
	}
	return decodePart(f, data, width, height)
}

// hevc decodes one picture and turns it into light.
func (w *heifWalk) hevc(props []bmff.Prop, data []byte, width, height int, l light) (image.Image, error) {
	img, err := w.foreign.DecodeHEVC(bmff.Single("heic", "hvc1", withColours(props), data), width, height)
	if err != nil {
		return nil, err
	}
	if m, ok := img.(*image.YCbCr); ok {
		return l.show(m), nil
	}
	return img, nil
}

// grid decodes tile after tile.
func (w *heifWalk) grid(it *bmff.Item) (image.Image, error) {
	_, columns, width, height, err := w.f.Grid(it)
	if err != nil {
		return nil, because("HEIF", err)
	}
	dst := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i, id := range it.Tiles {
		tile := w.f.Item(id)
		tw, th := tile.Size()
		img, err := w.pixels(tile, it)
		if err != nil {
			return nil, err
		}
		drawAt(dst, img, i%columns*tw, i/columns*th)
	}
	return dst, nil
}

// tracks lists the frames of sequences. Those of HEVC that build on others are withheld:
// there is no decoder for them here.
func (w *heifWalk) tracks() error {
	for _, t := range w.f.Tracks {
		if t.Auxiliary { // opacity goes with its picture
			continue
		}
		s := &sequence{w: w, t: t}
		for i, sample := range t.Samples {
			f := frame{turn: 1, width: t.Width, height: t.Height}
			switch {
			case t.Codec != "av01" && (t.Codec != "hvc1" && t.Codec != "hev1" || !sample.Sync) || w.foreign == nil:
				f.withheld = reason.ExtractEncoding
			case !w.f.Within(sample):
				f.withheld = reason.ExtractTruncated
			case t.Codec == "av01" && int64(t.Width)*int64(t.Height)*4*int64(len(t.Samples)) > sequenceBytes:
				f.withheld = reason.ExtractPixels
			}
			f.load = func() (image.Image, error) { return s.show(i) }
			if err := w.add(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// sequence shows the frames of one track.
type sequence struct {
	w   *heifWalk
	t   bmff.Track
	all []*image.RGBA
}

func (s *sequence) show(i int) (image.Image, error) {
	if s.t.Codec != "av01" {
		return s.alone(i)
	}
	if s.all == nil {
		file, err := s.w.f.Whole("avis")
		if err != nil {
			return nil, because("AVIF", err)
		}
		if s.all, err = s.w.foreign.DecodeAV1(file, s.t.Width, s.t.Height, len(s.t.Samples)); err != nil {
			return nil, err
		}
	}
	img := s.all[i]
	if i == len(s.all)-1 {
		s.all = nil // who goes through them in order is done
	}
	if img == nil {
		return nil, because("AV1", io.ErrUnexpectedEOF)
	}
	return &image.RGBA{Pix: slices.Clone(img.Pix), Stride: img.Stride, Rect: img.Rect}, nil
}

// alone shows a frame of HEVC that needs no other.
func (s *sequence) alone(i int) (image.Image, error) {
	data, err := s.w.f.SampleData(s.t.Samples[i])
	if err != nil {
		return nil, because("HEVC", err)
	}
	size := binary.BigEndian.AppendUint32(make([]byte, 4), uint32(s.t.Width))
	it := &bmff.Item{Props: append(slices.Clone(s.t.Props), bmff.Prop{Kind: "ispe", Data: binary.BigEndian.AppendUint32(size, uint32(s.t.Height))})}
	return s.w.hevc(codedProps(it, "hvcC"), data, s.t.Width, s.t.Height, colours(it, it))
}
