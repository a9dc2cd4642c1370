package detect

import (
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// wideDoc is one document of testdata/wide.txt.
type wideDoc struct{ name, text string }

// readWide deals the documents to the two halves in turn, so that each kind of document
// is in both.
func readWide(t testing.TB, half int) []wideDoc {
	b, err := os.ReadFile("testdata/wide.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []wideDoc
	for i, part := range strings.Split(string(b), "=== ")[1:] {
		if name, text, _ := strings.Cut(part, "\n"); i%2 == half {
			out = append(out, wideDoc{name, text})
		}
	}
	return out
}

// damage does to words what readers do: confused letters, lost spaces, words in two.
func damage(p *words.Page, r *rand.Rand, kind int) *words.Page {
	switch kind {
	case 1:
		for i := range p.Words {
			rs := []rune(p.Words[i].Text)
			for k, c := range rs {
				if to, ok := misreads[c]; ok && r.IntN(60) == 0 {
					rs[k] = to
				}
			}
			p.Words[i].Text = string(rs)
		}
	case 2:
		return lose(p, r, 12)
	case 3:
		out := *p
		out.Words = nil
		for _, w := range p.Words {
			rs := []rune(w.Text)
			if len(rs) < 5 || r.IntN(20) != 0 {
				out.Words = append(out.Words, w)
				continue
			}
			k := 2 + r.IntN(len(rs)-3)
			a, b := w, w
			a.Text, b.Text = string(rs[:k]), string(rs[k:])
			a.Box.W = k*charWide - 3
			b.Box.X, b.Box.W = w.Box.X+k*charWide+3, w.Box.W-k*charWide-3
			out.Words = append(out.Words, a, b)
		}
		return &out
	}
	return p
}

var damages = []string{"clean", "misread", "glued", "split"}

// wideTally is what one half of the documents gave: by class, by damage and in all.
type wideTally struct {
	class, damage map[string]*tally
	all, stay     tally
}

func newWideTally() *wideTally {
	return &wideTally{class: map[string]*tally{}, damage: map[string]*tally{}}
}

// add counts one page of a document.
func (w *wideTally) add(doc wideDoc, kind string, p *words.Page, all []truth, found []document.Finding) {
	if strings.HasPrefix(doc.name, "stay") {
		w.stay.add(p, all, found)
		return
	}
	w.all.add(p, all, found)
	count := func(m map[string]*tally, key string, some []truth) {
		if m[key] == nil {
			m[key] = &tally{}
		}
		m[key].add(p, some, found)
	}
	count(w.damage, kind, all)
	for _, t := range all {
		if !t.free {
			count(w.class, wideClass[t.kind], []truth{t})
		}
	}
}

// measureWide returns what is found at each of the scores.
func measureWide(t testing.TB, half, rounds int, scores []float64) []*wideTally {
	var out []*wideTally
	for range scores {
		out = append(out, newWideTally())
	}
	v := newWideValues(readLists(t, "testdata/wide_values.txt"), half, 11)
	for _, doc := range readWide(t, half) {
		for round := range rounds {
			text, all := fillWith(doc.text, v.wideSlot)
			kind := round / 2 % len(damages)
			p := damage(layout(text, round%2 == 1), v.Rand, kind)
			found := finder().Find([]*words.Page{p}, words.Subject{}).Findings[0]
			for i, score := range scores {
				out[i].add(doc, damages[kind], p, all, atLeast(found, score))
			}
		}
	}
	return out
}

// wideRounds is how often each document is filled: both layouts in every damage.
const wideRounds = 8

// TestWide measures recall by class of identifier and the words lost, on documents that
// the other folders do not resemble. Half of the documents, names and forms ("blind") was
// not looked at while the layers were tuned on the other ("open").
func TestWide(t *testing.T) {
	for half, name := range []string{"open", "blind"} {
		scores := []float64{0.5, unknownCapital}
		for i, w := range measureWide(t, half, wideRounds, scores) {
			score := scores[i]
			t.Logf("%-5s %.1f all: %s   clinical text lost: %.4f (%d/%d)", name, score, &w.all, w.stay.excess(), w.stay.burnt, w.stay.words)
			for _, d := range damages {
				t.Logf("%-5s %.1f %-13s %s", name, score, d, w.damage[d])
			}
			for _, c := range slices.Sorted(maps.Keys(w.class)) {
				t.Logf("%-5s %.1f %-13s %.3f (%d/%d)", name, score, c, w.class[c].recall(), w.class[c].full, w.class[c].spans)
			}
			if score == 0.5 && (w.all.recall() < 0.88 || w.all.excess() > 0.045 || w.stay.excess() > 0.045) {
				t.Errorf("%s: recall %.3f, over-redaction %.3f, of clinical text %.3f", name, w.all.recall(), w.all.excess(), w.stay.excess())
			}
			if os.Getenv("DETECT_SHOW") == name && score == 0.5 {
				t.Logf("missed:\n%s", most(w.all.missed))
				t.Logf("burnt:\n%s", most(w.all.over))
				t.Logf("burnt clinical:\n%s", most(w.stay.over))
			}
		}
	}
}
