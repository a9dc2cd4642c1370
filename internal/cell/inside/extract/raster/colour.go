package raster

import (
	"io"
	"math"
)

// light turns brightness and colour differences into red, green and blue, TIFF 6.0
// section 21.
type light struct {
	black, white [3]float64 // the values that mean none and all, of each sample
	red, blue    float64    // their shares of brightness
}

// lightOf reads the factors, which are those of ITU-R BT.601 and the full range unless a
// directory says otherwise.
func lightOf(d *directory) light {
	f := d.ratios(tagYCbCrFactor, 0.299, 0.587, 0.114)
	r := d.ratios(tagBlackWhite, 0, 255, 128, 255, 128, 255)
	l := light{red: f[0], blue: f[2]}
	for i := range 3 {
		l.black[i], l.white[i] = r[2*i], r[2*i+1]
	}
	if !(l.red+l.blue < 1) {
		l.red, l.blue = 0.299, 0.114
	}
	return l
}

// shine turns pixels of brightness, blue and red difference, and alpha into colours.
func (l light) shine(pix []byte) {
	var y, cb, cr [256]float64
	for i := range 256 {
		v := float64(i)
		y[i] = (v - l.black[0]) * 255 / (l.white[0] - l.black[0])
		cb[i] = (v - l.black[1]) * 127 / (l.white[1] - l.black[1]) * (2 - 2*l.blue)
		cr[i] = (v - l.black[2]) * 127 / (l.white[2] - l.black[2]) * (2 - 2*l.red)
	}
	for i := 0; i < len(pix); i += 4 {
		b, r := y[pix[i]]+cb[pix[i+1]], y[pix[i]]+cr[pix[i+2]]
		g := (y[pix[i]] - l.blue*b - l.red*r) / (1 - l.red - l.blue)
		pix[i], pix[i+1], pix[i+2] = nearest(r), nearest(g), nearest(b)
	}
}

func nearest(v float64) uint8 {
	if !(v > 0) {
		return 0
	}
	return uint8(min(v+0.5, 255))
}

// sharedBlock paints a block whose pixels share their colour differences: for each field
// of subH×subV pixels their brightness, then the two differences.
func (p *painter) sharedBlock(in io.Reader, rows, x, y int) error {
	l := p.l
	field := l.subH*l.subV + 2
	packed := make([]byte, (l.blockW+l.subH-1)/l.subH*field)
	row := make([]byte, 3*l.blockW)
	for top := 0; top < rows; top += l.subV {
		if _, err := io.ReadFull(in, packed); err != nil {
			return because("TIFF block", err)
		}
		for r := range min(l.subV, rows-top) {
			for c := range l.blockW {
				f := packed[c/l.subH*field:]
				row[3*c], row[3*c+1], row[3*c+2] = f[r*l.subH+c%l.subH], f[field-2], f[field-1]
			}
			p.row(row, 0, x*l.blockW, y*l.blockH+top+r)
		}
	}
	return nil
}

// labToRGB turns lightness and two colour axes, CIE L*a*b* under D50, into sRGB. offset
// says that the axes are counted from −128, as ICC profiles do, else they are signed.
func labToRGB(pix []byte, offset bool) {
	for i := 0; i < len(pix); i += 4 {
		a, b := float64(int8(pix[i+1])), float64(int8(pix[i+2]))
		if offset {
			a, b = float64(pix[i+1])-128, float64(pix[i+2])-128
		}
		fy := (float64(pix[i])*100/255 + 16) / 116
		x, y, z := 0.9642*cubed(fy+a/500), cubed(fy), 0.8251*cubed(fy-b/200)
		// From D50 to the primaries of sRGB under D65 (Bradford).
		pix[i] = gamma(3.1338561*x - 1.6168667*y - 0.4906146*z)
		pix[i+1] = gamma(-0.9787684*x + 1.9161415*y + 0.0334540*z)
		pix[i+2] = gamma(0.0719453*x - 0.2289914*y + 1.4052427*z)
	}
}

// labToGray turns lightness alone into light.
func labToGray(pix []byte) {
	for i, v := range pix {
		pix[i] = gamma(cubed((float64(v)*100/255 + 16) / 116))
	}
}

// cubed undoes the cube root of CIE 15, which is a line near black.
func cubed(f float64) float64 {
	if f > 6.0/29 {
		return f * f * f
	}
	return 3 * (6.0 / 29) * (6.0 / 29) * (f - 4.0/29)
}

// gamma is the curve of sRGB, IEC 61966-2-1.
func gamma(v float64) uint8 {
	if v <= 0.0031308 {
		return nearest(255 * 12.92 * v)
	}
	return nearest(255 * (1.055*math.Pow(v, 1/2.4) - 0.055))
}
