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
	near  map[string][]string // a key with one letter left out → the keys it came from
	short set                 // labels of up to three letters as they are spelt
	ends  map[string]uint64   // first and last three letters of keys → the lengths of these, a bit each
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
	s := labelSet{short: set{}, ends: map[string]uint64{}, exact: map[string]labelDef{}, near: map[string][]string{}}
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
		if len(k) < fuzzyFrom {
			continue
		}
		s.ends[k[:endLetters]+"…"] |= 1 << min(len(k), 63)
		s.ends["…"+k[len(k)-endLetters:]] |= 1 << min(len(k), 63)
		for i := range k {
			s.near[k[:i]+k[i+1:]] = append(s.near[k[:i]+k[i+1:]], k)
		}
		s.near[k] = append(s.near[k], k)
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
	if !slip || len(key) < fuzzyFrom || len(key) > s.long+1 || !s.mayBeNear(key) {
		return labelDef{}, false
	}
	best := ""
	consider := func(k string) {
		// The smallest key wins, so that the answer does not hang on a map's order.
		if oneSlip(k, key) && (best == "" || k < best) {
			best = k
		}
	}
	for _, k := range s.near[key] {
		consider(k)
	}
	for i := range key {
		short := key[:i] + key[i+1:]
		if _, ok := s.exact[short]; ok && len(short) >= fuzzyFrom {
			consider(short)
		}
		for _, k := range s.near[short] {
			consider(k)
		}
	}
	if best == "" {
		return labelDef{}, false
	}
	return s.exact[best], true
}

// endLetters is how much of a key's front or back one slip leaves whole.
const endLetters = 3

// mayBeNear is a cheap look before the dear one: a label with one slip begins or ends like
// the key and is as long, give or take one.
func (s *labelSet) mayBeNear(key string) bool {
	lengths := uint64(7) << (min(len(key), 63) - 1)
	return s.ends[key[:endLetters]+"…"]&lengths != 0 || s.ends["…"+key[len(key)-endLetters:]]&lengths != 0
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
