package bmff

import "encoding/binary"

// Single writes a file of one item: its type, its properties and its data.
func Single(brand, itemType string, props []Prop, data []byte) []byte {
	be := binary.BigEndian
	full := func(version byte, rest ...byte) []byte { return append([]byte{version, 0, 0, 0}, rest...) }
	var ipco, links []byte
	for i, p := range props {
		ipco = append(ipco, wrap(p.Kind, p.Data)...)
		links = append(links, byte(i+1))
	}
	ipma := append(full(0, 0, 0, 0, 1, 0, 1, byte(len(props))), links...)
	infe := append(full(2, 0, 1, 0, 0), append([]byte(itemType), 0)...)
	head := wrap("ftyp", append(append([]byte(brand), 0, 0, 0, 0), "mif1"+brand+"miaf"...))
	meta := func(at uint32) []byte {
		iloc := full(0, 0x44, 0, 0, 1, 0, 1, 0, 0, 0, 1)
		iloc = be.AppendUint32(be.AppendUint32(iloc, at), uint32(len(data)))
		body := full(0)
		body = append(body, wrap("hdlr", append(full(0, 0, 0, 0, 0), append([]byte("pict"), make([]byte, 13)...)...))...)
		body = append(body, wrap("pitm", full(0, 0, 1))...)
		body = append(body, wrap("iloc", iloc)...)
		body = append(body, wrap("iinf", append(full(0, 0, 1), wrap("infe", infe)...))...)
		return wrap("meta", append(body, wrap("iprp", append(wrap("ipco", ipco), wrap("ipma", ipma)...))...))
	}
	at := uint32(len(head) + len(meta(0)) + 8)
	return append(append(append(head, meta(at)...), be.AppendUint32(nil, uint32(len(data)+8))...), append([]byte("mdat"), data...)...)
}

func wrap(kind string, data []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(8+len(data)))
	return append(append(out, kind...), data...)
}
