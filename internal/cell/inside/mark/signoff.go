package mark

import (
	"image"
	"slices"
	"strings"

	"blotter/internal/cell/inside/words"
)

// Letters are signed where no label asks for it: between "Sincerely," and the typed name, or
// right above the name of somebody with a title. Such a place is blank paper of some height;
// what a pen left there is a signature.

// closings are the words that end a letter, one of which a line of at most longestClosing
// words must have; lower case, without diacritics, by their beginning.
var closings = []string{
	"sincerely", "truly", "faithfully", "respectfully", "regards", "cordially", "hochachtungsvoll", "grusse", "gruss", "grube",
	"cordialement", "salutations", "distingues", "atentamente", "saludo", "saluti", "vriendelijke", "hoogachtend", "atenciosamente", "cumprimentos",
}

const (
	// longestClosing is "Mit freundlichen kollegialen Grüßen Ihr" and the like.
	longestClosing = 6
	// signingRoom is how much room, in heights of a word, is searched below a closing or
	// above a name, and leastRoom how much must be free.
	signingRoom, leastRoom = 9, 1.2
	// nameRoom is the same above a name.
	nameRoom = 5
	// longestName is the most words of a typed name with its titles.
	longestName = 8
)

// professions are what stands behind the name of somebody who signs, in capitals and without
// stops; honours what stands before it.
var (
	professions = []string{"MD", "DO", "RN", "NP", "PA", "PAC", "DDS", "DMD", "DPM", "PHD", "PSYD", "PHARMD", "LCSW", "LPN", "APRN", "ARNP", "FNP", "FNPC", "CRNA", "CNM", "MBBS", "FACP", "FACS", "FRCP", "FRCS"}
	honours     = []string{"dr", "prof", "dra", "dott"}
)

// signOffs returns the windows in which a letter is signed without a label.
func signOffs(ws []words.Word, r raster) []image.Rectangle {
	var out []image.Rectangle
	for from := 0; from < len(ws) && len(out) < maxFields; {
		_, to := run(ws, from, from+1)
		to = max(to, from+1)
		line := ws[from:to]
		switch {
		case line[0].Vertical:
		case isClosing(line):
			out = appendRoom(out, below(line, ws, r))
		case isTitledName(line):
			out = appendRoom(out, above(line, ws))
		}
		from = to
	}
	return out
}

func appendRoom(out []image.Rectangle, room image.Rectangle) []image.Rectangle {
	if room.Empty() {
		return out
	}
	return append(out, room)
}

// isClosing reports whether a line ends a letter.
func isClosing(line []words.Word) bool {
	if len(line) > longestClosing {
		return false
	}
	return slices.ContainsFunc(line, func(w words.Word) bool {
		plain := withoutMarks.Replace(bare(w.Text))
		return slices.ContainsFunc(closings, func(c string) bool { return strings.HasPrefix(plain, c) })
	})
}

// withoutMarks writes the letters that closings have without their diacritics.
var withoutMarks = strings.NewReplacer("ü", "u", "é", "e", "è", "e", "ß", "ss", "õ", "o")

// isTitledName reports whether a line is the typed name of somebody with a profession: two
// words with capitals at least, and nothing in small letters.
func isTitledName(line []words.Word) bool {
	if len(line) < 2 || len(line) > longestName || strings.HasSuffix(line[0].Text, ":") {
		return false
	}
	titled := slices.Contains(honours, bare(line[0].Text))
	for i, w := range line {
		letters := bare(w.Text)
		if letters != "" && strings.HasPrefix(w.Text, letters) && letters != "de" && letters != "van" && letters != "von" && letters != "der" && letters != "med" {
			return false
		}
		short := strings.ToUpper(strings.NewReplacer(".", "", ",", "", "-", "").Replace(w.Text))
		titled = titled || i > 0 && slices.Contains(professions, short) && strings.ToUpper(w.Text[:1]) == w.Text[:1]
	}
	return titled
}

// below is the free room under a closing, down to the next printed words.
func below(line, ws []words.Word, r raster) image.Rectangle {
	l, h := around(line), line[0].Box.H
	room := image.Rect(l.Min.X-2*h, l.Max.Y+1, l.Min.X+25*h, min(r.h, l.Max.Y+signingRoom*h))
	for _, w := range ws {
		b := w.Box.Rect()
		if w.Confidence >= sureWord && b.Min.X < room.Max.X && b.Max.X > room.Min.X && b.Min.Y >= l.Max.Y && b.Min.Y < room.Max.Y {
			room.Max.Y = b.Min.Y
		}
	}
	return roomy(room, h)
}

// above is the free room over a typed name, up to the printed words before it.
func above(line, ws []words.Word) image.Rectangle {
	l, h := around(line), line[0].Box.H
	room := image.Rect(l.Min.X-2*h, max(0, l.Min.Y-nameRoom*h), max(l.Max.X, l.Min.X+12*h), l.Min.Y)
	for _, w := range ws {
		b := w.Box.Rect()
		if w.Confidence >= sureWord && b.Min.X < room.Max.X && b.Max.X > room.Min.X && b.Max.Y <= l.Min.Y && b.Max.Y > room.Min.Y {
			room.Min.Y = b.Max.Y
		}
	}
	return roomy(room, h)
}

// roomy is a room if a signature fits into it.
func roomy(room image.Rectangle, h int) image.Rectangle {
	if float64(room.Dy()) < leastRoom*float64(h) {
		return image.Rectangle{}
	}
	return room
}

// around is the box around the words of a line.
func around(line []words.Word) image.Rectangle {
	var out image.Rectangle
	for _, w := range line {
		out = out.Union(w.Box.Rect())
	}
	return out
}
