package tag

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"blotter/internal/cell/inside/words"
)

// maxPieces bounds the tokens of one word: a hostile page may hold a "word" of thousands
// of characters. What follows in it is not looked at, and goes with the rest of the word.
const maxPieces = 64

// piece is one token of a word. begins marks the first of a run of letters or digits, or
// of a sign: models are trained to say there what the run is, and their answers for the
// pieces behind mean nothing.
type piece struct {
	token  int64
	begins bool
}

// text is a word as the model takes it.
type text []piece

// tokenizer turns words into tokens as the model's own did.
type tokenizer struct {
	parts      func(word string, first bool) []string // the runs of a word, normalised
	tokens     func(part string) []int64
	begin, end int64 // the tokens around every text
	greatest   int64 // of all that tokens can give
}

// words encodes the words of a page in their order. The page is one text.
func (t *tokenizer) words(ws []words.Word) []text {
	out := make([]text, len(ws))
	for i, w := range ws {
		out[i] = t.word(w.Text, i == 0)
	}
	return out
}

func (t *tokenizer) word(word string, first bool) text {
	var out text
	for _, part := range t.parts(word, first) {
		for i, token := range t.tokens(part) {
			if len(out) == maxPieces {
				return out
			}
			out = append(out, piece{token, i == 0})
		}
	}
	return out
}

// tokenizerFile is what counts in a tokenizer.json.
type tokenizerFile struct {
	Normalizer    *component     `json:"normalizer"`
	PreTokenizer  *component     `json:"pre_tokenizer"`
	PostProcessor *postProcessor `json:"post_processor"`
	Model         struct {
		Type         string           `json:"type"`
		Vocabulary   map[string]int64 `json:"vocab"`
		Unknown      *string          `json:"unk_token"`
		Continuing   *string          `json:"continuing_subword_prefix"`
		EndOfWord    *string          `json:"end_of_word_suffix"`
		MaxChars     int              `json:"max_input_chars_per_word"`
		Merges       []merge          `json:"merges"`
		Dropout      *float64         `json:"dropout"`
		ByteFallback bool             `json:"byte_fallback"`
		IgnoreMerges bool             `json:"ignore_merges"`
	} `json:"model"`
}

// component is a normaliser or pre-tokeniser with the settings of those that are known.
type component struct {
	Type string `json:"type"`

	// BertNormalizer
	Clean     *bool `json:"clean_text"`
	Chinese   *bool `json:"handle_chinese_chars"`
	Strip     *bool `json:"strip_accents"`
	Lowercase *bool `json:"lowercase"`

	// ByteLevel
	PrefixSpace *bool `json:"add_prefix_space"`
	Regex       *bool `json:"use_regex"`
}

func (c *component) kind() string {
	if c == nil {
		return "none"
	}
	return c.Type
}

// or is a setting, or what it is where the file does not say.
func or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}

func readTokenizer(b []byte) (*tokenizer, error) {
	var f tokenizerFile
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, err
	}
	if len(f.Model.Vocabulary) == 0 && f.Model.Type != "Unigram" {
		return nil, errors.New("the vocabulary is empty")
	}
	t := &tokenizer{}
	var err error
	switch f.Model.Type {
	case "WordPiece":
		err = t.readWordPiece(f)
	case "BPE":
		err = t.readBytePairs(f)
	default:
		err = fmt.Errorf("a model of type %q; known are WordPiece and BPE", f.Model.Type)
	}
	if err != nil {
		return nil, err
	}
	if t.begin, t.end, err = f.PostProcessor.ends(); err != nil {
		return nil, err
	}
	t.greatest = slices.Max(slices.Collect(maps.Values(f.Model.Vocabulary)))
	if least := slices.Min(slices.Collect(maps.Values(f.Model.Vocabulary))); least < 0 || t.begin < 0 || t.end < 0 {
		return nil, errors.New("a token has a negative number")
	}
	return t, nil
}

// postProcessor puts a token before and one after a text. Its three forms say the same.
type postProcessor struct {
	Type   string             `json:"type"`
	Single []templatePiece    `json:"single"`
	Tokens map[string]special `json:"special_tokens"`
	Begin  namedToken         `json:"cls"`
	End    namedToken         `json:"sep"`
}

// templatePiece is a special token or, where it has none, the text.
type templatePiece struct {
	Special *struct {
		ID string `json:"id"`
	} `json:"SpecialToken"`
}

type special struct {
	IDs []int64 `json:"ids"`
}

func (p *postProcessor) ends() (begin, end int64, err error) {
	if p == nil {
		return 0, 0, errors.New("it has no post_processor, which says what stands around a text")
	}
	switch p.Type {
	case "BertProcessing", "RobertaProcessing":
		if p.Begin.name == "" || p.End.name == "" {
			return 0, 0, errors.New("its post_processor lacks cls or sep")
		}
		return p.Begin.token, p.End.token, nil
	case "TemplateProcessing":
		s := p.Single
		if len(s) != 3 || s[0].Special == nil || s[1].Special != nil || s[2].Special == nil {
			return 0, 0, errors.New("its post_processor does not put one token before and one after a text")
		}
		before, after := p.Tokens[s[0].Special.ID].IDs, p.Tokens[s[2].Special.ID].IDs
		if len(before) != 1 || len(after) != 1 {
			return 0, 0, errors.New("its post_processor names special tokens that it does not define")
		}
		return before[0], after[0], nil
	}
	return 0, 0, fmt.Errorf("a post_processor of type %q; known are TemplateProcessing, BertProcessing and RobertaProcessing", p.Type)
}

// namedToken is written as ["[CLS]", 101].
type namedToken struct {
	name  string
	token int64
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *namedToken) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&n.name, &n.token})
}

// merge is two neighbours that become one, written "a b" or ["a", "b"].
type merge struct{ left, right string }

// UnmarshalJSON implements json.Unmarshaler.
func (m *merge) UnmarshalJSON(b []byte) error {
	if !bytes.HasPrefix(b, []byte(`"`)) {
		return json.Unmarshal(b, &[]any{&m.left, &m.right})
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	left, right, ok := bytes.Cut([]byte(s), []byte(" "))
	if !ok || len(left) == 0 || len(right) == 0 {
		return fmt.Errorf("the merge %q is no pair", s)
	}
	m.left, m.right = string(left), string(right)
	return nil
}
