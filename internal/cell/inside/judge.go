package inside

import (
	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// judge applies the policy to what was found on an upright page, adds what was seen
// and not read, and returns findings in the asset's own pixels. It notes on the page what
// the policy lets stand of them.
func (p *pipeline) judge(page *words.Page, found []document.Finding) []document.Finding {
	var out []document.Finding
	for _, f := range found {
		if !p.destroys(f) {
			continue
		}
		gone, standing := p.pieces(page, f)
		page.Standing = append(page.Standing, standing...)
		for _, b := range gone {
			out = append(out, p.onAsset(page, f, b))
		}
	}
	if !p.asks(document.ByCoverage) {
		return withoutEmpty(out)
	}
	for _, b := range page.Unread {
		f := document.Finding{Type: document.Unread, Score: 1, Source: document.ByCoverage}
		out = append(out, p.onAsset(page, f, b))
	}
	return withoutEmpty(out)
}

// destroys reports whether the policy wants a finding gone.
func (p *pipeline) destroys(f document.Finding) bool {
	switch {
	case f.Type == document.Unknown:
		return f.Score >= wordLine(p.task.UnknownWords)
	case p.task.Actions[f.Type] == document.Keep:
		return false
	case f.Type == document.Age && f.Score < over89:
		return p.task.AllAges
	}
	return f.Score >= p.task.Thresholds[f.Type]
}

// over89 is the least score that package detect gives to ages over 89; others have less.
const over89 = 0.5

// wordLine is the least score at which a word goes that no vocabulary explains. Package
// detect gives numbers and codes 0.45, words with a capital 0.4, and less to those that
// a foreign page is full of.
func wordLine(rule document.WordRule) float64 {
	switch rule {
	case document.NoWords:
		return 2 // no score is above 1
	case document.LikeNames:
		return 0.4
	}
	return 0
}

// onAsset puts a finding's box into the asset's pixels, with the policy's padding.
func (p *pipeline) onAsset(page *words.Page, f document.Finding, b document.Box) document.Finding {
	f.Box = page.ToAsset(b.Grow(p.task.PaddingPX, page.Width, page.Height))
	return f
}

func withoutEmpty(fs []document.Finding) []document.Finding {
	kept := fs[:0]
	for _, f := range fs {
		if !f.Box.Empty() {
			kept = append(kept, f)
		}
	}
	return kept
}

// mostlyUnder reports whether more than half of a word lies under a box.
func mostlyUnder(word, b document.Box) bool { return 2*word.Intersect(b).Area() > word.Area() }
