package lexicon

import (
	_ "embed"
	"errors"
)

// Familiar words are what dictionaries of other languages list: a million forms of
// Dutch, French, German and Spanish words. Only whether a word is among them is ever
// asked, so they are kept as a Bloom filter: no time to unpack, no memory beside the
// binary's own pages.

//go:embed familiar.bin
var familiar []byte

// sieveHashes is the number of bits set for a word; sieveBits are those kept for each. They make
// about one strange word in a hundred look familiar.
const (
	sieveHashes = 6
	sieveBits   = 10
)

// Familiar reports whether a folded word is one of a foreign dictionary. A word that is in
// none is taken for one in about one case of a hundred; a word that is in one never is not.
func (l *Lexicon) Familiar(folded string) bool { return sieve(familiar).holds(folded) }

// sieve is the filter's bits.
type sieve []byte

func (s sieve) holds(word string) bool {
	n := uint64(len(s)) * 8
	if n == 0 {
		return false
	}
	bit, step := sieveHash(word)
	for range sieveHashes {
		if at := bit % n; s[at/8]&(1<<(at%8)) == 0 {
			return false
		}
		bit += step
	}
	return true
}

// Sieve returns the filter that Familiar asks, for build.go to write.
func Sieve(words []string) ([]byte, error) {
	out := make([]byte, (len(words)*sieveBits+7)/8)
	if len(out) == 0 {
		return nil, errors.New("lexicon: no words to sieve")
	}
	n := uint64(len(out)) * 8
	for _, w := range words {
		bit, step := sieveHash(w)
		for range sieveHashes {
			out[bit%n/8] |= 1 << (bit % n % 8)
			bit += step
		}
	}
	return out, nil
}

// sieveHash is FNV-1a over the word and, for the step between the bits, its mixed halves.
func sieveHash(s string) (first, step uint64) {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	g := h>>29 ^ h*0x9e3779b97f4a7c15
	return h >> 1, g>>1 | 1
}
