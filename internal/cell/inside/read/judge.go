package read

import (
	"slices"
	"unicode"

	"blotter/internal/document"
)

// judge parts readings into what is understood and what is not. A line of which the
// recogniser is not sure, or that is mostly in a script that nothing behind it can
// judge, is unread as a whole; in others single words may be.
func judge(readings []reading, w, h int) (readable []reading, unread []document.Box) {
	for _, g := range readings {
		if len(g.words) == 0 && g.inkless {
			continue
		}
		if g.unread() {
			unread = append(unread, g.bounds(w, h))
			continue
		}
		var good []word
		for _, x := range g.words {
			if x.unread() {
				unread = append(unread, x.bounds(w, h))
			} else {
				good = append(good, x)
			}
		}
		g.words = good
		readable = append(readable, g)
	}
	return readable, slices.DeleteFunc(unread, document.Box.Empty)
}

func (x word) unread() bool { return x.foreign || x.confidence < minWordConfidence }

// unread reports whether a line is not understood as a whole. The recogniser is sure
// of itself even in a script that it lacks: it reads Cyrillic and Greek as the Latin
// letters that look alike. Such words betray themselves by capitals and digits amid
// small letters, and by never being quite sure.
func (g reading) unread() bool {
	if len(g.words) == 0 || g.confidence < minLineConfidence || g.foreign > maxForeignShare {
		return true
	}
	long, odd, doubtful := 0, 0, 0
	for _, x := range g.words {
		switch {
		case x.unread():
			doubtful++
			long++
		case letters(x.text) >= 3:
			long++
			if scrambled(x.text) {
				odd++
			}
			if x.confidence < sureWord {
				doubtful++
			}
		}
	}
	return g.confidence < sureLine && (2*odd >= long && odd > 0 || long >= 2 && 3*doubtful >= 2*long)
}

func letters(text string) (n int) {
	for _, c := range text {
		if unicode.IsLetter(c) {
			n++
		}
	}
	return n
}

// scrambled reports whether a capital follows a small letter, or a digit stands
// between a letter and a small letter, as in "HOpbeBHa" and "o6oB". "McCoy" is.
func scrambled(text string) bool {
	previous, before := rune(0), rune(0)
	for _, c := range text {
		if unicode.IsUpper(c) && unicode.IsLower(previous) {
			return true
		}
		if unicode.IsLower(c) && unicode.IsDigit(previous) && unicode.IsLetter(before) {
			return true
		}
		before, previous = previous, c
	}
	return false
}
