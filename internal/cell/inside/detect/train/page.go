package main

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// Pixels of the pages: every character 12 wide, lines 20 high and 30 apart.
const (
	charWide, lineHigh, linePitch = 12, 20, 30
)

// glyph is one character with the class of what it belongs to.
type glyph struct {
	r     rune
	class uint8
}

// word is a run of characters at a place: column and row.
type word struct {
	glyphs   []glyph
	col, row int
	line     int // as a reader would count lines: cells may be lines of their own
}

// page is a text whose words are known.
type page []word

// layOut sets rows of characters in monospace. Three spaces or more part cells.
func layOut(rows [][]glyph, cells bool) page {
	var p page
	line := 0
	for y, row := range rows {
		end := -1
		for i := 0; i < len(row); {
			if row[i].r == ' ' {
				i++
				continue
			}
			j := i
			for j < len(row) && row[j].r != ' ' {
				j++
			}
			if cells && end >= 0 && i-end >= 3 {
				line++
			}
			p = append(p, word{row[i:j:j], i, y, line})
			end, i = j, j
		}
		line++
	}
	return p
}

// words is the page as a reader reports it.
func (p page) words() *words.Page {
	out := &words.Page{}
	for _, w := range p {
		var text strings.Builder
		for _, g := range w.glyphs {
			text.WriteRune(g.r)
		}
		box := document.Box{X: 20 + w.col*charWide, Y: 20 + w.row*linePitch, W: len(w.glyphs) * charWide, H: lineHigh}
		out.Words = append(out.Words, words.Word{Text: text.String(), Line: w.line, Confidence: 1, Box: box})
		out.Width, out.Height = max(out.Width, box.X+box.W+20), max(out.Height, box.Y+box.H+20)
	}
	return out
}

// classOf is the class of most of a word's characters [from, to).
func (p page) classOf(word, from, to int) uint8 {
	var n [256]int
	best := uint8(0)
	for _, g := range p[word].glyphs[from:to] {
		n[g.class]++
		if n[g.class] > n[best] || n[g.class] == n[best] && best == 0 {
			best = g.class
		}
	}
	return best
}

// confusions are what readers take letters and digits for.
var confusions = map[rune][]rune{
	'0': {'O', 'o'}, '1': {'l', 'I'}, '5': {'S'}, '8': {'B'}, '6': {'G'}, 'O': {'0', 'Q'}, 'l': {'1', 'I', 'i'}, 'I': {'l', '1'}, 'S': {'5'}, 'B': {'8'},
	'e': {'c'}, 'c': {'e'}, 'n': {'u', 'r'}, 'h': {'b'}, 'm': {'n'}, 'u': {'v'}, 'a': {'o'}, 'o': {'0', 'a'}, 'g': {'q'}, 'i': {'l', '1'}, 't': {'f'}, 'M': {'N'}, 'E': {'F'},
}

// damage does to words what readers do: one character in oneIn is confused, accents are
// lost, as are some spaces.
func (w *writer) damage(p page, oneIn int) page {
	for _, word := range p {
		for i := range word.glyphs {
			g := &word.glyphs[i]
			if to := confusions[g.r]; to != nil && w.IntN(oneIn) == 0 {
				g.r = to[w.IntN(len(to))]
			}
		}
	}
	var out page
	ends := 0 // the column where the word before ends
	for _, word := range p {
		last := len(out) - 1
		if last >= 0 && out[last].line == word.line && word.col == ends+1 && w.IntN(oneIn) == 0 { // a space is lost
			out[last].glyphs = append(out[last].glyphs, word.glyphs...)
		} else {
			out = append(out, word)
		}
		ends = word.col + len(word.glyphs)
	}
	return out
}

// recase writes a whole text in capitals or in small letters.
func recase(rows [][]glyph, to func(rune) rune) {
	for _, row := range rows {
		for i := range row {
			row[i].r = to(row[i].r)
		}
	}
}

// plain takes accents off, as a reader does whose alphabet lacks them.
func plain(rows [][]glyph) {
	accents := strings.NewReplacer("ä", "a", "ö", "o", "ü", "u", "ß", "B", "é", "e", "è", "e", "ê", "e", "à", "a", "ñ", "n", "ç", "c", "í", "i", "ó", "o", "á", "a", "ú", "u")
	recase(rows, func(r rune) rune {
		p, _ := utf8.DecodeRuneInString(accents.Replace(string(unicode.ToLower(r))))
		if unicode.IsUpper(r) {
			return unicode.ToUpper(p)
		}
		return p
	})
}
