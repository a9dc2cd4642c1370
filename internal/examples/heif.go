package examples

import (
	"bytes"
	"encoding/binary"
)

// HEIFItem is one item of a HEIF file (ISO 23008-12).
type HEIFItem struct {
	Type    string
	Hidden  bool
	Props   []HEIFProp
	Data    []byte
	Tiles   []uint16 // what it is derived from
	ThumbOf uint16   // 0: no thumbnail
	AuxOf   uint16   // 0: no auxiliary
	Premul  uint16   // the auxiliary that multiplies its colours; 0: none
}

// HEIFProp is a property: the kind and contents of its box.
type HEIFProp struct {
	Kind string
	Data []byte
}

// HEIFSize is the property that tells a size.
func HEIFSize(w, h uint32) HEIFProp {
	b := binary.BigEndian.AppendUint32(make([]byte, 4), w)
	return HEIFProp{"ispe", binary.BigEndian.AppendUint32(b, h)}
}

// HEIFAlpha is the property that says that an auxiliary item is opacity.
func HEIFAlpha() HEIFProp {
	return HEIFProp{"auxC", []byte("\x00\x00\x00\x00urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\x00")}
}

// HEIFTrack is a sequence of pictures in one chunk.
type HEIFTrack struct {
	Codec   string
	W, H    uint16
	Props   []HEIFProp
	Samples [][]byte
	Sync    []uint32 // numbers of those that need no other, from 1; nil: all
}

// EncodeHEIF writes a file of items, numbered from 1, and tracks.
func EncodeHEIF(brand string, primary uint16, items []HEIFItem, tracks ...HEIFTrack) []byte {
	var data []byte
	for _, it := range items {
		data = append(data, it.Data...)
	}
	head := box("ftyp", []byte(brand), make([]byte, 4), []byte("mif1"), []byte(brand))
	rest := func(at uint32) []byte {
		var out []byte
		if len(items) > 0 {
			out = heifMeta(primary, items, at)
			for _, it := range items {
				at += uint32(len(it.Data))
			}
		}
		var traks [][]byte
		for _, t := range tracks {
			traks = append(traks, t.trak(at))
			at += uint32(len(bytes.Join(t.Samples, nil)))
		}
		if traks != nil {
			out = append(out, box("moov", traks...)...)
		}
		return out
	}
	at := uint32(len(head) + len(rest(0)) + 8)
	for _, t := range tracks {
		data = append(data, bytes.Join(t.Samples, nil)...)
	}
	return bytes.Join([][]byte{head, rest(at), box("mdat", data)}, nil)
}

func box(kind string, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	out := binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))
	return append(append(out, kind...), body...)
}

// be16 and be32 write numbers.
func be16(values ...uint16) (out []byte) {
	for _, v := range values {
		out = binary.BigEndian.AppendUint16(out, v)
	}
	return out
}

func be32(values ...uint32) (out []byte) {
	for _, v := range values {
		out = binary.BigEndian.AppendUint32(out, v)
	}
	return out
}

func heifMeta(primary uint16, items []HEIFItem, at uint32) []byte {
	var infos, refs, props [][]byte
	iloc := append([]byte{0, 0, 0, 0, 0x44, 0}, be16(uint16(len(items)))...)
	ipma := be32(0, uint32(len(items)))
	count := byte(0)
	for i, it := range items {
		id := uint16(i + 1)
		flags := uint32(2 << 24)
		if it.Hidden {
			flags |= 1
		}
		infos = append(infos, box("infe", be32(flags), be16(id, 0), []byte(it.Type), []byte{0}))
		iloc = append(append(iloc, be16(id, 0, 1)...), be32(at, uint32(len(it.Data)))...)
		at += uint32(len(it.Data))
		if it.Tiles != nil {
			refs = append(refs, box("dimg", be16(id, uint16(len(it.Tiles))), be16(it.Tiles...)))
		}
		for kind, to := range map[string]uint16{"thmb": it.ThumbOf, "auxl": it.AuxOf, "prem": it.Premul} {
			if to > 0 {
				refs = append(refs, box(kind, be16(id, 1, to)))
			}
		}
		ipma = append(append(ipma, be16(id)...), byte(len(it.Props)))
		for _, p := range it.Props {
			count++
			props = append(props, box(p.Kind, p.Data))
			ipma = append(ipma, count)
		}
	}
	body := [][]byte{be32(0), box("hdlr", be32(0, 0), []byte("pict"), make([]byte, 13)), box("pitm", be32(0), be16(primary)),
		box("iloc", iloc), box("iinf", be32(0), be16(uint16(len(items))), bytes.Join(infos, nil))}
	if refs != nil {
		body = append(body, box("iref", be32(0), bytes.Join(refs, nil)))
	}
	return box("meta", append(body, box("iprp", box("ipco", props...), box("ipma", ipma)))...)
}

func (t HEIFTrack) trak(at uint32) []byte {
	var props [][]byte
	for _, p := range t.Props {
		props = append(props, box(p.Kind, p.Data))
	}
	entry := box(t.Codec, make([]byte, 24), be16(t.W, t.H), make([]byte, 50), bytes.Join(props, nil))
	sizes := be32(0, 0, uint32(len(t.Samples)))
	for _, s := range t.Samples {
		sizes = append(sizes, be32(uint32(len(s)))...)
	}
	tables := [][]byte{box("stsd", be32(0, 1), entry), box("stsz", sizes), box("stsc", be32(0, 1, 1, uint32(len(t.Samples)), 1)), box("stco", be32(0, 1, at))}
	if t.Sync != nil {
		tables = append(tables, box("stss", be32(0, uint32(len(t.Sync))), be32(t.Sync...)))
	}
	return box("trak", box("mdia", box("hdlr", be32(0, 0), []byte("pict"), make([]byte, 13)), box("minf", box("stbl", tables...))))
}
