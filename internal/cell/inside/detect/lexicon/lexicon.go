// Package lexicon knows words: which are personal names and how common they are, which
// are places, which are plain vocabulary. It holds one list made by build.go from public
// word lists (README.md names them, licences/ has their notices), embedded compressed, about 2 MB.
//
// A Lexicon never changes after Open and is safe for any number of goroutines.
package lexicon

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
)

//go:generate go run build.go

//go:embed words.gz
var embedded []byte

// Entry is what is known of one word: a set of marks and how many people bear it.
type Entry uint16

// The marks. The lowest five bits count births (see Births).
const (
	Surname Entry = 1 << 5  // a family name somewhere in the world
	Given   Entry = 1 << 6  // a given name somewhere in the world
	Common  Entry = 1 << 7  // English, among the 50,000 most common words (SCOWL ≤ 35)
	Vocab   Entry = 1 << 8  // English (SCOWL ≤ 70), written in lower case
	Proper  Entry = 1 << 9  // written with a capital in SCOWL (≤ 70)
	Short   Entry = 1 << 10 // an abbreviation in SCOWL (≤ 70)
	USPlace Entry = 1 << 11 // a place of the United States that has a ZIP code
	City    Entry = 1 << 12 // a city elsewhere
	Foreign Entry = 1 << 13 // a German, French, Spanish, Italian, Dutch or Portuguese word
)

const birthBits Entry = 1<<5 - 1

// Has reports whether any of the marks is set.
func (e Entry) Has(marks Entry) bool { return e&marks != 0 }

// Births is about how many people were given the word as a name in the United States
// since 1880, rounded down to a power of two; 0 where the list has fewer than 25.
func (e Entry) Births() int {
	if n := e & birthBits; n > 0 {
		return 1 << (n - 1)
	}
	return 0
}

// IsName reports whether the word is a given or family name anywhere.
func (e Entry) IsName() bool { return e&(birthBits|Surname|Given) != 0 }

// Lexicon finds entries by their folded word. The words lie sorted in one string: a map
// would take five times the memory.
type Lexicon struct {
	text    string
	starts  []uint32 // starts[i] is where word i begins; one more at the end
	entries []Entry
}

// ErrDamaged says that the embedded list is not what build.go wrote.
var ErrDamaged = errors.New("lexicon: the word list is damaged")

// Open unpacks the embedded list: about 30 ms.
func Open() (*Lexicon, error) { return read(bytes.NewReader(embedded)) }

// Len is the number of words.
func (l *Lexicon) Len() int { return len(l.entries) }

// Lookup returns what is known of a word, zero where nothing is. The word must be folded
// (Fold); several words are joined by single spaces.
func (l *Lexicon) Lookup(folded string) Entry {
	lo, hi := 0, len(l.entries)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		switch w := l.word(mid); {
		case w == folded:
			return l.entries[mid]
		case w < folded:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return 0
}

// All gives every word with its entry, in order: for training, not for jobs.
func (l *Lexicon) All() iter.Seq2[string, Entry] {
	return func(yield func(string, Entry) bool) {
		for i, e := range l.entries {
			if !yield(l.word(i), e) {
				return
			}
		}
	}
}

func (l *Lexicon) word(i int) string { return l.text[l.starts[i]:l.starts[i+1]] }

// The format, gzip outside: the number of words (4 bytes, little endian), then each word
// as one byte that counts the bytes shared with the word before, one byte for the length
// of the rest, the rest, and two bytes for the entry.

// Write writes a list that Open can read. The words must be folded, sorted and unique,
// each at most 255 bytes.
func Write(w io.Writer, words []string, entries []Entry) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(words)))
	before := ""
	for i, word := range words {
		if word <= before || len(word) > 255 {
			return fmt.Errorf("lexicon: word %d is too long or out of order", i)
		}
		n := shared(before, word)
		b = append(b, byte(n), byte(len(word)-n))
		b = append(b, word[n:]...)
		b = binary.LittleEndian.AppendUint16(b, uint16(entries[i]))
		before = word
	}
	if _, err := z.Write(b); err != nil {
		return err
	}
	return z.Close()
}

func shared(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// maxBytes bounds the unpacked list, ten times what build.go makes.
const maxBytes = 32 << 20

func read(r io.Reader) (*Lexicon, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, ErrDamaged
	}
	b, err := io.ReadAll(io.LimitReader(z, maxBytes))
	if err != nil || len(b) < 4 {
		return nil, ErrDamaged
	}
	n := int(binary.LittleEndian.Uint32(b))
	b = b[4:]
	if n > len(b)/4 {
		return nil, ErrDamaged // a word takes four bytes at least
	}
	l := &Lexicon{starts: make([]uint32, 1, n+1), entries: make([]Entry, 0, n)}
	text := make([]byte, 0, 9*n) // the mean word of the list has 8 bytes
	before := 0                  // where the word before begins
	for range n {
		if len(b) < 4 {
			return nil, ErrDamaged
		}
		keep, rest := int(b[0]), int(b[1])
		if len(b) < 4+rest || keep > len(text)-before {
			return nil, ErrDamaged
		}
		start := len(text)
		text = append(text, text[before:before+keep]...)
		text = append(text, b[2:2+rest]...)
		l.starts = append(l.starts, uint32(len(text)))
		l.entries = append(l.entries, Entry(binary.LittleEndian.Uint16(b[2+rest:])))
		before, b = start, b[4+rest:]
	}
	l.text = string(text)
	return l, nil
}
