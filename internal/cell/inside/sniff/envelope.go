package sniff

import (
	"bytes"
	"encoding/binary"

	"blotter/internal/cell/inside/ber"
)

// Kinds of CMS content (RFC 5652, 3274, 5083) by the bytes of their identifiers.
var (
	signedData     = []byte("\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02")
	compressedData = []byte("\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x01\x09")

	// encryptedKinds are enveloped, encrypted and authenticated-enveloped data.
	encryptedKinds = [][]byte{
		[]byte("\x2a\x86\x48\x86\xf7\x0d\x01\x07\x03"), []byte("\x2a\x86\x48\x86\xf7\x0d\x01\x07\x06"),
		[]byte("\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x01\x17"),
	}
)

// cmsKind reports whether the head begins a CMS message, and whether what is in it is
// encrypted.
func cmsKind(head []byte) (is, encrypted bool) {
	outer, _, _, err := ber.Next(head)
	if err != nil || outer.Tag != ber.Sequence || !outer.Made {
		return false, false
	}
	id, _, _, err := ber.Next(outer.Content)
	if err != nil || id.Tag != ber.Object {
		return false, false
	}
	for _, k := range encryptedKinds {
		if bytes.Equal(id.Content, k) {
			return true, true
		}
	}
	return bytes.Equal(id.Content, signedData) || bytes.Equal(id.Content, compressedData), false
}

// armoured begins what OpenPGP encrypted and wrote in letters.
const armoured = "-----BEGIN PGP MESSAGE-----"

// isOpenPGP reports whether the head begins an encrypted message (RFC 4880, 5.1 and 5.3): a
// session key for a holder of a key, or for a password.
func isOpenPGP(head []byte) bool {
	if bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte(armoured)) {
		return true
	}
	const (
		publicOld1, publicOld2, publicNew = 0x84, 0x85, 0xc1
		passwordOld, passwordNew          = 0x8c, 0xc3
		longestKey                        = 0x0500 // bytes of such a packet, for keys of 8192 bits
	)
	if len(head) < 16 {
		return false
	}
	switch head[0] {
	case publicOld1:
		return head[2] == 3 && head[1] >= 32
	case publicOld2:
		n := binary.BigEndian.Uint16(head[1:])
		return head[3] == 3 && n >= 64 && n <= longestKey && head[12] <= 22 // an algorithm
	case publicNew:
		return head[1] < 192 && head[2] == 3 && head[1] >= 32 || head[1] >= 192 && head[1] < 224 && head[3] == 3 && head[12] <= 27
	case passwordOld, passwordNew:
		return head[1] < 64 && head[1] >= 4 && (head[2] == 4 || head[2] == 5) && head[3] >= 1 && head[3] <= 13
	}
	return false
}
