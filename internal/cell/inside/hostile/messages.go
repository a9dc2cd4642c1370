package hostile

import "bytes"

// signed is a message of S/MIME that holds another.
func signed(held []byte) []byte {
	kind := func(last byte) []byte { return []byte("\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07" + string(last)) }
	return der(0x30, kind(2), der(0xa0, der(0x30, der(2, []byte{1}), der(0x31), der(0x30, kind(1), der(0xa0, der(4, held))), der(0x31))))
}

// der is a value of ASN.1 with a length of three bytes.
func der(tag byte, parts ...[]byte) []byte {
	b := join(parts...)
	return join([]byte{tag, 0x83, byte(len(b) >> 16), byte(len(b) >> 8), byte(len(b))}, b)
}

// messageBombs are messages that cost their readers more than their length.
func messageBombs() []made {
	const most = 20 * mib
	return []made{
		{"signed message of strings in one another", func() []byte {
			open := func(tag byte, b []byte) []byte { return join([]byte{tag, 0x80}, b) }
			return bytes.Replace(signed(nil), der(4), bytes.Repeat(open(0x24, nil), most/2), 1)
		}},
		{"signed message within a signed message", func() []byte { return deep(200, letter("image/png", picture()), signed) }},
		{"winmail.dat with properties without end", func() []byte {
			return join([]byte("\x78\x9f\x3e\x22\x01\x00\x01"), le32(0x00069003, most), le32(-1), bytes.Repeat(le32(0x00011002, 0), most/8), le16(0))
		}},
		{"winmail.dat of 2 million empty attachments", func() []byte {
			return join([]byte("\x78\x9f\x3e\x22\x01\x00"), bytes.Repeat(join([]byte{2}, le32(0x00069002, 0), le16(0)), most/11))
		}},
	}
}
