package main

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"blotter/internal/cell/inside/detect"
	"blotter/internal/cell/inside/detect/perceptron"
)

// TestTemplatesFill: every template fills without a slot left, and every class comes up.
func TestTemplatesFill(t *testing.T) {
	w, err := newWriter(rand.New(rand.NewPCG(3, 3)), detect.New())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[uint8]bool{}
	for _, file := range append(w.templates, w.noises) {
		for _, template := range file {
			for _, row := range w.fill(template) {
				var text strings.Builder
				for _, g := range row {
					text.WriteRune(g.r)
					seen[g.class] = true
				}
				if strings.Contains(text.String(), "{{") || strings.Contains(text.String(), "}}") {
					t.Errorf("a slot is left in %q", text.String())
				}
			}
		}
	}
	for class, name := range classNames {
		if !seen[uint8(class)] {
			t.Errorf("no template has a %s", name)
		}
	}
}

// TestTrainingRepeats: the same pages give the same weights, and they are some.
func TestTrainingRepeats(t *testing.T) {
	made := func() []byte {
		m, err := train(20, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := m.Write(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	first := made()
	if !bytes.Equal(first, made()) {
		t.Error("two trainings differ")
	}
	var none bytes.Buffer
	if err := perceptron.NewTrainer().Model().Write(&none); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(first, none.Bytes()) {
		t.Error("nothing was learned")
	}
}

// TestDamageKeepsClasses: characters that are confused or lose their space stay what they
// were.
func TestDamageKeepsClasses(t *testing.T) {
	w, err := newWriter(rand.New(rand.NewPCG(4, 4)), detect.New())
	if err != nil {
		t.Fatal(err)
	}
	var row []glyph
	for _, r := range "seen by " {
		row = append(row, glyph{r, 0})
	}
	for _, r := range "Oleg Smith" {
		row = append(row, glyph{r, detect.ClassStaff})
	}
	p := w.damage(layOut([][]glyph{row}, false), 1)
	if len(p) != 1 || len(p[0].glyphs) != len("seenbyOlegSmith") {
		t.Fatalf("%d words", len(p))
	}
	if p.classOf(0, 0, 6) != detect.ClassNone || p.classOf(0, 6, 15) != detect.ClassStaff {
		t.Error("the classes have moved")
	}
}
