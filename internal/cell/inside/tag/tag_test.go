package tag

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"blotter/internal/cell/inside/onnx/onnxtest"
	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

func TestWordsGetTheTypesOfTheirLabels(t *testing.T) {
	tagger := loaded(t, files(t,
		wordPiece("the", "jonas", "was", "jo", "##ker", "mercy", ",", "seen", "maybe", "dr"),
		labelled("O", "B-PATIENT", "I-PATIENT", "HOSP", "U-STAFF"),
		map[string]odds{"jonas": {1, 5}, "##ker": {1, 9}, "mercy": {3, 5}, "maybe": {1, -1}, "dr": {4, 3}, ",": {2, -5}}))
	got, err := tagger.Tag(t.Context(), pageOf("The", "JONAS,", "was", "Joker", "seen", "seen,mercy", "maybe", "Dr"))
	if err != nil {
		t.Fatal(err)
	}
	p := func(logit float64) float64 { return math.Exp(logit) / (1 + math.Exp(logit)) }
	want := []words.Tag{
		{Word: 1, Type: document.Name, Score: p(5)}, // its sign says nothing against it
		// "Joker": what stands at "##ker" means nothing
		{Word: 5, Type: document.Organisation, Score: p(5)}, // a part of the word
		{Word: 6, Type: document.Name, Score: p(-1)},        // 0.27: the policy may take it
		{Word: 7, Type: document.Staff, Score: p(3)},
	}
	same := slices.EqualFunc(got, want, func(a, b words.Tag) bool {
		return a.Word == b.Word && a.Type == b.Type && math.Abs(a.Score-b.Score) < 1e-5
	})
	if !same {
		t.Errorf("tags %+v\nwant %+v", got, want)
	}
}

// B-PATIENT and I-PATIENT are both names: their probabilities add up.
func TestLabelsOfOneTypeAddUp(t *testing.T) {
	f := files(t, wordPiece("jonas"), labelled("O", "B-PATIENT", "I-PATIENT"), nil)
	f.Model = onnxtest.Classifier([][]float32{{9, 0, 0}, {9, 0, 0}, {9, 0, 0}, {9, 0, 0}, {1, 1, 1}})
	got, err := loaded(t, f).Tag(t.Context(), pageOf("jonas"))
	if err != nil || len(got) != 1 || math.Abs(got[0].Score-2.0/3) > 1e-5 {
		t.Errorf("tags %+v, %v", got, err)
	}
}

func TestByteLevelModelsTag(t *testing.T) {
	config := labelled("O", "PER")
	config["model_type"], config["max_position_embeddings"] = "roberta", 514
	tagger := loaded(t, files(t, byteLevel([2]string{"Ġ", "J"}, [2]string{"ĠJ", "o"}), config, map[string]odds{"ĠJo": {1, 5}}))
	got, err := tagger.Tag(t.Context(), pageOf("Jo", "met", "Jo"))
	if err != nil || len(got) != 1 || got[0].Word != 2 || tagger.Longest() != 512 {
		t.Errorf("tags %+v, %v; at most %d tokens", got, err, tagger.Longest())
	}
}

// Every word of a long page is seen, wherever windows end, and the same word says the
// same everywhere.
func TestLongPages(t *testing.T) {
	config := labelled("O", "NAME")
	config["max_position_embeddings"] = minWindow
	tagger := loaded(t, files(t, wordPiece("jonas", "x", "##x"), config, map[string]odds{"jonas": {1, 4}}))
	var texts []string
	for i := range 900 {
		texts = append(texts, []string{"jonas", "xxx", "jonas", strings.Repeat("x", i%90+1)}[i%4])
	}
	got, err := tagger.Tag(t.Context(), pageOf(texts...))
	if err != nil || len(got) != 450 {
		t.Fatalf("%d tags, %v", len(got), err)
	}
	for i, tag := range got {
		if tag.Word != 2*i || math.Abs(tag.Score-got[0].Score) > 1e-6 {
			t.Fatalf("tag %d is %+v", i, tag)
		}
	}
}

func TestPagesWithoutTokens(t *testing.T) {
	tagger := loaded(t, files(t, wordPiece("jonas"), labelled("O", "NAME"), nil))
	for _, p := range []*words.Page{pageOf(), pageOf(""), pageOf("\u200b", "")} {
		if got, err := tagger.Tag(t.Context(), p); err != nil || len(got) != 0 {
			t.Errorf("tags %+v, %v", got, err)
		}
	}
}

func TestTaggingFails(t *testing.T) {
	f := files(t, wordPiece("jonas", "odd", "last"), labelled("O", "NAME"), nil)
	nan := float32(math.NaN())
	f.Model = onnxtest.Classifier([][]float32{{1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {nan, 0}, {1, 0}})
	tagger := loaded(t, f)
	if _, err := tagger.Tag(t.Context(), pageOf("jonas", "odd")); err == nil {
		t.Error("an answer that is no number passed for an answer")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tagger.Tag(ctx, pageOf("jonas")); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

func TestModelsThatAreRefused(t *testing.T) {
	good := func() Files { return files(t, wordPiece("jonas"), labelled("O", "B-NAME", "I-NAME"), nil) }
	for name, c := range map[string]struct {
		change func(*Files)
		says   string
	}{
		"another number of labels": {func(f *Files) { f.Config = encoded(t, labelled("O", "NAME")) }, "shape [1 3 3]"},
		"too small a table":        {func(f *Files) { f.Model = onnxtest.Classifier([][]float32{{1, 0, 0}, {1, 0, 0}}) }, "tried on 3 tokens"},
		"no model":                 {func(f *Files) { f.Model = []byte("rubbish") }, "model.onnx"},
		"no library":               {func(f *Files) { f.Library = "/dev/null" }, "library"},
		"unknown labels":           {func(f *Files) { f.Config = encoded(t, labelled("O", "B-DRUG", "I-DRUG")) }, "without a meaning: DRUG;"},
		"one label":                {func(f *Files) { f.Config = encoded(t, labelled("O")) }, "1 labels"},
		"a gap in the labels":      {func(f *Files) { f.Config = []byte(`{"id2label": {"0": "O", "2": "NAME"}}`) }, "no label 1"},
		"a short memory": {func(f *Files) {
			f.Config = []byte(`{"id2label": {"0": "O", "1": "NAME"}, "max_position_embeddings": 100}`)
		}, "100 tokens"},
		"no JSON": {func(f *Files) { f.Config = []byte("{") }, "config.json"},
	} {
		f := good()
		c.change(&f)
		if tagger, err := Load(f); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want something with %q", name, err, c.says)
			if tagger != nil {
				tagger.Close()
			}
		}
	}
	if err := checkInputs([]string{"input_ids", "pixel_values"}); err == nil || !strings.Contains(err.Error(), "pixel_values") {
		t.Errorf("pictures: %v", err)
	}
	if checkInputs([]string{"attention_mask"}) == nil || checkInputs([]string{"input_ids"}) != nil {
		t.Error("input_ids is the one input that must be there")
	}
}

// The longest text that config.json promises is not believed: Try finds out.
func TestTry(t *testing.T) {
	tagger := loaded(t, files(t, wordPiece("jonas"), labelled("O", "NAME"), nil))
	if err := tagger.Try(tagger.Longest()); err != nil {
		t.Error(err)
	}
	tagger.encode.greatest = 1000
	if err := tagger.Try(tagger.Longest()); err == nil {
		t.Error("a token that the model lacks was taken")
	}
}

func TestMeanings(t *testing.T) {
	got, window, err := readConfig(encoded(t, labelled("O", "B-DRUG", "I-HOSP", "S-Job", "LOC")), map[string]document.Type{"DRUG": document.Code, "HOSP": 0, "B-JOB": document.Staff})
	want := []document.Type{0, document.Code, 0, document.Staff, document.Place}
	if err != nil || !slices.Equal(got, want) || window != 512 {
		t.Errorf("types %v, %d tokens, %v; want %v", got, window, err, want)
	}
}

// Windows hold no more than they may, overlap, and show enough on both sides of every
// word in one of them.
func TestWindows(t *testing.T) {
	for _, most := range []int{1, 3, maxPieces} {
		for _, n := range []int{0, 1, 100, 1000} {
			texts := make([]text, n)
			for i := range texts {
				texts[i] = make(text, 1+i*7%most)
			}
			const room = minWindow - 2
			all := windows(texts, room)
			best := make([]int, n)
			for k, w := range all {
				tokens := 0
				for i := w.from; i < w.to; i++ {
					tokens += len(texts[i])
					best[i] = max(best[i], min(w.around(texts, i), 2*room)+1)
				}
				if tokens > room || w.to <= w.from || k > 0 && (w.from > all[k-1].to || w.from <= all[k-1].from) {
					t.Fatalf("words of up to %d tokens: window %d is %+v with %d tokens, after %+v", most, k, w, tokens, all[max(0, k-1)])
				}
			}
			for i, around := range best {
				if around == 0 || most == 1 && float64(around) < overlap*room/2-1 {
					t.Fatalf("%d words of up to %d tokens: word %d is seen with %d around it", n, most, i, around)
				}
			}
		}
	}
}

func BenchmarkTag(b *testing.B) {
	tagger := loaded(b, files(b, wordPiece("jonas"), labelled("O", "NAME"), map[string]odds{"jonas": {1, 4}}))
	var texts []string
	for i := range 500 {
		texts = append(texts, fmt.Sprintf("word%d,", i))
	}
	p := pageOf(texts...)
	for b.Loop() {
		if _, err := tagger.Tag(b.Context(), p); err != nil {
			b.Fatal(err)
		}
	}
}
