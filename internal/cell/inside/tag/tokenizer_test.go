package tag

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"blotter/internal/cell/inside/words"
)

// spell writes the tokens of a text.
func spell(t *testing.T, tokenizer object, text string) []string {
	t.Helper()
	tk, err := readTokenizer(encoded(t, tokenizer))
	if err != nil {
		t.Fatal(err)
	}
	names := map[int64]string{}
	for name, number := range tokenizer["model"].(object)["vocab"].(object) {
		names[int64(number.(int))] = name
	}
	var ws []words.Word
	for _, w := range strings.Fields(text) {
		ws = append(ws, words.Word{Text: w})
	}
	var out []string
	for _, w := range tk.words(ws) {
		for _, p := range w {
			out = append(out, names[p.token])
		}
	}
	return out
}

// The texts and what becomes of them are those of the tests of BERT's own tokenizer.
func TestWordPiece(t *testing.T) {
	for _, c := range []struct{ tokens, text, want string }{
		{"want ##want ##ed wa un runn ##ing", "unwanted running", "un ##want ##ed runn ##ing"},
		{"want ##want ##ed wa un runn ##ing", "unwantedX running", "[UNK] runn ##ing"},
		{"want ##want ##ed wa un runn ##ing , low lowest", "UNwantéd,running", "un ##want ##ed , runn ##ing"},
		{"hello ! how are you ?", "HeLLo!how  \n Are yoU?", "hello ! how are you ?"},
		{"ah zz 博 推", "ah博推zz", "ah 博 推 zz"},
		{"a ##b", "a" + strings.Repeat("b", 60), "a" + strings.Repeat(" ##b", 60)},
		{"a ##b", "a" + strings.Repeat("b", 100), "[UNK]"},
		{"a ##b", "a" + strings.Repeat("b", 80), "a" + strings.Repeat(" ##b", maxPieces-1)}, // ours: the rest is not looked at
		{"[ cls ]", "[CLS]", "[ cls ]"},                                                     // ours: a document cannot write special tokens
		{"ab", "a\u200bb a\x00b", "ab ab"},
	} {
		if got := spell(t, wordPiece(strings.Fields(c.tokens)...), c.text); strings.Join(got, " ") != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestBertNormaliser(t *testing.T) {
	for _, c := range []struct {
		settings object
		text     string
		want     string
	}{
		{object{"lowercase": true}, "HäLLo", "hallo"},
		{object{"lowercase": true, "strip_accents": false}, "HäLLo", "hällo"},
		{object{"lowercase": true, "strip_accents": true}, "HäLLo", "hallo"},
		{object{"lowercase": false}, "HäLLo", "HäLLo"},
		{object{"lowercase": false, "strip_accents": true}, "HäLLo", "HaLLo"},
		{object{"lowercase": false, "handle_chinese_chars": false}, "a博b", "a博b"},
	} {
		c.settings["type"] = "BertNormalizer"
		f := wordPiece(c.want, "a", "b", "博")
		f["normalizer"] = c.settings
		if got := spell(t, f, c.text); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%v: %q becomes %q, want %q", c.settings, c.text, got, c.want)
		}
	}
}

// "lower newer" is the case of the tests of RoBERTa's own tokenizer.
func TestBytePairs(t *testing.T) {
	merges := [][2]string{{"Ġ", "l"}, {"Ġl", "o"}, {"Ġlo", "w"}, {"e", "r"}}
	for _, c := range []struct{ text, want string }{
		{"lower newer", "l o w er Ġ n e w er"},
		{"x lower", "x Ġlow er"},
		{"he's 12x!", "h e ' s Ġ 1 2 x !"},
		{"é", "Ã ©"},
		{"x 'd", "x Ġ ' d"},
	} {
		if got := spell(t, byteLevel(merges...), c.text); strings.Join(got, " ") != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
	f := byteLevel(merges...)
	f["pre_tokenizer"].(object)["add_prefix_space"] = true
	if got := spell(t, f, "lower"); !slices.Equal(got, []string{"Ġlow", "er"}) {
		t.Errorf("with a space first: %q", got)
	}
	if got := spell(t, byteLevel(), strings.Repeat("x", 5000)); len(got) != maxPieces {
		t.Errorf("a long word has %d tokens, want %d", len(got), maxPieces)
	}
}

func TestByteSymbolsAreThoseOfGPT2(t *testing.T) {
	for b, want := range map[int]string{0: "Ā", '\n': "Ċ", ' ': "Ġ", '!': "!", '~': "~", 127: "ġ", 0xA0: "ł", 0xA1: "¡", 0xAD: "Ń", 0xFF: "ÿ"} {
		if byteSymbols[b] != want {
			t.Errorf("byte %d is %q, want %q", b, byteSymbols[b], want)
		}
	}
}

// What a part of a word begins is marked: runs and signs, not what follows in them.
func TestBeginnings(t *testing.T) {
	tk, err := readTokenizer(encoded(t, wordPiece("jo", "##nas", ",", "a")))
	if err != nil {
		t.Fatal(err)
	}
	var got []bool
	for _, p := range tk.word("Jonas,a", true) {
		got = append(got, p.begins)
	}
	if !slices.Equal(got, []bool{true, false, true, true}) {
		t.Errorf("beginnings of Jo·nas·,·a: %v", got)
	}
}

func TestTokenizersThatAreRefused(t *testing.T) {
	set := func(o object, path string, v any) object {
		keys := strings.Split(path, ".")
		at := o
		for _, k := range keys[:len(keys)-1] {
			at = at[k].(object)
		}
		at[keys[len(keys)-1]] = v
		return o
	}
	for _, c := range []struct {
		file object
		says string
	}{
		{set(wordPiece("a"), "model.type", "Unigram"), `"Unigram"`},
		{set(wordPiece("a"), "model.type", "WordLevel"), `"WordLevel"`},
		{set(wordPiece("a"), "model.vocab", object{}), "vocabulary is empty"},
		{set(wordPiece("a"), "model.vocab.a", -1), "negative"},
		{set(wordPiece("a"), "model.unk_token", "<unk>"), "unk_token"},
		{set(wordPiece("a"), "normalizer", object{"type": "Precompiled"}), `"Precompiled"`},
		{set(wordPiece("a"), "pre_tokenizer", object{"type": "Metaspace"}), `"Metaspace"`},
		{set(wordPiece("a"), "pre_tokenizer", nil), `"none"`},
		{set(wordPiece("a"), "post_processor", nil), "post_processor"},
		{set(wordPiece("a"), "post_processor.type", "Sequence"), `"Sequence"`},
		{set(wordPiece("a"), "post_processor.single", []object{{"Sequence": object{}}}), "one token before"},
		{set(wordPiece("a"), "post_processor.special_tokens", object{}), "does not define"},
		{set(byteLevel(), "normalizer", object{"type": "NFC"}), `"NFC"`},
		{set(byteLevel(), "pre_tokenizer", object{"type": "Split"}), `"Split"`},
		{set(byteLevel(), "pre_tokenizer.use_regex", false), "use_regex"},
		{set(byteLevel(), "model.byte_fallback", true), "byte_fallback"},
		{set(byteLevel(), "model.end_of_word_suffix", "</w>"), "end_of_word_suffix"},
		{set(byteLevel(), "model.merges", []string{"a b"}), "not in the vocabulary"},
		{set(byteLevel(), "model.merges", []string{"ab"}), "no pair"},
		{set(byteLevel(), "post_processor", object{"type": "RobertaProcessing"}), "cls or sep"},
	} {
		if _, err := readTokenizer(encoded(t, c.file)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("got %v, want something with %q", err, c.says)
		}
	}
	f := byteLevel()
	delete(f["model"].(object)["vocab"].(object), "Ā")
	if _, err := readTokenizer(encoded(t, f)); err == nil || !strings.Contains(err.Error(), "byte 0") {
		t.Errorf("a vocabulary that lacks a byte: %v", err)
	}
	if _, err := readTokenizer([]byte("[]")); err == nil {
		t.Error("no object: no error")
	}
}

// FuzzWord: whatever a word is, the model gets a bounded number of tokens that it knows.
func FuzzWord(f *testing.F) {
	var all []*tokenizer
	for _, file := range []object{wordPiece("a", "##b", "1", "博"), byteLevel([2]string{"a", "b"})} {
		tk, err := readTokenizer(encoded(f, file))
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, tk)
	}
	for _, seed := range []string{"", "ab", "\x00\xff", "[CLS]", "İßﬁ博\u0301", strings.Repeat("b", 3000), " \u00a0x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, word string) {
		for _, tk := range all {
			pieces := tk.word(word, false)
			if len(pieces) > maxPieces {
				t.Fatalf("%d tokens", len(pieces))
			}
			for i, p := range pieces {
				if p.token < 0 || p.token > tk.greatest || i == 0 && !p.begins {
					t.Fatalf("token %d of %q is %+v", i, word, p)
				}
			}
			if strings.ContainsAny(word, "abc123") && utf8.ValidString(word) && len(pieces) == 0 {
				t.Fatalf("%q has no token", word)
			}
		}
	})
}
