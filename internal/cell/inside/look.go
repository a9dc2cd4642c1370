package inside

import (
	"context"
	"errors"
	"image/draw"
	"slices"

	"blotter/internal/cell/inside/redact"
	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// looks is how often a derivative may be read again: twice it may still show something,
// which is covered then; what the last look finds withholds the asset.
const looks = 3

// omit lets a test leave boxes out when they are painted, the first time (round 0) or
// after a look (1 to looks), to see the second look find them. It must not change fs.
var omit = func(round int, fs []document.Finding) []document.Finding { return fs }

// burn paints the boxes of an asset and reads the result again, until nothing personal
// shows. What is found then joins the asset's findings. It withholds the asset with
// redact.second_look where looking does not help.
func (p *pipeline) burn(ctx context.Context, a *asset, img draw.Image) error {
	p.paint(img, omit(0, a.findings))
	if !p.asks(document.BySecondLook) || a.isStrip() { // its stack was looked at
		return nil
	}
	for round := range looks {
		again, err := p.look(ctx, a, img, remaining(a.shown(), a.findings))
		if err != nil {
			return err
		}
		a.findings = append(a.findings, again...)
		p.paint(img, omit(round+1, a.findings)) // all: one that was left out shows more than was read of it
		if !tells(again) {
			return nil
		}
	}
	return reason.Because(reason.RedactLook, errors.New("inside: still shows personal data"))
}

// tells reports whether a finding of the second look was recognised as personal. Text
// that was only seen, or a scrap that no vocabulary explains, is gone once it is
// covered; a name that shows again tells that covering does not work.
func tells(fs []document.Finding) bool {
	for _, f := range fs {
		if f.Type != document.Unread && f.Type != document.Unknown {
			return true
		}
	}
	return false
}

func (p *pipeline) paint(img draw.Image, fs []document.Finding) {
	defer p.in(document.StageRedact)()
	redact.Burn(img, boxesOf(fs), p.task.Fill)
}

// remaining is the part of a page that may still show once its findings are burned: only
// that does the second look take for known. A word that should be gone and is not is
// news, whatever was read before.
func remaining(page *words.Page, gone []document.Finding) *words.Page {
	shows := func(upright document.Box) bool {
		b := page.ToAsset(upright)
		for _, f := range gone {
			if over := f.Box.Intersect(b); 2*over.Area() >= b.Area() || bitten(b, over, page.Turn) {
				return false
			}
		}
		return true
	}
	out := &words.Page{Width: page.Width, Height: page.Height, Turn: page.Turn}
	for _, w := range page.Words {
		if shows(w.Box) {
			out.Words = append(out.Words, w)
		}
	}
	for _, b := range page.Unread {
		if shows(b) {
			out.Unread = append(out.Unread, b)
		}
	}
	return out
}

// bitten reports whether what is burned of a word is one of its ends: what stays is a rest
// of what went, and no word. A bite from the line above or below leaves it a word. Both
// boxes are in the pixels of an asset that lies as the turn says.
func bitten(word, over document.Box, turn document.Turn) bool {
	if turn%2 == 1 {
		word, over = document.Box{W: word.H, H: word.W}, document.Box{W: over.H, H: over.W}
	}
	return 2*over.H >= word.H && 5*over.W >= word.W
}

// rests are the places of words read again that are the end of a word of which the other was
// burned: they go whatever they say.
func (a *asset) rests(again []words.Word) (out []document.Box) {
	for _, w := range a.page.Words {
		b := a.page.ToAsset(w.Box)
		cut := slices.ContainsFunc(a.findings, func(f document.Finding) bool {
			over := f.Box.Intersect(b)
			return f.Source != document.ByCoverage && bitten(b, over, a.page.Turn) && 4*over.Area() <= 3*b.Area()
		})
		for _, g := range again {
			if cut && mostlyUnder(g.Box, w.Box) {
				out = append(out, g.Box)
			}
		}
	}
	return out
}

// look returns what still shows on a burned asset, in its own pixels, wider than it was
// read: a box that was too small once should not be so twice.
func (p *pipeline) look(ctx context.Context, a *asset, img draw.Image, kept *words.Page) (fs []document.Finding, err error) {
	defer p.in(document.StageVerify)()
	err = guard(reason.CellCrashed, func() error {
		page, err := p.engines.reader.Look(ctx, img, a.page.Turn, boxesOf(a.findings), kept)
		if err != nil {
			return coded(reason.ReadFailed, err)
		}
		page.Words = slices.DeleteFunc(page.Words, func(w words.Word) bool { return a.spared(w.Box) || known(w, kept, a.findings) })
		page.Unread = slices.DeleteFunc(append(page.Unread, a.rests(page.Words)...), a.spared)
		both := amid(&page, kept)
		if len(page.Words) > 0 { // nothing else would be kept
			if err := p.tag(ctx, both); err != nil {
				return err
			}
		}
		fs = p.judge(both, touching(p.found.Check(both), page.Words))
		return nil
	})
	for i := range fs {
		fs[i].Source = document.BySecondLook
	}
	return p.shows(img, p.fit(a, img, kept, fs)), err
}

// amid puts what was read again among the words that stand around it: a number is a
// record number because of the label beside it, which is known and not read twice.
func amid(again, kept *words.Page) *words.Page {
	both := &words.Page{Width: again.Width, Height: again.Height, Turn: again.Turn, Unread: again.Unread}
	both.Words = slices.Clone(again.Words)
	lines := 0
	for _, w := range again.Words {
		lines = max(lines, w.Line+1)
	}
	for _, w := range kept.Words {
		if !covered(w.Box, again.Words) {
			w.Line += lines
			both.Words = append(both.Words, w)
		}
	}
	return both
}

// covered reports whether half of a box lies under one of the words.
func covered(b document.Box, ws []words.Word) bool {
	for _, w := range ws {
		if 2*w.Box.Intersect(b).Area() >= b.Area() {
			return true
		}
	}
	return false
}

// touching keeps the findings on words that were read again: what the policy left
// standing around them was judged before.
func touching(fs []document.Finding, ws []words.Word) []document.Finding {
	kept := fs[:0]
	for _, f := range fs {
		for _, w := range ws {
			if !f.Box.Intersect(w.Box).Empty() {
				kept = append(kept, f)
				break
			}
		}
	}
	return kept
}

// shows keeps the findings under which the picture is not yet of the boxes' colour alone:
// reading may see edges of a burned box as text, and painting them again would change
// nothing.
func (p *pipeline) shows(img draw.Image, fs []document.Finding) []document.Finding {
	kept := fs[:0]
	for _, f := range fs {
		if !redact.Burned(img, f.Box, p.task.Fill) {
			kept = append(kept, f)
		}
	}
	return kept
}

func boxesOf(fs []document.Finding) []document.Box {
	out := make([]document.Box, len(fs))
	for i, f := range fs {
		out[i] = f.Box
	}
	return out
}
