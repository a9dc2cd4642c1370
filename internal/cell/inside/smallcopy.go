package inside

import (
	"math"

	"blotter/internal/document"
)

// A small copy of a picture shows its words a few pixels high. People make them out where no
// reader does, so that what was found on the picture is burned on the copy, too.

// sameShape is how much two ratios of sides may differ where a copy shows all of its picture
// and nothing else: small sides are whole pixels.
const sameShape = 0.02

// carryToCopies burns on each small copy what was found on the picture before it in the same
// file. A copy of another shape shows its picture between bars or cut off: both are taken for
// true.
func (p *pipeline) carryToCopies() {
	var of *asset
	for _, a := range p.assets {
		if a.Kind != document.Thumbnail {
			of = a
			continue
		}
		if of == nil || of.Within != a.Within || of.Width <= 0 || of.Height <= 0 {
			continue
		}
		across, down := float64(a.Width)/float64(of.Width), float64(a.Height)/float64(of.Height)
		a.receive(of.scaled(min(across, down), a), of.findings, 0)
		if math.Abs(across-down) > sameShape*max(across, down) {
			a.receive(of.scaled(max(across, down), a), of.findings, 0)
		}
	}
}

// scaled maps a picture to a size of its own in the middle of a copy.
func (a *asset) scaled(by float64, onto *asset) matrix {
	return matrix{by, 0, 0, by, (float64(onto.Width) - by*float64(a.Width)) / 2, (float64(onto.Height) - by*float64(a.Height)) / 2}
}
