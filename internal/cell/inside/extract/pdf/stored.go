package pdf

import "github.com/klippa-app/go-pdfium/enums"

// channelsOf are the channels of colour spaces that have always the same.
var channelsOf = map[enums.FPDF_COLORSPACE]int{
	enums.FPDF_COLORSPACE_DEVICEGRAY: 1, enums.FPDF_COLORSPACE_CALGRAY: 1, enums.FPDF_COLORSPACE_INDEXED: 1, enums.FPDF_COLORSPACE_SEPARATION: 1,
	enums.FPDF_COLORSPACE_DEVICERGB: 3, enums.FPDF_COLORSPACE_CALRGB: 3, enums.FPDF_COLORSPACE_LAB: 3, enums.FPDF_COLORSPACE_DEVICECMYK: 4,
}

// stored splits the bits of a pixel into those of a channel and how many channels there
// are. A profile may be of one, three or four: where only one of these makes 1, 8 or 16
// bits, it is that. Zeros where it is not known.
func stored(pixel int, space enums.FPDF_COLORSPACE) (bits, channels int) {
	if n := channelsOf[space]; n > 0 && pixel > 0 && pixel%n == 0 {
		return pixel / n, n
	}
	if space != enums.FPDF_COLORSPACE_ICCBASED {
		return 0, 0
	}
	switch pixel {
	case 1, 8, 16:
		return pixel, 1
	case 24, 48:
		return pixel / 3, 3
	case 32, 64:
		return pixel / 4, 4
	}
	return 0, 0
}
