package flat

import (
	"bytes"
	"fmt"

	"blotter/internal/cell/inside/markup"
)

// openDocument reads a flat document of that family (ODF 1.3 part 3, 3.1.2). What stands
// in it as base64 goes where packages keep pictures, or files of other programs; the rest is
// the text, in one part.
func (w *walk) openDocument() error {
	text := part{name: "content.xml"}
	from := 0
	var within []string // names of the open elements
	for {
		t, err := w.next()
		if err != nil {
			return err
		}
		switch t.Kind {
		case markup.End:
			text.pieces = append(text.pieces, w.b[from:])
			text.made = withoutDeclaration(bytes.ToValidUTF8(bytes.Join(text.pieces, nil), []byte("?")))
			text.pieces = nil
			return w.add(text)
		case markup.Close:
			within = within[:w.Depth()]
		case markup.Open:
			within = append(within, string(t.Name))
			if err := w.beside(within); err != nil {
				return err
			}
			if string(t.Name) != "binary-data" {
				continue
			}
			text.pieces = append(text.pieces, w.b[from:t.To])
			pieces, err := w.content()
			if err == nil {
				err = w.add(part{name: w.place(within), pieces: pieces, letters: true})
			}
			if err != nil {
				return err
			}
			within = within[:w.Depth()]
			from = w.Last().From
		}
	}
}

// place names a part by the element that holds its bytes: pictures and files of other
// programs lie apart.
func (w *walk) place(within []string) string {
	folder := "media"
	if n := len(within); n > 1 {
		switch within[n-2] {
		case "image", "fill-image", "background-image", "list-level-style-image":
			folder = "Pictures"
		}
	}
	return fmt.Sprintf("%s/%06d", folder, len(w.parts)+1)
}

// beside makes empty parts of what packages keep beside the text: properties, programs.
func (w *walk) beside(within []string) error {
	const inRoot = 2
	if len(within) != inRoot {
		return nil
	}
	switch within[inRoot-1] {
	case "meta":
		return w.add(part{name: "meta.xml"})
	case "scripts", "script":
		return w.add(part{name: "Basic/scripts"})
	}
	return nil
}

// withoutDeclaration takes off what says in which letters the document is written: it is
// written in others by now.
func withoutDeclaration(b []byte) []byte {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(b, []byte("<?xml")) {
		if _, after, ok := bytes.Cut(b, []byte("?>")); ok {
			return after
		}
	}
	return b
}
