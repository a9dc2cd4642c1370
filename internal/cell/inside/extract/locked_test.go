package extract

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"blotter/internal/reason"
)

// A package of which only parts are protected is a document within what encrypts it.
func TestLockedPackages(t *testing.T) {
	for name, refused := range map[string]reason.Code{"agile.xlsx": "", "standard.xlsx": "", "other.xlsx": reason.ExtractEncrypted} {
		b, err := os.ReadFile(filepath.Join("lock", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		src, err := openNest(b, nestLimits)
		if reason.Of(err) != refused {
			t.Errorf("%s: %v, want %q", name, err, refused)
		}
		if err != nil {
			continue
		}
		if got := found(src); !slices.Equal(got, []string{"[1] image 7×5"}) || levelOf(t, src, 0) != 9 {
			t.Errorf("%s: %q", name, got)
		}
	}
}
