package read

import (
	"strings"
	"testing"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// setOut sets each fragment of a line pitch pixels after the last; "_" is a place that stays free.
func setOut(line, pitch int, fragments string) (out []words.Word) {
	for i, s := range strings.Fields(fragments) {
		if s != "_" {
			out = append(out, words.Word{Text: s, Line: line, Confidence: 1, Box: document.Box{X: i * pitch, W: 10 * len(s), H: 14}})
		}
	}
	return out
}

func TestSpreadLettersAreWords(t *testing.T) {
	for name, c := range map[string]struct {
		in   []words.Word
		want string
	}{
		"a name":           {setOut(0, 18, "A n n a _ S c h m i d t , _ b o r n"), "Anna Schmidt, born"},
		"a date":           {setOut(0, 18, "0 4 . 0 5 . 1 9 7 1"), "04.05.1971"},
		"fewer than few":   {setOut(0, 18, "A n n a x"), "A n n a x"},
		"few":              {setOut(0, 18, "A n n a x y"), "Annaxy"},
		"boxes of a form":  {setOut(0, 40, "A n n a x y z"), "A n n a x y z"},
		"on two lines":     {append(setOut(0, 18, "A n n a"), setOut(1, 18, "S c h")...), "A n n a S c h"},
		"marks":            {setOut(0, 18, "- - - - - - - -"), "- - - - - - - -"},
		"words":            {setOut(0, 60, "in the box of an old man"), "in the box of an old man"},
		"a word among all": {append(setOut(0, 18, "S c h m i d t"), words.Word{Text: "came", Box: document.Box{X: 160, W: 40, H: 14}}), "Schmidt came"},
	} {
		var got []string
		for _, w := range closeUp(c.in) {
			got = append(got, w.Text)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %q, want %q", name, s, c.want)
		}
	}
}

// A full stop stands in the line of the letters before it, not in that of a comma further away, which
// hangs so low that it is a line of its own.
func TestStopsStandByTheirLetters(t *testing.T) {
	var layer []words.Word
	for _, x := range []struct {
		text    string
		x, y, h int
	}{{"t", 20, 33, 23}, {",", 40, 52, 9}, {"4", 80, 32, 24}, {".", 100, 52, 4}, {"0", 120, 32, 25}} {
		layer = append(layer, words.Word{Text: x.text, Box: document.Box{X: x.x, Y: x.y, W: 8, H: x.h}})
	}
	var first []string
	for _, w := range arrange(nil, layer, 0, 200, 100) {
		if w.Line == 0 {
			first = append(first, w.Text)
		}
	}
	if got := strings.Join(first, ""); got != "t4.0" {
		t.Errorf("the line is %q", got)
	}
}
