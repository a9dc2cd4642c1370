package vault_test

import "testing"

func TestFingerprints(t *testing.T) {
	p, other := newPlace(t), newPlace(t)
	name := p.Fingerprint([]byte("ab"), []byte("c"))
	if len(name) != 64 {
		t.Errorf("a name of %d digits", len(name))
	}
	if p.Fingerprint([]byte("a"), []byte("bc")) == name || p.Fingerprint([]byte("abc")) == name {
		t.Error("parts run into each other")
	}
	if other.Fingerprint([]byte("ab"), []byte("c")) == name {
		t.Error("another station gives the same name, so it can be guessed without the key")
	}
	p.Close()
	p.open(t)
	if p.Fingerprint([]byte("ab"), []byte("c")) != name {
		t.Error("the name changed with a new start")
	}
}
