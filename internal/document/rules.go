package document

import (
	"encoding/hex"
	"errors"
)

// Rules say what becomes of the personal data that is found. A policy holds them, and the
// cell follows them as they are. The zero value destroys most: every type, at any score,
// in black.
type Rules struct {
	Actions      map[Type]Action  // a missing type is redacted; Unread and Unknown have rules of their own
	Thresholds   map[Type]float64 // least score to act on, 0–1; missing: 0
	Unread       UnreadRule
	UnknownWords WordRule

	KeepYear          bool // leave the year of a date standing, where its place in the pixels is certain
	KeepZIP3          bool // the same of a ZIP code's first three digits, unless few people live there
	AllAges           bool // destroy every age, not only those over 89
	CodesPersonalOnly bool // destroy a bar code only where what it says is personal or cannot be read

	OpenArchives bool // open a ZIP of documents, which is refused otherwise

	PaddingPX int    // pixels added around each box, on top of what the step needs itself
	Fill      Colour // of the boxes
	Labels    bool   // write the type's name into boxes that are large enough
}

// Action is what the policy does with a type.
type Action uint8

// The actions. The zero value destroys: a type that a policy forgot is redacted. Never
// renumbered: they cross the wire.
const (
	Redact Action = 0
	Keep   Action = 1
	Review Action = 2 // destroy it as Redact does, and let a person decide about the document
)

// UnreadRule says what happens to text that was seen and could not be read.
type UnreadRule string

// The rules for unread text. No value at all is CoverUnread.
const (
	CoverUnread    UnreadRule = "cover"    // burn the place
	ReviewUnread   UnreadRule = "review"   // burn the place, and let a person decide about the document
	WithholdUnread UnreadRule = "withhold" // hand out nothing of that image
)

// WordRule says which words are destroyed because no vocabulary explains them.
type WordRule string

// The rules for unknown words. No value at all is AllWords.
const (
	NoWords   WordRule = "off"    // none
	LikeNames WordRule = "words"  // numbers, codes and words with a capital
	AllWords  WordRule = "strict" // every one
)

// Reviews reports whether something of this type asks for a person's decision.
func (r Rules) Reviews(t Type) bool {
	if t == Unread {
		return r.Unread == ReviewUnread
	}
	return r.Actions[t] == Review
}

// Colour is red, green and blue, 0–255 each. The zero value is black.
type Colour struct{ R, G, B uint8 }

// ParseColour reads what String writes, with upper-case digits too.
func ParseColour(s string) (Colour, error) {
	var c [3]byte
	if len(s) != 7 || s[0] != '#' {
		return Colour{}, errors.New("document: a colour is # and six hexadecimal digits")
	}
	if _, err := hex.Decode(c[:], []byte(s[1:])); err != nil {
		return Colour{}, errors.New("document: a colour is # and six hexadecimal digits")
	}
	return Colour{c[0], c[1], c[2]}, nil
}

// String is the form used in policies: # and two lower-case hexadecimal digits for each
// of red, green and blue.
func (c Colour) String() string { return "#" + hex.EncodeToString([]byte{c.R, c.G, c.B}) }
