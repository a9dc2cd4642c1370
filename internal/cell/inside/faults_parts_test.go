package inside_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"testing"

	xdraw "golang.org/x/image/draw"

	"blotter/internal/document"
	"blotter/internal/truth"
)

// Faults of pictures that are parts or copies of what people see, each through a real cell
// on a document made here.

// F36: a small copy showed the words a few pixels high, where people make them out and no
// reader does.
func TestSmallCopiesAreBurned(t *testing.T) {
	img, words := page(t, notice)
	small := image.NewGray(image.Rect(0, 0, img.Rect.Dx()/5, img.Rect.Dy()/5))
	xdraw.CatmullRom.Scale(small, small.Rect, img, img.Rect, xdraw.Src, nil)
	s := process(t, withEngines(t), photo(t, img, exif(1, photo(t, small, nil))))
	if len(s.assets) != 2 || s.assets[1].Kind != document.Thumbnail {
		t.Fatalf("%d assets", len(s.assets))
	}
	s.check(t, 0, words)
	copied, err := png.Decode(bytes.NewReader(s.made[s.assets[1].Index].Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range words.Words {
		b := w.Box()
		for x := b.X / 5; w.Want == truth.Destroy && x <= (b.X+b.W)/5; x++ {
			if r, _, _, _ := copied.At(x, (b.Y+b.H/2)/5).RGBA(); r != 0 {
				t.Errorf("%s shows at %d of the small copy", w.Text, x)
				break
			}
		}
	}
}

// F7: all words lie in a large soft mask over a single dark pixel.
func TestWordsOfAMask(t *testing.T) {
	img, words := page(t, notice)
	for i, v := range img.Pix {
		img.Pix[i] = 0xff - v
	}
	w, h := img.Rect.Dx()*72/100, img.Rect.Dy()*72/100
	doc := pdf(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents 4 0 R /Resources << /XObject << /I 6 0 R >> >> >>", w, h),
		stream("", fmt.Appendf(nil, "q %d 0 0 %d 0 0 cm /I Do Q", w, h)),
		stream("/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray /SMask 7 0 R", []byte{0}), grayObject(img))
	s := process(t, withEngines(t), doc)
	if len(s.assets) != 3 {
		t.Fatalf("%d assets", len(s.assets))
	}
	s.check(t, 0, words)
	s.check(t, 2, words)
}
