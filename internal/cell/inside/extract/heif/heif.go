// Package heif decodes single pictures in HEVC and AV1, and sequences in AV1, with libheif
// and libavif as WebAssembly. A flaw in them stays inside the sandbox of the interpreter,
// which has no files, no network, no clock and bounded memory. What they are given was
// taken apart and put together again before: one picture, whose size is known.
package heif

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	_ "unsafe" // for the modules' bytes

	_ "github.com/gen2brain/avif" // carries libavif and its decoder
	_ "github.com/gen2brain/heic" // carries libheif and libde265
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"blotter/internal/cell/inside/extract/mapped"
	"blotter/internal/reason"
)

// The modules are taken out of the packages that carry them: those would compile them
// anew in every process, without a cache and without a bound on memory.
//
//go:linkname heicModule github.com/gen2brain/heic.heifWasm
var heicModule []byte

//go:linkname avifModule github.com/gen2brain/avif.decodeWasm
var avifModule []byte

// memoryPages bounds the memory of one decoder: pages of 64 KiB, so 768 MiB, as PDFium has.
const memoryPages = 12_288

// Engine holds the two compiled decoders. Each picture is decoded by a new instance.
type Engine struct {
	runtime wazero.Runtime
	cache   wazero.CompilationCache
	heic    wazero.CompiledModule
	avif    wazero.CompiledModule
}

// Start compiles the decoders, or takes them from the compilation cache. Nothing is
// compiled or mapped as code after it returns.
func Start(cacheDir string) (*Engine, error) {
	ctx := context.Background()
	cache, err := wazero.NewCompilationCacheWithDir(cacheDir)
	if err != nil {
		return nil, fmt.Errorf("heif: compilation cache: %w", err)
	}
	e := &Engine{cache: cache}
	e.runtime = wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().
		WithMemoryLimitPages(memoryPages).WithCompilationCache(cache))
	_, err = wasi_snapshot_preview1.Instantiate(ctx, e.runtime)
	if err == nil {
		e.heic, err = e.compile(heicModule)
	}
	if err == nil {
		e.avif, err = e.compile(avifModule)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("heif: start: %w", err), e.Close())
	}
	return e, nil
}

func (e *Engine) compile(packed []byte) (wazero.CompiledModule, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	code, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	return e.runtime.CompileModule(context.Background(), code)
}

// Close frees the decoders.
func (e *Engine) Close() error {
	ctx := context.Background()
	return errors.Join(e.runtime.Close(ctx), e.cache.Close(ctx))
}

// call is one use of a decoder.
type call struct {
	ctx context.Context
	m   api.Module
	in  uint64 // where the file lies
	n   uint64 // its length
}

var errMemory = reason.Because(reason.ExtractPixels, errors.New("heif: the picture needs more memory than a decoder has"))

// run starts a new instance, gives it the file and lets use work with it. need is the
// estimate of bytes that decoding takes, judged before anything is mapped.
func (e *Engine) run(module wazero.CompiledModule, file []byte, need int64, use func(c *call) error) (err error) {
	if need+int64(len(file)) > memoryPages<<16 {
		return errMemory
	}
	defer func() {
		if p := recover(); p != nil { // memory could not be mapped
			err = reason.Because(reason.ExtractPixels, fmt.Errorf("heif: %v", p))
		}
	}()
	c := &call{ctx: mapped.Context(context.Background(), 0), n: uint64(len(file))}
	if c.m, err = e.runtime.InstantiateModule(c.ctx, module, wazero.NewModuleConfig().WithName("").WithStartFunctions()); err != nil {
		return reason.Because(reason.ExtractMalformed, fmt.Errorf("heif: %w", err))
	}
	defer func() { err = errors.Join(err, c.m.Close(c.ctx)) }()
	if c.in, err = c.alloc(len(file)); err != nil {
		return err
	}
	if !c.m.Memory().Write(uint32(c.in), file) {
		return errMemory
	}
	return use(c)
}

func (c *call) alloc(n int) (uint64, error) {
	out, err := c.m.ExportedFunction("malloc").Call(c.ctx, uint64(n))
	if err != nil || out[0] == 0 {
		return 0, errMemory
	}
	return out[0], nil
}

// decode calls the decoder; what it refuses or breaks off at is malformed.
func (c *call) decode(args ...uint64) error {
	out, err := c.m.ExportedFunction("decode").Call(c.ctx, append([]uint64{c.in, c.n}, args...)...)
	if err != nil {
		return reason.Because(reason.ExtractMalformed, fmt.Errorf("heif: decode: %w", err))
	}
	if out[0] == 0 {
		return reason.Because(reason.ExtractMalformed, errors.New("heif: the decoder refused the picture"))
	}
	return nil
}

func (c *call) word(at uint64) int {
	v, _ := c.m.Memory().ReadUint32Le(uint32(at)) // it was allocated
	return int(v)
}

// sized refuses a picture of another size than its description's.
func sized(gotW, gotH, w, h int) error {
	if gotW != w || gotH != h {
		return reason.Because(reason.ExtractSizeLies, fmt.Errorf("heif: %d×%d where %d×%d was said", gotW, gotH, w, h))
	}
	return nil
}

// Values of libheif.
const (
	spaceYCbCr, spaceMono      = 0, 2
	chroma420, chroma422, c444 = 1, 2, 3

	// heicPerPixel is an estimate of what decoding takes: a frame of the decoder and its
	// copies, in 16 bits where there are more than 8, and the result.
	heicPerPixel = 16

	// planeLeast is the least width for which libheif lays out a plane.
	planeLeast = 64
)

// HEVC decodes a file of one picture of w×h pixels in HEVC, as *image.YCbCr or, where
// it has no colour, *image.Gray, 8 bits a sample, in the colours of the stream.
func (e *Engine) HEVC(file []byte, w, h int) (img image.Image, err error) {
	err = e.run(e.heic, file, int64(w)*int64(h)*heicPerPixel, func(c *call) error {
		img, err = c.hevc(w, h)
		return err
	})
	if err != nil {
		return nil, err
	}
	return img, nil
}

func (c *call) hevc(w, h int) (image.Image, error) {
	out, err := c.alloc(4 * 5)
	if err != nil {
		return nil, err
	}
	args := []uint64{out, out + 4, out + 8, out + 12, out + 16}
	if err := c.decode(append(append([]uint64{1}, args...), 0)...); err != nil {
		return nil, err
	}
	if err := sized(c.word(out), c.word(out+4), w, h); err != nil {
		return nil, err
	}
	space, chroma := c.word(out+8), c.word(out+12)
	cw, ch := (w+1)/2, (h+1)/2
	var ratio image.YCbCrSubsampleRatio
	switch {
	case space == spaceMono:
		cw, ch = 0, 0
	case space == spaceYCbCr && chroma == chroma420:
		ratio = image.YCbCrSubsampleRatio420
	case space == spaceYCbCr && chroma == chroma422:
		ratio, ch = image.YCbCrSubsampleRatio422, h
	case space == spaceYCbCr && chroma == c444:
		ratio, cw, ch = image.YCbCrSubsampleRatio444, w, h
	default:
		return nil, reason.Because(reason.ExtractEncoding, fmt.Errorf("heif: colours of kind %d, %d", space, chroma))
	}
	stride, cStride := padded(w), 0
	if cw > 0 {
		cStride = padded(cw)
	}
	pix, err := c.alloc(stride*h + 2*cStride*ch)
	if err != nil {
		return nil, err
	}
	if err := c.decode(append(append([]uint64{0}, args...), pix)...); err != nil {
		return nil, err
	}
	all, ok := c.m.Memory().Read(uint32(pix), uint32(stride*h+2*cStride*ch))
	if !ok {
		return nil, errMemory
	}
	all = bytes.Clone(all) // the memory goes
	if cw == 0 {
		return &image.Gray{Pix: all, Stride: stride, Rect: image.Rect(0, 0, w, h)}, nil
	}
	y, b := stride*h, stride*h+cStride*ch
	return &image.YCbCr{Y: all[:y:y], Cb: all[y:b:b], Cr: all[b:], YStride: stride, CStride: cStride, SubsampleRatio: ratio, Rect: image.Rect(0, 0, w, h)}, nil
}

// padded is the length of a row of a plane of libheif.
func padded(w int) int { return (max(w, planeLeast) + 15) / 16 * 16 }

// av1PerPixel is an estimate of what decoding takes, as heicPerPixel: frames of the
// decoder, the colours and the result. Samples of more than 8 bits take twice as much.
const av1PerPixel = 24

// AV1 decodes a file of n pictures of w×h pixels in AV1: one, or a sequence. They come as
// colours that are multiplied by their opacity.
func (e *Engine) AV1(file []byte, w, h, n int) (out []*image.RGBA, err error) {
	err = e.run(e.avif, file, int64(w)*int64(h)*int64(av1PerPixel+4*n), func(c *call) error {
		out, err = c.av1(w, h, n)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// undecoded is what the times of pictures are filled with: the decoder writes each time
// with its picture and reports no error for those that it could not decode.
const undecoded = 0xff

func (c *call) av1(w, h, n int) ([]*image.RGBA, error) {
	info, err := c.alloc(4 * 4)
	if err != nil {
		return nil, err
	}
	args := []uint64{info, info + 4, info + 8, info + 12}
	if err := c.decode(append(append([]uint64{1, 0}, args...), 0, 0)...); err != nil {
		return nil, err
	}
	if err := sized(c.word(info), c.word(info+4), w, h); err != nil {
		return nil, err
	}
	if c.word(info+12) != n {
		return nil, reason.Because(reason.ExtractMalformed, fmt.Errorf("heif: %d pictures where %d were said", c.word(info+12), n))
	}
	width := 1 // bytes a sample
	if c.word(info+8) > 8 {
		width = 2
	}
	size := 4 * width * w * h
	times, err := c.alloc(8 * n)
	if err != nil {
		return nil, err
	}
	pix, err := c.alloc(size * n)
	if err != nil {
		return nil, err
	}
	c.m.Memory().Write(uint32(times), bytes.Repeat([]byte{undecoded}, 8*n))
	if err := c.decode(append(append([]uint64{0, 1}, args...), times, pix)...); err != nil {
		return nil, err
	}
	out := make([]*image.RGBA, n)
	for i := range out {
		time, _ := c.m.Memory().Read(uint32(times)+uint32(8*i), 8)
		if bytes.Count(time, []byte{undecoded}) == 8 {
			continue // nil: it was not decoded
		}
		raw, ok := c.m.Memory().Read(uint32(pix)+uint32(size*i), uint32(size))
		if !ok {
			return nil, errMemory
		}
		out[i] = image.NewRGBA(image.Rect(0, 0, w, h))
		if width == 1 {
			copy(out[i].Pix, raw)
			continue
		}
		for k := range out[i].Pix {
			out[i].Pix[k] = raw[2*k+1] // the upper byte
		}
	}
	return out, nil
}
