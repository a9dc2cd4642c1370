package onnx

import (
	"math"
	"runtime/debug"
	"slices"
	"sync"
	"testing"

	"blotter/internal/cell/inside/onnx/onnxtest"
)

// classifier is a session of a model in which token i scores i and −i.
func classifier(t *testing.T) *Session {
	_, r := engines(t)
	var logits [][]float32
	for i := range 100 {
		logits = append(logits, []float32{float32(i), -float32(i)})
	}
	return session(t, r, onnxtest.Classifier(logits))
}

// tokens fills the inputs of a classifier with the tokens first, first+1, …, the last of
// which is masked.
func tokens(first int) func(string, []int64) {
	return func(name string, in []int64) {
		for i := range in {
			switch {
			case name == "input_ids":
				in[i] = int64(first + i)
			case name == "attention_mask" && i < len(in)-1:
				in[i] = 1
			default:
				in[i] = 0
			}
		}
	}
}

func TestRunIntsFillsEachInputByItsName(t *testing.T) {
	s := classifier(t)
	if want := []string{"input_ids", "attention_mask", "token_type_ids"}; !slices.Equal(s.Inputs(), want) {
		t.Fatalf("inputs %v, want %v", s.Inputs(), want)
	}
	err := s.RunInts([]int{1, 3}, tokens(7), func(out []float32, shape []int) {
		if !slices.Equal(shape, []int{1, 3, 2}) || !slices.Equal(out, []float32{7, -7, 8, -8, 0, 0}) {
			t.Errorf("shape %v, output %v", shape, out)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

func TestRunIntsFailuresAreErrors(t *testing.T) {
	s := classifier(t)
	read := func([]float32, []int) { t.Error("read was called") }
	for name, first := range map[string]int{"a token beyond the table": 98, "the least": math.MinInt32} {
		if err := s.RunInts([]int{1, 3}, tokens(first), read); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := s.Run([]int{1, 3}, func([]float32) {}, read); err == nil {
		t.Error("floats were taken for tokens")
	}
	if err := s.RunInts(nil, tokens(1), read); err == nil {
		t.Error("no shape: no error")
	}
	set, r := engines(t)
	if err := session(t, r, file(t, set.Angle.Path)).RunInts([]int{1, 3, 48, 48}, tokens(1), read); err == nil {
		t.Error("tokens were taken for floats")
	}
	s.Close()
	if err := s.RunInts([]int{1, 3}, tokens(1), read); err == nil {
		t.Error("a closed session ran")
	}
}

// TestStressInts is TestStress for integers: texts of many lengths from many goroutines.
func TestStressInts(t *testing.T) {
	s := classifier(t)
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	runs := 1500
	if testing.Short() {
		runs = 100
	}
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for n := range runs {
				length := 2 + (n+worker)%40
				if !deepInts(t, s, worker+n%50, length, 40) {
					t.Error("a token got another's scores")
					return
				}
			}
		})
	}
	wg.Wait()
}

// deepInts makes the stack grow, so that it is moved, before it runs the model.
func deepInts(t *testing.T, s *Session, first, length, n int) (right bool) {
	var pad [256]byte
	pad[n] = byte(n)
	if n > 0 {
		return deepInts(t, s, first, length, n-1) && pad[0] == 0
	}
	err := s.RunInts([]int{1, length}, tokens(first), func(out []float32, shape []int) {
		right = len(out) == 2*length
		for i := 0; right && i < length-1; i++ {
			right = out[2*i] == float32(first+i) && out[2*i+1] == -float32(first+i)
		}
	})
	if err != nil {
		t.Error(err)
	}
	return right
}
