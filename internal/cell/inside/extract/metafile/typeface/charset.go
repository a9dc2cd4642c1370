package typeface

import (
	"strings"
	"unicode"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// Character sets of a font ([MS-WMF] 2.1.1.5) that are no code page of one byte.
const (
	symbolSet = 2
	macSet    = 77
)

var pages = map[byte]*charmap.Charmap{0: charmap.Windows1252, 1: charmap.Windows1252, macSet: charmap.Macintosh, 161: charmap.Windows1253,
	162: charmap.Windows1254, 163: charmap.Windows1258, 177: charmap.Windows1255, 178: charmap.Windows1256, 186: charmap.Windows1257,
	204: charmap.Windows1251, 222: charmap.Windows874, 238: charmap.Windows1250, 255: charmap.CodePage850}

// Decode reads bytes in a font's character set. Sets that write a character with two bytes are
// read as far as they are ASCII; false where they are not.
func Decode(set byte, b []byte) ([]rune, bool) {
	page := pages[set]
	out := make([]rune, len(b))
	for i, c := range b {
		switch {
		case c < 0x80:
			out[i] = rune(c)
		case page == nil:
			return nil, false
		default:
			if out[i] = page.DecodeByte(c); out[i] == unicode.ReplacementChar {
				return nil, false
			}
		}
	}
	return out, true
}

// Mark stands for a character of a typeface of signs: a box, which tells no letter.
const Mark = '■'

// signs are typefaces whose characters are pictures, by a part of the name.
var signs = []string{"wingdings", "webdings", "dingbats", "monotype sorts", "marlett", "mt extra", "mtextra", "fences", "mathtype", "opensymbol", "starsymbol", "euclid extra", "euclid math"}

// symbols are typefaces with the encoding of Symbol.
var symbols = []string{"symbol", "euclid"}

// Kind is what the characters of a typeface mean.
type Kind byte

// The kinds: text, the Greek and the operators of Symbol, and pictures.
const (
	Text Kind = iota
	Symbols
	Signs
)

// KindOf judges by name and character set.
func KindOf(name string, set byte) Kind {
	name = strings.ToLower(name)
	for _, s := range signs {
		if strings.Contains(name, s) {
			return Signs
		}
	}
	for _, s := range symbols {
		if strings.Contains(name, s) && name != "segoe ui symbol" {
			return Symbols
		}
	}
	if set == symbolSet {
		return Signs
	}
	return Text
}

// FamilyOf judges by name and the two lowest bits of a font's pitch, and the family above them
// ([MS-WMF] 2.2.1.2).
func FamilyOf(name string, pitch byte) Family {
	name = strings.ToLower(name)
	has := func(parts ...string) bool {
		for _, s := range parts {
			if strings.Contains(name, s) {
				return true
			}
		}
		return false
	}
	const fixedPitch, roman, modern = 1, 1, 3
	switch {
	case has("courier", "consolas", "mono", "typewriter", "lucida console", "fixedsys", "terminal"):
		return Fixed
	case has("times", "serif", "roman", "garamond", "georgia", "cambria", "palatino", "bookman", "century") && !has("sans"):
		return Serif
	case has("arial", "helvetica", "sans", "calibri", "tahoma", "verdana"):
		return Sans
	case pitch>>4 == roman:
		return Serif
	case pitch>>4 == modern && pitch&3 == fixedPitch:
		return Fixed
	}
	return Sans
}

// greek and operators are the upper half of Symbol's characters from 0x41 and from 0xa1, as
// far as the typefaces here have them; a space has no counterpart.
const (
	greekUpper = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"
	greekLower = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"
	operators  = "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…||↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑(|([|[{{{| 〉∫∫|∫)|)]|]}}}"
)

var symbolTable = func() (t [256]rune) {
	for i := range t {
		t[i] = rune(i)
	}
	at := func(from int, s string) {
		for _, r := range s {
			t[from] = r
			from++
		}
	}
	at(0x41, greekUpper)
	at(0x61, greekLower)
	at(0xa1, operators)
	t[0x22], t[0x24], t[0x27], t[0x2a], t[0x2d], t[0x40] = '∀', '∃', '∋', '∗', '−', '≅'
	t[0x5c], t[0x5e], t[0x60], t[0x7e], t[0xa0] = '∴', '⊥', '‾', '∼', '€'
	return t
}()

// alike are characters that look much the same as one that the typefaces have.
var alike = map[rune]rune{'ϑ': 'θ', 'ϕ': 'φ', 'ϖ': 'π', 'ϒ': 'Υ', 'µ': 'μ', '∗': '*', '∼': '~', '⋅': '·', '∣': '|', '‖': '|', '′': '\'', '″': '"',
	'\u2010': '-', '\u2011': '-', '\u2012': '–', '\u2015': '—', '\u2212': '−', 'ˉ': '¯', '\u00ad': '-', '○': 'o', '⁃': '-', '〈': '<', '〉': '>',
	'ℜ': 'R', 'ℑ': 'I', 'ℵ': Mark, 'ẞ': 'ß', 'қ': 'к', 'Қ': 'К', 'ғ': 'г', 'Ғ': 'Г', 'ҳ': 'х', 'Ҳ': 'Х', 'ҷ': 'ч', 'Ҷ': 'Ч', 'ң': 'н', 'Ң': 'Н',
	'ү': 'у', 'Ү': 'У', 'ұ': 'у', 'Ұ': 'У', 'ө': 'о', 'Ө': 'О', 'ә': 'э', 'Ә': 'Э', 'ơ': 'o', 'Ơ': 'O', 'ư': 'u', 'Ư': 'U'}

// Symbol is a character of Symbol's encoding: the character that it shows.
func Symbol(c byte) rune { return symbolTable[c] }

// Shown is the character that the typefaces draw for r; false where they have none that looks
// like it. A letter with a stroke or accent that they lack is drawn without, a sign of
// mathematics that they lack as Mark; a space stands for what is not seen.
func (o *Outlines) Shown(s Style, r rune) (rune, bool) {
	if like, ok := alike[r]; ok {
		if _, has := o.Glyph(s, r); !has {
			r = like
		}
	}
	switch {
	case unicode.IsSpace(r), r == '\u200b', r == '\ufeff', r == '\u200e', r == '\u200f':
		return ' ', true
	case r < ' ' || r == 0x7f: // some programs end their lines with them
		return ' ', true
	}
	if _, ok := o.Glyph(s, r); ok {
		return r, true
	}
	if parts := []rune(norm.NFD.String(string(r))); len(parts) > 1 && !strings.ContainsFunc(string(parts[1:]), func(c rune) bool { return !unicode.Is(unicode.Mn, c) }) {
		if _, ok := o.Glyph(s, parts[0]); ok {
			return parts[0], true
		}
	}
	if unicode.Is(unicode.Sm, r) || unicode.Is(unicode.So, r) {
		return Mark, true
	}
	return 0, false
}
