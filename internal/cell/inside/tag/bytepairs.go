package tag

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// readBytePairs takes the byte-level tokenizers of GPT-2, RoBERTa and their kin, which
// can spell whatever there is.
func (t *tokenizer) readBytePairs(f tokenizerFile) error {
	m := f.Model
	switch {
	case f.Normalizer.kind() != "none":
		return fmt.Errorf("BPE with a normalizer of type %q; known is none", f.Normalizer.kind())
	case f.PreTokenizer.kind() != "ByteLevel":
		return fmt.Errorf("BPE with a pre_tokenizer of type %q; known is ByteLevel", f.PreTokenizer.kind())
	case !or(f.PreTokenizer.Regex, true):
		return errors.New("BPE that does not cut words (use_regex is false)")
	case or(m.Dropout, 0) != 0 || m.ByteFallback || m.IgnoreMerges || or(m.Continuing, "") != "" || or(m.EndOfWord, "") != "":
		return errors.New("BPE with dropout, byte_fallback, ignore_merges, continuing_subword_prefix or end_of_word_suffix")
	}
	p := bytePairs{vocabulary: m.Vocabulary, ranks: make(map[merge]int, len(m.Merges))}
	for b, symbol := range byteSymbols {
		if _, ok := m.Vocabulary[symbol]; !ok {
			return fmt.Errorf("the vocabulary has no token for the byte %d", b)
		}
	}
	for rank, pair := range m.Merges {
		if _, ok := m.Vocabulary[pair.left+pair.right]; !ok {
			return fmt.Errorf("merge %d makes a token that is not in the vocabulary", rank)
		}
		p.ranks[pair] = rank
	}
	spaceFirst := or(f.PreTokenizer.PrefixSpace, true)
	t.parts = func(word string, first bool) []string { return byteParts(word, spaceFirst || !first) }
	t.tokens = p.of
	return nil
}

// cutBytes is GPT-2's, but for runs of white space, of which a word has none.
var cutBytes = regexp.MustCompile(`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+`)

// byteParts cuts a word. Spaces belong to what follows them, so that a word within a text
// is another than at its beginning.
func byteParts(word string, spaced bool) []string {
	word = strings.Join(strings.Fields(word), " ")
	if spaced && word != "" {
		word = " " + word
	}
	return cutBytes.FindAllString(word, -1)
}

// byteSymbols are the characters in which bytes are written in vocabularies: printable
// Latin-1 stands for itself, and the rest for characters from U+0100 on.
var byteSymbols = func() (out [256]string) {
	next := rune(0x100)
	for b := range rune(256) {
		if '!' <= b && b <= '~' || 0xA1 <= b && b <= 0xAC || 0xAE <= b {
			out[b] = string(b)
			continue
		}
		out[b] = string(next)
		next++
	}
	return out
}()

// bytePairs joins the two neighbours whose merge ranks first, again and again.
type bytePairs struct {
	vocabulary map[string]int64
	ranks      map[merge]int
}

func (p bytePairs) of(part string) []int64 {
	const most = 4 * maxPieces // bytes; the time grows with their square
	var symbols []string
	for i := 0; i < len(part) && i < most; i++ {
		symbols = append(symbols, byteSymbols[part[i]])
	}
	for {
		at, best := -1, len(p.ranks)
		for i := range len(symbols) - 1 {
			if rank, ok := p.ranks[merge{symbols[i], symbols[i+1]}]; ok && rank < best {
				at, best = i, rank
			}
		}
		if at < 0 {
			break
		}
		symbols = append(append(symbols[:at:at], symbols[at]+symbols[at+1]), symbols[at+2:]...)
	}
	out := make([]int64, len(symbols))
	for i, s := range symbols {
		out[i] = p.vocabulary[s] // every byte and every merge is in it
	}
	return out
}
