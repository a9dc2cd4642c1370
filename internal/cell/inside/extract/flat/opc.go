package flat

import (
	"blotter/internal/cell/inside/markup"
)

// opc reads a package of OPC that was written as one file (Word's and PowerPoint's "XML
// document"): its parts have their names already.
func (w *walk) opc() error {
	for {
		t, err := w.next()
		switch {
		case err != nil:
			return err
		case t.Kind == markup.End:
			return nil
		case t.Kind != markup.Open || string(t.Name) != "part":
			continue
		}
		name, _ := t.Attribute("name")
		if err := w.opcPart(name); err != nil {
			return err
		}
	}
}

// opcPart reads what is in the part that was opened last.
func (w *walk) opcPart(name string) error {
	for depth := w.Depth(); w.Depth() >= depth; {
		t, err := w.next()
		if err != nil {
			return err
		}
		if t.Kind != markup.Open {
			continue
		}
		p := part{name: name}
		switch string(t.Name) {
		case "binaryData":
			p.letters = true
			p.pieces, err = w.content()
		case "xmlData":
			p.pieces, err = w.inside(t)
		default:
			continue
		}
		if err == nil {
			err = w.add(p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inside is what stands in the element that a tag opened, as it stands.
func (w *walk) inside(opened markup.Token) ([][]byte, error) {
	for depth := w.Depth(); ; {
		t, err := w.next()
		if err != nil {
			return nil, err
		}
		if t.Kind == markup.Close && w.Depth() < depth {
			return [][]byte{w.b[opened.To:t.From]}, nil
		}
	}
}
