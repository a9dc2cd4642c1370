package vault

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"os"
)

// Fingerprint returns a name for something that must not be guessed from it: the
// HMAC-SHA-256 of the parts under a key derived from the station's, in hexadecimal. The
// same parts give the same name for as long as the station key lives.
func (v *Vault) Fingerprint(parts ...[]byte) string {
	mac := hmac.New(sha256.New, v.naming)
	for _, p := range parts {
		digest := sha256.Sum256(p) // of fixed size, so that parts cannot run into each other
		mac.Write(digest[:])
	}
	return hex.EncodeToString(mac.Sum(nil))
}

// namingKey derives the key of fingerprints from the station key's file.
func namingKey(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, unavailable("read the station key", err)
	}
	mac := hmac.New(sha256.New, data)
	mac.Write([]byte(domain + "fingerprint"))
	return mac.Sum(nil), nil
}
