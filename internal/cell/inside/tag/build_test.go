package tag

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"blotter/internal/cell/engine"
	"blotter/internal/cell/engine/enginetest"
	"blotter/internal/cell/inside/onnx/onnxtest"
	"blotter/internal/cell/inside/words"
)

// object is a JSON object under construction.
type object = map[string]any

// wordPiece is a tokenizer.json of BERT's kind whose tokens are the usual special ones
// and then these.
func wordPiece(tokens ...string) object {
	vocabulary := object{}
	for i, token := range append([]string{"[PAD]", "[UNK]", "[CLS]", "[SEP]"}, tokens...) {
		vocabulary[token] = i
	}
	return object{
		"version":       "1.0",
		"added_tokens":  []object{{"id": 2, "content": "[CLS]", "special": true}},
		"normalizer":    object{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": nil, "lowercase": true},
		"pre_tokenizer": object{"type": "BertPreTokenizer"},
		"post_processor": object{"type": "TemplateProcessing",
			"single":         []object{{"SpecialToken": object{"id": "[CLS]", "type_id": 0}}, {"Sequence": object{"id": "A", "type_id": 0}}, {"SpecialToken": object{"id": "[SEP]", "type_id": 0}}},
			"special_tokens": object{"[CLS]": object{"id": "[CLS]", "ids": []int{2}, "tokens": []string{"[CLS]"}}, "[SEP]": object{"id": "[SEP]", "ids": []int{3}, "tokens": []string{"[SEP]"}}},
		},
		"model": object{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocabulary},
	}
}

// byteLevel is a tokenizer.json of RoBERTa's kind with these merges.
func byteLevel(merges ...[2]string) object {
	vocabulary := object{"<s>": 0, "</s>": 1, "<unk>": 2}
	for _, s := range byteSymbols {
		vocabulary[s] = len(vocabulary)
	}
	var written []any
	for i, m := range merges {
		vocabulary[m[0]+m[1]] = len(vocabulary)
		if i%2 == 0 { // both ways of writing
			written = append(written, m[0]+" "+m[1])
		} else {
			written = append(written, m)
		}
	}
	return object{
		"normalizer":     nil,
		"pre_tokenizer":  object{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true},
		"post_processor": object{"type": "RobertaProcessing", "cls": []any{"<s>", 0}, "sep": []any{"</s>", 1}, "trim_offsets": true},
		"model":          object{"type": "BPE", "dropout": nil, "unk_token": "<unk>", "continuing_subword_prefix": "", "end_of_word_suffix": "", "vocab": vocabulary, "merges": written},
	}
}

func encoded(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// labelled is a config.json.
func labelled(labels ...string) object {
	names := object{}
	for i, l := range labels {
		names[string(rune('0'+i))] = l
	}
	return object{"id2label": names, "max_position_embeddings": 512, "model_type": "bert"}
}

// odds are how far a label stands before the first one, which is usually "nothing".
type odds struct {
	label int
	odds  float32 // difference of the logits
}

// files are those of a classifier that gives each of these tokens its label, and every
// other token the first label.
func files(t testing.TB, tokenizer, config object, known map[string]odds) Files {
	t.Helper()
	vocabulary := tokenizer["model"].(object)["vocab"].(object)
	logits := make([][]float32, len(vocabulary))
	for i := range logits {
		logits[i] = make([]float32, len(config["id2label"].(object)))
		logits[i][0] = 20
	}
	for _, token := range slices.Sorted(maps.Keys(known)) {
		logits[vocabulary[token].(int)][known[token].label] = 20 + known[token].odds
	}
	return Files{Library: library(t), Model: onnxtest.Classifier(logits), Tokenizer: encoded(t, tokenizer), Config: encoded(t, config)}
}

// library is the path of ONNX Runtime, or the test's end where it is not installed.
func library(t testing.TB) string {
	t.Helper()
	dir, err := engine.Dir()
	if err != nil {
		t.Fatal(err)
	}
	set, err := engine.Open(dir)
	if err != nil {
		enginetest.Missing(t, err)
	}
	return set.Library.Path
}

func loaded(t testing.TB, f Files) *Tagger {
	t.Helper()
	tagger, err := Load(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tagger.Close() })
	return tagger
}

func pageOf(texts ...string) *words.Page {
	p := &words.Page{Width: 1000, Height: 1000}
	for _, s := range texts {
		p.Words = append(p.Words, words.Word{Text: s})
	}
	return p
}
