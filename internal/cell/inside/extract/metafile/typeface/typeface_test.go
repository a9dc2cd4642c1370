package typeface

import (
	"math"
	"strings"
	"testing"
)

// Every style has the letters of Latin, Greek and Cyrillic, with an outline as wide as its room.
func TestStylesKnowTheirLetters(t *testing.T) {
	var o Outlines
	for s := range files {
		for _, r := range "AZaz09ÄÖÜßéçñøąčłőřșŻŽ€–“„•ΑΩαωЁЯаяђї" {
			shown, ok := o.Shown(s, r)
			g, has := o.Glyph(s, shown)
			if !ok || !has {
				t.Errorf("%+v has no %q", s, r)
				continue
			}
			for _, ring := range g.Rings {
				for _, p := range ring {
					if p.X < -0.3 || p.X > g.Advance+0.3 || p.Y < -1.3 || p.Y > 0.5 {
						t.Fatalf("%+v: %q reaches %v", s, r, p)
					}
				}
			}
		}
	}
}

// What stands in for a character is never another letter.
func TestWhatIsShownForACharacter(t *testing.T) {
	var o Outlines
	for r, want := range map[rune]rune{'a': 'a', '\u00a0': ' ', '\t': ' ', 'ế': 'e', 'ș': 'ș', 'ạ': 'a', 'қ': 'к', '∈': Mark, '☺': '☺', 'ϑ': 'θ', '王': 0, 'ش': 0, '\uf041': 0, '\u0301': 0} {
		if got, ok := o.Shown(Style{}, r); got != want || ok != (want != 0) {
			t.Errorf("%q is shown as %q, %v", r, got, ok)
		}
	}
}

func TestCharacterSets(t *testing.T) {
	for _, c := range []struct {
		set  byte
		b    string
		want string
	}{{0, "\x80\xe4", "€ä"}, {204, "\xc0\xff", "Ая"}, {161, "\xc1\xfe", "Αώ"}, {238, "\xe8", "č"}, {77, "\x8a", "ä"}, {255, "\x84", "ä"}, {128, "abc", "abc"}, {128, "\x89\xa4", ""}, {0, "\x81", ""}, {7, "\xff", ""}} {
		got, ok := Decode(c.set, []byte(c.b))
		if string(got) != c.want || ok != (c.want != "") {
			t.Errorf("%q of %d is %q, %v", c.b, c.set, string(got), ok)
		}
	}
}

func TestSymbol(t *testing.T) {
	if n := len([]rune(operators)); n != 0xff-0xa1 {
		t.Fatalf("%d operators", n)
	}
	for c, want := range map[byte]rune{'a': 'α', 'W': 'Ω', '1': '1', 0xa3: '≤', 0xb3: '≥', 0xc5: '⊕', 0xd6: '√', 0xe5: '∑', 0xf2: '∫', 0xfe: '}'} {
		if got := Symbol(c); got != want {
			t.Errorf("%#x is %q, want %q", c, got, want)
		}
	}
}

func TestKindsOfTypefaces(t *testing.T) {
	for name, want := range map[string]Kind{"Arial": Text, "Symbol": Symbols, "Wingdings 2": Signs, "MT Extra": Signs, "Euclid Symbol": Symbols, "Segoe UI Symbol": Text} {
		if got := KindOf(name, 0); got != want {
			t.Errorf("%s is %d", name, got)
		}
	}
	if KindOf("Anything", symbolSet) != Signs {
		t.Error("a set of signs is text")
	}
	for name, want := range map[string]Family{"Arial": Sans, "Times New Roman": Serif, "MS Sans Serif": Sans, "Courier New": Fixed} {
		if got := FamilyOf(name, 0); got != want {
			t.Errorf("%s is %d", name, got)
		}
	}
	if FamilyOf("X", 0x10) != Serif || FamilyOf("X", 0x31) != Fixed || FamilyOf("X", 0x20) != Sans {
		t.Error("families by pitch")
	}
}

// The tables of widths are in order: a sentence has the length that Arial gives it.
func TestWidths(t *testing.T) {
	sum := func(f Family, s string) (w float64) {
		for _, r := range s {
			w += Width(f, r, 1)
		}
		return w
	}
	for f, want := range map[Family]float64{Sans: 5.030, Serif: 5.167, Fixed: 6.6} {
		if got := sum(f, "Hello, ~{W}"); math.Abs(got-want) > 0.001 {
			t.Errorf("kind %d: %.3f ems, want %.3f", f, got, want)
		}
	}
	if strings.Count(greekUpper, "") != 27 || Width(Serif, 'é', 0.5) >= Width(Sans, 'é', 0.5) {
		t.Error("letters beyond ASCII")
	}
}
