package detect

import (
	"strings"
	"unicode"

	"blotter/internal/cell/inside/detect/lexicon"
	"blotter/internal/document"
)

// labelDef is what a label says of its value.
type labelDef struct {
	typ      document.Type // 0: the value is harmless
	ordinary bool          // also a word of running text
	public   bool          // harmless, and its value is a measure or a code of a public list
}

// labelSet finds labels by their key, exactly or with one slip.
type labelSet struct {
	exact map[string]labelDef
	ends  map[string][]string // first and last three letters → the keys that a slip may have changed
	short set                 // labels of up to three letters as they are spelt
	long  int                 // most runes of a key
}

// fuzzyFrom is the shortest label, in letters, that is recognised with one slip.
const fuzzyFrom = 6

// shortLabel is the longest label in which no letter may pass for another: "TLN" are
// somebody's initials and no "TIN".
const shortLabel = 3

// isMisspelt reports whether a short word is no label although its key is one's. Digits
// read for letters are forgiven: "D0B".
func (s *labelSet) isMisspelt(word string) bool {
	return len(word) <= shortLabel && !s.short.has(word) && !strings.ContainsAny(word, "0158")
}

func loadLabels() labelSet {
	s := labelSet{short: set{}, ends: map[string][]string{}, exact: map[string]labelDef{}}
	for line := range strings.Lines(mustRead("labels.tsv")) {
		line = strings.TrimSpace(line)
		name, list, ok := strings.Cut(line, "\t")
		if !ok || line[0] == '#' {
			continue
		}
		def := labelDef{ordinary: strings.HasSuffix(name, "?")}
		if def.public = name[0] == '='; name != "-" && !def.public {
			def.typ, ok = document.ParseType(strings.TrimSuffix(name, "?"))
			if !ok {
				panic("detect: labels.tsv: no type " + name)
			}
		}
		for _, label := range strings.Split(list, ",") {
			s.add(labelKey(label), def)
			if raw := lexicon.Fold(strings.TrimSpace(label)); len(raw) <= shortLabel {
				s.short[raw] = struct{}{}
			}
		}
	}
	for k := range s.exact {
		if len(k) >= fuzzyFrom {
			front, back := endsOf(k)
			s.ends[front], s.ends[back] = append(s.ends[front], k), append(s.ends[back], k)
		}
	}
	return s
}

// add keeps the first meaning of a label; said twice, with and without "?", it is an
// ordinary word.
func (s *labelSet) add(key string, def labelDef) {
	if key == "" {
		return
	}
	if old, ok := s.exact[key]; ok {
		old.ordinary = old.ordinary || def.ordinary
		old.public = old.public || def.public && old.typ == 0
		def = old
	}
	s.exact[key] = def
	s.long = max(s.long, len(key))
}

// lookup finds a label by its key. With slip set, one letter may be wrong, missing or too
// many.
func (s *labelSet) lookup(key string, slip bool) (labelDef, bool) {
	if d, ok := s.exact[key]; ok {
		return d, true
	}
	if !slip || len(key) < fuzzyFrom || len(key) > s.long+1 {
		return labelDef{}, false
	}
	best := ""
	front, back := endsOf(key)
	for _, end := range [...]string{front, back} {
		for _, k := range s.ends[end] {
			// The smallest key wins, so that the answer does not hang on a map's order.
			if abs(len(k)-len(key)) <= 1 && (best == "" || k < best) && oneSlip(k, key) {
				best = k
			}
		}
	}
	if best == "" {
		return labelDef{}, false
	}
	return s.exact[best], true
}

// endLetters is how much of a key's front or back one slip leaves whole, in bytes: a key has
// twice as many at least.
const endLetters = fuzzyFrom / 2

// endsOf is how a key begins and ends: a label with one slip has one of both from the key.
func endsOf(key string) (front, back string) {
	return key[:endLetters] + "…", "…" + key[len(key)-endLetters:]
}

// oneSlip reports whether a and b differ by at most one letter.
func oneSlip(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) == len(b) {
		return i == len(a) || a[i+1:] == b[i+1:]
	}
	return a[i:] == b[i+1:]
}

// labelKey writes a label without spaces and signs (a reader loses both), and with the
// letters made equal that recognisers confuse.
func labelKey(s string) string {
	var b strings.Builder
	for _, r := range lexicon.Fold(s) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '|' {
			b.WriteRune(r)
		}
	}
	return alike.Replace(b.String())
}

// alike makes characters equal that look it in print.
var alike = strings.NewReplacer("0", "o", "1", "i", "l", "i", "|", "i", "5", "s", "8", "b", "rn", "m", "vv", "w")
