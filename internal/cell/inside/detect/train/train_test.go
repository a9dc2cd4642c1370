package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
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

// TestWeightsAreOfThisTraining: what the binary carries is what this program makes of the
// lists and templates as they are. Whoever changes them, a label or a feature trains again:
//
//	go generate ./internal/cell/inside/detect
//
// and looks at TestWide and at invented documents before committing. The weights are
// compared unpacked: another release of Go may pack the same bytes otherwise.
//
// Learning counts in integers, and averages by one division each. But features hang on gaps
// between words, which are compared as floats, and compilers for other architectures (and
// for amd64 from GOAMD64=v3) may fuse a product with a sum, which rounds once instead of
// twice. So only amd64 is held to the bytes.
func TestWeightsAreOfThisTraining(t *testing.T) {
	if testing.Short() {
		t.Skip("trains for some ten seconds")
	}
	if runtime.GOARCH != "amd64" {
		t.Skip("the committed weights were made on amd64; see above")
	}
	m, err := train(trainedPages, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	var made bytes.Buffer
	if err := m.Write(&made); err != nil {
		t.Fatal(err)
	}
	committed, err := os.Open("../weights.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer committed.Close()
	if !bytes.Equal(unpacked(t, &made), unpacked(t, committed)) {
		t.Error("weights.gz is not what this training makes: run go generate ./internal/cell/inside/detect")
	}
}

func unpacked(t *testing.T, r io.Reader) []byte {
	t.Helper()
	z, err := gzip.NewReader(r)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
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
