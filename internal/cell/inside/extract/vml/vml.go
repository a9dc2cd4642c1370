// Package vml finds what shapes of VML hold besides their markup. Since 2007 the suites
// write a shape once more, as a package of DrawingML with its pictures, into the attribute
// gfxdata of the one of VML, and show that instead.
package vml

import (
	"bytes"
	"iter"

	"blotter/internal/cell/inside/markup"
)

// Packages gives the values of all attributes gfxdata in markup, XML or HTML: letters of
// base64, their references resolved. It goes through the bytes once and asks for no order
// in them; a value without an end is none.
func Packages(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for {
			_, after, found := bytes.Cut(text, []byte("gfxdata"))
			if !found {
				return
			}
			text = after
			quoted, is := bytes.CutPrefix(bytes.TrimLeft(text, space), []byte("="))
			if quoted = bytes.TrimLeft(quoted, space); !is || len(quoted) == 0 || quoted[0] != '"' && quoted[0] != '\'' {
				continue
			}
			value, rest, ends := bytes.Cut(quoted[1:], quoted[:1])
			if !ends {
				continue
			}
			if text = rest; !yield(markup.Plain(value)) {
				return
			}
		}
	}
}

const space = " \t\r\n"
