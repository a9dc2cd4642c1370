package typecase

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blotter/internal/cell/engine/enginetest"
)

func TestEveryTypefaceOpens(t *testing.T) {
	c, err := Open()
	if err != nil {
		enginetest.Missing(t, err)
	}
	if len(c.members) < 40 {
		t.Errorf("only %d typefaces", len(c.members))
	}
	for name := range c.members {
		if _, err := c.Typeface(name); err != nil {
			t.Error(err)
		}
	}
	if _, err := c.Typeface("comic"); err == nil {
		t.Error("a typeface that nobody pinned was found")
	}
}

func TestAnotherFileIsRefused(t *testing.T) {
	good, err := Open()
	if err != nil {
		enginetest.Missing(t, err)
	}
	dir := t.TempDir()
	for name, m := range good.members {
		b := []byte("wOFF")
		if name != "tinos" {
			b, err = os.ReadFile(m.file(good.dir))
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(m.file(dir), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("BLOTTER_TYPEFACES", dir)
	c, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Typeface("tinos"); err == nil || !strings.Contains(err.Error(), "not the pinned file") {
		t.Errorf("got %v", err)
	}
	if _, err := c.Typeface("tinos-bold"); err != nil {
		t.Error(err)
	}
}

func TestWithoutNpmTheErrorSaysWhatToDo(t *testing.T) {
	t.Setenv("BLOTTER_TYPEFACES", filepath.Join(t.TempDir(), "none"))
	t.Setenv("PATH", t.TempDir())
	if _, err := Open(); err == nil || !strings.Contains(err.Error(), "install npm") {
		t.Errorf("got %v", err)
	}
}

func TestDamagedWOFFIsAnError(t *testing.T) {
	for _, b := range []string{"", "wOFF", "wOFF" + strings.Repeat("\xff", 60)} {
		if _, err := unpackWOFF([]byte(b)); err == nil {
			t.Errorf("%q was unpacked", b)
		}
	}
}
