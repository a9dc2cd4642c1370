package lexicon

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
)

func TestOpenKnowsWords(t *testing.T) {
	l, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	if l.Len() < 200_000 {
		t.Errorf("%d words, want more than 200,000", l.Len())
	}
	for word, want := range map[string]Entry{
		"john": Given | Proper, "rodriguez": Surname, "tulsa": USPlace, "salt lake city": USPlace, "stuttgart": City,
		"pneumonia": Vocab, "house": Common, "qxzzvk": 0, "": 0,
	} {
		if got := l.Lookup(word); got&want != want || want == 0 && got != 0 {
			t.Errorf("Lookup(%q) = %b, want %b", word, got, want)
		}
	}
	if n := l.Lookup("mary").Births(); n < 1_000_000 {
		t.Errorf("Mary has %d births, want millions", n)
	}
}

func TestWriteAndRead(t *testing.T) {
	var b bytes.Buffer
	words := []string{"ab", "abc", "abd", "b", "übung"}
	entries := []Entry{1, Surname, Given | 7, Common, Foreign}
	if err := Write(&b, words, entries); err != nil {
		t.Fatal(err)
	}
	l, err := read(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range words {
		if got := l.Lookup(w); got != entries[i] {
			t.Errorf("Lookup(%q) = %b, want %b", w, got, entries[i])
		}
	}
	if got := l.Lookup("abcd"); got != 0 {
		t.Errorf("a word that is not there has %b", got)
	}
	if err := Write(&bytes.Buffer{}, []string{"b", "a"}, entries[:2]); err == nil {
		t.Error("words out of order were written")
	}
	for n := 1; n < b.Len(); n++ {
		if _, err := read(bytes.NewReader(b.Bytes()[:b.Len()-n])); !errors.Is(err, ErrDamaged) {
			t.Fatalf("a list cut by %d bytes gave %v", n, err)
		}
	}
}

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		"Müller": "muller", "STRAßE": "strasse", "Ærø": "aero", "O’Connell": "o'connell", "Łukasz": "lukasz", "plain": "plain", "ﬁ": "fi",
	} {
		if got := Fold(in); got != want {
			t.Errorf("Fold(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestFamiliar(t *testing.T) {
	l, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []string{"entlassen", "hopital", "embarazo", "ziekenhuis"} {
		if !l.Familiar(w) {
			t.Errorf("%q is not familiar", w)
		}
	}
	strange := 0
	for i := range 10_000 {
		if l.Familiar(fmt.Sprintf("qx%dzz", i)) {
			strange++
		}
	}
	if strange > 200 {
		t.Errorf("%d of 10,000 strings that are no words are familiar, want about 1 %%", strange)
	}
}

func TestSieveHoldsItsWords(t *testing.T) {
	if _, err := Sieve(nil); err == nil {
		t.Error("a sieve of nothing was made")
	}
	words := []string{"eins", "deux", "tres"}
	b, err := Sieve(words)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range words {
		if !sieve(b).holds(w) {
			t.Errorf("%q fell through", w)
		}
	}
	if sieve(nil).holds("eins") {
		t.Error("an empty sieve holds a word")
	}
}

func TestAllGivesEveryWordOnce(t *testing.T) {
	l, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	n, before := 0, ""
	for w, e := range l.All() {
		if w <= before || l.Lookup(w) != e {
			t.Fatalf("%q comes behind %q, with %b", w, before, e)
		}
		before = w
		n++
	}
	if n != l.Len() {
		t.Errorf("%d words, want %d", n, l.Len())
	}
	for range l.All() {
		break // a loop may stop
	}
}
