// Package raster opens files of pixels: their headers by readers of its own, which
// allocate nothing that the file asks for, and their pixels, one frame at a time, by the
// standard decoders and, where those give up on what is met in practice, by its own. The frames of an animation are what a viewer shows, one
// after the other.
package raster

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"

	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// frame is what the headers tell of one image of a file.
type frame struct {
	kind          document.AssetKind // 0: a frame
	samples       int                // of a pixel, as stored; PNG and JPEG only
	bits          int                // of a sample, as stored; PNG and JPEG only
	cost          int                // bytes that decoding takes for each pixel at most; 0: what is usual
	width, height int                // as stored, before orientation; 0 where unknown
	turn          orientation        // how to make it upright
	gray          bool               // the source holds no colour
	dpi           int
	withheld      reason.Code
	dir           *directory                  // TIFF only
	bmp           *bitmap                     // BMP only
	cel           *cel                        // GIF, PNG and WebP: what the frame draws on those before it
	play          int                         // the place of cel in the animation
	jpeg          span                        // where a JPEG stream lies, if it is one
	adobe         bool                        // it has Adobe's marker: four samples are inks stored inverted
	fractional    bool                        // it is sampled as no foreign decoder takes it
	load          func() (image.Image, error) // everything else
}

// headers is what a whole file tells before it is decoded.
type headers struct {
	frames []frame
	more   bool // metadata, thumbnails, appended images: data outside the frames' pixels
}

// addSmall lists thumbnails behind the frames. Those that say nothing of their orientation
// lie as the picture does.
func (h *headers) addSmall(small []frame, turn orientation) {
	for _, f := range small {
		if f.turn == 0 {
			f.turn = turn
		}
		h.frames = append(h.frames, f)
	}
}

// Foreign decodes image streams that Go's decoders do not know: odd JPEGs, old fax
// codes. dict says how, as the entries of a PDF image dictionary do; the picture has
// the size asked for or there is an error with a reason code.
type Foreign interface {
	DecodeStream(dict string, data []byte, w, h int) (image.Image, error)

	// DecodeHEVC decodes a HEIF file of one picture in HEVC, in the colours of the stream.
	DecodeHEVC(file []byte, w, h int) (image.Image, error)

	// DecodeAV1 decodes a file of n pictures in AV1; what could not be decoded is nil.
	DecodeAV1(file []byte, w, h, n int) ([]*image.RGBA, error)
}

// File is an opened raster. It implements catalogue.Source.
type File struct {
	r       io.ReaderAt
	size    int64
	format  document.Format
	foreign Foreign // nil: what it would decode is withheld
	head    headers
	items   []catalogue.Item
	canvas  canvas // of an animation
}

// Open reads the headers of a file of size bytes that is of a raster format
// (document.Format.IsRaster).
// foreign may be nil; what only it could decode is then withheld.
// The error is extract.malformed or extract.truncated where no header could be
// trusted, extract.frame_limit, extract.asset_limit or extract.total_pixel_limit
// where the file breaks a limit as a whole.
func Open(ctx context.Context, r io.ReaderAt, size int64, f document.Format, lim document.Limits, foreign Foreign) (*File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	head, err := readHeaders(r, size, f, lim.Frames, foreign)
	if err != nil {
		return nil, err
	}
	tally := catalogue.NewTally(lim)
	var cels []frame
	moving := movingBytes(head.frames, f)
	for i, fr := range head.frames {
		if fr.cel != nil {
			head.frames[i].play = len(cels)
			cels = append(cels, fr)
			fr.cost = max(fr.cost, moving)
		}
		w, h := fr.turn.size(fr.width, fr.height)
		if fr.kind == 0 {
			fr.kind = document.Frame
		}
		bits, channels := fr.stored()
		err := tally.Add(catalogue.Item{Withheld: fr.withheld, Bits: bits, Channels: channels, PixelBytes: fr.cost, Asset: document.Asset{
			Kind: fr.kind, Frame: i + 1, Format: f, Width: w, Height: h, DPI: fr.dpi,
		}})
		if err != nil {
			return nil, err
		}
	}
	return &File{r: r, size: size, format: f, foreign: foreign, head: head, items: tally.Items(), canvas: canvas{cels: cels}}, nil
}

func readHeaders(r io.ReaderAt, size int64, f document.Format, frames int, foreign Foreign) (headers, error) {
	switch f {
	case document.PNG:
		return pngHeaders(r, span{0, size}, frames)
	case document.JPEG:
		return jpegHeaders(r, size, frames)
	case document.TIFF:
		return tiffHeaders(r, size, frames)
	case document.GIF:
		return gifHeaders(r, size, frames)
	case document.BMP:
		return bmpHeaders(r, size, frames)
	case document.WebP:
		return webpHeaders(r, size, frames)
	case document.ICO:
		return icoHeaders(r, size, frames)
	case document.JPEG2000:
		return jpxHeaders(r, size, frames, foreign)
	case document.JBIG2:
		return jbig2Headers(r, size, frames, foreign)
	case document.HEIC, document.AVIF:
		return heifHeaders(r, size, frames, foreign)
	}
	return headers{}, reason.Because(reason.ExtractEncoding, fmt.Errorf("raster: %v", f))
}

// Assets lists the frames in the file's order.
func (f *File) Assets() []catalogue.Item { return f.items }

// Layer returns nil: a raster holds no words.
func (f *File) Layer(int) ([]words.Word, error) { return nil, nil }

// Placements returns nil: a frame is no page.
func (f *File) Placements(int) []catalogue.Placement { return nil }

// NotCovered is Metadata where the file holds more than its frames' pixels.
func (f *File) NotCovered() document.NotCovered {
	if f.head.more {
		return document.Metadata
	}
	return 0
}

// Close does nothing: the file holds no resource of its own.
func (f *File) Close() error { return nil }

// Load decodes a frame; see catalogue.Source.
func (f *File) Load(i int) (image.Image, error) {
	if i < 0 || i >= len(f.items) {
		return nil, reason.Because(reason.Internal, fmt.Errorf("raster: no frame %d", i))
	}
	if code := f.items[i].Withheld; code != "" {
		return nil, reason.Because(code, errors.New("raster: the frame is withheld"))
	}
	fr := f.head.frames[i]
	img, err := f.decode(i)
	if err != nil {
		return nil, err
	}
	if b := img.Bounds(); b.Dx() != fr.width || b.Dy() != fr.height {
		return nil, reason.Because(reason.ExtractSizeLies, fmt.Errorf("raster: headers said %d×%d", fr.width, fr.height))
	}
	return fr.turn.upright(flatten(img, fr.gray)), nil
}

func (f *File) decode(i int) (image.Image, error) {
	fr := f.head.frames[i]
	switch {
	case fr.jpeg.end > 0:
		return f.decodeJPEG(fr)
	case fr.load != nil:
		return fr.load()
	case fr.dir != nil:
		return decodeTIFF(fr.dir)
	case fr.bmp != nil:
		return fr.bmp.decode()
	case fr.cel != nil:
		return f.canvas.show(fr.play, fr.width, fr.height)
	}
	return nil, reason.Because(reason.Internal, errors.New("raster: a frame without pixels"))
}

// decodeJPEG decodes a stream whose headers were walked to the end marker. One whose
// subsampling or colours Go's decoder refuses is given to the foreign one.
func (f *File) decodeJPEG(fr frame) (image.Image, error) {
	in := io.NewSectionReader(f.r, fr.jpeg.at, fr.jpeg.end-fr.jpeg.at)
	img, err := decodeJPEG(in)
	if reason.Of(err) != reason.ExtractEncoding || f.foreign == nil {
		return img, err
	}
	colours := map[int]string{1: "/DeviceGray", 3: "/DeviceRGB", 4: "/DeviceCMYK"}[fr.samples]
	if colours == "" || fr.fractional {
		return nil, reason.Because(reason.ExtractEncoding, fmt.Errorf("raster: JPEG of %d samples", fr.samples))
	}
	if fr.adobe && fr.samples == 4 { // which stores inks inverted, and a PDF says so by itself
		colours += "/Decode[1 0 1 0 1 0 1 0]"
	}
	data := make([]byte, in.Size())
	if _, err := in.ReadAt(data, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, because("JPEG", err)
	}
	if err := wholeScans(data); err != nil {
		return nil, because("JPEG", err)
	}
	return f.foreign.DecodeStream("/Filter/DCTDecode/BitsPerComponent 8/ColorSpace"+colours, data, fr.width, fr.height)
}

// because gives an error of a header reader its code: what ends too early is
// truncated, the rest is malformed. One that has its code keeps it.
func because(what string, err error) error {
	if reason.Of(err) != reason.Internal {
		return fmt.Errorf("raster: %s: %w", what, err)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return reason.Because(reason.ExtractTruncated, fmt.Errorf("raster: %s: %w", what, err))
	}
	return reason.Because(reason.ExtractMalformed, fmt.Errorf("raster: %s: %w", what, err))
}
