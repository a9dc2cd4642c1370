package detect

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"blotter/internal/cell/inside/detect/lexicon"
	"blotter/internal/cell/inside/detect/perceptron"
	"blotter/internal/cell/inside/words"
)

// Observed is one token of a page as the perceptron sees it, with its place: characters
// [From, To) of a word.
type Observed struct {
	perceptron.Token
	Word, From, To int
}

// Observe shows what the perceptron sees of a page, for its training (train/). It needs no
// weights.
func (f *Finder) Observe(p *words.Page) []Observed {
	sh := f.newSheet(p)
	out := make([]Observed, len(sh.toks))
	for i, t := range f.observe(sh) {
		out[i] = Observed{t, sh.toks[i].word, sh.toks[i].a, sh.toks[i].b}
	}
	return out
}

// Section lists the words of one section of data/*.txt in order; none for a section that
// does not exist. Training fills its pages with them.
func (f *Finder) Section(name string) []string {
	return slices.Sorted(maps.Keys(f.terms.sections[name]))
}

// Labels lists the labels of forms, in the order of data/labels.tsv, for training.
func (f *Finder) Labels() []string {
	var out []string
	for line := range strings.Lines(mustRead("labels.tsv")) {
		if _, list, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			for _, l := range strings.Split(list, ",") {
				if l = strings.TrimSpace(l); l != "" {
					out = append(out, l)
				}
			}
		}
	}
	return out
}

// glance is what one token shows by itself, as numbers: which word it is if its identity
// may count, what the lists say, which of our own sets it is in, its shape.
type glance struct {
	word, lists, set, shape uint32
}

// class is what stands for a word that may be anybody's.
func (g glance) class() uint32 { return perceptron.Mix(g.lists, perceptron.Mix(g.set, g.shape)) }

// observe makes the features of every token.
func (f *Finder) observe(sh *sheet) []perceptron.Token {
	glances := make([]glance, len(sh.toks))
	for i := range sh.toks {
		glances[i] = f.glance(&sh.toks[i])
	}
	above := sh.above()
	out := make([]perceptron.Token, len(sh.toks))
	for i := range sh.toks {
		r := &sh.rows[sh.toks[i].row]
		out[i] = perceptron.Token{
			Features: f.features(sh, glances, above, i),
			Key:      glances[i].class(),
			Follows:  i > r.from && sh.toks[i].gap < farGap,
		}
	}
	return out
}

// features hashes what may tell of token i. The first argument of every Mix numbers the
// kind of feature: a new kind takes a new number, and the weights must be trained again.
func (f *Finder) features(sh *sheet, g []glance, above []int, i int) []uint32 {
	t := &sh.toks[i]
	at := func(k int) glance {
		if k < 0 || k >= len(g) || sh.toks[k].row != t.row {
			return glance{1, 1, 1, 1} // the row's edge
		}
		return g[k]
	}
	here, p1, n1, p2, n2, p3 := g[i], at(i-1), at(i+1), at(i-2), at(i+2), at(i-3)
	place := sh.placeOf(i)
	out := make([]uint32, 0, 48)
	add := func(kind uint32, values ...uint32) {
		h := kind
		for _, v := range values {
			h = perceptron.Mix(h, v)
		}
		out = append(out, h)
	}
	add(0)
	add(1, here.word)
	add(2, here.lists, here.set)
	add(3, here.shape)
	add(4, here.lists, here.shape, place)
	add(5, here.class())
	for n, w := range [...]glance{p1, n1, p2, n2, p3} {
		k := uint32(10 * (n + 1))
		add(k, w.word)
		add(k+1, w.lists, w.set)
		add(k+2, w.word, here.class())
		add(k+3, w.class(), here.class())
	}
	add(60, p2.word, p1.word)
	add(61, p2.word, p1.word, here.class())
	add(62, n1.word, n2.word, here.class())
	add(63, p1.class(), here.class(), n1.class())
	add(64, p1.word, here.lists, n1.word)
	add(65, p1.shape, here.shape, n1.shape, n2.shape)
	add(66, place, here.shape)
	add(67, place, p1.word, here.shape)
	add(68, p2.word, here.shape, here.lists)
	add(69, p3.word, p2.word, p1.word)
	if k := above[i]; k >= 0 {
		first := g[sh.toks[k].cell[0]]
		add(70, g[k].word, here.shape)
		add(71, first.word, here.lists, here.shape)
		add(72, g[k].class(), here.class())
	}
	if sh.inLabel[i] {
		add(73)
	}
	if t.kind == letters {
		for n := 2; n <= 4; n++ {
			if s := t.fold; len(s) > n {
				add(80+uint32(n), hashed(s[len(s)-n:]), here.lists)
				add(90+uint32(n), hashed(s[:n]), here.shape)
			}
		}
	}
	return out
}

// placeOf describes where a token stands: in its cell, in its row.
func (sh *sheet) placeOf(i int) uint32 {
	t := &sh.toks[i]
	r := &sh.rows[t.row]
	var p uint32
	for bit, is := range [...]bool{
		i == t.cell[0], i == t.cell[1]-1, t.cell[0] == r.from, t.cell[1] == r.to, r.caps, r.wraps, t.gap == 0, sh.inLabel[i],
	} {
		if is {
			p |= 1 << bit
		}
	}
	return p | uint32(min(t.cell[1]-t.cell[0], 6))<<8
}

// above finds for each token the one right over it, -1 for none.
func (sh *sheet) above() []int {
	out := make([]int, len(sh.toks))
	for i := range out {
		out[i] = -1
	}
	for _, r := range sh.rows {
		if r.below < 0 {
			continue
		}
		under, k := sh.rows[r.below], r.from
		for i := under.from; i < under.to; i++ {
			for k+1 < r.to && sh.toks[k].x1 <= sh.toks[i].x0 {
				k++
			}
			if sh.toks[k].x0 < sh.toks[i].x1 && sh.toks[k].x1 > sh.toks[i].x0 {
				out[i] = k
			}
		}
	}
	return out
}

func (f *Finder) glance(t *token) glance {
	g := glance{lists: f.listsOf(t), set: f.setOf(t.fold), shape: shapeOf(t)}
	if f.mayCount(t, g.set) {
		g.word = hashed(t.fold)
	} else {
		g.word = perceptron.Mix(77, g.class())
	}
	return g
}

// mayCount reports whether it counts which word a token is. A word that is a name first is
// anybody's, and a word of no list is seen once: what is learned of them is noise.
func (f *Finder) mayCount(t *token, set uint32) bool {
	if t.kind == sign || set != 0 {
		return true
	}
	if t.kind != letters || t.entry.IsName() && t.title && len(t.fold) > 2 {
		return false
	}
	return len(t.fold) == 1 || t.entry.Has(plainWords) || f.terms.foreign.has(t.fold) || f.terms.clinical.has(t.fold)
}

// listsOf says in which lists a word is, and how many bear it.
func (f *Finder) listsOf(t *token) uint32 {
	if t.kind != letters {
		return 0
	}
	e := t.entry
	var v uint32
	for _, births := range [...]int{1, knownBirths, famousBirths} {
		if e.Births() >= births {
			v++
		}
	}
	for bit, is := range [...]bool{
		e.Has(lexicon.Surname), e.Has(lexicon.Given), e.Has(lexicon.Common), e.Has(lexicon.Vocab | lexicon.Short), e.Has(lexicon.Proper),
		e.Has(lexicon.USPlace | lexicon.City), e.Has(lexicon.Foreign) || f.terms.foreign.has(t.fold), f.terms.clinical.has(t.fold),
		!e.IsName() && f.lex.Familiar(t.fold), !e.IsName() && f.isVocabulary(t),
	} {
		if is {
			v |= 4 << bit
		}
	}
	return v
}

// observedSets are the sets of data/ that are told apart, in the order in which they are
// asked.
var observedSets = [...]string{
	"titles", "credentials", "kin", "particles", "salutations", "greetings", "posts", "name suffixes", "done by somebody", "services",
	"facilities", "facility leads", "street words", "street heads", "state codes", "state names", "months", "weekdays", "directions", "lives",
	"eponym heads", "eponyms", "units", "name introductions", "person verbs", "before a place", "not names",
}

func (f *Finder) setOf(fold string) uint32 {
	for n, set := range f.terms.observed {
		if set.has(fold) {
			return uint32(n) + 1
		}
	}
	return 0
}

// shapeOf describes the characters of a token without telling them.
func shapeOf(t *token) uint32 {
	size := uint32(min(utf8.RuneCountInString(t.text), 9))
	switch {
	case t.kind == number:
		return 10 + size
	case t.kind == sign:
		return hashed(t.text)
	case t.kind == mixed:
		return perceptron.Mix(5, hashed(runsOf(t.text)))
	case t.upper:
		return 30 + min(size, 6)
	case t.title && strings.IndexFunc(t.text[1:], unicode.IsUpper) >= 0: // McCoy, JohnSmith
		return 50
	case t.title:
		return 40 + min(size, 6)
	}
	return 20 + min(size, 6)
}

// runsOf writes runs of letters as A or a, of digits as 0: "A0A".
func runsOf(s string) string {
	var b strings.Builder
	last := rune(0)
	for _, r := range s {
		c := 'a'
		switch {
		case unicode.IsDigit(r):
			c = '0'
		case unicode.IsUpper(r):
			c = 'A'
		}
		if c != last {
			b.WriteRune(c)
		}
		last = c
	}
	return b.String()
}

// hashed is FNV-1a.
func hashed(s string) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}
