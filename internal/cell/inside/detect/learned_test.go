package detect

import (
	"testing"

	"blotter/internal/cell/inside/detect/perceptron"
	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// learnedOnly is what the perceptron finds on a page from the line on, without the other
// layers.
func learnedOnly(p *words.Page) []document.Finding {
	sh := finder().newSheet(p)
	return atLeast(merge(sh, finder().learned(sh)), 0.5)
}

// TestLearnedFindsByPlace: names that no list has, where only what stands around them
// tells.
func TestLearnedFindsByPlace(t *testing.T) {
	for _, text := range []string{
		"Surgeon: [[Qwortz Bynaxel]], MD     Room: OR 4",
		"discussed with her daughter [[Tovikha]] at the bedside",
		"Sincerely,\n\n[[Vorgath Melindrik]], MD\nConsultant Cardiologist",
	} {
		plain, all := marked(text)
		p := layout(plain, false)
		var count tally
		count.add(p, all, learnedOnly(p))
		if count.full != count.spans {
			t.Errorf("missed %v in %q", count.missed, plain)
		}
	}
}

// TestLearnedLeaves what looks like names to it and is none: eponyms, abbreviations,
// headings, labels that no list has, words that are never names.
func TestLearnedLeaves(t *testing.T) {
	for _, text := range []string{
		"history of Parkinson disease and Bell's palsy, Murphy sign negative",
		"the U. S. Postal Service at 9 A. M. today",
		"Past Medical History: hypertension, diabetes and asthma",
		"Primary Care Provider Name:      Vaccine requested:",
		"Page 1 of 2", "Visit 99214 and 93306 and 36415 were billed",
	} {
		for _, f := range learnedOnly(layout(text, false)) {
			t.Errorf("%s at %v in %q", f.Type, f.Box, text)
		}
	}
}

// TestLearnedIsNotSoughtElsewhere: what the perceptron finds alone stays below the line
// from which a name is sought in the whole document.
func TestLearnedIsNotSoughtElsewhere(t *testing.T) {
	sh := finder().newSheet(layout("Surgeon: Qwortz Bynaxel, MD\nSincerely,\nVorgath Melindrik, MD", false))
	spans := finder().learned(sh)
	if len(spans) == 0 {
		t.Fatal("nothing was found")
	}
	for _, s := range spans {
		if s.score >= confident {
			t.Errorf("a span scores %.2f, want less than %.2f", s.score, confident)
		}
	}
}

// TestUntrainedFindsNothing: without weights the layer is silent and the others work.
func TestUntrainedFindsNothing(t *testing.T) {
	f := *finder()
	f.model = &perceptron.Model{}
	if s := f.learned(f.newSheet(layout("Surgeon: John Smith, MD", false))); len(s) > 0 {
		t.Errorf("%d spans without weights", len(s))
	}
}

// TestObserveKeepsPlaces: what training sees of a token says which characters of which
// word it is.
func TestObserveKeepsPlaces(t *testing.T) {
	p := layout("DOB:01/02/1950 Smith, John", false)
	seen := finder().Observe(p)
	if len(seen) < 5 {
		t.Errorf("%d tokens", len(seen))
	}
	for _, o := range seen {
		rs := []rune(p.Words[o.Word].Text)
		if o.From < 0 || o.To > len(rs) || o.From >= o.To || len(o.Features) == 0 {
			t.Errorf("characters %d–%d of %q, %d features", o.From, o.To, string(rs), len(o.Features))
		}
	}
}
