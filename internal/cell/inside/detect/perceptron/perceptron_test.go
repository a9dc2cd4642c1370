package perceptron

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
)

// alternate is a text whose classes follow from the token before: 1 and 2 in turn behind a
// token of feature 7, which is nothing itself.
func alternate() ([]Token, []uint8) {
	var tokens []Token
	var want []uint8
	for i := range 9 {
		tokens = append(tokens, Token{Features: []uint32{100}, Key: 5, Follows: i > 0})
		want = append(want, uint8(1+i%2))
	}
	tokens = append(tokens, Token{Features: []uint32{7}, Key: 6})
	return tokens, append(want, 0)
}

func TestLearnsFromFeaturesAndFromWhatWentBefore(t *testing.T) {
	tokens, want := alternate()
	trainer := NewTrainer()
	wrong := 0
	for range 50 {
		wrong = trainer.Learn(tokens, want)
	}
	if wrong != 0 {
		t.Errorf("%d tokens are still wrong after training", wrong)
	}
	for i, g := range trainer.Model().Tag(tokens) {
		if g.Class != want[i] {
			t.Errorf("token %d is taken for %d, want %d", i, g.Class, want[i])
		}
		if (g.Class > 0) != (g.Margin > 0) {
			t.Errorf("token %d: class %d with margin %.2f", i, g.Class, g.Margin)
		}
	}
}

func TestTheSameTrainingGivesTheSameBytes(t *testing.T) {
	made := func() []byte {
		trainer := NewTrainer()
		tokens, want := alternate()
		for range 3 {
			trainer.Learn(tokens, want)
		}
		var b bytes.Buffer
		if err := trainer.Model().Write(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	if !bytes.Equal(made(), made()) {
		t.Error("two trainings differ")
	}
}

func TestWriteAndRead(t *testing.T) {
	tokens, want := alternate()
	trainer := NewTrainer()
	trainer.Learn(tokens, want)
	var b bytes.Buffer
	m := trainer.Model()
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	again, err := Read(bytes.NewReader(b.Bytes()))
	if err != nil || !reflect.DeepEqual(m, again) {
		t.Errorf("what was read differs: %v", err)
	}
	if _, err := Read(bytes.NewReader(b.Bytes()[:b.Len()/2])); !errors.Is(err, ErrDamaged) {
		t.Errorf("half a model gave %v", err)
	}
	empty, err := Read(bytes.NewReader(nil))
	if err != nil || empty.Tag(tokens)[0] != (Guess{}) {
		t.Errorf("an empty model: %v", err)
	}
}
