package inside

import (
	"image"
	"slices"
	"unicode"

	"blotter/internal/cell/inside/mark"
	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// mark looks for faces, codes and signatures on an asset that was read, while its pixels
// are at hand, and withholds the asset where what is then still not understood asks for
// it. They are judged later, when the whole document is known.
func (p *pipeline) mark(img image.Image, a *asset) error {
	defer p.in(document.StageDetect)()
	err := guard(reason.MarkFailed, func() (err error) {
		a.marks, err = p.engines.marker.Find(img, a.page, p.task.CodesPersonalOnly)
		return err
	})
	if err != nil {
		return coded(reason.MarkFailed, err)
	}
	if p.asks(document.ByInk) {
		a.page.Unread = append(a.page.Unread, a.marks.Unread...)
	}
	a.page.Unread, a.explained = explained(a.page.Unread, p.places(a))
	if p.refusesUnread(a.page) {
		return errUnread
	}
	return nil
}

// places are the boxes of the marks that the policy takes for such.
func (p *pipeline) places(a *asset) []document.Box {
	var out []document.Box
	for _, f := range p.allMarks(a) {
		if p.asks(f.Source) && f.Score >= p.task.Thresholds[f.Type] {
			out = append(out, f.Box)
		}
	}
	return out
}

// explained parts what was seen and not read: what lies on a face, a code or a signature
// is no text that nobody understood, and the policy for those decides about it.
func explained(unread, marks []document.Box) (left, known []document.Box) {
	for _, b := range unread {
		under := func(m document.Box) bool { return 10*m.Intersect(b).Area() >= 9*b.Area() }
		if slices.ContainsFunc(marks, under) {
			known = append(known, b)
		} else {
			left = append(left, b)
		}
	}
	return left, known
}

// allMarks are an asset's marks as findings, on its upright page.
func (p *pipeline) allMarks(a *asset) []document.Finding {
	out := slices.Clone(a.marks.Findings)
	for _, c := range a.marks.Codes {
		out = append(out, codeFinding(c))
	}
	return out
}

func codeFinding(c mark.Code) document.Finding {
	return document.Finding{Box: c.Box, Type: document.Code, Score: c.Score, Source: document.ByBarcode}
}

// marked are the marks to judge: all but the codes that say nothing personal, where the
// policy spares those.
func (p *pipeline) marked(a *asset) []document.Finding {
	out := slices.Clone(a.marks.Findings)
	for _, c := range a.marks.Codes {
		if !p.task.CodesPersonalOnly || c.Text == "" || p.isPersonal(c) {
			out = append(out, codeFinding(c))
		}
	}
	return slices.DeleteFunc(out, func(f document.Finding) bool { return !p.asks(f.Source) })
}

// manyDigits are enough for a record number. In a code no label can explain a number, so
// it counts whatever the policy says of unknown words.
const manyDigits = 5

// isPersonal reports whether anything in a code's text would be destroyed on a page.
func (p *pipeline) isPersonal(c mark.Code) bool {
	digits := 0
	for _, r := range c.Text {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	return digits >= manyDigits || slices.ContainsFunc(p.found.Check(c.Page()), p.destroys)
}

// shown is the asset's page as it was read, with all that was seen on it: the second
// look takes for known what lies on a mark that stays.
func (a *asset) shown() *words.Page {
	page := *a.page
	page.Unread = slices.Concat(page.Unread, a.explained)
	if from := a.sharesOf; from != nil {
		to := a.fromPage(from.page)
		for _, b := range from.explained {
			page.Unread = append(page.Unread, to(b))
		}
	}
	return &page
}
