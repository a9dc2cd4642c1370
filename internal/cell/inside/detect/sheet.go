package detect

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"blotter/internal/cell/inside/detect/lexicon"
	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// wideGap is the space, in heights of the row's words, that ends a cell: words of running
// text stand 0.2–0.6 apart, justified text reaches 1.
const wideGap = 1.3

// lineGap is the space, in heights, that ends a cell where the reader ended its line.
const lineGap = 0.7

// typedSpace is how many characters' widths no single space exceeds: a typewriter's letters
// are wide and its spaces are as wide as its letters.
const typedSpace = 2

// farGap is the space before a value that belongs to no label on its left any more.
const farGap = 16

// leastGap is the space, in heights, between words that touch.
const leastGap = 0.01

// sheet is a page made ready for the layers: words cut into tokens, lines joined into
// rows as a reader sees them.
type sheet struct {
	page   *words.Page
	frames []document.Box // of its words, turned
	toks   []token        // row by row, from left to right
	rows   []row          // from top to bottom

	labels  []label
	inLabel []bool // by token: it belongs to a label
	public  []bool // by token: a measure or a code of a public list, says its label
}

// row is one line across the page, however many lines the reader made of it.
type row struct {
	from, to int          // tokens [from, to)
	text     string       // the tokens as text; a tab stands for a wide gap
	box      document.Box // around its words, along the row (see framesOf)
	height   int          // median height of its words, pixels, ≥ 1
	below    int          // the row that stands right below, -1 for none
	wraps    bool         // running text that goes on in the row below
	upright  bool         // false where its words run vertically
	caps     bool         // most of its words are in capitals
}

// token is a run of letters and digits, or one other character.
type token struct {
	text  string // as read
	fold  string // folded, a possessive 's taken off
	entry lexicon.Entry
	kind  kind
	index int // its own place in toks
	row   int
	cell  [2]int  // the tokens of its cell: what no wide gap parts
	word  int     // index into page.Words
	a, b  int     // runes [a, b) of the word
	at    int     // byte offset in the row's text
	gap   float64 // space before it in heights of the row; 0 inside a word, farGap at a row's start
	x0    int     // left and right end along the row, pixels
	x1    int
	upper bool // all letters are capitals
	title bool // the first letter is a capital
}

type kind uint8

const (
	letters kind = iota
	number       // digits alone
	mixed        // letters and digits
	sign         // anything else
)

// framesOf turns the boxes of vertical words by a quarter, so that for every word X grows
// along its row and Y from row to row, whether the page's margin reads upwards or down.
func framesOf(p *words.Page) []document.Box {
	out := make([]document.Box, len(p.Words))
	up := readsUp(p)
	for i := range p.Words {
		switch b := p.Words[i].Box; {
		case !p.Words[i].Vertical:
			out[i] = b
		case up[p.Words[i].Line]:
			out[i] = document.Box{X: p.Height - b.Y - b.H, Y: b.X, W: b.H, H: b.W}
		default:
			out[i] = document.Box{X: b.Y, Y: p.Width - b.X - b.W, W: b.H, H: b.W}
		}
	}
	return out
}

// readsUp tells which vertical lines read from the bottom to the top. A reader gives the
// words of a line in their order; a line of one word goes with most of the others.
func readsUp(p *words.Page) map[int]bool {
	rise := map[int]int{} // by line: steps up less steps down
	all := 0
	for i := range p.Words {
		if !p.Words[i].Vertical {
			continue
		}
		step := 0
		if i > 0 && p.Words[i-1].Vertical && p.Words[i-1].Line == p.Words[i].Line {
			step = cmp.Compare(p.Words[i-1].Box.Y, p.Words[i].Box.Y)
		}
		rise[p.Words[i].Line] += step
		all += step
	}
	up := map[int]bool{}
	for line, n := range rise {
		up[line] = n > 0 || n == 0 && all > 0
	}
	return up
}

func (f *Finder) newSheet(p *words.Page) *sheet {
	sh := &sheet{page: p, frames: framesOf(p)}
	for _, line := range joinLines(p, sh.frames) {
		sh.addRow(f, line)
	}
	sh.link()
	sh.inLabel, sh.public = make([]bool, len(sh.toks)), make([]bool, len(sh.toks))
	sh.labels = f.findLabels(sh)
	for _, l := range sh.labels {
		for i := l.from; i < l.to; i++ {
			sh.inLabel[i] = true
		}
	}
	for _, l := range sh.labels {
		sh.markPublic(l)
	}
	return sh
}

// addRow cuts the words of one row into tokens.
func (sh *sheet) addRow(f *Finder, indexes []int) {
	heights := make([]int, 0, len(indexes))
	for _, i := range indexes {
		heights = append(heights, sh.frames[i].H)
	}
	slices.Sort(heights)
	advance := sh.advance(indexes)
	r := row{from: len(sh.toks), height: max(1, heights[len(heights)/2]), below: -1}
	r.upright = !sh.page.Words[indexes[0]].Vertical
	var text strings.Builder
	end, upper, named := 0, 0, 0
	for n, i := range indexes {
		w := &sh.page.Words[i]
		box := sh.frames[i]
		r.box = r.box.Union(box)
		gap := float64(farGap)
		if n > 0 {
			gap = max(float64(box.X-end)/float64(r.height), leastGap)
			if float64(box.X-end) < typedSpace*advance {
				gap = min(gap, wideGap-leastGap)
			}
			if gap >= lineGap && w.Line != sh.page.Words[indexes[n-1]].Line {
				gap = max(gap, wideGap)
			}
			if gap >= wideGap {
				text.WriteByte('\t')
			} else {
				text.WriteByte(' ')
			}
		}
		end = box.X + box.W
		total, written := utf8.RuneCountInString(w.Text), 0
		for _, c := range cut(w.Text) {
			if c.parted {
				gap = leastGap
			}
			if c.parted || c.a > written {
				text.WriteByte(' ') // patterns see the lost space
			}
			t := f.newToken(c.text, gap)
			t.index, t.row, t.word, t.a, t.b, t.at = len(sh.toks), len(sh.rows), i, c.a, c.b, text.Len()
			t.x0, t.x1 = box.X+box.W*c.a/total, box.X+box.W*c.b/total
			sh.toks = append(sh.toks, t)
			text.WriteString(c.text)
			gap, written = 0, c.b
			if t.kind == letters && len(t.text) > 1 {
				named++
				if t.upper {
					upper++
				}
			}
		}
	}
	sh.markCells(r.from)
	r.to, r.text, r.caps = len(sh.toks), text.String(), named > 0 && upper*10 >= named*6
	if r.to > r.from {
		sh.rows = append(sh.rows, r)
	}
}

// advance is the mean width of a character of a row, pixels, read from its longer words:
// the ink of a short one says little of the room it takes.
func (sh *sheet) advance(indexes []int) float64 {
	width, runes := 0, 0
	for _, i := range indexes {
		if n := utf8.RuneCountInString(sh.page.Words[i].Text); n >= 3 {
			width += sh.frames[i].W
			runes += n
		}
	}
	return float64(width) / float64(max(1, runes))
}

// markCells tells the tokens from a on where their cells begin and end.
func (sh *sheet) markCells(a int) {
	for a < len(sh.toks) {
		b := a + 1
		for b < len(sh.toks) && sh.toks[b].gap < wideGap {
			b++
		}
		for k := a; k < b; k++ {
			sh.toks[k].cell = [2]int{a, b}
		}
		a = b
	}
}

func (f *Finder) newToken(text string, gap float64) token {
	t := token{text: text, fold: lexicon.Fold(text), gap: gap}
	hasLetter, hasDigit, hasLower := false, false, false
	for i, c := range text {
		switch {
		case unicode.IsLetter(c):
			hasLetter = true
			hasLower = hasLower || unicode.IsLower(c)
			if i == 0 {
				t.title = unicode.IsUpper(c)
			}
		case unicode.IsDigit(c):
			hasDigit = true
		}
	}
	switch {
	case hasLetter && hasDigit:
		t.kind = mixed
	case hasDigit:
		t.kind = number
	case hasLetter:
		t.kind = letters
		t.fold = strings.TrimSuffix(strings.TrimSuffix(t.fold, "'s"), "'")
		t.entry = f.lex.Lookup(t.fold)
	default:
		t.kind = sign
	}
	t.upper = hasLetter && !hasLower
	return t
}

// piece is a token's text with its place in the word: runes [a, b).
type piece struct {
	text   string
	a, b   int
	parted bool // a lost space stood before it
}

// cut splits a word into runs of letters and digits (an apostrophe between letters
// belongs to them) and single other characters. Combining marks stay with their letter.
// A run that has lost its spaces is parted.
func cut(s string) []piece {
	var out []piece
	rs := []rune(s)
	inWord := func(i int) bool {
		return i < len(rs) && (unicode.IsLetter(rs[i]) || unicode.IsDigit(rs[i]) || unicode.Is(unicode.M, rs[i]))
	}
	add := func(i, j int, parted bool) {
		if !unicode.IsSpace(rs[i]) {
			out = append(out, piece{string(rs[i:j]), i, j, parted})
		}
	}
	for i := 0; i < len(rs); {
		j, parted := i+1, false
		if inWord(i) {
			for inWord(j) || j+1 < len(rs) && isApostrophe(rs[j]) && unicode.IsLetter(rs[j-1]) && unicode.IsLetter(rs[j+1]) {
				j++
			}
			first := i
			for _, n := range seams(rs[first:j]) {
				add(i, first+n, parted)
				i, parted = first+n, true
			}
		}
		add(i, j, parted)
		i = j
	}
	return out
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' || r == '‘' || r == '`' }

// link finds the row below each row: the nearest whose words stand under it.
func (sh *sheet) link() {
	for i := range sh.rows {
		r := &sh.rows[i]
		if !r.upright {
			continue
		}
		for j := i + 1; j < len(sh.rows) && j <= i+maxRowsAhead; j++ {
			q := &sh.rows[j]
			over := min(r.box.X+r.box.W, q.box.X+q.box.W) - max(r.box.X, q.box.X)
			if !q.upright || q.middle() < r.middle()+r.height/2 || over*10 < 3*min(r.box.W, q.box.W) {
				continue
			}
			if q.middle()-r.middle() <= 3*r.height {
				r.below = j
				r.wraps = sh.runsOn(r, q)
			}
			break
		}
	}
}

// maxRowsAhead bounds the search for the row below: side by side columns put rows of
// other columns in between.
const maxRowsAhead = 12

func (r *row) middle() int { return r.box.Y + r.box.H/2 }

// runsOn reports whether q continues the text of r: same left edge and size, r a line of
// running text.
func (sh *sheet) runsOn(r, q *row) bool {
	if r.to-r.from < 4 || strings.Contains(r.text, "\t") {
		return false
	}
	indent := max(r.box.X, q.box.X) - min(r.box.X, q.box.X)
	return indent <= 2*r.height && r.box.X+r.box.W >= q.box.X+q.box.W-4*r.height
}

// joinLines returns the words of each row, in order. A reader may make several lines of
// one row (it sees columns, cells); a line belongs to the row of the line whose last word
// stands left of its first word at the same height, which holds on skewed pages too.
func joinLines(p *words.Page, frames []document.Box) [][]int {
	lines := linesOf(p, frames)
	byTop := make([]int, len(lines))
	for i := range byTop {
		byTop[i] = i
	}
	slices.SortStableFunc(byTop, func(a, b int) int { return cmp.Compare(lines[a].first.Y, lines[b].first.Y) })
	follower, led := make([]int, len(lines)), make([]bool, len(lines))
	for i := range follower {
		follower[i] = -1
	}
	byLeft := slices.Clone(byTop)
	slices.SortStableFunc(byLeft, func(a, b int) int { return cmp.Compare(lines[a].first.X, lines[b].first.X) })
	for _, i := range byLeft {
		if best := leader(lines, byTop, follower, i); best >= 0 {
			follower[best], led[i] = i, true
		}
	}
	var rows [][]int
	for _, i := range byTop {
		if led[i] {
			continue
		}
		var row []int
		for j := i; j >= 0; j = follower[j] {
			row = append(row, lines[j].words...)
		}
		rows = append(rows, row)
	}
	return rows
}

// leader finds the line that line i continues, the nearest on its left; -1 for none.
func leader(lines []line, byTop, follower []int, i int) int {
	l := &lines[i]
	reach := 3 * l.first.H
	start, _ := slices.BinarySearchFunc(byTop, l.first.Y-reach, func(j, y int) int { return cmp.Compare(lines[j].first.Y, y) })
	best := -1
	for n := start; n < len(byTop) && n < start+maxLinesBeside; n++ {
		j := byTop[n]
		m := &lines[j]
		if m.first.Y > l.first.Y+reach {
			break
		}
		if j == i || follower[j] >= 0 || m.vertical != l.vertical || m.last.X+m.last.W > l.first.X+l.first.H/2 || m.first.X >= l.first.X {
			continue
		}
		low, high := min(m.last.H, l.first.H), max(m.last.H, l.first.H)
		over := min(m.last.Y+m.last.H, l.first.Y+l.first.H) - max(m.last.Y, l.first.Y)
		if over*2 < low || high > 3*low {
			continue
		}
		if best < 0 || m.last.X+m.last.W > lines[best].last.X+lines[best].last.W {
			best = j
		}
	}
	return best
}

// maxLinesBeside bounds the lines looked at for one: a page has some dozen at most at one
// height, and a hostile one must not cost a square.
const maxLinesBeside = 400

// line is one line as the reader made it, its words from left to right.
type line struct {
	words       []int
	first, last document.Box // of its first and last word, in the row's frame
	vertical    bool
}

func linesOf(p *words.Page, frames []document.Box) []line {
	at := map[[2]int]int{}
	var out []line
	for i := range p.Words {
		w := &p.Words[i]
		if w.Box.Empty() || strings.TrimSpace(w.Text) == "" {
			continue
		}
		key := [2]int{w.Line, 0}
		if w.Vertical {
			key[1] = 1
		}
		n, ok := at[key]
		if !ok {
			n = len(out)
			at[key] = n
			out = append(out, line{vertical: w.Vertical})
		}
		out[n].words = append(out[n].words, i)
	}
	for i := range out {
		l := &out[i]
		slices.SortStableFunc(l.words, func(a, b int) int { return cmp.Compare(frames[a].X, frames[b].X) })
		l.first, l.last = frames[l.words[0]], frames[l.words[len(l.words)-1]]
	}
	return out
}
