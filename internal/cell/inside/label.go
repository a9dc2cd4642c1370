package inside

import (
	"image/draw"
	"slices"

	"blotter/internal/cell/inside/redact"
	"blotter/internal/document"
)

// label writes into the boxes what they cover, where the policy wants it. It comes after
// the last look: what it writes is not the document's.
//
// A label's ink takes at most 1/labelShare of its box, and of every word that was read
// beneath: who judges a derivative by the share of a word in one colour asks for 95 %.
func (p *pipeline) label(a *asset, img draw.Image) {
	if !p.task.Labels {
		return
	}
	var taken []document.Box
	for _, f := range a.findings {
		at := redact.Label(img, f.Box, f.Type, p.task.Fill, func(ink []document.Box) bool {
			return spares(ink, f.Box, taken) && a.sparesWords(ink, f.Box)
		})
		if !at.Empty() {
			taken = append(taken, at)
		}
	}
}

const labelShare = 33 // 3 %

// spares reports whether ink takes little of a box, and touches no label written before.
func spares(ink []document.Box, b document.Box, labels []document.Box) bool {
	area := 0
	for _, dot := range ink {
		area += dot.Intersect(b).Area()
		if slices.ContainsFunc(labels, func(l document.Box) bool { return !l.Intersect(dot).Empty() }) {
			return false
		}
	}
	return labelShare*area <= b.Area()
}

// sparesWords reports whether ink takes little of every word under a box.
func (a *asset) sparesWords(ink []document.Box, under document.Box) bool {
	for _, w := range a.page.Words {
		b := a.page.ToAsset(w.Box)
		if !b.Intersect(under).Empty() && !spares(ink, b, nil) {
			return false
		}
	}
	return true
}
