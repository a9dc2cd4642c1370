package pdf

import (
	"math"

	"github.com/klippa-app/go-pdfium/structs"
)

// matrix maps (x, y) to (a·x + c·y + e, b·x + d·y + f), for [a b c d e f].
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

func matrixOf(m structs.FPDF_FS_MATRIX) matrix {
	return matrix{float64(m.A), float64(m.B), float64(m.C), float64(m.D), float64(m.E), float64(m.F)}
}

// then returns the matrix that does m first and n after it.
func (m matrix) then(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

func (m matrix) apply(x, y float64) (float64, float64) {
	return m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]
}

// bounds returns the box around a mapped rectangle.
func (m matrix) bounds(x0, y0, x1, y1 float64) (left, top, right, bottom float64) {
	left, top, right, bottom = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, p := range [4][2]float64{{x0, y0}, {x1, y0}, {x0, y1}, {x1, y1}} {
		x, y := m.apply(p[0], p[1])
		left, right = math.Min(left, x), math.Max(right, x)
		top, bottom = math.Min(top, y), math.Max(bottom, y)
	}
	return left, top, right, bottom
}

// toPixels maps a page's user space to a rendering of w×h pixels: turned by the
// page's own quarter turns and with y downwards.
func toPixels(box structs.FPDF_FS_RECTF, turns, w, h int) matrix {
	left, bottom := float64(box.Left), float64(box.Bottom)
	wide, high := float64(box.Right)-left, float64(box.Top)-bottom
	unit := matrix{1 / wide, 0, 0, 1 / high, -left / wide, -bottom / high}
	turned := [4]matrix{ // of the unit square, clockwise; y downwards afterwards
		{1, 0, 0, -1, 0, 1},
		{0, 1, 1, 0, 0, 0},
		{-1, 0, 0, 1, 1, 0},
		{0, -1, -1, 0, 1, 1},
	}[turns&3]
	return unit.then(turned).then(matrix{float64(w), 0, 0, float64(h), 0, 0})
}
