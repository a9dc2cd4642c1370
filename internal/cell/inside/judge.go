package inside

import (
	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// judge applies the policy to what was found on an upright page, adds what was seen
// and not read, and returns findings in the asset's own pixels.
func (p *pipeline) judge(page *words.Page, found []document.Finding) []document.Finding {
	var out []document.Finding
	for _, f := range found {
		if p.task.Actions[f.Type] == document.Keep || f.Score < p.task.Threshold[f.Type] {
			continue
		}
		boxes := []document.Box{f.Box}
		if p.task.KeepYear && f.Type == document.Date {
			boxes = withoutYears(page, f.Box)
		}
		for _, b := range boxes {
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

// withoutYears cuts a date's box into the words that are no bare year. A box without
// such a year comes back whole, because it may be wider than its words.
func withoutYears(page *words.Page, date document.Box) []document.Box {
	var rest []document.Box
	years := false
	for _, w := range page.Words {
		switch {
		case 2*w.Box.Intersect(date).Area() <= w.Box.Area():
		case bareYear(w.Text):
			years = true
		default:
			rest = append(rest, w.Box)
		}
	}
	if !years {
		return []document.Box{date}
	}
	return rest
}

// bareYear reports whether a word is a year of the last two centuries and no more.
func bareYear(s string) bool {
	if len(s) != 4 || (s[:2] != "19" && s[:2] != "20") {
		return false
	}
	return '0' <= s[2] && s[2] <= '9' && '0' <= s[3] && s[3] <= '9'
}
