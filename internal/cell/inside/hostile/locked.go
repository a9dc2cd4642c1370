package hostile

import (
	"crypto/aes"
	"crypto/sha1"
	"encoding/binary"

	"blotter/internal/cell/inside/cfb"
)

// shut is a package of Office that is encrypted with the password that Excel uses where nobody
// gave one ([MS-OFFCRYPTO] 2.3.4.5 to 2.3.4.7).
func shut(held []byte) []byte {
	const rounds, keyBytes, flags, aes128, sha = 50_000, 16, 0x24, 0x660e, 0x8004
	salt := make([]byte, 16)
	h := sha1.New()
	h.Write(salt)
	for _, c := range "VelvetSweatshop" {
		h.Write([]byte{byte(c), 0})
	}
	sum := h.Sum(nil)
	for i := range rounds + 1 {
		n := binary.LittleEndian.AppendUint32(nil, uint32(i))
		one := sha1.Sum(append(n, sum...))
		if i == rounds {
			one = sha1.Sum(append(sum, 0, 0, 0, 0))
		}
		sum = one[:]
	}
	wide := make([]byte, 64)
	for i := range wide {
		wide[i] = 0x36
		if i < len(sum) {
			wide[i] ^= sum[i]
		}
	}
	key := sha1.Sum(wide)
	block := must(aes.NewCipher(key[:keyBytes]))
	mixed := func(b []byte) []byte {
		b = append(b, make([]byte, -len(b)&15)...)
		for i := 0; i < len(b); i += aes.BlockSize {
			block.Encrypt(b[i:], b[i:])
		}
		return b
	}
	verifier := make([]byte, 16)
	check := sha1.Sum(verifier)
	info := join(le16(4, 2), le32(flags, 34, flags, 0, aes128, sha, 8*keyBytes, 24, 0, 0), le16(0), le32(len(salt)), salt, mixed(verifier), le32(len(check)), mixed(check[:]))
	return compound(cfb.NewStream("EncryptionInfo", info), cfb.NewStream("EncryptedPackage", join(le32(len(held), 0), mixed(append([]byte{}, held...)))))
}
