package tag

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// readWordPiece takes the tokenizers of BERT and its kin.
func (t *tokenizer) readWordPiece(f tokenizerFile) error {
	if kind := f.Normalizer.kind(); kind != "BertNormalizer" && kind != "none" {
		return fmt.Errorf("WordPiece with a normalizer of type %q; known is BertNormalizer", kind)
	}
	if kind := f.PreTokenizer.kind(); kind != "BertPreTokenizer" {
		return fmt.Errorf("WordPiece with a pre_tokenizer of type %q; known is BertPreTokenizer", kind)
	}
	unknown, ok := f.Model.Vocabulary[or(f.Model.Unknown, "")]
	if !ok {
		return fmt.Errorf("unk_token is not in the vocabulary")
	}
	n := normaliser{}
	if c := f.Normalizer; c != nil {
		lower := or(c.Lowercase, true)
		n = normaliser{clean: or(c.Clean, true), chinese: or(c.Chinese, true), lower: lower, strip: or(c.Strip, lower)}
	}
	p := pieces{f.Model.Vocabulary, or(f.Model.Continuing, "##"), unknown, f.Model.MaxChars}
	if p.most == 0 {
		p.most = 100
	}
	t.parts = func(word string, _ bool) []string { return bertParts(n.apply(word)) }
	t.tokens = p.of
	return nil
}

// normaliser is BertNormalizer.
type normaliser struct{ clean, chinese, strip, lower bool }

func (n normaliser) apply(s string) string {
	if n.clean {
		s = strings.Map(cleaned, s)
	}
	if n.chinese {
		s = spaceChinese(s)
	}
	if n.strip {
		s = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, norm.NFD.String(s))
	}
	if n.lower {
		s = strings.ToLower(s)
	}
	return s
}

// cleaned drops what is no character and makes a space of every white one.
func cleaned(r rune) rune {
	switch {
	case r == '\t' || r == '\n' || r == '\r' || unicode.IsSpace(r):
		return ' '
	case r == 0 || r == unicode.ReplacementChar || unicode.Is(unicode.C, r):
		return -1
	}
	return r
}

// spaceChinese puts spaces around ideographs, which are words of their own.
func spaceChinese(s string) string {
	if !strings.ContainsFunc(s, isChinese) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if isChinese(r) {
			b.WriteString(" " + string(r) + " ")
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isChinese names the blocks that BERT's tokenizer does.
func isChinese(r rune) bool {
	switch {
	case 0x4E00 <= r && r <= 0x9FFF, 0x3400 <= r && r <= 0x4DBF, 0x20000 <= r && r <= 0x2A6DF, 0x2A700 <= r && r <= 0x2B73F,
		0x2B740 <= r && r <= 0x2B81F, 0x2B920 <= r && r <= 0x2CEAF, 0xF900 <= r && r <= 0xFAFF, 0x2F800 <= r && r <= 0x2FA1F:
		return true
	}
	return false
}

// bertParts cuts at white space, and each punctuation mark off.
func bertParts(s string) []string {
	var out []string
	for _, field := range strings.Fields(s) {
		from := 0
		for i, r := range field {
			if !isBertPunctuation(r) {
				continue
			}
			if i > from {
				out = append(out, field[from:i])
			}
			from = i + len(string(r))
			out = append(out, field[i:from])
		}
		if from < len(field) {
			out = append(out, field[from:])
		}
	}
	return out
}

// isBertPunctuation counts every sign of ASCII, $ and + too.
func isBertPunctuation(r rune) bool {
	return r > ' ' && r < 0x7F && !unicode.IsLetter(r) && !unicode.IsDigit(r) || unicode.IsPunct(r)
}

// pieces cuts a part into the longest pieces that the vocabulary holds, from the left.
type pieces struct {
	vocabulary map[string]int64
	continuing string // written before every piece but the first
	unknown    int64
	most       int // characters; a longer part is unknown
}

func (p pieces) of(part string) []int64 {
	chars := []rune(part)
	if len(chars) > p.most {
		return []int64{p.unknown}
	}
	var out []int64
	for from := 0; from < len(chars); {
		token, to := p.longest(chars, from)
		if to == from {
			return []int64{p.unknown} // a part that cannot be spelt is unknown as a whole
		}
		out, from = append(out, token), to
	}
	return out
}

// longest finds the longest piece at from; to is from where there is none.
func (p pieces) longest(chars []rune, from int) (token int64, to int) {
	for to := len(chars); to > from; to-- {
		piece := string(chars[from:to])
		if from > 0 {
			piece = p.continuing + piece
		}
		if token, ok := p.vocabulary[piece]; ok {
			return token, to
		}
	}
	return 0, from
}
