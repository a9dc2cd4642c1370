package main_test

import (
	"bytes"
	"net/http"
	"testing"

	"blotter/client"
	"blotter/internal/intake/intaketest"
)

// TestAttackedService holds the whole program against its own description: real cells, the
// real vault, the signer at work. What the API answers by itself is tried more often in
// internal/intake.
func TestAttackedService(t *testing.T) {
	t.Parallel()
	s := newStation(t)
	v := s.serve("BLOTTER_API_RATE_PER_SECOND=10000", "BLOTTER_API_RATE_BURST=10000")
	ctx, c := limited(t), v.client("")
	target := intaketest.Target{URL: v.url, Keys: []string{v.key}, HTTP: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	for _, role := range []string{"client", "reader", "reviewer", "operator"} {
		target.Keys = append(target.Keys, s.addKey("--tenant", "default", "--role", role))
	}
	for _, body := range [][]byte{read(t, tiny(t)), []byte("no document"), []byte("GIF89a")} {
		j, err := c.Wait(ctx, upload(t, ctx, c, body, client.UploadOptions{Originals: true}).ID)
		if err != nil {
			t.Fatal(err)
		}
		target.Jobs = append(target.Jobs, j.ID)
	}
	target.Jobs = append(target.Jobs, "j0123456789abcdefghjkmnpqrs", upload(t, ctx, c, bytes.Repeat([]byte("x"), 1000), client.UploadOptions{}).ID)
	intaketest.Attack(t, target, 2, 150)
	v.stop()
}
