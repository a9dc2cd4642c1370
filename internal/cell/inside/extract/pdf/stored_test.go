package pdf

import (
	"testing"

	"github.com/klippa-app/go-pdfium/enums"
)

func TestStored(t *testing.T) {
	for _, c := range []struct {
		pixel          int
		space          enums.FPDF_COLORSPACE
		bits, channels int
	}{
		{1, enums.FPDF_COLORSPACE_DEVICEGRAY, 1, 1}, {24, enums.FPDF_COLORSPACE_DEVICERGB, 8, 3}, {12, enums.FPDF_COLORSPACE_CALRGB, 4, 3},
		{32, enums.FPDF_COLORSPACE_DEVICECMYK, 8, 4}, {64, enums.FPDF_COLORSPACE_DEVICECMYK, 16, 4}, {4, enums.FPDF_COLORSPACE_INDEXED, 4, 1},
		{24, enums.FPDF_COLORSPACE_ICCBASED, 8, 3}, {32, enums.FPDF_COLORSPACE_ICCBASED, 8, 4}, {8, enums.FPDF_COLORSPACE_ICCBASED, 8, 1},
		{12, enums.FPDF_COLORSPACE_ICCBASED, 0, 0}, {25, enums.FPDF_COLORSPACE_DEVICERGB, 0, 0}, {0, enums.FPDF_COLORSPACE_DEVICEGRAY, 0, 0},
		{24, enums.FPDF_COLORSPACE_DEVICEN, 0, 0}, {24, enums.FPDF_COLORSPACE_UNKNOWN, 0, 0},
	} {
		if bits, channels := stored(c.pixel, c.space); bits != c.bits || channels != c.channels {
			t.Errorf("%d bits in space %d: %d×%d, want %d×%d", c.pixel, c.space, channels, bits, c.channels, c.bits)
		}
	}
}
